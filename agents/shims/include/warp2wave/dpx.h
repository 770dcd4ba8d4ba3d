// SPDX-License-Identifier: Apache-2.0
//
// CUDA's DPX functions: minima and maxima of three values, of a sum and a value, with and without a floor of zero.
#pragma once

#include <hip/hip_runtime.h>

namespace w2w {
namespace detail {

template <class T>
__host__ __device__ inline T dpx_max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
__host__ __device__ inline T dpx_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
__host__ __device__ inline T dpx_sum(T a, T b) {
  return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
template <class T, class Operation, class... V>
__host__ __device__ inline unsigned dpx_halves(Operation operation, V... words) {
  const unsigned low = static_cast<unsigned short>(operation(static_cast<T>(words)...));
  const unsigned high = static_cast<unsigned short>(operation(static_cast<T>(words >> 16)...));
  return low | high << 16;
}

}  // namespace detail

#define W2W_DPX_WORD(pick, suffix, type)                                                                  \
  __host__ __device__ inline type viadd##pick##_##suffix(type a, type b, type c) {                        \
    return detail::dpx_##pick<type>(detail::dpx_sum<type>(a, b), c);                                      \
  }                                                                                                       \
  __host__ __device__ inline type vi##pick##3_##suffix(type a, type b, type c) {                          \
    return detail::dpx_##pick<type>(detail::dpx_##pick<type>(a, b), c);                                   \
  }                                                                                                       \
  __host__ __device__ inline type vib##pick##_##suffix(type a, type b, bool* first) {                     \
    *first = detail::dpx_##pick<type>(a, b) == a;                                                         \
    return detail::dpx_##pick<type>(a, b);                                                                \
  }
W2W_DPX_WORD(max, s32, int)
W2W_DPX_WORD(min, s32, int)
W2W_DPX_WORD(max, u32, unsigned)
W2W_DPX_WORD(min, u32, unsigned)
#undef W2W_DPX_WORD

#define W2W_DPX_RELU(pick)                                                                      \
  __host__ __device__ inline int viadd##pick##_s32_relu(int a, int b, int c) {                  \
    return detail::dpx_max(viadd##pick##_s32(a, b, c), 0);                                      \
  }                                                                                             \
  __host__ __device__ inline int vi##pick##3_s32_relu(int a, int b, int c) {                    \
    return detail::dpx_max(vi##pick##3_s32(a, b, c), 0);                                        \
  }                                                                                             \
  __host__ __device__ inline int vi##pick##_s32_relu(int a, int b) {                            \
    return detail::dpx_max(detail::dpx_##pick<int>(a, b), 0);                                   \
  }
W2W_DPX_RELU(max)
W2W_DPX_RELU(min)
#undef W2W_DPX_RELU

#define W2W_DPX_HALVES(pick, suffix, type, floor)                                                             \
  __host__ __device__ inline unsigned viadd##pick##_##suffix(unsigned a, unsigned b, unsigned c) {            \
    return detail::dpx_halves<type>(                                                                          \
        [](type x, type y, type z) {                                                                          \
          return detail::dpx_max<type>(detail::dpx_##pick<type>(detail::dpx_sum<type>(x, y), z), floor);      \
        },                                                                                                    \
        a, b, c);                                                                                             \
  }                                                                                                           \
  __host__ __device__ inline unsigned vi##pick##3_##suffix(unsigned a, unsigned b, unsigned c) {              \
    return detail::dpx_halves<type>(                                                                          \
        [](type x, type y, type z) {                                                                          \
          return detail::dpx_max<type>(detail::dpx_##pick<type>(detail::dpx_##pick<type>(x, y), z), floor);   \
        },                                                                                                    \
        a, b, c);                                                                                             \
  }
W2W_DPX_HALVES(max, s16x2, short, -32768)
W2W_DPX_HALVES(min, s16x2, short, -32768)
W2W_DPX_HALVES(max, u16x2, unsigned short, 0)
W2W_DPX_HALVES(min, u16x2, unsigned short, 0)
W2W_DPX_HALVES(max, s16x2_relu, short, 0)
W2W_DPX_HALVES(min, s16x2_relu, short, 0)
#undef W2W_DPX_HALVES

#define W2W_DPX_PAIR(pick)                                                                                        \
  __host__ __device__ inline unsigned vi##pick##_s16x2_relu(unsigned a, unsigned b) {                             \
    return detail::dpx_halves<short>(                                                                             \
        [](short x, short y) { return detail::dpx_max<short>(detail::dpx_##pick<short>(x, y), 0); }, a, b);       \
  }                                                                                                               \
  __host__ __device__ inline unsigned vib##pick##_s16x2(unsigned a, unsigned b, bool* high, bool* low) {          \
    *low = detail::dpx_##pick<short>(a, b) == static_cast<short>(a);                                              \
    *high = detail::dpx_##pick<short>(a >> 16, b >> 16) == static_cast<short>(a >> 16);                           \
    return detail::dpx_halves<short>([](short x, short y) { return detail::dpx_##pick<short>(x, y); }, a, b);     \
  }                                                                                                               \
  __host__ __device__ inline unsigned vib##pick##_u16x2(unsigned a, unsigned b, bool* high, bool* low) {          \
    using Half = unsigned short;                                                                                  \
    *low = detail::dpx_##pick<Half>(a, b) == static_cast<Half>(a);                                                \
    *high = detail::dpx_##pick<Half>(a >> 16, b >> 16) == static_cast<Half>(a >> 16);                             \
    return detail::dpx_halves<Half>([](Half x, Half y) { return detail::dpx_##pick<Half>(x, y); }, a, b);         \
  }
W2W_DPX_PAIR(max)
W2W_DPX_PAIR(min)
#undef W2W_DPX_PAIR

}  // namespace w2w
