// SPDX-License-Identifier: Apache-2.0
//
// CUDA's SIMD-in-a-word intrinsics: two 16-bit or four 8-bit lanes in an unsigned int.
#pragma once

#include <hip/hip_runtime.h>

namespace w2w {
namespace detail {

template <int kBits>
struct Part;
template <>
struct Part<8> {
  using Signed = signed char;
  static constexpr int kLow = -128, kHigh = 127;
  static constexpr unsigned kMask = 0xffu;
};
template <>
struct Part<16> {
  using Signed = short;
  static constexpr int kLow = -32768, kHigh = 32767;
  static constexpr unsigned kMask = 0xffffu;
};

template <int kBits>
__host__ __device__ inline int as_signed(unsigned word, int shift) {
  return static_cast<typename Part<kBits>::Signed>(word >> shift);
}
template <int kBits>
__host__ __device__ inline unsigned as_unsigned(unsigned word, int shift) {
  return (word >> shift) & Part<kBits>::kMask;
}

template <int kBits, class Op>
__host__ __device__ inline unsigned map_signed(unsigned a, unsigned b, Op op) {
  unsigned result = 0;
#pragma unroll
  for (int s = 0; s < 32; s += kBits)
    result |= (static_cast<unsigned>(op(as_signed<kBits>(a, s), as_signed<kBits>(b, s))) & Part<kBits>::kMask) << s;
  return result;
}
template <int kBits, class Op>
__host__ __device__ inline unsigned map_unsigned(unsigned a, unsigned b, Op op) {
  unsigned result = 0;
#pragma unroll
  for (int s = 0; s < 32; s += kBits)
    result |= (static_cast<unsigned>(op(as_unsigned<kBits>(a, s), as_unsigned<kBits>(b, s))) & Part<kBits>::kMask) << s;
  return result;
}
template <int kBits>
__host__ __device__ inline int saturate_signed(int value) {
  return value < Part<kBits>::kLow ? Part<kBits>::kLow : value > Part<kBits>::kHigh ? Part<kBits>::kHigh : value;
}
__host__ __device__ inline int magnitude(int value) { return value < 0 ? -value : value; }

}  // namespace detail

#define W2W_SIGNED(name, expression)                                                       \
  __host__ __device__ inline unsigned name##2(unsigned x, unsigned y) {                    \
    constexpr int kBits = 16;                                                              \
    (void)kBits;                                                                           \
    return detail::map_signed<16>(x, y, [](int a, int b) { (void)a; (void)b; return expression; }); \
  }                                                                                        \
  __host__ __device__ inline unsigned name##4(unsigned x, unsigned y) {                    \
    constexpr int kBits = 8;                                                               \
    (void)kBits;                                                                           \
    return detail::map_signed<8>(x, y, [](int a, int b) { (void)a; (void)b; return expression; });  \
  }
#define W2W_UNSIGNED(name, expression)                                                                 \
  __host__ __device__ inline unsigned name##2(unsigned x, unsigned y) {                                \
    constexpr unsigned kMask = 0xffffu;                                                                \
    (void)kMask;                                                                                       \
    return detail::map_unsigned<16>(x, y, [](unsigned a, unsigned b) { return expression; });          \
  }                                                                                                    \
  __host__ __device__ inline unsigned name##4(unsigned x, unsigned y) {                                \
    constexpr unsigned kMask = 0xffu;                                                                  \
    (void)kMask;                                                                                       \
    return detail::map_unsigned<8>(x, y, [](unsigned a, unsigned b) { return expression; });           \
  }
#define W2W_COMPARE(suffix, map, operation)      \
  map(vcmp##suffix, (a operation b) ? 0xffffu : 0u) map(vset##suffix, (a operation b) ? 1u : 0u)

W2W_UNSIGNED(vadd, a + b)
W2W_UNSIGNED(vsub, a - b)
W2W_SIGNED(vaddss, detail::saturate_signed<kBits>(a + b))
W2W_SIGNED(vsubss, detail::saturate_signed<kBits>(a - b))
W2W_UNSIGNED(vaddus, a + b > kMask ? kMask : a + b)
W2W_UNSIGNED(vsubus, a > b ? a - b : 0u)
W2W_UNSIGNED(vavgu, (a + b + 1u) >> 1)
W2W_SIGNED(vavgs, (a + b + (a + b >= 0 ? 1 : 0)) >> 1)
W2W_UNSIGNED(vhaddu, (a + b) >> 1)
W2W_UNSIGNED(vabsdiffu, a > b ? a - b : b - a)
W2W_SIGNED(vabsdiffs, detail::magnitude(a - b))
W2W_UNSIGNED(vmaxu, a > b ? a : b)
W2W_UNSIGNED(vminu, a < b ? a : b)
W2W_SIGNED(vmaxs, a > b ? a : b)
W2W_SIGNED(vmins, a < b ? a : b)
W2W_COMPARE(eq, W2W_UNSIGNED, ==)
W2W_COMPARE(ne, W2W_UNSIGNED, !=)
W2W_COMPARE(geu, W2W_UNSIGNED, >=)
W2W_COMPARE(gtu, W2W_UNSIGNED, >)
W2W_COMPARE(leu, W2W_UNSIGNED, <=)
W2W_COMPARE(ltu, W2W_UNSIGNED, <)
W2W_COMPARE(ges, W2W_SIGNED, >=)
W2W_COMPARE(gts, W2W_SIGNED, >)
W2W_COMPARE(les, W2W_SIGNED, <=)
W2W_COMPARE(lts, W2W_SIGNED, <)

#define W2W_UNARY(name, expression)                                                                        \
  __host__ __device__ inline unsigned name##2(unsigned x) {                                                \
    constexpr int kBits = 16;                                                                              \
    (void)kBits;                                                                                           \
    return detail::map_signed<16>(x, 0u, [](int a, int) { return expression; });                           \
  }                                                                                                        \
  __host__ __device__ inline unsigned name##4(unsigned x) {                                                \
    constexpr int kBits = 8;                                                                               \
    (void)kBits;                                                                                           \
    return detail::map_signed<8>(x, 0u, [](int a, int) { return expression; });                            \
  }
W2W_UNARY(vabs, detail::magnitude(a))
W2W_UNARY(vabsss, detail::saturate_signed<kBits>(detail::magnitude(a)))
W2W_UNARY(vneg, -a)
W2W_UNARY(vnegss, detail::saturate_signed<kBits>(-a))

namespace detail {
template <int kBits>
__host__ __device__ inline unsigned sad_unsigned(unsigned x, unsigned y) {
  unsigned sum = 0;
  for (int s = 0; s < 32; s += kBits) {
    const unsigned a = as_unsigned<kBits>(x, s), b = as_unsigned<kBits>(y, s);
    sum += a > b ? a - b : b - a;
  }
  return sum;
}
template <int kBits>
__host__ __device__ inline unsigned sad_signed(unsigned x, unsigned y) {
  unsigned sum = 0;
  for (int s = 0; s < 32; s += kBits)
    sum += static_cast<unsigned>(magnitude(as_signed<kBits>(x, s) - as_signed<kBits>(y, s)));
  return sum;
}
}  // namespace detail
__host__ __device__ inline unsigned vsadu2(unsigned a, unsigned b) { return detail::sad_unsigned<16>(a, b); }
__host__ __device__ inline unsigned vsadu4(unsigned a, unsigned b) { return detail::sad_unsigned<8>(a, b); }
__host__ __device__ inline unsigned vsads2(unsigned a, unsigned b) { return detail::sad_signed<16>(a, b); }
__host__ __device__ inline unsigned vsads4(unsigned a, unsigned b) { return detail::sad_signed<8>(a, b); }

#undef W2W_SIGNED
#undef W2W_UNSIGNED
#undef W2W_COMPARE
#undef W2W_UNARY

}  // namespace w2w
