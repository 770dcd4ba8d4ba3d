// Signals.
//
// Trap: a signal's handle must be the address of an amd_signal_t. ROCclr logs and patches it, and device code
// (hostcall, stream operations) reads and writes its value without calling us. Trap: hostcall's device side (OCKL)
// executes s_sendmsg only if event_mailbox_ptr is not null; without it the host would see a printf only at its next
// look. So every signal has a mailbox. Trap: a waiter may destroy the signal as soon as it sees the value, while the
// thread that stored it is still about to wake the watchers. So signals live in memory that is only ever reused for
// signals.
#pragma once
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "hsa/sleeper.h"

namespace w2w::hsa {

class Signal {
 public:
  static Signal* create(int64_t value);
  // Whether `address` lies in a signal. Signals' memory never goes away.
  static bool holds(const void* address);
  static Signal* of(hsa_signal_t handle) { return reinterpret_cast<Signal*>(handle.handle); }
  hsa_signal_t handle() { return {reinterpret_cast<uint64_t>(this)}; }

  // A handler keeps its signal alive, as in ROCr. create() gives one reference.
  void acquire() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release();

  int64_t load() const { return __atomic_load_n(&abi_.value, __ATOMIC_SEQ_CST); }
  volatile int64_t* value_pointer() { return &abi_.value; }
  void store_silently(int64_t value) { __atomic_store_n(&abi_.value, value, __ATOMIC_SEQ_CST); }
  void store(int64_t value) {
    store_silently(value);
    notify();
  }
  void add(int64_t value) {
    __atomic_fetch_add(&abi_.value, value, __ATOMIC_SEQ_CST);
    notify();
  }
  // What the packet processor and the copy engine do at the end of their work. Nanoseconds of the system clock.
  void complete(uint64_t started, uint64_t ended);
  uint64_t started() const { return abi_.start_ts; }
  uint64_t ended() const { return abi_.end_ts; }

  // `sleeper` is woken at each change, until unwatched as often as it was watched.
  void watch(Sleeper* sleeper);
  void unwatch(Sleeper* sleeper);

 private:
  void reset(int64_t value);
  void notify();

  amd_signal_t abi_;  // first, see above
  uint64_t mailbox_;
  std::atomic<int> references_;
  std::atomic<int> watcher_count_{0};
  std::mutex mutex_;
  std::vector<Sleeper*> watchers_;
};

bool satisfies(int64_t value, hsa_signal_condition_t condition, int64_t compare);

// The system clock of HSA, nanoseconds.
uint64_t timestamp();

// The calling thread watches `signals` (null handles are skipped) while this lives.
class Watch {
 public:
  template <class Signals>
  explicit Watch(const Signals& signals) {
    for (hsa_signal_t signal : signals)
      if (signal.handle) watch(Signal::of(signal));
  }
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  void watch(Signal* signal);
  Signal* watched_[8];
  int count_ = 0;
};

}  // namespace w2w::hsa
