// SPDX-License-Identifier: Apache-2.0
//
// Conversions between half and integers with CUDA's rounding, saturation and NaN.
#pragma once

#include <hip/hip_fp16.h>

#include "ptx_conversions.h"

namespace w2w {
namespace detail {
__device__ inline unsigned short half_word(__half value) {
  unsigned short bits;
  __builtin_memcpy(&bits, static_cast<const void*>(&value), 2);
  return bits;
}
__device__ inline __half half_of_word(unsigned short bits) {
  __half value;
  __builtin_memcpy(static_cast<void*>(&value), &bits, 2);
  return value;
}
}  // namespace detail

#define W2W_HALF_MODE(name, type, suffix, integral, rounding)                                       \
  __device__ inline type half2##name##_##suffix(__half value) {                                     \
    return ptx::float_to_integer<type, ptx::f16, ptx::integral, false>(detail::half_word(value));   \
  }                                                                                                 \
  __device__ inline __half name##2half_##suffix(type value) {                                       \
    return detail::half_of_word(ptx::integer_to_float<ptx::f16, type, ptx::rounding, false>(value)); \
  }
#define W2W_HALF(name, type)                  \
  W2W_HALF_MODE(name, type, rn, rni, rn)      \
  W2W_HALF_MODE(name, type, rz, rzi, rz)      \
  W2W_HALF_MODE(name, type, rd, rmi, rm)      \
  W2W_HALF_MODE(name, type, ru, rpi, rp)
W2W_HALF(short, short)
W2W_HALF(ushort, unsigned short)
W2W_HALF(int, int)
W2W_HALF(uint, unsigned)
W2W_HALF(ll, long long)
W2W_HALF(ull, unsigned long long)
#undef W2W_HALF
#undef W2W_HALF_MODE

}  // namespace w2w
