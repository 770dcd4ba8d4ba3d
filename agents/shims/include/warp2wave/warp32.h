// SPDX-License-Identifier: Apache-2.0
//
// CUDA's warp functions for logical warps of 32 lanes, on wavefronts of 64 and of 32 lanes.
//
// A wavefront of 64 lanes holds two logical warps: lanes 0-31 and 32-63. Threads fill lanes in the same order on
// both vendors, so the logical warps hold the threads of CUDA's warps. Masks and votes have 32 bits and speak of
// the caller's own warp. Any mask works, in divergent code and in blocks that do not fill their last wavefront;
// lanes that are named in a mask but do not exist or have exited count as absent.
#pragma once

#include <hip/hip_runtime.h>

// A lane whose value nobody reads need not have set it: `int r; if (leader) r = atomicAdd(p, n); r = shfl_sync(m, r,
// leader);` is the common form of an aggregated atomic. Without this attribute the compiler may take the unset r of
// the other lanes as a proof that they never come here, and drop the condition.
#define W2W_MAYBE_UNSET __attribute__((maybe_undef))

namespace w2w {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kFullMask = 0xffffffffu;

// The hardware's wavefront.
__device__ inline unsigned wave_lane() { return __lane_id(); }
__device__ inline unsigned wave_size() { return __builtin_amdgcn_wavefrontsize(); }

// The logical warp.
__device__ inline unsigned lane_id() { return __lane_id() & 31u; }
__device__ inline unsigned lanemask_eq() { return 1u << lane_id(); }
__device__ inline unsigned lanemask_lt() { return (1u << lane_id()) - 1u; }
__device__ inline unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
__device__ inline unsigned lanemask_gt() { return ~lanemask_le(); }
__device__ inline unsigned lanemask_ge() { return ~lanemask_lt(); }

namespace detail {

__device__ inline unsigned warp_base() { return __lane_id() & 32u; }

__device__ inline unsigned vote(bool predicate) {
  return static_cast<unsigned>(__builtin_amdgcn_ballot_w64(predicate) >> warp_base());
}

// The value that lane `lane` of the caller's warp holds. All lanes that are read must be active.
template <class T>
__device__ inline T read_lane(W2W_MAYBE_UNSET T value, unsigned lane) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  int words[kWords] = {};
  __builtin_memcpy(words, static_cast<const void*>(&value), sizeof(T));
  const int address = static_cast<int>((warp_base() | lane) << 2);
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = __builtin_amdgcn_ds_bpermute(address, words[i]);
  __builtin_memcpy(static_cast<void*>(&value), words, sizeof(T));
  return value;
}

template <class T>
__device__ inline T read_first_lane(W2W_MAYBE_UNSET T value) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  int words[kWords] = {};
  __builtin_memcpy(words, static_cast<const void*>(&value), sizeof(T));
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = __builtin_amdgcn_readfirstlane(words[i]);
  __builtin_memcpy(static_cast<void*>(&value), words, sizeof(T));
  return value;
}

// Equality of representations, which is what CUDA's match functions compare.
template <class T>
__device__ inline bool same_bits(const T& a, const T& b) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  unsigned x[kWords] = {}, y[kWords] = {};
  __builtin_memcpy(x, static_cast<const void*>(&a), sizeof(T));
  __builtin_memcpy(y, static_cast<const void*>(&b), sizeof(T));
  bool same = true;
#pragma unroll
  for (int i = 0; i < kWords; ++i) same = same && x[i] == y[i];
  return same;
}

// Every active lane runs all 32 steps, so that no lane reads from one that has left the loop.
template <class T, class Op>
__device__ inline T reduce(unsigned mask, W2W_MAYBE_UNSET T value, Op op) {
  const unsigned members = mask & vote(true);
  T result = value;
  bool first = true;
  for (unsigned lane = 0; lane < 32u; ++lane) {
    const T other = read_lane(value, lane);
    if ((members >> lane) & 1u) {
      result = first ? other : op(result, other);
      first = false;
    }
  }
  return result;
}

}  // namespace detail

__device__ inline unsigned activemask() { return detail::vote(true); }

__device__ inline void syncwarp(unsigned mask = kFullMask) {
  (void)mask;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

__device__ inline unsigned ballot_sync(unsigned mask, int predicate) { return detail::vote(predicate != 0) & mask; }
__device__ inline int any_sync(unsigned mask, int predicate) { return ballot_sync(mask, predicate) != 0; }
__device__ inline int all_sync(unsigned mask, int predicate) { return ballot_sync(mask, !predicate) == 0; }
__device__ inline int uni_sync(unsigned mask, int predicate) {
  return any_sync(mask, predicate) == all_sync(mask, predicate);
}

// Shuffles. `width` is a power of two up to 32; a source outside the segment gives the caller's own value.
template <class T>
__device__ inline T shfl_sync(unsigned, W2W_MAYBE_UNSET T value, int source, int width = kWarpSize) {
  const unsigned lane = lane_id(), segment = static_cast<unsigned>(width) - 1u;
  return detail::read_lane(value, (lane & ~segment) | (static_cast<unsigned>(source) & segment));
}
template <class T>
__device__ inline T shfl_up_sync(unsigned, W2W_MAYBE_UNSET T value, unsigned delta, int width = kWarpSize) {
  const unsigned lane = lane_id(), segment = static_cast<unsigned>(width) - 1u;
  delta &= 31u;
  return detail::read_lane(value, (lane & segment) >= delta ? lane - delta : lane);
}
template <class T>
__device__ inline T shfl_down_sync(unsigned, W2W_MAYBE_UNSET T value, unsigned delta, int width = kWarpSize) {
  const unsigned lane = lane_id(), segment = static_cast<unsigned>(width) - 1u;
  delta &= 31u;
  return detail::read_lane(value, (lane & segment) + delta <= segment ? lane + delta : lane);
}
template <class T>
__device__ inline T shfl_xor_sync(unsigned, W2W_MAYBE_UNSET T value, int lane_mask, int width = kWarpSize) {
  const unsigned lane = lane_id(), segment = static_cast<unsigned>(width) - 1u;
  const unsigned other = lane ^ (static_cast<unsigned>(lane_mask) & 31u);
  return detail::read_lane(value, other <= (lane | segment) ? other : lane);
}

// The forms without a mask, which CUDA has dropped.
template <class T>
__device__ inline T shfl(W2W_MAYBE_UNSET T value, int source, int width = kWarpSize) {
  return shfl_sync(kFullMask, value, source, width);
}
template <class T>
__device__ inline T shfl_up(W2W_MAYBE_UNSET T value, unsigned delta, int width = kWarpSize) {
  return shfl_up_sync(kFullMask, value, delta, width);
}
template <class T>
__device__ inline T shfl_down(W2W_MAYBE_UNSET T value, unsigned delta, int width = kWarpSize) {
  return shfl_down_sync(kFullMask, value, delta, width);
}
template <class T>
__device__ inline T shfl_xor(W2W_MAYBE_UNSET T value, int lane_mask, int width = kWarpSize) {
  return shfl_xor_sync(kFullMask, value, lane_mask, width);
}
__device__ inline unsigned ballot(int predicate) { return ballot_sync(kFullMask, predicate); }
__device__ inline int any(int predicate) { return any_sync(kFullMask, predicate); }
__device__ inline int all(int predicate) { return all_sync(kFullMask, predicate); }

// One turn of the loop serves all lanes, of both warps, that hold the same value.
template <class T>
__device__ inline unsigned match_any_sync(unsigned mask, W2W_MAYBE_UNSET T value) {
  for (;;) {
    const T chosen = detail::read_first_lane(value);
    const bool same = detail::same_bits(value, chosen);
    const unsigned peers = detail::vote(same);
    if (same) return peers & mask;
  }
}
template <class T>
__device__ inline unsigned match_all_sync(unsigned mask, W2W_MAYBE_UNSET T value, int* predicate) {
  const unsigned members = mask & detail::vote(true);
  const T chosen = detail::read_lane(value, members ? static_cast<unsigned>(__builtin_ctz(members)) : lane_id());
  const bool all_same = (detail::vote(!detail::same_bits(value, chosen)) & mask) == 0;
  *predicate = all_same;
  return all_same ? mask : 0u;
}

__device__ inline int reduce_add_sync(unsigned mask, int value) {
  return static_cast<int>(detail::reduce(mask, static_cast<unsigned>(value), [](unsigned a, unsigned b) { return a + b; }));
}
__device__ inline unsigned reduce_add_sync(unsigned mask, unsigned value) {
  return detail::reduce(mask, value, [](unsigned a, unsigned b) { return a + b; });
}
__device__ inline int reduce_min_sync(unsigned mask, int value) {
  return detail::reduce(mask, value, [](int a, int b) { return b < a ? b : a; });
}
__device__ inline unsigned reduce_min_sync(unsigned mask, unsigned value) {
  return detail::reduce(mask, value, [](unsigned a, unsigned b) { return b < a ? b : a; });
}
__device__ inline int reduce_max_sync(unsigned mask, int value) {
  return detail::reduce(mask, value, [](int a, int b) { return a < b ? b : a; });
}
__device__ inline unsigned reduce_max_sync(unsigned mask, unsigned value) {
  return detail::reduce(mask, value, [](unsigned a, unsigned b) { return a < b ? b : a; });
}
__device__ inline unsigned reduce_and_sync(unsigned mask, unsigned value) {
  return detail::reduce(mask, value, [](unsigned a, unsigned b) { return a & b; });
}
__device__ inline unsigned reduce_or_sync(unsigned mask, unsigned value) {
  return detail::reduce(mask, value, [](unsigned a, unsigned b) { return a | b; });
}
__device__ inline unsigned reduce_xor_sync(unsigned mask, unsigned value) {
  return detail::reduce(mask, value, [](unsigned a, unsigned b) { return a ^ b; });
}

}  // namespace w2w

// Runs the statement that follows once for each lane of the wavefront, one lane at a time. The lanes of a wavefront
// make no progress of their own, so a lock that each thread takes for itself must be taken like this.
#define W2W_ONE_LANE_AT_A_TIME                                                   \
  for (unsigned w2w_turn = 0; w2w_turn < w2w::wave_size(); ++w2w_turn) \
    if (w2w_turn == w2w::wave_lane())
