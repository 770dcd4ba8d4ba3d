// The copy engine: hsa_amd_memory_async_copy*. One thread runs whatever copy's dependencies are met, oldest first.
#include "hsa/copies.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <thread>

#include "hsa/initialised_memory.h"
#include "hsa/signals.h"

namespace w2w::hsa {
namespace {

struct Copy {
  std::vector<Signal*> after;  // all must be 0
  Signal* done;
  std::function<void()> move;
};

bool may_start(const Copy& copy) {
  return std::all_of(copy.after.begin(), copy.after.end(), [](Signal* signal) { return signal->load() <= 0; });
}

class CopyEngine {
 public:
  CopyEngine() : thread_([this] { run(); }) { thread_.detach(); }

  void enqueue(Copy copy) {
    Sleeper* sleeper;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (sleeper_) watch(copy);
      waiting_.push_back(std::move(copy));
      sleeper = sleeper_;
    }
    if (sleeper) sleeper->wake();
  }

 private:
  void run() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      sleeper_ = &Sleeper::mine();
      for (const Copy& copy : waiting_) watch(copy);
    }
    for (;;) {
      std::list<Copy> next;
      Sleeper::mine().wait([&] { return take_ready(&next); }, kForever, kLookAgainSeldom);
      for (Signal* signal : next.front().after) signal->unwatch(sleeper_);
      uint64_t started = timestamp();
      next.front().move();
      if (next.front().done) next.front().done->complete(started, timestamp());
    }
  }

  bool take_ready(std::list<Copy>* next) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto ready = std::find_if(waiting_.begin(), waiting_.end(), may_start);
    if (ready == waiting_.end()) return false;
    next->splice(next->end(), waiting_, ready);
    return true;
  }

  void watch(const Copy& copy) {
    for (Signal* signal : copy.after) signal->watch(sleeper_);
  }

  std::mutex mutex_;
  std::list<Copy> waiting_;
  Sleeper* sleeper_ = nullptr;  // of the thread, once it runs
  std::thread thread_;          // last: starts when the rest is there
};

void copy_rectangle(const hsa_pitched_ptr_t& to, hsa_dim3_t to_offset, const hsa_pitched_ptr_t& from,
                    hsa_dim3_t from_offset, hsa_dim3_t range) {
  auto row = [](const hsa_pitched_ptr_t& side, hsa_dim3_t offset, size_t y, size_t z) {
    return static_cast<char*>(side.base) + offset.x + (offset.y + y) * side.pitch + (offset.z + z) * side.slice;
  };
  for (size_t z = 0; z < range.z; z++)
    for (size_t y = 0; y < range.y; y++) {
      std::memmove(row(to, to_offset, y, z), row(from, from_offset, y, z), range.x);
      initialised_memory().mark(row(to, to_offset, y, z), range.x);
    }
}

}  // namespace

hsa_status_t enqueue_copy(uint32_t dependencies, const hsa_signal_t* signals, hsa_signal_t done,
                          std::function<void()> move) {
  if (dependencies && !signals) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  static CopyEngine* engine = new CopyEngine;  // never destroyed: it outlives exit()
  Copy copy{{}, done.handle ? Signal::of(done) : nullptr, std::move(move)};
  for (uint32_t i = 0; i < dependencies; i++)
    if (signals[i].handle) copy.after.push_back(Signal::of(signals[i]));
  engine->enqueue(std::move(copy));
  return HSA_STATUS_SUCCESS;
}

}  // namespace w2w::hsa

namespace {

hsa_status_t copy_bytes(void* to, const void* from, size_t size, uint32_t dependencies, const hsa_signal_t* signals,
                        hsa_signal_t done) {
  if (!to || !from || !done.handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return w2w::hsa::enqueue_copy(dependencies, signals, done, [=] {
    std::memmove(to, from, size);
    w2w::hsa::initialised_memory().mark(to, size);
  });
}

}  // namespace

extern "C" {

hsa_status_t hsa_amd_memory_async_copy(void* to, hsa_agent_t, const void* from, hsa_agent_t, size_t size,
                                       uint32_t dependencies, const hsa_signal_t* signals, hsa_signal_t done) {
  return copy_bytes(to, from, size, dependencies, signals, done);
}

hsa_status_t hsa_amd_memory_async_copy_on_engine(void* to, hsa_agent_t, const void* from, hsa_agent_t, size_t size,
                                                 uint32_t dependencies, const hsa_signal_t* signals, hsa_signal_t done,
                                                 hsa_amd_sdma_engine_id_t, bool) {
  return copy_bytes(to, from, size, dependencies, signals, done);
}

hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t* to, const hsa_dim3_t* to_offset,
                                            const hsa_pitched_ptr_t* from, const hsa_dim3_t* from_offset,
                                            const hsa_dim3_t* range, hsa_agent_t, hsa_amd_copy_direction_t,
                                            uint32_t dependencies, const hsa_signal_t* signals, hsa_signal_t done) {
  if (!to || !to_offset || !from || !from_offset || !range || !done.handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return w2w::hsa::enqueue_copy(
      dependencies, signals, done,
      [to = *to, to_offset = *to_offset, from = *from, from_offset = *from_offset, range = *range] {
        w2w::hsa::copy_rectangle(to, to_offset, from, from_offset, range);
      });
}

// Both SDMA engines are always free, and none is better than the other.
hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t, hsa_agent_t, uint32_t* mask) {
  *mask = HSA_AMD_SDMA_ENGINE_0 | HSA_AMD_SDMA_ENGINE_1;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t, hsa_agent_t, uint32_t* mask) {
  *mask = 0;
  return HSA_STATUS_SUCCESS;
}

}  // extern "C"
