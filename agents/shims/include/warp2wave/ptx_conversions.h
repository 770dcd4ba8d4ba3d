// SPDX-License-Identifier: Apache-2.0
//
// PTX's cvt. PTX ISA 9.7.9.21. Conversions to integers saturate; a NaN gives 0, or only the top bit where the source is
// an f64 or the result has 64 bits.
#pragma once

#include "ptx_floats.h"

namespace w2w {
namespace ptx {

namespace detail {

template <Round kRound, class F>
__device__ inline F round_integral(F a) {
  if constexpr (kRound == rni) return __builtin_elementwise_rint(a);
  if constexpr (kRound == rzi) return __builtin_elementwise_trunc(a);
  if constexpr (kRound == rmi) return __builtin_elementwise_floor(a);
  if constexpr (kRound == rpi) return __builtin_elementwise_ceil(a);
  return a;
}

template <class I, class F, bool kTopBit>
__device__ inline I to_integer(F a) {
  constexpr bool kSigned = IsSigned<I>::value;
  constexpr int kBits = sizeof(I) * 8;
  constexpr I kTop = static_cast<I>(1ull << (kBits - 1));
  constexpr I kHigh = kSigned ? static_cast<I>(~kTop) : static_cast<I>(~I(0));
  constexpr I kLow = kSigned ? kTop : I(0);
  constexpr F kEnd = static_cast<F>(1ull << (kBits - 1)) * F(kSigned ? 1 : 2);
  if (a != a) return kTopBit ? kTop : I(0);
  if (a >= kEnd) return kHigh;
  if (a <= (kSigned ? -kEnd : F(0))) return kLow;
  return static_cast<I>(a);
}

// An integer's magnitude cut to 24 or 53 bits, then stepped up where the rounding says so.
template <class F, Round kRound>
__device__ inline F integer_to(u64 magnitude, bool negative) {
  constexpr int kFraction = sizeof(F) == 4 ? 24 : 53;
  if constexpr (kRound == rn) {
    const F nearest = static_cast<F>(magnitude);
    return negative ? -nearest : nearest;
  } else {
    const int drop = magnitude ? 64 - __builtin_clzll(magnitude) - kFraction : 0;
    if (drop > 0) {
      const u64 unit = 1ull << drop, rest = magnitude & (unit - 1ull);
      magnitude -= rest;
      if (rest && (kRound == rp ? !negative : kRound == rm && negative)) magnitude += unit;
      if (magnitude == 0) return negative ? -F(0x1p64) : F(0x1p64);
    }
    return negative ? -static_cast<F>(magnitude) : static_cast<F>(magnitude);
  }
}

}  // namespace detail

// float to integer
template <class T, class S, Round kRound, bool kFlush>
__device__ inline T float_to_integer(In<S> x) {
  const auto a = detail::flush_if<kFlush>(detail::number(x.value));
  constexpr bool kTopBit = sizeof(S) == 8 || sizeof(T) == 8;
  if constexpr (sizeof(a) == 2) {
    return detail::to_integer<T, f32, kTopBit>(detail::round_integral<kRound>(static_cast<f32>(a)));
  } else {
    return detail::to_integer<T, decltype(detail::number(x.value)), kTopBit>(detail::round_integral<kRound>(a));
  }
}
// integer to float
template <class T, class S, Round kRound, bool kSaturate>
__device__ inline Raw<T> integer_to_float(In<S> x) {
  const bool negative = x.value < S(0);
  const u64 wide = static_cast<u64>(static_cast<s64>(x.value));
  u64 magnitude = negative ? 0ull - wide : detail::IsSigned<S>::value ? wide : static_cast<u64>(x.value);
  if constexpr (sizeof(T) >= 4) {
    const T result = detail::integer_to<T, kRound>(magnitude, negative);
    return raw(detail::finish<false, kSaturate>(result));
  } else {
    // More than 53 bits: what is cut off is kept as one odd bit, so that the rounding to come sees it.
    if (magnitude >> 53) magnitude = (magnitude & ~0xfffull) | ((magnitude & 0xfffull) ? 0x1000ull : 0ull);
    const f64 value = static_cast<f64>(magnitude);
    return raw(detail::narrow_wide<T, kRound>(negative ? -value : value));
  }
}
// integer to integer: the low bits, or the nearest value that T has
template <class T, class S, bool kSaturate>
__device__ inline T integer_to_integer(In<S> x) {
  if constexpr (kSaturate) {
    constexpr T kTop = static_cast<T>(1ull << (8 * sizeof(T) - 1));
    constexpr T kHigh = detail::IsSigned<T>::value ? static_cast<T>(~kTop) : static_cast<T>(~T(0));
    constexpr T kLow = detail::IsSigned<T>::value ? kTop : T(0);
    const s128 value = x.value;
    return value < s128(kLow) ? kLow : value > s128(kHigh) ? kHigh : static_cast<T>(x.value);
  } else {
    return static_cast<T>(x.value);
  }
}
// float to float
template <class T, class S, Round kRound, bool kFlush, bool kSaturate, bool kRectify, bool kFinite>
__device__ inline Raw<T> float_to_float(In<S> x) {
  auto a = detail::flush_if<kFlush>(detail::number(x.value));
  a = detail::round_integral<kRound>(a);
  if constexpr (kSaturate) a = detail::saturate(a);
  if constexpr (kRectify) a = detail::bigger_or_nan(a, decltype(a)(0));
  constexpr Round kNarrowing = kRound == rz || kRound == rm || kRound == rp ? kRound : rn;
  if constexpr (sizeof(T) == 8) {
    return raw(static_cast<f64>(a));
  } else if constexpr (sizeof(T) == 4 && sizeof(S) < 8) {
    return raw(detail::flush_if<kFlush>(static_cast<f32>(a)));
  } else if constexpr (sizeof(T) == 4) {
    return raw(detail::flush_if<kFlush>(detail::narrow_wide<f32, kNarrowing>(a)));
  } else {
    T result = detail::narrow_wide<T, kNarrowing>(static_cast<f64>(a));
    constexpr u32 kInfinity = detail::IsF16<T>::value ? 0x7c00u : 0x7f80u;
    if constexpr (kFinite) {
      if ((result.bits & 0x7fffu) == kInfinity) result.bits -= 1;
    }
    return result.bits;
  }
}
// two f32 to a pair: the first operand is the upper half
template <class T, Round kRound, bool kRectify, bool kFinite>
__device__ inline u32 floats_to_pair(In<f32> high, In<f32> low) {
  using Half = typename detail::Element<T>::type;
  return detail::pair(float_to_float<Half, f32, kRound, false, false, kRectify, kFinite>(raw(low.value)),
                      float_to_float<Half, f32, kRound, false, false, kRectify, kFinite>(raw(high.value)));
}
template <Round kRound, bool kRectify>
__device__ inline u32 to_tf32(In<f32> x) {
  f32 a = x.value;
  if constexpr (kRectify) a = detail::bigger_or_nan(a, 0.0f);
  if constexpr (kRound == rna) return (cast_bits<u32>(a) + 0x1000u) & ~0x1fffu;  // also for NaN
  return a != a ? 0x7fffe000u : detail::narrow_bits<kRound, 8, 10>(a) << 13;
}

// OCP's 8-bit floats, by their bits: gfx942's own are of another kind (FNUZ).
struct e4m3 {};
struct e5m2 {};
namespace detail {
template <class T>
__device__ inline u32 to_byte(f64 a);
template <>
__device__ inline u32 to_byte<e5m2>(f64 a) {
  const u32 bits = narrow_bits<rn, 5, 2>(a);
  return a != a ? 0x7fu : (bits & 0x7fu) == 0x7cu ? bits - 1u : bits;
}
// e4m3 has no infinity: 0x7f is NaN, 0x7e is 448.
template <>
__device__ inline u32 to_byte<e4m3>(f64 a) {
  if (a != a) return 0x7fu;
  const u32 sign = __builtin_signbit(a) ? 0x80u : 0u;
  const f64 magnitude = __builtin_fabs(a);
  if (magnitude >= 448.0) return sign | 0x7eu;
  const f64 quantum =
      magnitude < 0x1p-6 ? 0x1p-9 : cast_bits<f64>((cast_bits<u64>(magnitude) & 0x7ff0000000000000ull) - (3ull << 52));
  const f64 value = __builtin_rint(magnitude / quantum) * quantum;
  if (value >= 448.0) return sign | 0x7eu;
  if (value < 0x1p-6) return sign | static_cast<u32>(value * 0x1p9);
  const u64 bits = cast_bits<u64>(value);
  return sign | (static_cast<u32>((bits >> 52) - 1023ull + 7ull) << 3) | static_cast<u32>(bits >> 49 & 7ull);
}
template <class T>
__device__ inline u32 from_byte(u32 bits);
template <>
__device__ inline u32 from_byte<e5m2>(u32 bits) {
  return (bits & 0x7fu) > 0x7cu ? 0x7fffu : bits << 8;
}
template <>
__device__ inline u32 from_byte<e4m3>(u32 bits) {
  if ((bits & 0x7fu) == 0x7fu) return 0x7fffu;
  const f32 magnitude = (bits & 0x78u) ? cast_bits<f32>(((bits >> 3 & 15u) + 120u) << 23 | (bits & 7u) << 20)
                                       : static_cast<f32>(bits & 7u) * 0x1p-9f;
  return cast_bits<u16>(static_cast<_Float16>(bits & 0x80u ? -magnitude : magnitude));
}
template <bool kRectify>
__device__ inline f64 rectified(f32 a) {
  return kRectify ? bigger_or_nan(a, 0.0f) : a;
}
}  // namespace detail
template <class T, bool kRectify>
__device__ inline u16 floats_to_bytes(In<f32> high, In<f32> low) {
  return static_cast<u16>(detail::to_byte<T>(detail::rectified<kRectify>(low.value)) |
                          detail::to_byte<T>(detail::rectified<kRectify>(high.value)) << 8);
}
template <class T, bool kRectify>
__device__ inline u16 halves_to_bytes(In<f16x2> x) {
  return floats_to_bytes<T, kRectify>(raw(static_cast<f32>(detail::number(detail::high(x.value)))),
                                      raw(static_cast<f32>(detail::number(detail::low(x.value)))));
}
template <class T, bool kRectify>
__device__ inline u32 bytes_to_halves(In<u16> x) {
  u32 low = detail::from_byte<T>(x.value & 0xffu), high = detail::from_byte<T>(x.value >> 8);
  if constexpr (kRectify) {
    low = low & 0x8000u ? 0u : low;
    high = high & 0x8000u ? 0u : high;
  }
  return detail::pair(low, high);
}
// cvt.pack: both saturated to T, b in the low part, c above them.
template <class T>
__device__ inline u32 pack(In<s32> a, In<s32> b, In<u32> c) {
  constexpr u32 kBits = 8 * sizeof(T);
  const u32 low = raw(integer_to_integer<T, s32, true>(b.value)), high = raw(integer_to_integer<T, s32, true>(a.value));
  return kBits == 16 ? low | high << 16 : low | high << kBits | c.value << (2 * (kBits & 15u));
}

}  // namespace ptx
}  // namespace w2w
