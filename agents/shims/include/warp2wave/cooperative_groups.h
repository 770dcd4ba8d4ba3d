// SPDX-License-Identifier: Apache-2.0
//
// CUDA's cooperative groups with logical warps of 32 lanes (see warp32.h): tiles and coalesced groups never reach
// beyond the caller's own logical warp, masks have 32 bits, and blocks need not fill their last wavefront.
// Grid synchronisation is HIP's own.
#pragma once

#include <hip/hip_cooperative_groups.h>

#include "warp32.h"

namespace w2w {
namespace cooperative_groups {

namespace detail {

__device__ inline unsigned block_rank_of_thread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

// The lane of the member with this rank in `mask`.
__device__ inline unsigned lane_of_rank(unsigned mask, unsigned rank) {
  for (unsigned i = 0; i < rank; ++i) mask &= mask - 1u;
  return mask ? static_cast<unsigned>(__builtin_ctz(mask)) : lane_id();
}

// The bits of `votes` at the members of `mask`, packed from rank 0 on.
__device__ inline unsigned pack(unsigned mask, unsigned votes) {
  unsigned packed = 0, rank = 0;
  for (unsigned lane = 0; lane < 32u; ++lane) {
    if ((mask >> lane) & 1u) packed |= ((votes >> lane) & 1u) << rank++;
  }
  return packed;
}

// Folds the values of the members below the caller (and its own, if `inclusive`) in order of rank.
template <class T, class Op>
__device__ inline T scan(unsigned mask, W2W_MAYBE_UNSET T value, Op op, bool inclusive, T identity) {
  T result = identity;
  bool first = true;
  const unsigned mine = lane_id();
  for (unsigned lane = 0; lane < 32u; ++lane) {
    const T other = w2w::detail::read_lane(value, lane);
    const bool counts = ((mask >> lane) & 1u) && (lane < mine || (inclusive && lane == mine));
    if (counts) {
      result = first ? other : op(result, other);
      first = false;
    }
  }
  return result;
}

enum class Kind { kThread, kLanes, kBlock, kGrid };

}  // namespace detail

class thread_block;

// Any group, its kind known at run time only.
class thread_group {
 public:
  __device__ unsigned size() const { return size_; }
  __device__ unsigned num_threads() const { return size_; }
  __device__ unsigned thread_rank() const { return rank_; }
  __device__ bool is_valid() const { return size_ != 0; }
  __device__ void sync() const {
    if (kind_ == detail::Kind::kBlock) {
      __syncthreads();
    } else if (kind_ == detail::Kind::kGrid) {
      ::cooperative_groups::this_grid().sync();
    } else if (kind_ == detail::Kind::kLanes) {
      syncwarp(mask_);
    }
  }

 protected:
  __device__ thread_group(detail::Kind kind, unsigned size, unsigned rank, unsigned mask)
      : kind_(kind), size_(size), rank_(rank), mask_(mask) {}

  detail::Kind kind_;
  unsigned size_, rank_, mask_;

  friend __device__ thread_group tiled_partition(const thread_group& parent, unsigned tile_size);
  friend __device__ thread_group this_thread();
};

class thread_block : public thread_group {
 public:
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned thread_rank() { return detail::block_rank_of_thread(); }
  __device__ static unsigned size() { return detail::block_size(); }
  __device__ static unsigned num_threads() { return detail::block_size(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static dim3 dim_threads() { return group_dim(); }

 private:
  __device__ thread_block()
      : thread_group(detail::Kind::kBlock, detail::block_size(), detail::block_rank_of_thread(), 0u) {}
  friend __device__ thread_block this_thread_block();
};
__device__ inline thread_block this_thread_block() { return thread_block(); }
__device__ inline thread_group this_thread() { return thread_group(detail::Kind::kThread, 1u, 0u, 0u); }

class grid_group : public thread_group {
 public:
  __device__ void sync() const { ::cooperative_groups::this_grid().sync(); }
  __device__ bool is_valid() const { return ::cooperative_groups::this_grid().is_valid(); }
  __device__ static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __device__ static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * detail::block_size() + detail::block_rank_of_thread();
  }
  __device__ static unsigned long long size() { return num_blocks() * detail::block_size(); }
  __device__ static unsigned long long num_threads() { return size(); }
  __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static dim3 dim_blocks() { return group_dim(); }
  __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }

 private:
  __device__ grid_group() : thread_group(detail::Kind::kGrid, 1u, 0u, 0u) {}
  friend __device__ grid_group this_grid();
};
__device__ inline grid_group this_grid() { return grid_group(); }

// `kSize` consecutive threads of a block.
template <unsigned kSize, class Parent = void>
class thread_block_tile : public thread_group {
  static_assert(kSize != 0 && kSize <= 32 && (kSize & (kSize - 1)) == 0,
                "a tile has a power of two of threads, 32 at most");

 public:
  __device__ explicit thread_block_tile(unsigned parent_size, unsigned parent_rank)
      : thread_group(detail::Kind::kLanes, kSize, lane_id() & (kSize - 1u), mask()),
        meta_rank_(parent_rank / kSize),
        meta_size_((parent_size + kSize - 1u) / kSize) {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<kSize, Other>& other)
      : thread_group(detail::Kind::kLanes, kSize, lane_id() & (kSize - 1u), mask()),
        meta_rank_(other.meta_group_rank()),
        meta_size_(other.meta_group_size()) {}

  __device__ static unsigned thread_rank() { return lane_id() & (kSize - 1u); }
  __host__ __device__ static constexpr unsigned size() { return kSize; }
  __host__ __device__ static constexpr unsigned num_threads() { return kSize; }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  __device__ static void sync() { syncwarp(mask()); }

  template <class T>
  __device__ T shfl(W2W_MAYBE_UNSET T value, int rank) const {
    return shfl_sync(mask(), value, rank, kSize);
  }
  template <class T>
  __device__ T shfl_up(W2W_MAYBE_UNSET T value, unsigned delta) const {
    return shfl_up_sync(mask(), value, delta, kSize);
  }
  template <class T>
  __device__ T shfl_down(W2W_MAYBE_UNSET T value, unsigned delta) const {
    return shfl_down_sync(mask(), value, delta, kSize);
  }
  template <class T>
  __device__ T shfl_xor(W2W_MAYBE_UNSET T value, unsigned lane_mask) const {
    return shfl_xor_sync(mask(), value, static_cast<int>(lane_mask), kSize);
  }
  __device__ unsigned ballot(int predicate) const { return ballot_sync(mask(), predicate) >> base(); }
  __device__ int any(int predicate) const { return any_sync(mask(), predicate); }
  __device__ int all(int predicate) const { return all_sync(mask(), predicate); }
  template <class T>
  __device__ unsigned match_any(W2W_MAYBE_UNSET T value) const {
    return match_any_sync(mask(), value) >> base();
  }
  template <class T>
  __device__ unsigned match_all(W2W_MAYBE_UNSET T value, int& predicate) const {
    return match_all_sync(mask(), value, &predicate) >> base();
  }

  // The members' lanes in the caller's logical warp.
  __device__ static unsigned mask() { return (0xffffffffu >> (32u - kSize)) << base(); }

 private:
  __device__ static unsigned base() { return lane_id() & ~(kSize - 1u); }

  unsigned meta_rank_, meta_size_;
};

// Some lanes of one logical warp.
class coalesced_group : public thread_group {
 public:
  __device__ explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : thread_group(detail::Kind::kLanes, static_cast<unsigned>(__popc(mask)),
                     static_cast<unsigned>(__popc(mask & lanemask_lt())), mask),
        meta_rank_(meta_rank),
        meta_size_(meta_size) {}

  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  __device__ unsigned mask() const { return mask_; }

  template <class T>
  __device__ T shfl(W2W_MAYBE_UNSET T value, int rank) const {
    return w2w::detail::read_lane(value, detail::lane_of_rank(mask_, static_cast<unsigned>(rank) % size_));
  }
  template <class T>
  __device__ T shfl_up(W2W_MAYBE_UNSET T value, unsigned delta) const {
    const bool inside = rank_ >= delta;
    return w2w::detail::read_lane(value, inside ? detail::lane_of_rank(mask_, rank_ - delta) : lane_id());
  }
  template <class T>
  __device__ T shfl_down(W2W_MAYBE_UNSET T value, unsigned delta) const {
    const bool inside = rank_ + delta < size_;
    return w2w::detail::read_lane(value, inside ? detail::lane_of_rank(mask_, rank_ + delta) : lane_id());
  }
  __device__ unsigned ballot(int predicate) const { return detail::pack(mask_, ballot_sync(mask_, predicate)); }
  __device__ int any(int predicate) const { return any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return all_sync(mask_, predicate); }
  template <class T>
  __device__ unsigned match_any(W2W_MAYBE_UNSET T value) const {
    return detail::pack(mask_, match_any_sync(mask_, value));
  }
  template <class T>
  __device__ unsigned match_all(W2W_MAYBE_UNSET T value, int& predicate) const {
    return detail::pack(mask_, match_all_sync(mask_, value, &predicate));
  }

 private:
  unsigned meta_rank_, meta_size_;
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(activemask()); }

// -- partitions

template <unsigned kSize>
__device__ inline thread_block_tile<kSize, thread_block> tiled_partition(const thread_block& parent) {
  return thread_block_tile<kSize, thread_block>(parent.size(), parent.thread_rank());
}
template <unsigned kSize, unsigned kParent, class Grandparent>
__device__ inline thread_block_tile<kSize, thread_block_tile<kParent, Grandparent>> tiled_partition(
    const thread_block_tile<kParent, Grandparent>& parent) {
  static_assert(kSize <= kParent, "a tile cannot be larger than its parent");
  return thread_block_tile<kSize, thread_block_tile<kParent, Grandparent>>(kParent, parent.thread_rank());
}
template <unsigned kSize>
__device__ inline coalesced_group tiled_partition(const coalesced_group& parent) {
  const unsigned tile = parent.thread_rank() / kSize;
  unsigned rest = parent.mask(), members = 0;
  for (unsigned rank = 0; rest; ++rank, rest &= rest - 1u)
    if (rank / kSize == tile) members |= rest & (0u - rest);
  return coalesced_group(members, tile, (parent.size() + kSize - 1u) / kSize);
}
__device__ inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned tile_size) {
  const unsigned tile = parent.thread_rank() / tile_size;
  unsigned rest = parent.mask(), members = 0;
  for (unsigned rank = 0; rest; ++rank, rest &= rest - 1u)
    if (rank / tile_size == tile) members |= rest & (0u - rest);
  return coalesced_group(members, tile, (parent.size() + tile_size - 1u) / tile_size);
}
__device__ inline thread_group tiled_partition(const thread_group& parent, unsigned tile_size) {
  if (tile_size > 32u || (tile_size & (tile_size - 1u)) != 0 || tile_size == 0) __builtin_trap();
  if (parent.kind_ == detail::Kind::kThread) return parent;
  const unsigned base = lane_id() & ~(tile_size - 1u);
  const unsigned mask = (0xffffffffu >> (32u - tile_size)) << base;
  return thread_group(detail::Kind::kLanes, tile_size, lane_id() & (tile_size - 1u), mask);
}

template <class Group, class Label>
__device__ inline coalesced_group labeled_partition(const Group& parent, Label label) {
  return coalesced_group(match_any_sync(parent.mask(), label));
}
template <class Group>
__device__ inline coalesced_group binary_partition(const Group& parent, bool predicate) {
  const unsigned members = parent.mask() & activemask();
  const unsigned yes = ballot_sync(members, predicate);
  return coalesced_group(predicate ? yes : members & ~yes);
}

// -- functions on groups

template <class Group>
__device__ inline void sync(const Group& group) {
  group.sync();
}
template <class Group>
__device__ inline unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
__device__ inline unsigned group_size(const Group& group) {
  return group.size();
}

template <class T = void>
struct plus {
  __host__ __device__ T operator()(const T& a, const T& b) const { return a + b; }
};
template <class T = void>
struct less {
  __host__ __device__ T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  __host__ __device__ T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  __host__ __device__ T operator()(const T& a, const T& b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  __host__ __device__ T operator()(const T& a, const T& b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  __host__ __device__ T operator()(const T& a, const T& b) const { return a ^ b; }
};

template <class Group, class T, class Op>
__device__ inline T reduce(const Group& group, W2W_MAYBE_UNSET T value, Op op) {
  return w2w::detail::reduce(group.mask(), value, op);
}
template <class Group, class T, class Op>
__device__ inline T inclusive_scan(const Group& group, W2W_MAYBE_UNSET T value, Op op) {
  return detail::scan(group.mask(), value, op, true, value);
}
template <class Group, class T>
__device__ inline T inclusive_scan(const Group& group, W2W_MAYBE_UNSET T value) {
  return inclusive_scan(group, value, plus<T>());
}
// The first member gets T(), as in CUDA with plus; with another operation its result is unspecified there too.
template <class Group, class T, class Op>
__device__ inline T exclusive_scan(const Group& group, W2W_MAYBE_UNSET T value, Op op) {
  return detail::scan(group.mask(), value, op, false, T());
}
template <class Group, class T>
__device__ inline T exclusive_scan(const Group& group, W2W_MAYBE_UNSET T value) {
  return exclusive_scan(group, value, plus<T>());
}

template <class Group, class Function, class... Arguments>
__device__ inline void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}

// The copy is done when a member's own part is done; wait() then waits for the others.
template <class Group>
__device__ inline void memcpy_async(const Group& group, void* target, const void* source, size_t bytes) {
  const size_t from = reinterpret_cast<size_t>(source), to = reinterpret_cast<size_t>(target);
  if (((from | to | bytes) & 3u) == 0) {
    for (size_t i = group.thread_rank(); i < bytes / 4; i += group.size())
      static_cast<unsigned*>(target)[i] = static_cast<const unsigned*>(source)[i];
  } else {
    for (size_t i = group.thread_rank(); i < bytes; i += group.size())
      static_cast<unsigned char*>(target)[i] = static_cast<const unsigned char*>(source)[i];
  }
}
// With two layouts, in elements: what fits in both is copied.
template <class Group, class T>
__device__ inline void memcpy_async(const Group& group, T* target, size_t target_elements, const T* source,
                                    size_t source_elements) {
  const size_t elements = target_elements < source_elements ? target_elements : source_elements;
  memcpy_async(group, static_cast<void*>(target), static_cast<const void*>(source), elements * sizeof(T));
}
template <class Group>
__device__ inline void wait(const Group& group) {
  group.sync();
}
template <unsigned kStages, class Group>
__device__ inline void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
}  // namespace w2w
