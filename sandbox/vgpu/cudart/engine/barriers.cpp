// Block barriers (bar, barrier) and mbarrier objects.
#include <algorithm>

#include "cudart/engine/block.h"
#include "cudart/engine/faults.h"

namespace w2w::cudart {
namespace {

bool is_complete(const Barrier& barrier, const Block& block) {
  const uint32_t expected = barrier.expected ? barrier.expected : block.live;
  return barrier.arrived != 0 && barrier.arrived >= expected;
}

uint32_t reduction(const Barrier& barrier, uint32_t operation) {
  switch (operation) {
    case W2W_BARRIER_POPC:
      return barrier.count_true;
    case W2W_BARRIER_AND:
      return barrier.all_true;
    default:
      return barrier.any_true;
  }
}

// Lanes that run together come together.
void release_lanes(Block& block, uint32_t id, const Barrier& done) {
  auto is_here = [&](const Arrival& arrival) { return arrival.barrier == id; };
  for (const Arrival& arrival : block.arrivals) {
    if (!is_here(arrival)) continue;
    w2w_warp& lanes = block.lanes[arrival.warp];
    lanes.ready |= arrival.lanes;
    block.warps[arrival.warp].ready |= 1;
    if (arrival.operation == W2W_BARRIER_SYNC) continue;
    const uint32_t result = reduction(done, arrival.operation);
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      if (arrival.lanes >> lane & 1) lanes.result[lane] = result;
  }
  auto& all = block.arrivals;
  all.erase(std::remove_if(all.begin(), all.end(), is_here), all.end());
}

void release(Block& block, uint32_t id) {
  const Barrier done = block.barriers[id];
  block.barriers[id] = Barrier{};
  if (block.launch->kernel->run_warp) return release_lanes(block, id, done);
  for (Thread& thread : block.threads) {
    if (thread.state != State::kAtBarrier || thread.barrier != id) continue;
    thread.result = reduction(done, thread.barrier_operation);
    block.wake(thread);
  }
}

Barrier& arrive(Thread& thread, const w2w_site* site, unsigned id, unsigned count) {
  Block& block = thread.owner();
  if (id >= kBarriers)
    stop(thread, Outcome::kIllegalInstruction, "trap", site, "there is no barrier " + std::to_string(id));
  Barrier& barrier = block.barriers[id];
  ++barrier.arrived;
  barrier.expected = count;
  return barrier;
}

uint32_t wait(Thread& thread, const w2w_site* site, unsigned id, uint32_t operation) {
  Block& block = thread.owner();
  thread.site = site;
  thread.barrier = id;
  thread.barrier_operation = operation;
  thread.state = State::kAtBarrier;
  if (is_complete(block.barriers[id], block)) release(block, id);
  // Also the last to arrive gives way, so that warps run from barrier to barrier in their order.
  block.suspend(thread);
  return thread.result;
}

// The 64 bits of an mbarrier object: what is expected of each phase, what is missing in this one, the bytes that are
// outstanding (signed), and the number of the phase.
struct MbarrierState {
  uint64_t expected : 20;
  uint64_t pending : 20;
  int64_t bytes : 22;
  uint64_t phase : 2;
};
static_assert(sizeof(MbarrierState) == sizeof(unsigned long));

MbarrierState unpack(unsigned long word) {
  MbarrierState state;
  __builtin_memcpy(&state, &word, sizeof word);
  return state;
}

unsigned long pack(MbarrierState state) {
  unsigned long word;
  __builtin_memcpy(&word, &state, sizeof word);
  return word;
}

void complete_phase(MbarrierState& state) {
  if (state.pending != 0 || state.bytes != 0) return;
  state.pending = state.expected;
  state.phase = (state.phase + 1u) & 3u;
}

}  // namespace

void arrive_together(Thread& warp, const w2w_site* site, uint32_t lanes, unsigned id, unsigned count,
                     uint32_t operation, uint32_t values) {
  Block& block = warp.owner();
  Barrier& barrier = arrive(block.lane(warp.warp, first_lane(lanes)), site, id, count);
  const auto number = static_cast<uint32_t>(__builtin_popcount(lanes));
  values &= lanes;
  barrier.arrived += number - 1;
  barrier.count_true += static_cast<uint32_t>(__builtin_popcount(values));
  barrier.all_true = barrier.all_true && values == lanes;
  barrier.any_true = barrier.any_true || values;
  block.arrivals.push_back({site, warp.warp, lanes, id, operation});
  if (!is_complete(barrier, block)) return;
  release(block, id);
  // The last to arrive gives way, so that warps run from barrier to barrier in their order.
  if (block.warps.size() > 1) block.suspend(warp);
}

void release_complete_barriers(Block& block) {
  for (uint32_t id = 0; id < kBarriers; ++id)
    if (block.barriers[id].expected == 0 && is_complete(block.barriers[id], block)) release(block, id);
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: the functions below are the C interface of generated code

extern "C" {

void w2w_barrier_sync(w2w_thread* t, const w2w_site* site, unsigned id, unsigned count) {
  Thread& thread = as_thread(t);
  arrive(thread, site, id, count);
  wait(thread, site, id, 0);
}

void w2w_barrier_arrive(w2w_thread* t, const w2w_site* site, unsigned id, unsigned count) {
  Thread& thread = as_thread(t);
  Block& block = thread.owner();
  if (is_complete(arrive(thread, site, id, count), block)) release(block, id);
}

unsigned w2w_barrier_reduce(w2w_thread* t, const w2w_site* site, unsigned id, unsigned count,
                            enum w2w_barrier_reduction operation, unsigned value) {
  Thread& thread = as_thread(t);
  Barrier& barrier = arrive(thread, site, id, count);
  barrier.count_true += value != 0;
  barrier.all_true = barrier.all_true && value;
  barrier.any_true = barrier.any_true || value;
  return wait(thread, site, id, operation);
}

void w2w_mbarrier_init(unsigned long* object, unsigned count) {
  MbarrierState state{};
  state.expected = state.pending = count;
  *object = pack(state);
}

unsigned long w2w_mbarrier_arrive(unsigned long* object, unsigned count, unsigned drop, unsigned expected_bytes) {
  const unsigned long before = *object;
  MbarrierState state = unpack(before);
  state.bytes = state.bytes + static_cast<int64_t>(expected_bytes);
  state.pending -= count;
  if (drop) state.expected -= count;
  if (count) complete_phase(state);
  *object = pack(state);
  return before;
}

void w2w_mbarrier_complete_bytes(unsigned long* object, unsigned bytes) {
  MbarrierState state = unpack(*object);
  state.bytes = state.bytes - static_cast<int64_t>(bytes);
  complete_phase(state);
  *object = pack(state);
}

unsigned w2w_mbarrier_test(const unsigned long* object, unsigned long state) {
  return unpack(*object).phase != unpack(state).phase;
}

// True once the phase of that parity is complete, i.e. the current one has the other.
unsigned w2w_mbarrier_test_parity(const unsigned long* object, unsigned parity) {
  return (unpack(*object).phase & 1u) != (parity & 1u);
}

unsigned w2w_mbarrier_pending(unsigned long state) { return static_cast<unsigned>(unpack(state).pending); }

}  // extern "C"
