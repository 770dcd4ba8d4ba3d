#include "cudart/engine/warp_operations.h"

#include "cudart/engine/faults.h"

namespace w2w::cudart {
namespace {

constexpr uint32_t kLaneMask = kWarpSize - 1;

// Calls f(lane number, thread) for each lane in `lanes`.
template <class F>
void each(Block& block, uint32_t warp, uint32_t lanes, F f) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    f(lane, block.lane(warp, lane));
  }
}

// PTX ISA 9.7.9.6: source lane and whether it is in range.
uint32_t source_lane(uint32_t mode, uint32_t lane, uint32_t b, uint32_t c, bool* in_range) {
  const uint32_t segment = c >> 8 & kLaneMask, clamp = c & kLaneMask;
  const uint32_t highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
  const auto offset = static_cast<int>(b & kLaneMask);
  const int here = static_cast<int>(lane);
  int from;
  switch (mode) {
    case W2W_SHUFFLE_UP:
      from = here - offset;
      *in_range = from >= static_cast<int>(highest);
      break;
    case W2W_SHUFFLE_DOWN:
      from = here + offset;
      *in_range = from <= static_cast<int>(highest);
      break;
    case W2W_SHUFFLE_BFLY:
      from = here ^ offset;
      *in_range = from <= static_cast<int>(highest);
      break;
    default:
      from = static_cast<int>(lowest | (b & kLaneMask & ~segment));
      *in_range = from <= static_cast<int>(highest);
  }
  return *in_range ? static_cast<uint32_t>(from) : lane;
}

void shuffle(Block& block, uint32_t warp, uint32_t lanes, uint32_t mode) {
  each(block, warp, lanes, [&](uint32_t lane, Thread& thread) {
    bool in_range;
    uint32_t from = source_lane(mode, lane, thread.request.b, thread.request.c, &in_range);
    thread.request.second_result = in_range;
    // What a lane outside the mask holds is undefined; here it is the lane's own value.
    thread.request.result = (lanes >> from & 1 ? block.lane(warp, from) : thread).request.a;
  });
}

void vote(Block& block, uint32_t warp, uint32_t lanes, uint32_t mode) {
  uint32_t ballot = 0;
  each(block, warp, lanes, [&](uint32_t lane, Thread& thread) { ballot |= (thread.request.a != 0u) << lane; });
  uint32_t result = ballot;
  if (mode == W2W_VOTE_ALL) result = ballot == lanes;
  if (mode == W2W_VOTE_ANY) result = ballot != 0;
  if (mode == W2W_VOTE_UNI) result = ballot == lanes || ballot == 0;
  each(block, warp, lanes, [&](uint32_t, Thread& thread) { thread.request.result = result; });
}

void match(Block& block, uint32_t warp, uint32_t lanes, uint32_t mode) {
  auto equal_to = [&](uint64_t value) {
    uint32_t found = 0;
    each(block, warp, lanes,
         [&](uint32_t lane, Thread& other) { found |= (other.request.wide == value ? 1u : 0u) << lane; });
    return found;
  };
  each(block, warp, lanes, [&](uint32_t, Thread& thread) {
    uint32_t same = equal_to(thread.request.wide);
    const bool all = same == lanes;
    thread.request.second_result = all;
    thread.request.result = mode == W2W_MATCH_ANY || all ? same : 0;
  });
}

uint32_t combine(uint32_t mode, uint32_t a, uint32_t b) {
  const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (mode) {
    case W2W_REDUCE_ADD:
      return a + b;
    case W2W_REDUCE_MIN_U:
      return a < b ? a : b;
    case W2W_REDUCE_MAX_U:
      return a > b ? a : b;
    case W2W_REDUCE_MIN_S:
      return x < y ? a : b;
    case W2W_REDUCE_MAX_S:
      return x > y ? a : b;
    case W2W_REDUCE_AND:
      return a & b;
    case W2W_REDUCE_OR:
      return a | b;
    default:
      return a ^ b;
  }
}

void reduce(Block& block, uint32_t warp, uint32_t lanes, uint32_t mode) {
  uint32_t total = block.lane(warp, first_lane(lanes)).request.a;
  each(block, warp, lanes & (lanes - 1),
       [&](uint32_t, Thread& thread) { total = combine(mode, total, thread.request.a); });
  each(block, warp, lanes, [&](uint32_t, Thread& thread) { thread.request.result = total; });
}

void elect(Block& block, uint32_t warp, uint32_t lanes) {
  const uint32_t leader = first_lane(lanes);
  each(block, warp, lanes, [&](uint32_t lane, Thread& thread) {
    thread.request.result = leader;
    thread.request.second_result = lane == leader;
  });
}

void perform(Block& block, uint32_t warp, uint32_t lanes, uint32_t kind) {
  if (kind == W2W_MEET_BARRIER) return;
  if (kind == W2W_MEET_ELECT) return elect(block, warp, lanes);
  if (kind < W2W_MEET_VOTE) return shuffle(block, warp, lanes, kind - W2W_MEET_SHUFFLE);
  if (kind < W2W_MEET_MATCH) return vote(block, warp, lanes, kind - W2W_MEET_VOTE);
  if (kind < W2W_MEET_REDUCE) return match(block, warp, lanes, kind - W2W_MEET_MATCH);
  if (kind < W2W_MEET_MATRIX_MULTIPLY) return reduce(block, warp, lanes, kind - W2W_MEET_REDUCE);
  if (kind == W2W_MEET_MATRIX_MULTIPLY) return multiply_matrices(block, warp);
  move_matrix(block, warp, kind);
}

// Try to complete the operation that `thread` waits in. Lanes that have ended are not waited for.
bool complete(Block& block, Thread& thread) {
  Warp& warp = block.warps[thread.warp];
  const WarpRequest& request = thread.request;
  const uint32_t wanted = request.mask & warp.lanes;
  if (wanted & ~(warp.meeting | warp.done)) return false;
  const uint32_t lanes = wanted & ~warp.done;
  bool same = true;
  each(block, thread.warp, lanes, [&](uint32_t, Thread& other) {
    same = same && other.request.kind == request.kind && (other.request.mask & warp.lanes) == wanted;
  });
  if (!same) return false;
  perform(block, thread.warp, lanes, request.kind);
  warp.meeting &= ~lanes;
  each(block, thread.warp, lanes, [&](uint32_t, Thread& other) { block.wake(other); });
  return true;
}

}  // namespace

bool enter_meeting(Thread& thread, const w2w_site* site, uint32_t kind, uint32_t mask) {
  Block& block = thread.owner();
  Warp& warp = block.warps[thread.warp];
  const uint32_t bit = 1u << thread.lane;
  if (!(mask & bit))
    stop(thread, Outcome::kIllegalInstruction, "trap", site,
         "the member mask does not contain the lane that executes it, " + describe_thread(thread));
  thread.request.kind = kind;
  thread.request.mask = mask;
  thread.site = site;
  thread.state = State::kAtWarpOperation;
  warp.meeting |= bit;
  return complete(block, thread);
}

void meet(Thread& thread, const w2w_site* site, uint32_t kind, uint32_t mask) {
  Block& block = thread.owner();
  if (enter_meeting(thread, site, kind, mask))
    block.warps[thread.warp].ready &= ~(1u << thread.lane);  // it simply goes on
  else
    block.suspend(thread);
}

void complete_warp_operations(Block& block, uint32_t number) {
  Warp& warp = block.warps[number];
  for (uint32_t rest = warp.meeting; rest; rest = rest & (rest - 1) & warp.meeting)
    complete(block, block.lane(number, static_cast<uint32_t>(__builtin_ctz(rest))));
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: the functions below are the C interface of generated code

extern "C" {

void w2w_warp_barrier(w2w_thread* t, const w2w_site* site, unsigned mask) {
  meet(as_thread(t), site, W2W_MEET_BARRIER, mask);
}

unsigned w2w_shuffle(w2w_thread* t, const w2w_site* site, enum w2w_shuffle_mode mode, unsigned mask, unsigned value,
                     unsigned lane, unsigned clamp, unsigned* in_range) {
  Thread& thread = as_thread(t);
  thread.request.a = value;
  thread.request.b = lane;
  thread.request.c = clamp;
  meet(thread, site, W2W_MEET_SHUFFLE + static_cast<uint32_t>(mode), mask);
  *in_range = thread.request.second_result;
  return thread.request.result;
}

unsigned w2w_vote(w2w_thread* t, const w2w_site* site, enum w2w_vote_mode mode, unsigned mask, unsigned value) {
  Thread& thread = as_thread(t);
  thread.request.a = value;
  meet(thread, site, W2W_MEET_VOTE + static_cast<uint32_t>(mode), mask);
  return thread.request.result;
}

unsigned w2w_match(w2w_thread* t, const w2w_site* site, enum w2w_match_mode mode, unsigned mask, unsigned long value,
                   unsigned* all) {
  Thread& thread = as_thread(t);
  thread.request.wide = value;
  meet(thread, site, W2W_MEET_MATCH + static_cast<uint32_t>(mode), mask);
  *all = thread.request.second_result;
  return thread.request.result;
}

unsigned w2w_reduce(w2w_thread* t, const w2w_site* site, enum w2w_reduce_mode mode, unsigned mask, unsigned value) {
  Thread& thread = as_thread(t);
  thread.request.a = value;
  meet(thread, site, W2W_MEET_REDUCE + static_cast<uint32_t>(mode), mask);
  return thread.request.result;
}

unsigned w2w_elect(w2w_thread* t, const w2w_site* site, unsigned mask, unsigned* elected) {
  Thread& thread = as_thread(t);
  meet(thread, site, W2W_MEET_ELECT, mask);
  *elected = thread.request.second_result;
  return thread.request.result;
}

unsigned w2w_active_mask(w2w_thread* t, const w2w_site* site) {
  Thread& thread = as_thread(t);
  Block& block = thread.owner();
  thread.site = site;
  thread.state = State::kConverging;
  block.warps[thread.warp].converging |= 1u << thread.lane;
  block.suspend(thread);
  return thread.result;
}

}  // extern "C"
