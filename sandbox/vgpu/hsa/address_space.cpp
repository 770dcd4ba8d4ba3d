#include "hsa/address_space.h"

#include <sys/mman.h>

namespace w2w::hsa {
namespace {

constexpr size_t kWanted = size_t{32} << 40;  // of the 128 TiB that a process has
constexpr size_t kLeast = size_t{64} << 30;
constexpr uintptr_t kPreferredBase = uintptr_t{32} << 40;  // far from programs, heaps and libraries
// A range between guards is two mappings of the 65,530 that Linux lets a process have by default.
constexpr size_t kGuardedRanges = 16384;

void* map_nothing(void* at, size_t bytes, int flags) {
  return mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

}  // namespace

AddressSpace::AddressSpace() {
  for (size_t bytes = kWanted; bytes >= kLeast; bytes /= 2) {
    void* base = map_nothing(reinterpret_cast<void*>(kPreferredBase), bytes, 0);
    if (base == MAP_FAILED) continue;  // RLIMIT_AS
    begin_ = cursor_ = reinterpret_cast<uintptr_t>(base);
    end_ = begin_ + bytes;
    return;
  }
}

uintptr_t AddressSpace::next_fit(uintptr_t from, size_t bytes, size_t alignment, size_t guard) const {
  uintptr_t at = round_up(from, alignment);
  auto range = live_.upper_bound(at);
  if (range != live_.begin()) {
    uintptr_t previous_end = std::prev(range)->second;
    if (previous_end + guard > at) at = round_up(previous_end + guard, alignment);
  }
  for (; range != live_.end(); ++range) {
    if (at + bytes + guard <= range->first) break;
    at = round_up(range->second + guard, alignment);
  }
  return at + bytes + guard <= end_ ? at : 0;
}

char* AddressSpace::reserve(size_t bytes, size_t alignment) {
  if (bytes > end_ - begin_ || alignment > end_ - begin_) return nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t guard = live_.size() < kGuardedRanges ? kGuardBytes : 0;
  uintptr_t base = next_fit(cursor_, bytes, alignment, guard);
  if (!base) base = next_fit(begin_, bytes, alignment, guard);
  if (!base) return nullptr;
  live_[base] = base + bytes;
  cursor_ = base + bytes + guard;
  return reinterpret_cast<char*>(base);
}

void AddressSpace::release(char* base) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto range = live_.find(reinterpret_cast<uintptr_t>(base));
  if (range == live_.end()) return;
  // With too many mappings, a hole cannot be made; then the memory goes back, and the addresses read as zeros.
  if (!clear(base, range->second - range->first)) madvise(base, range->second - range->first, MADV_DONTNEED);
  live_.erase(range);
}

bool AddressSpace::clear(char* base, size_t bytes) { return map_nothing(base, bytes, MAP_FIXED) != MAP_FAILED; }

AddressSpace& address_space() {
  static AddressSpace* space = new AddressSpace;  // never destroyed: threads outlive exit()
  return *space;
}

}  // namespace w2w::hsa
