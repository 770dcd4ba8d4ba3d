// The threads of one block, the order in which they run, and what they wait for.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cudart/engine/launch.h"
#include "cudart/engine/stacks.h"

namespace w2w::cudart {

constexpr uint32_t kWarpSize = 32;
constexpr uint32_t kBarriers = 17;  // 16 that programs name, one for clusters

enum class State : uint8_t { kRunnable, kAtBarrier, kAtWarpOperation, kConverging, kDone };

// What a lane brings to an operation of its warp, and what it takes home.
struct WarpRequest {
  uint32_t kind = 0;  // see warp_operations.cpp; lanes meet where kind and mask are equal
  uint32_t mask = 0;
  uint32_t a = 0, b = 0, c = 0;
  uint64_t wide = 0;
  const void* input[3] = {};
  void* output = nullptr;
  const void* shape = nullptr;
  uint32_t result = 0, second_result = 0;
};

struct Block;

struct Thread : w2w_thread {
  State state = State::kRunnable;
  void* stack_pointer = nullptr;
  const w2w_site* site = nullptr;  // where it waits
  uint32_t barrier = 0;
  uint32_t barrier_operation = 0;
  uint32_t result = 0;
  WarpRequest request;

  Block& owner() { return *static_cast<Block*>(block); }
};

struct Warp {
  uint32_t lanes = 0;  // that exist
  uint32_t ready = 0;
  uint32_t yielded = 0;  // ready again once all others had their turn
  uint32_t meeting = 0;  // in a warp operation
  uint32_t converging = 0;
  uint32_t done = 0;
  uint32_t releases = 0;  // of converging groups, for fairness
};

// The first assertion that failed in an independent kernel, whose other threads still have their turn.
struct Assertion {
  const w2w_site* site;
  uint32_t warp;
  std::string text;
};

struct Barrier {
  uint32_t arrived = 0, expected = 0, count_true = 0;
  bool all_true = true, any_true = false;
};

// Lanes of a warp that wait at a barrier together.
struct Arrival {
  const w2w_site* site;
  uint32_t warp, lanes;
  uint32_t barrier, operation;
};

// What a slice of a block's execution ended with.
enum class Progress { kFinished, kSpinning, kStopped };

struct Block {
  Launch* launch = nullptr;
  uint64_t index = 0;
  uint32_t live = 0;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<w2w_warp> lanes;  // of each warp, for kernels that run a whole warp at once
  uint32_t shape[3] = {};       // of the block that they belong to
  Barrier barriers[kBarriers];
  std::vector<Arrival> arrivals;  // of kernels that run a whole warp at once
  std::vector<char> shared;
  StackSlab stacks;
  void* scheduler = nullptr;  // saved stack pointer of the worker's own context
  Thread* running = nullptr;
  std::optional<Assertion> failed_assertion;

  void start(Launch& of, uint64_t block_index);
  // Run until the block is finished, or nothing but polling happens in it.
  Progress run();

  Thread& lane(uint32_t warp, uint32_t index) { return threads[warp * kWarpSize + index]; }
  void wake(Thread& thread);
  // Give control back; returns when the thread is scheduled again.
  void suspend(Thread& thread);
  void finish(Thread& thread);

  // ---- lanes.cpp
  // Of a kernel whose threads never wait: all warps of this block, then of the next one of the launch, and so on.
  void run_all_warps(Thread& thread);

 private:
  bool take_next(Thread& thread);
  // All lanes stand at the beginning of the kernel. `stride`: see struct w2w_warp.
  void place_lanes(size_t stride);
  void place_in_grid(Thread& thread) const;
  void start_threads();
  void start_warps();
  void place(Thread& thread, uint32_t number);
  bool run_ready();
  bool release_converging();
  bool resume_yielded();
  void report_deadlock();
  void switch_to(Thread& thread);
};

inline uint32_t first_lane(uint32_t lanes) { return static_cast<uint32_t>(__builtin_ctz(lanes)); }

// ---- barriers.cpp
// `lanes` of the warp whose first thread is `warp` come to a barrier; `values` is what they bring to a reduction.
void arrive_together(Thread& warp, const w2w_site* site, uint32_t lanes, unsigned id, unsigned count,
                     uint32_t operation, uint32_t values);
void release_complete_barriers(Block& block);

// ---- warp_operations.cpp
// After a lane is done, an operation of its warp may be complete.
void complete_warp_operations(Block& block, uint32_t warp);

inline Thread& as_thread(w2w_thread* t) { return *static_cast<Thread*>(t); }

}  // namespace w2w::cudart
