// SPDX-License-Identifier: Apache-2.0
//
// bfloat16 conversions that CUDA has and HIP lacks.
#pragma once

#include <hip/hip_bf16.h>

#include "conversions.h"

namespace w2w {

__host__ __device__ inline __hip_bfloat162 floats2bfloat162_rn(float low, float high) {
  return __hip_bfloat162{__float2bfloat16(low), __float2bfloat16(high)};
}
__host__ __device__ inline __hip_bfloat162 float2bfloat162_rn(float value) { return floats2bfloat162_rn(value, value); }

namespace detail {
__host__ __device__ inline unsigned bits_of(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}
__host__ __device__ inline __hip_bfloat16 top_half(unsigned bits) {
  const unsigned kept = bits & 0xffff0000u;
  float value;
  __builtin_memcpy(&value, &kept, 4);
  return __float2bfloat16(value);
}
// Rounds to bfloat16 by odd on the way from a wider integer, so that the second rounding is right.
template <class T>
__host__ __device__ inline __hip_bfloat16 from_integer(T value) {
  const double wide = static_cast<double>(value);
  float narrow = static_cast<float>(wide);
  const double error = static_cast<double>(narrow) - wide;
  unsigned bits = bits_of(narrow);
  if (error != 0.0 || static_cast<T>(wide) != value) {
    if ((error > 0.0) == (narrow > 0.0f) && error != 0.0) bits -= 1;
    bits |= 1u;
    __builtin_memcpy(&narrow, &bits, 4);
  }
  return __float2bfloat16(narrow);
}
}  // namespace detail

__host__ __device__ inline __hip_bfloat16 float2bfloat16_rz(float value) {
  return value != value ? __float2bfloat16(value) : detail::top_half(detail::bits_of(value));
}
__host__ __device__ inline __hip_bfloat16 float2bfloat16_rd(float value) {
  const unsigned bits = detail::bits_of(value);
  const bool step = value < 0.0f && (bits & 0xffffu) && (bits & 0x7fffffffu) < 0x7f800000u;
  return value != value ? __float2bfloat16(value) : detail::top_half(step ? bits + 0x10000u : bits);
}
__host__ __device__ inline __hip_bfloat16 float2bfloat16_ru(float value) {
  const unsigned bits = detail::bits_of(value);
  const bool step = value > 0.0f && (bits & 0xffffu) && (bits & 0x7fffffffu) < 0x7f800000u;
  return value != value ? __float2bfloat16(value) : detail::top_half(step ? bits + 0x10000u : bits);
}

__host__ __device__ inline __hip_bfloat16 short2bfloat16_rn(short value) { return detail::from_integer(value); }
__host__ __device__ inline __hip_bfloat16 ushort2bfloat16_rn(unsigned short value) { return detail::from_integer(value); }
__host__ __device__ inline __hip_bfloat16 uint2bfloat16_rn(unsigned value) { return detail::from_integer(value); }
__host__ __device__ inline __hip_bfloat16 ll2bfloat16_rn(long long value) { return detail::from_integer(value); }
__host__ __device__ inline __hip_bfloat16 ull2bfloat16_rn(unsigned long long value) { return detail::from_integer(value); }

#define W2W_TO_INTEGER(name, type)                                                 \
  __host__ __device__ inline type bfloat162##name##_rz(__hip_bfloat16 value) {     \
    return detail::to_integer<type>(__builtin_truncf(__bfloat162float(value)));    \
  }                                                                                \
  __host__ __device__ inline type bfloat162##name##_rn(__hip_bfloat16 value) {     \
    return detail::to_integer<type>(__builtin_rintf(__bfloat162float(value)));     \
  }                                                                                \
  __host__ __device__ inline type bfloat162##name##_rd(__hip_bfloat16 value) {     \
    return detail::to_integer<type>(__builtin_floorf(__bfloat162float(value)));    \
  }                                                                                \
  __host__ __device__ inline type bfloat162##name##_ru(__hip_bfloat16 value) {     \
    return detail::to_integer<type>(__builtin_ceilf(__bfloat162float(value)));     \
  }
W2W_TO_INTEGER(int, int)
W2W_TO_INTEGER(uint, unsigned)
W2W_TO_INTEGER(ll, long long)
W2W_TO_INTEGER(ull, unsigned long long)
#undef W2W_TO_INTEGER

}  // namespace w2w
