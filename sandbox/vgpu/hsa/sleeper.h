// One thread's bed: it sleeps here until something that it depends on has changed.
//
// Signals keep a list of the sleepers that watch them (signals.h), so a store wakes the threads concerned and no
// others, and costs no system call while they are awake.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

namespace w2w::hsa {

using Clock = std::chrono::steady_clock;
constexpr auto kForever = Clock::time_point::max();

// Device code may store to a signal's memory without telling us (no s_sendmsg), and the host may through
// hsa_amd_signal_value_pointer. So no sleep trusts a wake-up to come: it looks again after this time.
constexpr std::chrono::milliseconds kLookAgain{2};
// For waits that only stores through our own functions can end.
constexpr std::chrono::milliseconds kLookAgainSeldom{100};

class Sleeper {
 public:
  // The calling thread's. Sleepers are never freed, so waking one that is gone is harmless.
  static Sleeper& mine();
  // Wake every thread that sleeps: something changed and nobody knows what.
  static void wake_all();

  void wake();

  // Until predicate() holds (true) or `deadline` (false). Call it only on mine().
  template <class Predicate>
  bool wait(Predicate predicate, Clock::time_point deadline, Clock::duration look_again) {
    for (int spin = 0; spin < kSpins; spin++) {
      if (predicate()) return true;
      __builtin_ia32_pause();
    }
    bool held;
    for (;;) {
      uint32_t seen = prepare();
      if ((held = predicate())) break;
      Clock::time_point now = Clock::now();
      if (now >= deadline) break;
      doze(seen, deadline - now < look_again ? deadline - now : look_again);
    }
    asleep_.store(false, std::memory_order_relaxed);
    return held;
  }

 private:
  static constexpr int kSpins = 200;  // about 10 us: shorter than going to sleep and being woken

  uint32_t prepare() {
    asleep_.store(true, std::memory_order_seq_cst);
    return wakes_.load(std::memory_order_seq_cst);
  }
  void doze(uint32_t seen, Clock::duration longest);

  std::atomic<uint32_t> wakes_{0};  // the futex
  std::atomic<bool> asleep_{false};
};

}  // namespace w2w::hsa
