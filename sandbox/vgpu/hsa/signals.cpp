#include "hsa/signals.h"

#include <ctime>
#include <iterator>
#include <new>
#include <set>

#include "simt/dispatch.h"

namespace w2w {

void signal_changed() { hsa::Sleeper::wake_all(); }

}  // namespace w2w

namespace w2w::hsa {
namespace {

constexpr uint32_t kEventId = 1;  // what device code writes to the mailbox and into M0; any but 0

struct SignalPool {
  std::mutex mutex;
  std::vector<Signal*> free;
  std::set<Signal*> all;
};

SignalPool& pool() {
  static SignalPool* p = new SignalPool;  // never destroyed: threads outlive exit()
  return *p;
}

}  // namespace

Signal* Signal::create(int64_t value) {
  static_assert(offsetof(Signal, abi_) == 0, "a signal's handle is an amd_signal_t*");
  Signal* signal = nullptr;
  {
    std::lock_guard<std::mutex> lock(pool().mutex);
    if (!pool().free.empty()) {
      signal = pool().free.back();
      pool().free.pop_back();
    }
  }
  if (!signal) {
    signal = new Signal;
    std::lock_guard<std::mutex> lock(pool().mutex);
    pool().all.insert(signal);
  }
  signal->reset(value);
  return signal;
}

bool Signal::holds(const void* address) {
  auto* at = static_cast<Signal*>(const_cast<void*>(address));
  std::lock_guard<std::mutex> lock(pool().mutex);
  auto next = pool().all.upper_bound(at);
  return next != pool().all.begin() && at < *std::prev(next) + 1;
}

void Signal::reset(int64_t value) {
  abi_ = amd_signal_t{};
  abi_.kind = AMD_SIGNAL_KIND_USER;
  abi_.value = value;
  abi_.event_mailbox_ptr = reinterpret_cast<uint64_t>(&mailbox_);
  abi_.event_id = kEventId;
  mailbox_ = 0;
  references_.store(1, std::memory_order_relaxed);
}

void Signal::release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  std::lock_guard<std::mutex> lock(pool().mutex);
  pool().free.push_back(this);
}

void Signal::complete(uint64_t started, uint64_t ended) {
  abi_.start_ts = started;
  abi_.end_ts = ended;
  add(-1);
}

void Signal::watch(Sleeper* sleeper) {
  std::lock_guard<std::mutex> lock(mutex_);
  watchers_.push_back(sleeper);
  watcher_count_.store(static_cast<int>(watchers_.size()), std::memory_order_seq_cst);
}

void Signal::unwatch(Sleeper* sleeper) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = 0; i < watchers_.size(); i++) {
    if (watchers_[i] != sleeper) continue;
    watchers_[i] = watchers_.back();
    watchers_.pop_back();
    break;
  }
  watcher_count_.store(static_cast<int>(watchers_.size()), std::memory_order_seq_cst);
}

void Signal::notify() {
  // Sequentially consistent against watch(): either we see the watcher, or it sees the new value before it sleeps.
  if (!watcher_count_.load(std::memory_order_seq_cst)) return;
  std::lock_guard<std::mutex> lock(mutex_);
  for (Sleeper* sleeper : watchers_) sleeper->wake();
}

bool satisfies(int64_t value, hsa_signal_condition_t condition, int64_t compare) {
  // clang-format off
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ: return value == compare;
    case HSA_SIGNAL_CONDITION_NE: return value != compare;
    case HSA_SIGNAL_CONDITION_LT: return value < compare;
    case HSA_SIGNAL_CONDITION_GTE: return value >= compare;
  }
  // clang-format on
  return false;
}

uint64_t timestamp() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void Watch::watch(Signal* signal) {
  signal->watch(&Sleeper::mine());
  watched_[count_++] = signal;
}

Watch::~Watch() {
  for (int i = 0; i < count_; i++) watched_[i]->unwatch(&Sleeper::mine());
}

}  // namespace w2w::hsa
