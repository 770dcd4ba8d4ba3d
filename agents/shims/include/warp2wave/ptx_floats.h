// SPDX-License-Identifier: Apache-2.0
//
// PTX's floating-point arithmetic and comparisons. PTX ISA 9.7.3 to 9.7.7. Results that are not NaN have the bits that
// the ISA says; a NaN is AMD's quiet one where NVIDIA's is 0x7fffffff. The .approx forms are at least as close as
// their bounds in the ISA.
#pragma once

#include "ptx_integers.h"
#include "rounding.h"

namespace w2w {
namespace ptx {

namespace detail {

template <Round kRound>
inline constexpr w2w::detail::Round kDirection = kRound == rm   ? w2w::detail::Round::kDown
                                                 : kRound == rp ? w2w::detail::Round::kUp
                                                                : w2w::detail::Round::kZero;

__device__ inline f32 flush(f32 a) { return __builtin_fabsf(a) < 0x1p-126f ? __builtin_copysignf(0.0f, a) : a; }
__device__ inline _Float16 flush(_Float16 a) {
  const u16 bits = cast_bits<u16>(a);
  return bits & 0x7c00u ? a : cast_bits<_Float16>(static_cast<u16>(bits & 0x8000u));
}
__device__ inline f64 flush(f64 a) { return a; }
template <bool kFlush, class F>
__device__ inline F flush_if(F a) {
  if constexpr (kFlush) {
    return flush(a);
  } else {
    return a;
  }
}
// NaN becomes zero.
template <class F>
__device__ inline F saturate(F a) {
  return a > F(0) ? (a < F(1) ? a : F(1)) : F(0);
}
template <bool kFlush, bool kSaturate, class F>
__device__ inline F finish(F a) {
  if constexpr (kSaturate) a = saturate(a);
  return flush_if<kFlush>(a);
}
template <class F>
__device__ inline F bigger_or_nan(F a, F b) {
  return __builtin_elementwise_maximum(a, b);
}

// The C++ type in which an f16, bf16, f32 or f64 is computed.
__device__ inline f32 number(f32 a) { return a; }
__device__ inline f64 number(f64 a) { return a; }
__device__ inline _Float16 number(f16 a) { return cast_bits<_Float16>(a.bits); }
__device__ inline f32 number(bf16 a) { return cast_bits<f32>(static_cast<u32>(a.bits) << 16); }

__device__ inline u16 nearest_bf16(f32 a) {
  const u32 bits = cast_bits<u32>(a);
  return a != a ? u16(0x7fff) : static_cast<u16>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
template <class T, class F>
__device__ inline T narrow(F a);
template <>
__device__ inline f32 narrow<f32, f32>(f32 a) {
  return a;
}
template <>
__device__ inline f64 narrow<f64, f64>(f64 a) {
  return a;
}
template <>
__device__ inline f16 narrow<f16, _Float16>(_Float16 a) {
  return f16{a != a ? u16(0x7fff) : cast_bits<u16>(a)};
}
template <>
__device__ inline bf16 narrow<bf16, f32>(f32 a) {
  return bf16{nearest_bf16(a)};
}

template <class T>
struct IsF16 {
  static constexpr bool value = false;
};
template <>
struct IsF16<f16> {
  static constexpr bool value = true;
};

// The scalar type of a packed one, or the type itself.
template <class T>
struct Element {
  using type = T;
  static constexpr bool kPacked = false;
};
template <>
struct Element<f16x2> {
  using type = f16;
  static constexpr bool kPacked = true;
};
template <>
struct Element<bf16x2> {
  using type = bf16;
  static constexpr bool kPacked = true;
};
template <class T>
__device__ inline typename Element<T>::type low(T a) {
  return {static_cast<u16>(a.bits)};
}
template <class T>
__device__ inline typename Element<T>::type high(T a) {
  return {static_cast<u16>(a.bits >> 16)};
}
// Applies an operation on scalars to a scalar or to both halves.
template <class T, class Operation>
__device__ inline Raw<T> each(Operation operation, T a) {
  if constexpr (Element<T>::kPacked) {
    return pair(operation(low(a)).bits, operation(high(a)).bits);
  } else {
    return raw(operation(a));
  }
}
template <class T, class Operation>
__device__ inline Raw<T> each(Operation operation, T a, T b) {
  if constexpr (Element<T>::kPacked) {
    return pair(operation(low(a), low(b)).bits, operation(high(a), high(b)).bits);
  } else {
    return raw(operation(a, b));
  }
}
template <class T, class Operation>
__device__ inline Raw<T> each(Operation operation, T a, T b, T c) {
  if constexpr (Element<T>::kPacked) {
    return pair(operation(low(a), low(b), low(c)).bits, operation(high(a), high(b), high(c)).bits);
  } else {
    return raw(operation(a, b, c));
  }
}

// a + b, rounded to odd: rounding that to fewer bits gives what one rounding would have.
__device__ inline f64 add_to_odd(f64 a, f64 b) {
#pragma clang fp contract(off)
  const f64 sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
  const u64 bits = cast_bits<u64>(sum);
  if (error == 0.0 || error != error || sum - sum != 0.0 || (bits & 1ull)) return sum;
  return cast_bits<f64>((error > 0.0) == (sum > 0.0) ? bits + 1ull : bits - 1ull);
}

// Rounds to a format with IEEE's layout.
template <Round kRound, int kExponentBits, int kFractionBits>
__device__ inline u32 narrow_bits(f64 a) {
  constexpr u32 kInfinity = ((1u << kExponentBits) - 1u) << kFractionBits;
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  const u64 bits = cast_bits<u64>(a);
  const u32 sign = static_cast<u32>(bits >> 63) << (kExponentBits + kFractionBits);
  if (a != a) return kInfinity | ((1u << kFractionBits) - 1u);
  if (a - a != 0.0) return sign | kInfinity;
  if (a == 0.0) return sign;
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  u64 fraction = bits & 0xfffffffffffffull;
  if (exponent == -1023) {
    exponent = -1022;
  } else {
    fraction |= 1ull << 52;
  }
  const int below = 1 - kBias - exponent;
  const int drop = 52 - kFractionBits + (below > 0 ? below : 0);
  u64 kept = drop > 54 ? 0ull : fraction >> drop;
  const u64 rest = drop > 54 ? 1ull : fraction & ((1ull << drop) - 1ull), half = drop > 54 ? 2ull : 1ull << (drop - 1);
  bool up = false;
  if constexpr (kRound == rn) up = rest > half || (rest == half && (kept & 1ull));
  if constexpr (kRound == rna) up = rest >= half;
  if constexpr (kRound == rm) up = rest != 0 && sign;
  if constexpr (kRound == rp) up = rest != 0 && !sign;
  kept += up ? 1ull : 0ull;
  const u64 result =
      below > 0 ? kept : (static_cast<u64>(exponent + kBias) << kFractionBits) + kept - (1ull << kFractionBits);
  if (result < kInfinity) return sign | static_cast<u32>(result);
  const bool to_infinity = kRound == rn || kRound == rna || (kRound == rm && sign) || (kRound == rp && !sign);
  return sign | (to_infinity ? kInfinity : kInfinity - 1u);
}
template <class T, Round kRound>
__device__ inline T narrow_wide(f64 a) {
  if constexpr (sizeof(T) == 4) {
    if constexpr (kRound == rn) {
      return static_cast<f32>(a);
    } else {
      return w2w::detail::to_float(a, 0.0, kDirection<kRound>);
    }
  } else if constexpr (sizeof(T) == 8) {
    return a;
  } else {
    return T{static_cast<u16>(narrow_bits<kRound, IsF16<T>::value ? 5 : 8, IsF16<T>::value ? 10 : 7>(a))};
  }
}

}  // namespace detail

// f32 and f64.
template <class T, Round kRound, bool kFlush, bool kSaturate>
__device__ inline Raw<T> fadd(In<T> x, In<T> y) {
#pragma clang fp contract(off)
  const T a = detail::flush_if<kFlush>(x.value), b = detail::flush_if<kFlush>(y.value);
  if constexpr (kRound == rn) {
    return raw(detail::finish<kFlush, kSaturate>(a + b));
  } else {
    return raw(detail::finish<kFlush, kSaturate>(w2w::detail::add(a, b, detail::kDirection<kRound>)));
  }
}
template <class T, Round kRound, bool kFlush, bool kSaturate>
__device__ inline Raw<T> fsub(In<T> a, In<T> b) {
  return fadd<T, kRound, kFlush, kSaturate>(a.value, -b.value);
}
template <class T, Round kRound, bool kFlush, bool kSaturate>
__device__ inline Raw<T> fmul(In<T> x, In<T> y) {
#pragma clang fp contract(off)
  const T a = detail::flush_if<kFlush>(x.value), b = detail::flush_if<kFlush>(y.value);
  if constexpr (kRound == rn) {
    return raw(detail::finish<kFlush, kSaturate>(a * b));
  } else {
    return raw(detail::finish<kFlush, kSaturate>(w2w::detail::mul(a, b, detail::kDirection<kRound>)));
  }
}
template <class T, Round kRound, bool kFlush, bool kSaturate>
__device__ inline Raw<T> fma(In<T> x, In<T> y, In<T> z) {
  const T a = detail::flush_if<kFlush>(x.value), b = detail::flush_if<kFlush>(y.value);
  const T c = detail::flush_if<kFlush>(z.value);
  if constexpr (kRound == rn) {
    return raw(detail::finish<kFlush, kSaturate>(__builtin_elementwise_fma(a, b, c)));
  } else {
    return raw(detail::finish<kFlush, kSaturate>(w2w::detail::fma(a, b, c, detail::kDirection<kRound>)));
  }
}
template <Round kRound>
__device__ inline u64 fma_directed(In<f64> x, In<f64> y, In<f64> z) {
  return raw(w2w::detail::fma(x.value, y.value, z.value, detail::kDirection<kRound>));
}
template <class T, Round kRound, bool kFlush>
__device__ inline Raw<T> fdiv(In<T> x, In<T> y) {
  const T a = detail::flush_if<kFlush>(x.value), b = detail::flush_if<kFlush>(y.value);
  if constexpr (kRound == rn) {
    return raw(detail::flush_if<kFlush>(a / b));
  } else {
    return raw(detail::flush_if<kFlush>(w2w::detail::div(a, b, detail::kDirection<kRound>)));
  }
}
// div.approx: a divisor beyond 2^126 gives zero, or NaN for an infinite dividend.
template <bool kFlush>
__device__ inline u32 fdiv_approx(In<f32> x, In<f32> y) {
  const f32 a = detail::flush_if<kFlush>(x.value), b = detail::flush_if<kFlush>(y.value);
  const f32 magnitude = __builtin_fabsf(b);
  if (magnitude > 0x1p126f && magnitude < __builtin_inff())
    return raw(__builtin_isinf(a) ? __builtin_nanf("") : __builtin_copysignf(0.0f, a) * __builtin_copysignf(1.0f, b));
  return raw(detail::flush_if<kFlush>(a / b));
}
template <class T, Round kRound, bool kFlush>
__device__ inline Raw<T> reciprocal(In<T> a) {
  return fdiv<T, kRound, kFlush>(raw(T(1)), raw(a.value));
}
template <class T, Round kRound, bool kFlush>
__device__ inline Raw<T> square_root(In<T> x) {
  const T a = detail::flush_if<kFlush>(x.value);
  if constexpr (kRound == rn) {
    return raw(detail::flush_if<kFlush>(__builtin_elementwise_sqrt(a)));
  } else {
    return raw(detail::flush_if<kFlush>(w2w::detail::sqrt(a, detail::kDirection<kRound>)));
  }
}
template <class T, bool kFlush>
__device__ inline Raw<T> reciprocal_root(In<T> x) {
  const T a = detail::flush_if<kFlush>(x.value);
  if constexpr (sizeof(T) == 4) {
    return raw(detail::flush_if<kFlush>(static_cast<f32>(1.0 / __builtin_sqrt(static_cast<f64>(a)))));
  } else {
    return raw(1.0 / __builtin_sqrt(a));
  }
}
#define W2W_APPROXIMATE(name, expression)                    \
  template <bool kFlush>                                     \
  __device__ inline u32 name(In<f32> x) {                    \
    const f32 a = detail::flush_if<kFlush>(x.value);         \
    return raw(detail::flush_if<kFlush>(expression));        \
  }
W2W_APPROXIMATE(sine, ::sinf(a))
W2W_APPROXIMATE(cosine, ::cosf(a))
W2W_APPROXIMATE(log2, ::log2f(a))
W2W_APPROXIMATE(exp2, ::exp2f(a))
W2W_APPROXIMATE(tangent_h, ::tanhf(a))
#undef W2W_APPROXIMATE

template <class T, bool kFlush>
__device__ inline Raw<T> fabsolute(In<T> x) {
  return detail::each([](auto a) { return detail::narrow<decltype(a)>(detail::flush_if<kFlush>(
                                       __builtin_elementwise_abs(detail::number(a)))); }, x.value);
}
template <class T, bool kFlush>
__device__ inline Raw<T> fnegate(In<T> x) {
  return detail::each([](auto a) { return detail::narrow<decltype(a)>(detail::flush_if<kFlush>(
                                       -detail::number(a))); }, x.value);
}
namespace detail {
// .xorsign.abs: the magnitude of the chosen one with the sign of the product.
template <bool kLargest, bool kNan, bool kXorSign, class F>
__device__ inline F extreme(F a, F b) {
  const bool negative = kXorSign && __builtin_signbit(a) != __builtin_signbit(b);
  if constexpr (kXorSign) {
    a = __builtin_elementwise_abs(a);
    b = __builtin_elementwise_abs(b);
  }
  F chosen;
  if constexpr (kNan) {
    chosen = kLargest ? __builtin_elementwise_maximum(a, b) : __builtin_elementwise_minimum(a, b);
  } else {
    chosen = kLargest ? __builtin_elementwise_maximumnum(a, b) : __builtin_elementwise_minimumnum(a, b);
  }
  return negative ? -chosen : chosen;
}
}  // namespace detail
template <class T, bool kLargest, bool kFlush, bool kNan, bool kXorSign>
__device__ inline Raw<T> fextreme(In<T> x, In<T> y) {
  return detail::each(
      [](auto a, auto b) {
        const auto l = detail::flush_if<kFlush>(detail::number(a)), r = detail::flush_if<kFlush>(detail::number(b));
        return detail::narrow<decltype(a)>(detail::flush_if<kFlush>(detail::extreme<kLargest, kNan, kXorSign>(l, r)));
      },
      x.value, y.value);
}
template <class T>
__device__ inline Raw<T> copy_sign(In<T> sign, In<T> magnitude) {
  return raw(sizeof(T) == 4 ? T(__builtin_copysignf(static_cast<f32>(magnitude.value), static_cast<f32>(sign.value)))
                            : T(__builtin_copysign(static_cast<f64>(magnitude.value), static_cast<f64>(sign.value))));
}
enum class Property { finite, infinite, number, notanumber, normal, subnormal };
// Zero counts as normal.
template <class T, Property kProperty>
__device__ inline bool test_property(In<T> x) {
  const T a = x.value, size = __builtin_elementwise_abs(a);
  const T tiny = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022);
  switch (kProperty) {
    case Property::finite:
      return a - a == T(0);
    case Property::infinite:
      return a == a && a - a != T(0);
    case Property::number:
      return a == a;
    case Property::notanumber:
      return a != a;
    case Property::normal:
      return a == T(0) || (a - a == T(0) && size >= tiny);
    default:
      return a != T(0) && size < tiny;
  }
}

// f16, bf16 and their pairs.
template <class T, bool kFlush, bool kSaturate>
__device__ inline Raw<T> hadd(In<T> x, In<T> y) {
  return detail::each(
      [](auto a, auto b) {
        const auto l = detail::flush_if<kFlush>(detail::number(a)), r = detail::flush_if<kFlush>(detail::number(b));
        return detail::narrow<decltype(a)>(detail::finish<kFlush, kSaturate>(static_cast<decltype(l)>(l + r)));
      },
      x.value, y.value);
}
template <class T, bool kFlush, bool kSaturate>
__device__ inline Raw<T> hsub(In<T> x, In<T> y) {
  return detail::each(
      [](auto a, auto b) {
        const auto l = detail::flush_if<kFlush>(detail::number(a)), r = detail::flush_if<kFlush>(detail::number(b));
        return detail::narrow<decltype(a)>(detail::finish<kFlush, kSaturate>(static_cast<decltype(l)>(l - r)));
      },
      x.value, y.value);
}
template <class T, bool kFlush, bool kSaturate>
__device__ inline Raw<T> hmul(In<T> x, In<T> y) {
  return detail::each(
      [](auto a, auto b) {
        const auto l = detail::flush_if<kFlush>(detail::number(a)), r = detail::flush_if<kFlush>(detail::number(b));
        return detail::narrow<decltype(a)>(detail::finish<kFlush, kSaturate>(static_cast<decltype(l)>(l * r)));
      },
      x.value, y.value);
}
namespace detail {
__device__ inline _Float16 fused(f16, _Float16 a, _Float16 b, _Float16 c) { return __builtin_elementwise_fma(a, b, c); }
__device__ inline f32 fused(bf16, f32 a, f32 b, f32 c) {
  const f64 exact = add_to_odd(static_cast<f64>(a) * static_cast<f64>(b), static_cast<f64>(c));
  return number(bf16{static_cast<u16>(narrow_bits<rn, 8, 7>(exact))});
}
}  // namespace detail
template <class T, bool kFlush, bool kSaturate, bool kRectify>
__device__ inline Raw<T> hfma(In<T> x, In<T> y, In<T> z) {
  return detail::each(
      [](auto a, auto b, auto c) {
        const auto l = detail::flush_if<kFlush>(detail::number(a)), r = detail::flush_if<kFlush>(detail::number(b));
        auto result = detail::fused(a, l, r, detail::flush_if<kFlush>(detail::number(c)));
        if constexpr (kRectify) result = detail::bigger_or_nan(result, decltype(result)(0));
        return detail::narrow<decltype(a)>(detail::finish<kFlush, kSaturate>(result));
      },
      x.value, y.value, z.value);
}
template <class T>
__device__ inline Raw<T> hexp2(In<T> x) {
  return detail::each([](auto a) { return detail::narrow_wide<decltype(a), rn>(::exp2f(detail::number(a))); }, x.value);
}
template <class T>
__device__ inline Raw<T> htanh(In<T> x) {
  return detail::each([](auto a) { return detail::narrow_wide<decltype(a), rn>(::tanhf(detail::number(a))); }, x.value);
}

namespace detail {
template <Comparison kComparison, class N>
__device__ inline bool compare_numbers(N a, N b) {
  const bool unordered = a != a || b != b;
  switch (kComparison) {
    case num:
      return !unordered;
    case nan:
      return unordered;
    case eq:
      return a == b;
    case ne:
      return !unordered && a != b;
    case lt:
    case lo:
      return a < b;
    case le:
    case ls:
      return a <= b;
    case gt:
    case hi:
      return a > b;
    case ge:
    case hs:
      return a >= b;
    case equ:
      return unordered || a == b;
    case neu:
      return unordered || a != b;
    case ltu:
      return unordered || a < b;
    case leu:
      return unordered || a <= b;
    case gtu:
      return unordered || a > b;
    default:
      return unordered || a >= b;
  }
}
}  // namespace detail
template <class T, Comparison kComparison>
__device__ inline bool compare(In<T> a, In<T> b) {
  return detail::compare_numbers<kComparison>(a.value, b.value);
}
template <class T, Comparison kComparison, bool kFlush>
__device__ inline bool fcompare(In<T> a, In<T> b) {
  return detail::compare_numbers<kComparison>(detail::flush_if<kFlush>(detail::number(a.value)),
                                              detail::flush_if<kFlush>(detail::number(b.value)));
}
template <class T, Comparison kComparison, bool kHigh>
__device__ inline bool hcompare(In<T> a, In<T> b) {
  return kHigh ? detail::compare_numbers<kComparison>(detail::number(detail::high(a.value)), detail::number(detail::high(b.value)))
               : detail::compare_numbers<kComparison>(detail::number(detail::low(a.value)), detail::number(detail::low(b.value)));
}
template <Boolean kBoolean>
__device__ inline bool combine(bool a, bool b) {
  if constexpr (kBoolean == land) return a && b;
  if constexpr (kBoolean == lor) return a || b;
  if constexpr (kBoolean == lxor) return a != b;
  return a;
}
// What set gives for true: all ones, or 1 in the type of the result.
template <class T>
__device__ inline Raw<T> truth(bool holds) {
  return holds ? static_cast<Raw<T>>(~Raw<T>(0)) : Raw<T>(0);
}
template <>
__device__ inline u32 truth<f32>(bool holds) {
  return holds ? 0x3f800000u : 0u;
}
template <>
__device__ inline u16 truth<f16>(bool holds) {
  return holds ? 0x3c00 : 0;
}
template <>
__device__ inline u16 truth<bf16>(bool holds) {
  return holds ? 0x3f80 : 0;
}
template <class T>
__device__ inline u32 truth_pair(bool low, bool high) {
  if constexpr (detail::Element<T>::kPacked) {
    return detail::pair(truth<typename detail::Element<T>::type>(low), truth<typename detail::Element<T>::type>(high));
  } else {
    return (low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u);
  }
}
template <class T>
__device__ inline Raw<T> select(In<T> a, In<T> b, bool first) {
  return raw(first ? a.value : b.value);
}
template <class T, class S, bool kFlush>
__device__ inline Raw<T> select_by_sign(In<T> a, In<T> b, In<S> c) {
  return raw(c.value >= S(0) ? a.value : b.value);
}

}  // namespace ptx
}  // namespace w2w
