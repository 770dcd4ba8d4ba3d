// SPDX-License-Identifier: Apache-2.0
//
// CUDA's conversions from floating point to integers: values out of range saturate. NaN gives 0, or, where the source
// is a double or the result has 64 bits, the value with only its top bit set.
#pragma once

#include <hip/hip_runtime.h>

namespace w2w {
namespace detail {

template <class I, class F>
__host__ __device__ inline I to_integer(F value) {
  constexpr bool kSigned = static_cast<I>(-1) < static_cast<I>(0);
  constexpr int kBits = sizeof(I) * 8;
  constexpr bool kTopBit = sizeof(F) == 8 || sizeof(I) == 8;
  constexpr I kTop = static_cast<I>(1ull << (kBits - 1));
  constexpr I kHigh = kSigned ? static_cast<I>(~kTop) : static_cast<I>(~static_cast<I>(0));
  constexpr I kLow = kSigned ? kTop : static_cast<I>(0);
  constexpr F kEnd = static_cast<F>(1ull << (kBits - 1)) * static_cast<F>(kSigned ? 1 : 2);
  if (value != value) return kTopBit ? kTop : static_cast<I>(0);
  if (value >= kEnd) return kHigh;
  if (value <= (kSigned ? -kEnd : static_cast<F>(0))) return kLow;
  return static_cast<I>(value);
}

}  // namespace detail

#define W2W_CONVERSIONS(source, type, name, integer, suffix)                                   \
  __host__ __device__ inline integer source##2##name##_rn(type value) {                        \
    return detail::to_integer<integer>(__builtin_rint##suffix(value));                         \
  }                                                                                            \
  __host__ __device__ inline integer source##2##name##_rz(type value) {                        \
    return detail::to_integer<integer>(__builtin_trunc##suffix(value));                        \
  }                                                                                            \
  __host__ __device__ inline integer source##2##name##_rd(type value) {                        \
    return detail::to_integer<integer>(__builtin_floor##suffix(value));                        \
  }                                                                                            \
  __host__ __device__ inline integer source##2##name##_ru(type value) {                        \
    return detail::to_integer<integer>(__builtin_ceil##suffix(value));                         \
  }
W2W_CONVERSIONS(float, float, int, int, f)
W2W_CONVERSIONS(float, float, uint, unsigned, f)
W2W_CONVERSIONS(float, float, ll, long long, f)
W2W_CONVERSIONS(float, float, ull, unsigned long long, f)
W2W_CONVERSIONS(double, double, int, int, )
W2W_CONVERSIONS(double, double, uint, unsigned, )
W2W_CONVERSIONS(double, double, ll, long long, )
W2W_CONVERSIONS(double, double, ull, unsigned long long, )
#undef W2W_CONVERSIONS

}  // namespace w2w
