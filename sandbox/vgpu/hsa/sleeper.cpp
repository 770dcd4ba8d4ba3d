#include "hsa/sleeper.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <mutex>
#include <vector>

namespace w2w::hsa {
namespace {

struct Dormitory {
  std::mutex mutex;
  std::vector<Sleeper*> all;
  std::vector<Sleeper*> vacant;  // of threads that ended
};

Dormitory& dormitory() {
  static Dormitory* d = new Dormitory;  // never destroyed: threads outlive exit()
  return *d;
}

struct Tenancy {
  Sleeper* sleeper;
  Tenancy() {
    Dormitory& d = dormitory();
    std::lock_guard<std::mutex> lock(d.mutex);
    if (d.vacant.empty()) {
      d.all.push_back(new Sleeper);
      d.vacant.push_back(d.all.back());
    }
    sleeper = d.vacant.back();
    d.vacant.pop_back();
  }
  ~Tenancy() {
    Dormitory& d = dormitory();
    std::lock_guard<std::mutex> lock(d.mutex);
    d.vacant.push_back(sleeper);
  }
};

}  // namespace

Sleeper& Sleeper::mine() {
  static thread_local Tenancy tenancy;
  return *tenancy.sleeper;
}

void Sleeper::wake() {
  wakes_.fetch_add(1, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst))
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&wakes_), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void Sleeper::wake_all() {
  Dormitory& d = dormitory();
  std::lock_guard<std::mutex> lock(d.mutex);
  for (Sleeper* sleeper : d.all) sleeper->wake();
}

void Sleeper::doze(uint32_t seen, Clock::duration longest) {
  auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(longest).count();
  timespec limit{static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&wakes_), FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
}

}  // namespace w2w::hsa
