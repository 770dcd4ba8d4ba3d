// SPDX-License-Identifier: Apache-2.0
//
// PTX's instructions for the lanes of a warp and the threads of a block, for logical warps of 32 lanes (see warp32.h).
// PTX ISA 9.7.9.6, 9.7.13.
#pragma once

#include "intrinsics.h"
#include "ptx_types.h"
#include "warp32.h"

namespace w2w {
namespace ptx {

enum class Shuffle { up, down, bfly, idx };

// The packed operand holds the clamp (bits 0-4) and the segment mask (bits 8-12). `valid`: the source was in range.
template <Shuffle kShuffle>
__device__ inline u32 shuffle(W2W_MAYBE_UNSET u32 value, In<u32> source, In<u32> packed, bool& valid) {
  const u32 lane = lane_id(), b = source.value & 31u;
  const u32 clamp = packed.value & 31u, segment = packed.value >> 8 & 31u;
  const u32 last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  u32 from;
  if constexpr (kShuffle == Shuffle::up) {
    from = lane - b;
    valid = static_cast<s32>(from) >= static_cast<s32>(last);
  } else if constexpr (kShuffle == Shuffle::down) {
    from = lane + b;
    valid = from <= last;
  } else if constexpr (kShuffle == Shuffle::bfly) {
    from = lane ^ b;
    valid = from <= last;
  } else {
    from = first | (b & ~segment);
    valid = from <= last;
  }
  return w2w::detail::read_lane(value, valid ? from : lane);
}
template <Shuffle kShuffle>
__device__ inline u32 shuffle(W2W_MAYBE_UNSET u32 value, In<u32> source, In<u32> packed) {
  bool valid;
  return shuffle<kShuffle>(value, source, packed, valid);
}
template <class T>
__device__ inline u32 match_all(In<u32> mask, In<T> value, bool& all) {
  int predicate;
  const u32 peers = w2w::match_all_sync(mask.value, value.value, &predicate);
  all = predicate != 0;
  return peers;
}
template <class T>
__device__ inline u32 match_all(In<u32> mask, In<T> value) {
  bool all;
  return match_all<T>(mask, value, all);
}
__device__ inline u32 elect(In<u32> mask, bool& leader) {
  const u32 lane = mask.value ? static_cast<u32>(__builtin_ctz(mask.value)) : 32u;
  leader = lane == lane_id();
  return lane;
}

}  // namespace ptx

// Barriers that vote.
__device__ inline int syncthreads_count(bool predicate) { return __syncthreads_count(predicate); }
__device__ inline int syncthreads_and(bool predicate) { return __syncthreads_and(predicate); }
__device__ inline int syncthreads_or(bool predicate) { return __syncthreads_or(predicate); }

namespace ptx {
// Special registers that are no variables of HIP.
__device__ inline u32 warp_of_block() {
  return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32u;
}
// Nanoseconds, by a counter of 100 MHz.
__device__ inline u64 global_timer() { return wall_clock64() * 10u; }
__device__ inline u64 cycles() { return clock64(); }
}  // namespace ptx

}  // namespace w2w
