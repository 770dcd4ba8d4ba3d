// Warps whose lanes run together: where the lanes stand, and what the generated code asks of the engine.
#include <algorithm>
#include <cstring>

#include "cudart/engine/block.h"
#include "cudart/engine/faults.h"
#include "cudart/engine/warp_operations.h"

namespace w2w::cudart {

namespace {

void place_warp(w2w_warp& warp, const uint32_t* block_shape, uint32_t number) {
  const uint32_t count = block_shape[0] * block_shape[1] * block_shape[2], first = number * kWarpSize;
  memset(&warp, 0, sizeof warp);
  warp.first = first;
  uint32_t x = first % block_shape[0], y = first / block_shape[0] % block_shape[1],
           z = first / block_shape[0] / block_shape[1];
  for (uint32_t lane = 0; lane < kWarpSize && first + lane < count; ++lane) {
    warp.tid[0][lane] = x;
    warp.tid[1][lane] = y;
    warp.tid[2][lane] = z;
    warp.all |= 1u << lane;
    if (++x < block_shape[0]) continue;
    x = 0;
    if (++y < block_shape[1]) continue;
    y = 0;
    ++z;
  }
}

}  // namespace

void Block::place_lanes(size_t stride) {
  const bool same = lanes.size() * kWarpSize >= launch->threads() && std::equal(shape, shape + 3, launch->block);
  if (!same || lanes.size() > (launch->threads() + kWarpSize - 1) / kWarpSize) {
    lanes.resize((launch->threads() + kWarpSize - 1) / kWarpSize);
    for (uint32_t number = 0; number < lanes.size(); ++number) place_warp(lanes[number], launch->block, number);
    std::copy_n(launch->block, 3, shape);
  }
  for (w2w_warp& warp : lanes) {
    warp.ready = warp.lanes = warp.all;
    warp.deferred = 0;
    warp.stride = stride;
  }
}

void Block::run_all_warps(Thread& thread) {
  do {
    place_lanes(0);
    for (uint32_t number = 0; number < lanes.size(); ++number) {
      thread.warp = number;
      launch->kernel->run_warp(&thread, &lanes[number]);
    }
  } while (take_next(thread));
}

bool Block::take_next(Thread& thread) {
  if (launch->stopped.load(std::memory_order_relaxed)) return false;
  const uint64_t next = launch->next_block.fetch_add(1, std::memory_order_relaxed);
  if (next >= launch->blocks()) return false;
  index = next;
  place_in_grid(thread);
  if (thread.shared_size) std::fill(shared.begin(), shared.end(), 0);
  return true;
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: the functions below are the C interface of generated code

extern "C" {

void w2w_warp_wait(w2w_thread* t, w2w_warp*) {
  Thread& thread = as_thread(t);
  thread.owner().suspend(thread);
}

void w2w_warp_yield(w2w_thread* t, w2w_warp*) {
  Thread& thread = as_thread(t);
  Block& block = thread.owner();
  block.warps[thread.warp].yielded |= 1;
  block.suspend(thread);
}

void w2w_warp_exit(w2w_thread* t, w2w_warp* w, unsigned lanes) {
  w->lanes &= ~lanes;
  Thread& first = as_thread(t);
  Block& block = first.owner();
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    block.lane(first.warp, first_lane(rest)).state = State::kDone;
  block.warps[first.warp].done |= lanes;
  block.live -= static_cast<uint32_t>(__builtin_popcount(lanes));
  release_complete_barriers(block);
  complete_warp_operations(block, first.warp);
}

void w2w_warp_arrive(w2w_thread* t, w2w_warp*, const w2w_site* site, unsigned lanes, unsigned id, unsigned count,
                     unsigned operation, unsigned values) {
  arrive_together(as_thread(t), site, lanes, id, count, operation, values);
}

void w2w_warp_meet(w2w_thread* t, w2w_warp*, const w2w_site* site, unsigned lanes, const w2w_lane_request* request) {
  Thread& first = as_thread(t);
  Block& block = first.owner();
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const uint32_t lane = first_lane(rest);
    Thread& thread = block.lane(first.warp, lane);
    if (request->a) thread.request.a = request->a[lane];
    if (request->b) thread.request.b = request->b[lane];
    if (request->c) thread.request.c = request->c[lane];
    if (request->wide) thread.request.wide = request->wide[lane];
    enter_meeting(thread, site, request->kind, request->masks[lane]);
  }
}

}  // extern "C"
