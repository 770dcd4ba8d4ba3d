// SPDX-License-Identifier: Apache-2.0
//
// Atomic functions that CUDA has and HIP lacks or names differently.
#pragma once

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

namespace w2w {
namespace detail {

// Adds to a 2- or 4-byte value by compare-and-swap on the aligned word that holds it.
template <class T>
__device__ inline T add_in_word(T* address, T value) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4);
  const unsigned long long place = reinterpret_cast<unsigned long long>(address);
  unsigned* word = reinterpret_cast<unsigned*>(place & ~3ull);
  const unsigned shift = sizeof(T) == 4 ? 0u : static_cast<unsigned>(place & 2ull) * 8u;
  const unsigned mask = sizeof(T) == 4 ? 0xffffffffu : 0xffffu << shift;
  unsigned seen = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  for (;;) {
    const unsigned part = (seen & mask) >> shift;
    T old;
    __builtin_memcpy(static_cast<void*>(&old), &part, sizeof(T));
    const T sum = old + value;
    unsigned raw = 0;
    __builtin_memcpy(&raw, static_cast<const void*>(&sum), sizeof(T));
    const unsigned wanted = (seen & ~mask) | ((raw << shift) & mask);
    if (__hip_atomic_compare_exchange_strong(word, &seen, wanted, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                             __HIP_MEMORY_SCOPE_AGENT))
      return old;
  }
}

}  // namespace detail

// atomicAdd for every type: what HIP has is passed on.
template <class T, class V>
__device__ inline T atomic_add(T* address, V value) {
  return ::atomicAdd(address, static_cast<T>(value));
}
__device__ inline __half atomic_add(__half* address, __half value) { return detail::add_in_word(address, value); }
__device__ inline __hip_bfloat16 atomic_add(__hip_bfloat16* address, __hip_bfloat16 value) {
  return detail::add_in_word(address, value);
}
__device__ inline __half2 atomic_add(__half2* address, __half2 value) { return detail::add_in_word(address, value); }
__device__ inline __hip_bfloat162 atomic_add(__hip_bfloat162* address, __hip_bfloat162 value) {
  return detail::add_in_word(address, value);
}

// Atomics whose scope is the block.
#define W2W_BLOCK(name, function)                                                                 \
  template <class T, class V>                                                                     \
  __device__ inline T name(T* address, V value) {                                                 \
    return function(address, static_cast<T>(value), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); \
  }
W2W_BLOCK(atomic_add_block, __hip_atomic_fetch_add)
W2W_BLOCK(atomic_sub_block, __hip_atomic_fetch_sub)
W2W_BLOCK(atomic_exch_block, __hip_atomic_exchange)
W2W_BLOCK(atomic_min_block, __hip_atomic_fetch_min)
W2W_BLOCK(atomic_max_block, __hip_atomic_fetch_max)
W2W_BLOCK(atomic_and_block, __hip_atomic_fetch_and)
W2W_BLOCK(atomic_or_block, __hip_atomic_fetch_or)
W2W_BLOCK(atomic_xor_block, __hip_atomic_fetch_xor)
#undef W2W_BLOCK
template <class T, class C, class V>
__device__ inline T atomic_cas_block(T* address, C compare, V value) {
  T seen = static_cast<T>(compare);
  __hip_atomic_compare_exchange_strong(address, &seen, static_cast<T>(value), __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_WORKGROUP);
  return seen;
}
// HIP has no narrower form of these two; a wider scope is right too.
__device__ inline unsigned atomic_inc_block(unsigned* address, unsigned value) { return ::atomicInc(address, value); }
__device__ inline unsigned atomic_dec_block(unsigned* address, unsigned value) { return ::atomicDec(address, value); }

}  // namespace w2w
