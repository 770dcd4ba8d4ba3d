#include "cudart/engine/block.h"

#include <algorithm>
#include <cstring>

#include "common/fibre.h"
#include "cudart/engine/faults.h"
#include "cudart/heap.h"

namespace w2w::cudart {
namespace {

constexpr size_t kBaseStack = 64 << 10;
constexpr size_t kRecursionStack = 512 << 10;
constexpr size_t kIndependentStack = 256 << 10;
constexpr size_t kWarpStack = 256 << 10;
constexpr uint32_t kFairnessPeriod = 16;

size_t stack_bytes(const Launch& launch) {
  if (launch.kernel->run_warp) return kWarpStack + 2 * size_t{launch.kernel->warp_bytes};
  size_t bytes = kBaseStack + 2 * size_t{launch.kernel->local_bytes};
  if (launch.kernel->independent) bytes += kIndependentStack;
  if (launch.kernel->recursive) bytes += std::max(kRecursionStack, launch.stack_bytes);
  return bytes;
}

void fill_launch_fields(w2w_thread& thread, Launch& launch, Block& block) {
  const Heap& heap = Heap::instance();
  std::copy_n(launch.block, 3, thread.ntid);
  std::copy_n(launch.grid, 3, thread.nctaid);
  thread.shared_size = launch.shared_bytes();
  thread.dynamic_shared = launch.dynamic_shared_offset();
  thread.param_size = static_cast<uint32_t>(launch.params.size());
  thread.shared = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(block.shared.data()) + 1023) / 1024 * 1024);
  thread.params = launch.params.data();
  thread.heap_base = heap.base();
  thread.heap_size = Heap::kRange;
  thread.heap_valid = heap.valid();
  thread.grid_workspace = launch.grid_workspace;
  thread.grid_id = launch.grid_id;
  thread.block = &block;
}

void run_thread(void* argument) {
  auto& thread = *static_cast<Thread*>(argument);
  Block& block = thread.owner();
  const w2w_kernel& kernel = *block.launch->kernel;
  if (!kernel.run_warp) {
    kernel.run(&thread, thread.params);
  } else if (kernel.independent) {
    block.run_all_warps(thread);
  } else {
    kernel.run_warp(&thread, &block.lanes[thread.warp]);
    for (;;) block.suspend(thread);  // all its lanes have ended
  }
  if (block.failed_assertion)
    stop(thread, Outcome::kAssert, "assert", block.failed_assertion->site, block.failed_assertion->text);
  if (block.launch->kernel->independent) thread.lane = thread.warp = 0;  // it has run as every thread of the block
  block.finish(thread);
}

}  // namespace

void Block::start(Launch& of, uint64_t block_index) {
  launch = &of;
  index = block_index;
  const uint32_t count = of.kernel->independent ? 1 : of.threads();
  live = count;
  failed_assertion.reset();
  shared.assign(of.shared_bytes() + 1024, 0);
  threads.resize(count);
  warps.assign((count + kWarpSize - 1) / kWarpSize, Warp{});
  std::fill(std::begin(barriers), std::end(barriers), Barrier{});
  arrivals.clear();
  if (of.kernel->run_warp && !of.kernel->independent)
    start_warps();
  else
    start_threads();
}

void Block::start_threads() {
  const auto count = static_cast<uint32_t>(threads.size());
  stacks.require(count, stack_bytes(*launch));
  for (uint32_t number = 0; number < count; ++number) {
    Thread& thread = threads[number];
    place(thread, number);
    thread.stack_low = stacks.low(number);
    thread.stack_high = stacks.high(number);
    thread.stack_pointer = prepare_fibre(thread.stack_high, run_thread, &thread);
    warps[thread.warp].ready |= 1u << thread.lane;
  }
}

// A fibre for each warp, which is that of its first lane.
void Block::start_warps() {
  stacks.require(warps.size(), stack_bytes(*launch));
  place_lanes(sizeof(Thread));
  for (uint32_t number = 0; number < threads.size(); ++number) {
    Thread& thread = threads[number];
    place(thread, number);
    thread.stack_low = stacks.low(thread.warp);
    thread.stack_high = stacks.high(thread.warp);
  }
  for (uint32_t number = 0; number < warps.size(); ++number) {
    Thread& first = lane(number, 0);
    first.stack_pointer = prepare_fibre(first.stack_high, run_thread, &first);
    warps[number].ready = 1;
  }
}

void Block::place_in_grid(Thread& thread) const {
  const uint32_t* grid = launch->grid;
  thread.ctaid[0] = static_cast<uint32_t>(index % grid[0]);
  thread.ctaid[1] = static_cast<uint32_t>(index / grid[0] % grid[1]);
  thread.ctaid[2] = static_cast<uint32_t>(index / grid[0] / grid[1]);
}

void Block::place(Thread& thread, uint32_t number) {
  thread = Thread{};
  fill_launch_fields(thread, *launch, *this);
  place_in_grid(thread);
  thread.linear = number;
  thread.tid[0] = number % launch->block[0];
  thread.tid[1] = number / launch->block[0] % launch->block[1];
  thread.tid[2] = number / launch->block[0] / launch->block[1];
  thread.lane = number % kWarpSize;
  thread.warp = number / kWarpSize;
  warps[thread.warp].lanes |= 1u << thread.lane;
}

void Block::switch_to(Thread& thread) {
  running = &thread;
  w2w_fibre_switch(&scheduler, thread.stack_pointer);
  running = nullptr;
}

void Block::suspend(Thread& thread) { w2w_fibre_switch(&thread.stack_pointer, scheduler); }

void Block::wake(Thread& thread) {
  thread.state = State::kRunnable;
  if (!launch->kernel->run_warp) {
    warps[thread.warp].ready |= 1u << thread.lane;
    return;
  }
  w2w_warp& warp = lanes[thread.warp];
  warp.ready |= 1u << thread.lane;
  warp.result[thread.lane] = thread.request.result;
  const uint32_t bit = 1u << thread.lane;
  warp.second_result = thread.request.second_result ? warp.second_result | bit : warp.second_result & ~bit;
  warps[thread.warp].ready |= 1;
}

void Block::finish(Thread& thread) {
  thread.state = State::kDone;
  warps[thread.warp].done |= 1u << thread.lane;
  --live;
  release_complete_barriers(*this);
  complete_warp_operations(*this, thread.warp);
  suspend(thread);
  __builtin_unreachable();
}

Progress Block::run() {
  while (live) {
    bool progress = run_ready();
    if (launch->stopped.load(std::memory_order_relaxed)) return Progress::kStopped;
    if (progress || release_converging()) continue;
    if (resume_yielded()) return Progress::kSpinning;
    if (live) {
      report_deadlock();
      return Progress::kStopped;
    }
  }
  return Progress::kFinished;
}

// Each warp until none of its lanes is ready. True if any lane ran and not all of them only polled.
bool Block::run_ready() {
  bool progress = false;
  for (uint32_t number = 0; number < warps.size(); ++number) {
    Warp& warp = warps[number];
    while (warp.ready) {
      const uint32_t bit = warp.ready & -warp.ready;
      warp.ready &= ~bit;
      switch_to(lane(number, static_cast<uint32_t>(__builtin_ctz(bit))));
      if (!(warp.yielded & bit)) progress = true;
    }
    if (launch->stopped.load(std::memory_order_relaxed)) return true;
  }
  return progress;
}

// Lanes that wait to run together: those at one place go on, as a warp that has diverged runs one of its paths. The
// first place in the program goes first, so that paths meet again; now and then the last, so that none starves.
bool Block::release_converging() {
  bool any = false;
  for (uint32_t number = 0; number < warps.size(); ++number) {
    Warp& warp = warps[number];
    if (!warp.converging) continue;
    const bool last = ++warp.releases % kFairnessPeriod == 0;
    const w2w_site* chosen = nullptr;
    for (uint32_t rest = warp.converging; rest; rest &= rest - 1) {
      const w2w_site* site = lane(number, static_cast<uint32_t>(__builtin_ctz(rest))).site;
      if (!chosen || (last ? site->line > chosen->line : site->line < chosen->line)) chosen = site;
    }
    uint32_t group = 0;
    for (uint32_t rest = warp.converging; rest; rest &= rest - 1) {
      const uint32_t bit = rest & -rest;
      if (lane(number, static_cast<uint32_t>(__builtin_ctz(rest))).site == chosen) group |= bit;
    }
    warp.converging &= ~group;
    for (uint32_t rest = group; rest; rest &= rest - 1) {
      Thread& thread = lane(number, static_cast<uint32_t>(__builtin_ctz(rest)));
      thread.result = group;
      wake(thread);
    }
    any = true;
  }
  return any;
}

bool Block::resume_yielded() {
  bool any = false;
  for (Warp& warp : warps) {
    any = any || warp.yielded;
    warp.ready |= warp.yielded;
    warp.yielded = 0;
  }
  return any;
}

void Block::report_deadlock() {
  uint32_t at_barrier = 0, in_warp = 0;
  const Thread* first = nullptr;
  for (const Arrival& arrival : arrivals) {
    for (uint32_t rest = arrival.lanes; rest; rest &= rest - 1) {
      Thread& thread = lane(arrival.warp, first_lane(rest));
      thread.state = State::kAtBarrier;
      thread.site = arrival.site;
    }
  }
  for (const Thread& thread : threads) {
    if (thread.state == State::kDone) continue;
    ++(thread.state == State::kAtBarrier ? at_barrier : in_warp);
    if (!first) first = &thread;
  }
  std::string message = "the threads that are left in block " + describe_block(*this) +
                        " wait for each other: " + std::to_string(at_barrier) + " at a barrier, " +
                        std::to_string(in_warp) + " for lanes of their warp; " + std::to_string(threads.size() - live) +
                        " of " + std::to_string(threads.size()) + " have ended; the first is " +
                        describe_thread(*first);
  launch->fail(Outcome::kDeadlock, make_fault("barrier-deadlock", *launch, first->site, message));
}

}  // namespace w2w::cudart
