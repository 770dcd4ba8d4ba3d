// SPDX-License-Identifier: Apache-2.0
//
// PTX's integer, bit and byte instructions. PTX ISA 9.7.1, 9.7.2, 9.7.8. Where the ISA leaves a result open (division
// by zero) it is an H200's.
#pragma once

#include "ptx_types.h"

namespace w2w {
namespace ptx {

namespace detail {
template <class T>
struct Wide;
template <>
struct Wide<u16> {
  using type = u32;
};
template <>
struct Wide<s16> {
  using type = s32;
};
template <>
struct Wide<u32> {
  using type = u64;
};
template <>
struct Wide<s32> {
  using type = s64;
};
template <>
struct Wide<u64> {
  using type = u128;
};
template <>
struct Wide<s64> {
  using type = s128;
};
template <class T>
__device__ inline T clamp(T value, T low, T high) {
  return value < low ? low : value > high ? high : value;
}
__device__ inline u32 pair(u32 low, u32 high) { return (low & 0xffffu) | high << 16; }
}  // namespace detail
template <class T>
using Wide = typename detail::Wide<T>::type;

template <class T>
__device__ inline Raw<T> add(In<T> a, In<T> b) {
  return static_cast<Raw<T>>(raw(a.value) + raw(b.value));
}
template <class T>
__device__ inline Raw<T> sub(In<T> a, In<T> b) {
  return static_cast<Raw<T>>(raw(a.value) - raw(b.value));
}
template <>
__device__ inline u32 add<u16x2>(In<u16x2> a, In<u16x2> b) {
  return detail::pair(a.value.bits + b.value.bits, (a.value.bits >> 16) + (b.value.bits >> 16));
}
template <>
__device__ inline u32 add<s16x2>(In<s16x2> a, In<s16x2> b) {
  return detail::pair(a.value.bits + b.value.bits, (a.value.bits >> 16) + (b.value.bits >> 16));
}
__device__ inline u32 add_saturated(In<s32> a, In<s32> b) { return raw(__builtin_elementwise_add_sat(a.value, b.value)); }
__device__ inline u32 sub_saturated(In<s32> a, In<s32> b) { return raw(__builtin_elementwise_sub_sat(a.value, b.value)); }

// The carry is CC.CF, which lives for one block of PTX. After a subtraction it is the borrow.
template <class T>
__device__ inline T add_carry(In<T> a, In<T> b, bool in, bool& out) {
  const T part = a.value + b.value, sum = part + static_cast<T>(in);
  out = part < a.value || sum < part;
  return sum;
}
template <class T>
__device__ inline T sub_borrow(In<T> a, In<T> b, bool in, bool& out) {
  const T part = a.value - b.value, difference = part - static_cast<T>(in);
  out = a.value < b.value || part < static_cast<T>(in);
  return difference;
}

template <class T>
__device__ inline Raw<T> mul_lo(In<T> a, In<T> b) {
  return static_cast<Raw<T>>(static_cast<u64>(a.value) * static_cast<u64>(b.value));
}
template <class T>
__device__ inline Raw<Wide<T>> mul_wide(In<T> a, In<T> b) {
  return static_cast<Raw<Wide<T>>>(static_cast<Wide<T>>(a.value) * static_cast<Wide<T>>(b.value));
}
template <class T>
__device__ inline Raw<T> mul_hi(In<T> a, In<T> b) {
  if constexpr (sizeof(T) == 8) {
    if constexpr (detail::IsSigned<T>::value) {
      return static_cast<u64>(__mul64hi(a.value, b.value));
    } else {
      return __umul64hi(a.value, b.value);
    }
  } else {
    return static_cast<Raw<T>>(mul_wide<T>(a.value, b.value) >> (8 * sizeof(T)));
  }
}
template <class T>
__device__ inline Raw<T> mad_lo(In<T> a, In<T> b, In<T> c) {
  return static_cast<Raw<T>>(mul_lo<T>(a.value, b.value) + raw(c.value));
}
template <class T>
__device__ inline Raw<T> mad_hi(In<T> a, In<T> b, In<T> c) {
  return static_cast<Raw<T>>(mul_hi<T>(a.value, b.value) + raw(c.value));
}
template <class T>
__device__ inline Raw<Wide<T>> mad_wide(In<T> a, In<T> b, In<Wide<T>> c) {
  return static_cast<Raw<Wide<T>>>(mul_wide<T>(a.value, b.value) + raw(c.value));
}
__device__ inline u32 mad_hi_saturated(In<s32> a, In<s32> b, In<s32> c) {
  return raw(__builtin_elementwise_add_sat(cast_bits<s32>(mul_hi<s32>(a.value, b.value)), c.value));
}
template <class T>
__device__ inline Raw<T> mad_lo_carry(In<T> a, In<T> b, In<T> c, bool in, bool& out) {
  return add_carry<Raw<T>>(mul_lo<T>(a.value, b.value), raw(c.value), in, out);
}
template <class T>
__device__ inline Raw<T> mad_hi_carry(In<T> a, In<T> b, In<T> c, bool in, bool& out) {
  return add_carry<Raw<T>>(mul_hi<T>(a.value, b.value), raw(c.value), in, out);
}
namespace detail {
__device__ inline s64 low24(s32 a) { return static_cast<s32>(static_cast<u32>(a) << 8) >> 8; }
__device__ inline s64 low24(u32 a) { return a & 0xffffffu; }
}  // namespace detail
template <class T>
__device__ inline u32 mul24_lo(In<T> a, In<T> b) {
  return static_cast<u32>(detail::low24(a.value) * detail::low24(b.value));
}
template <class T>
__device__ inline u32 mul24_hi(In<T> a, In<T> b) {
  return static_cast<u32>((detail::low24(a.value) * detail::low24(b.value)) >> 16);
}
template <class T>
__device__ inline u32 mad24_lo(In<T> a, In<T> b, In<T> c) {
  return mul24_lo<T>(a.value, b.value) + raw(c.value);
}
template <class T>
__device__ inline u32 mad24_hi(In<T> a, In<T> b, In<T> c) {
  return mul24_hi<T>(a.value, b.value) + raw(c.value);
}
__device__ inline u32 mad24_hi_saturated(In<s32> a, In<s32> b, In<s32> c) {
  return raw(__builtin_elementwise_add_sat(cast_bits<s32>(mul24_hi<s32>(a.value, b.value)), c.value));
}
template <class T>
__device__ inline Raw<T> sad(In<T> a, In<T> b, In<T> c) {
  const Raw<T> x = raw(a.value), y = raw(b.value);
  return static_cast<Raw<T>>((a.value < b.value ? y - x : x - y) + raw(c.value));
}
template <class T>
__device__ inline Raw<T> divide(In<T> a, In<T> b) {
  if (b.value == 0) return static_cast<Raw<T>>(~Raw<T>(0));
  if constexpr (detail::IsSigned<T>::value) {
    if (b.value == static_cast<T>(-1)) return static_cast<Raw<T>>(Raw<T>(0) - raw(a.value));
  }
  return static_cast<Raw<T>>(a.value / b.value);
}
template <class T>
__device__ inline Raw<T> remainder(In<T> a, In<T> b) {
  if (b.value == 0) return static_cast<Raw<T>>(~Raw<T>(0));
  if constexpr (detail::IsSigned<T>::value) {
    if (b.value == static_cast<T>(-1)) return 0;
  }
  return static_cast<Raw<T>>(a.value % b.value);
}
template <class T>
__device__ inline Raw<T> negate(In<T> a) {
  return static_cast<Raw<T>>(Raw<T>(0) - raw(a.value));
}
template <class T>
__device__ inline Raw<T> absolute(In<T> a) {
  return a.value < 0 ? negate<T>(a.value) : raw(a.value);
}
template <class T>
__device__ inline Raw<T> minimum(In<T> a, In<T> b) {
  return raw(b.value < a.value ? b.value : a.value);
}
template <class T>
__device__ inline Raw<T> maximum(In<T> a, In<T> b) {
  return raw(a.value < b.value ? b.value : a.value);
}
namespace detail {
template <class T, class Pick>
__device__ inline u32 each_half(u32 a, u32 b, Pick pick) {
  return pair(static_cast<u16>(pick(static_cast<T>(a), static_cast<T>(b))),
              static_cast<u16>(pick(static_cast<T>(a >> 16), static_cast<T>(b >> 16))));
}
template <class T>
__device__ inline T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
__device__ inline T larger(T a, T b) {
  return a < b ? b : a;
}
}  // namespace detail
template <>
__device__ inline u32 minimum<u16x2>(In<u16x2> a, In<u16x2> b) {
  return detail::each_half<u16>(a.value.bits, b.value.bits, detail::smaller<u16>);
}
template <>
__device__ inline u32 maximum<u16x2>(In<u16x2> a, In<u16x2> b) {
  return detail::each_half<u16>(a.value.bits, b.value.bits, detail::larger<u16>);
}
template <>
__device__ inline u32 minimum<s16x2>(In<s16x2> a, In<s16x2> b) {
  return detail::each_half<s16>(a.value.bits, b.value.bits, detail::smaller<s16>);
}
template <>
__device__ inline u32 maximum<s16x2>(In<s16x2> a, In<s16x2> b) {
  return detail::each_half<s16>(a.value.bits, b.value.bits, detail::larger<s16>);
}
// .relu: negative results become zero.
template <class T>
__device__ inline Raw<T> rectify(In<T> a) {
  return maximum<T>(a.value, Raw<T>(0));
}

template <class T>
__device__ inline u32 count_ones(In<T> a) {
  return static_cast<u32>(__builtin_popcountll(a.value));
}
template <class T>
__device__ inline u32 leading_zeros(In<T> a) {
  constexpr u32 kBits = 8 * sizeof(T);
  return a.value ? static_cast<u32>(__builtin_clzll(a.value)) - (64u - kBits) : kBits;
}
template <class T>
__device__ inline u32 find_top(In<T> a) {
  Raw<T> bits = raw(a.value);
  if constexpr (detail::IsSigned<T>::value) bits = a.value < 0 ? static_cast<Raw<T>>(~bits) : bits;
  return bits ? 8u * sizeof(T) - 1u - leading_zeros<Raw<T>>(bits) : ~0u;
}
template <class T>
__device__ inline u32 find_top_shift(In<T> a) {
  const u32 top = find_top<T>(a.value);
  return top == ~0u ? top : 8u * sizeof(T) - 1u - top;
}
__device__ inline u32 find_nth(In<u32> mask, In<u32> base, In<s32> offset) {
  if (base.value > 31u) return ~0u;
  if (offset.value == 0) return mask.value >> base.value & 1u ? base.value : ~0u;
  const int step = offset.value < 0 ? -1 : 1;
  u32 left = offset.value < 0 ? 0u - static_cast<u32>(offset.value) : static_cast<u32>(offset.value);
  for (int bit = static_cast<int>(base.value); bit >= 0 && bit < 32; bit += step) {
    if ((mask.value >> bit & 1u) && --left == 0) return static_cast<u32>(bit);
  }
  return ~0u;
}
template <class T>
__device__ inline T reverse_bits(In<T> a) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bitreverse64(a.value);
  } else {
    return __builtin_bitreverse32(a.value);
  }
}

// Positions and lengths have 8 bits; a field that reaches beyond the register is filled by the sign, or by zeros.
template <class T>
__device__ inline Raw<T> extract_field(In<T> a, In<u32> start, In<u32> size) {
  constexpr u32 kBits = 8 * sizeof(T);
  const u32 position = sizeof(T) == 4 ? start.value & 255u : start.value;
  const u32 length = sizeof(T) == 4 ? size.value & 255u : size.value;
  const u64 bits = raw(a.value);
  const u64 end = static_cast<u64>(position) + length - 1u;
  const bool sign = detail::IsSigned<T>::value && length && (bits >> (end < kBits - 1u ? end : kBits - 1u) & 1u);
  const u32 have = position >= kBits ? 0u : kBits - position;
  const u32 kept = length < have ? length : have;
  const u64 mask = kept >= 64u ? ~0ull : (1ull << kept) - 1ull;
  const u64 field = position >= kBits ? 0ull : bits >> position;
  return static_cast<Raw<T>>((field & mask) | (sign ? ~mask : 0ull));
}
template <class T>
__device__ inline T insert_field(In<T> field, In<T> base, In<u32> start, In<u32> size) {
  constexpr u32 kBits = 8 * sizeof(T);
  const u32 position = sizeof(T) == 4 ? start.value & 255u : start.value;
  const u32 length = sizeof(T) == 4 ? size.value & 255u : size.value;
  if (position >= kBits || length == 0) return base.value;
  const u64 mask = (length >= 64u ? ~0ull : (1ull << length) - 1ull) << position;
  return static_cast<T>((base.value & ~mask) | (static_cast<u64>(field.value) << position & mask));
}
template <bool kWrap>
__device__ inline u32 make_mask(In<u32> start, In<u32> size) {
  const u32 position = kWrap ? start.value & 31u : start.value, length = kWrap ? size.value & 31u : size.value;
  if (position > 31u || length == 0) return 0;
  return static_cast<u32>((length >= 32u ? 0xffffffffull : (1ull << length) - 1ull) << position);
}
template <class T, bool kWrap>
__device__ inline u32 extend_sign(In<u32> a, In<u32> size) {
  const u32 bits = kWrap ? size.value & 31u : size.value > 32u ? 32u : size.value;
  if (bits == 0) return 0;
  if (bits == 32u) return a.value;
  const u32 mask = (1u << bits) - 1u;
  const bool sign = detail::IsSigned<T>::value && (a.value >> (bits - 1u) & 1u);
  return sign ? a.value | ~mask : a.value & mask;
}

namespace detail {
template <bool kSigned, class S, class U>
struct Pick {
  using type = S;
};
template <class S, class U>
struct Pick<false, S, U> {
  using type = U;
};
// S where T is signed, else U.
template <class T, class S, class U>
using SameSign = typename Pick<IsSigned<T>::value, S, U>::type;
}  // namespace detail

template <class A, class B>
__device__ inline u32 dot4(In<u32> a, In<u32> b, In<u32> c) {
  using X = detail::SameSign<A, s8, u8>;
  using Y = detail::SameSign<B, s8, u8>;
  u32 sum = c.value;
  for (int i = 0; i < 32; i += 8)
    sum += static_cast<u32>(static_cast<s32>(static_cast<X>(a.value >> i)) * static_cast<s32>(static_cast<Y>(b.value >> i)));
  return sum;
}
template <class A, class B, bool kHigh>
__device__ inline u32 dot2(In<u32> a, In<u32> b, In<u32> c) {
  using X = detail::SameSign<A, s16, u16>;
  using Y = detail::SameSign<B, s8, u8>;
  u32 sum = c.value;
  for (int i = 0; i < 2; ++i)
    sum += static_cast<u32>(static_cast<s32>(static_cast<X>(a.value >> (16 * i))) *
                            static_cast<s32>(static_cast<Y>(b.value >> (8 * (i + (kHigh ? 2 : 0))))));
  return sum;
}

template <class T>
__device__ inline T bit_and(In<T> a, In<T> b) {
  return static_cast<T>(a.value & b.value);
}
template <class T>
__device__ inline T bit_or(In<T> a, In<T> b) {
  return static_cast<T>(a.value | b.value);
}
template <class T>
__device__ inline T bit_xor(In<T> a, In<T> b) {
  return static_cast<T>(a.value ^ b.value);
}
template <class T>
__device__ inline T bit_not(In<T> a) {
  return static_cast<T>(~a.value);
}
template <class T>
__device__ inline T is_zero(In<T> a) {
  return static_cast<T>(a.value == 0);
}
template <u32 kTable>
__device__ inline u32 logic3(In<u32> x, In<u32> y, In<u32> z) {
  const u32 a = x.value, b = y.value, c = z.value;
  u32 result = 0;
  if constexpr (kTable & 1u) result |= ~a & ~b & ~c;
  if constexpr (kTable & 2u) result |= ~a & ~b & c;
  if constexpr (kTable & 4u) result |= ~a & b & ~c;
  if constexpr (kTable & 8u) result |= ~a & b & c;
  if constexpr (kTable & 16u) result |= a & ~b & ~c;
  if constexpr (kTable & 32u) result |= a & ~b & c;
  if constexpr (kTable & 64u) result |= a & b & ~c;
  if constexpr (kTable & 128u) result |= a & b & c;
  return result;
}

// Shift counts have 32 bits and are clamped to the size of the value.
template <class T>
__device__ inline T shift_left(In<T> a, In<u32> count) {
  return count.value >= 8u * sizeof(T) ? T(0) : static_cast<T>(a.value << count.value);
}
template <class T>
__device__ inline Raw<T> shift_right(In<T> a, In<u32> count) {
  constexpr u32 kBits = 8 * sizeof(T);
  if constexpr (detail::IsSigned<T>::value) {
    return static_cast<Raw<T>>(a.value >> (count.value >= kBits ? kBits - 1u : count.value));
  } else {
    return count.value >= kBits ? T(0) : static_cast<T>(a.value >> count.value);
  }
}
template <bool kWrap>
__device__ inline u32 funnel_left(In<u32> low, In<u32> high, In<u32> count) {
  const u32 n = kWrap ? count.value & 31u : count.value > 32u ? 32u : count.value;
  return n == 32u ? low.value : static_cast<u32>(((static_cast<u64>(high.value) << 32 | low.value) << n) >> 32);
}
template <bool kWrap>
__device__ inline u32 funnel_right(In<u32> low, In<u32> high, In<u32> count) {
  const u32 n = kWrap ? count.value & 31u : count.value > 32u ? 32u : count.value;
  return static_cast<u32>((static_cast<u64>(high.value) << 32 | low.value) >> n);
}

// v_perm_b32 counts the bytes of its second operand first, and has no byte of copies of any byte's sign.
__device__ inline u32 permute(In<u32> a, In<u32> b, In<u32> selectors) {
  u32 places = 0;
  for (int i = 0; i < 4; ++i) places |= (selectors.value >> (4 * i) & 7u) << (8 * i);
  const u32 bytes = __builtin_amdgcn_perm(b.value, a.value, places);
  u32 signs = 0;
  for (int i = 0; i < 4; ++i) signs |= (selectors.value >> (4 * i + 3) & 1u ? 0xffu : 0u) << (8 * i);
  const u32 filled = (bytes >> 7 & 0x01010101u) * 0xffu;
  return (bytes & ~signs) | (filled & signs);
}
// prmt's modes: one selector for each value of c & 3, in 16 bits each.
template <u64 kSelectors>
__device__ inline u32 permute_mode(In<u32> a, In<u32> b, In<u32> c) {
  return permute(a.value, b.value, static_cast<u32>(kSelectors >> (16u * (c.value & 3u))) & 0xffffu);
}

// The parts of a register, lowest first.
template <class R, class P>
__device__ inline R join(P a, P b) {
  return static_cast<R>(static_cast<R>(a) | static_cast<R>(static_cast<R>(b) << (8 * sizeof(P))));
}
template <class R, class P>
__device__ inline R join(P a, P b, P c, P d) {
  constexpr int kBits = 8 * sizeof(P);
  return static_cast<R>(static_cast<R>(a) | static_cast<R>(b) << kBits | static_cast<R>(c) << (2 * kBits) |
                        static_cast<R>(d) << (3 * kBits));
}

}  // namespace ptx
}  // namespace w2w
