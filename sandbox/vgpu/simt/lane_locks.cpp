#include "simt/lane_locks.h"

#include <cstring>

#include "simt/checks.h"

namespace w2w::simt {
namespace {

uint64_t read_word(uint64_t address, uint32_t bytes) {
  uint64_t value = 0;
  memcpy(&value, reinterpret_cast<const void*>(address), bytes);
  return value;
}

}  // namespace

void LaneLocks::forget() {
  for (Change& change : changes_) change = {};
  asking_ = polled_ = 0;
}

// What an operation changed shows at the next one.
void LaneLocks::settle() {
  for (unsigned lane : ActiveLanes(asking_)) {
    const uint64_t now = read_word(asked_[lane], bytes_);
    if (now == before_[lane]) continue;
    place_of(asked_[lane]) = {asked_[lane], now, bytes_, lane};
    for (unsigned other : ActiveLanes(asking_))  // the first of those that use one word
      if (asked_[other] == asked_[lane]) before_[other] = now;
  }
}

void LaneLocks::note_atomic(uint64_t exec, const uint64_t* addresses, uint32_t bytes) {
  settle();
  asking_ = exec;
  bytes_ = bytes;
  for (unsigned lane : ActiveLanes(exec)) {
    asked_[lane] = addresses[lane];
    before_[lane] = read_word(addresses[lane], bytes);
  }
}

int LaneLocks::holder_of(uint64_t address, uint64_t exec) {
  const Change& change = place_of(address);
  if (!change.bytes || change.address != address || exec >> change.lane & 1) return -1;
  return read_word(address, change.bytes) == change.value ? static_cast<int>(change.lane) : -1;
}

int LaneLocks::find_holder(uint64_t exec) {
  settle();
  for (unsigned lane : ActiveLanes(asking_ & exec)) {
    int holder = holder_of(asked_[lane], exec);
    if (holder >= 0) return holder;
  }
  return polled_ ? holder_of(polled_, exec) : -1;
}

}  // namespace w2w::simt
