// SPDX-License-Identifier: Apache-2.0
//
// PTX's scalar and packed video instructions. PTX ISA 9.7.19. Parts of registers are widened to 64 bits.
#pragma once

#include "ptx_floats.h"

namespace w2w {
namespace ptx {

enum class Video { add, sub, absdiff, min, max, shl, shr, avrg };
enum class Second { none, add, min, max };

namespace detail {

template <class T, u32 kShift, u32 kBits>
__device__ inline s64 part(u32 value) {
  const u32 bits = value << (32u - kShift - kBits);
  return IsSigned<T>::value ? static_cast<s64>(static_cast<s32>(bits) >> (32u - kBits))
                            : static_cast<s64>(bits >> (32u - kBits));
}
template <class T>
__device__ inline s64 saturate_part(s64 value, u32 bits) {
  return IsSigned<T>::value ? clamp<s64>(value, -(1ll << (bits - 1)), (1ll << (bits - 1)) - 1)
                            : clamp<s64>(value, 0, (1ll << bits) - 1);
}
template <Video kVideo>
__device__ inline s64 operate(s64 a, s64 b) {
  switch (kVideo) {
    case Video::add:
      return a + b;
    case Video::sub:
      return a - b;
    case Video::absdiff:
      return a > b ? a - b : b - a;
    case Video::min:
      return a < b ? a : b;
    case Video::max:
      return a > b ? a : b;
    case Video::shl:
      return static_cast<s64>(static_cast<u64>(a) << b);
    case Video::shr:
      return a >> b;
    default:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
  }
}
// Where a result goes: merged into c, or combined with it.
template <class D, Second kSecond, u32 kShift, u32 kBits, bool kSaturate>
__device__ inline u32 place(s64 result, u32 c) {
  if constexpr (kSaturate) result = saturate_part<D>(result, kBits);
  if constexpr (kSecond != Second::none) {
    const s64 r = static_cast<D>(result), other = static_cast<D>(c);
    if constexpr (kSecond == Second::add) return static_cast<u32>(r + other);
    if constexpr (kSecond == Second::min) return static_cast<u32>(r < other ? r : other);
    return static_cast<u32>(r > other ? r : other);
  } else {
    constexpr u32 kMask = (kBits == 32 ? ~0u : (1u << (kBits & 31u)) - 1u) << kShift;
    return (c & ~kMask) | (static_cast<u32>(result) << kShift & kMask);
  }
}

}  // namespace detail

// A register's part: shift and width in bits.
template <class T, u32 kShift, u32 kBits>
__device__ inline s64 video_part(In<u32> a) {
  return detail::part<T, kShift, kBits>(a.value);
}
template <Video kVideo, class D, Second kSecond, u32 kShift, u32 kBits, bool kSaturate>
__device__ inline u32 video(s64 a, s64 b, In<u32> c) {
  return detail::place<D, kSecond, kShift, kBits, kSaturate>(detail::operate<kVideo>(a, b), c.value);
}
template <bool kWrap>
__device__ inline s64 video_count(s64 b) {
  return kWrap ? b & 31 : static_cast<u32>(b) > 32u ? 32 : static_cast<s64>(static_cast<u32>(b));
}
template <Comparison kComparison, Second kSecond, u32 kShift, u32 kBits>
__device__ inline u32 video_set(s64 a, s64 b, In<u32> c) {
  return detail::place<u32, kSecond, kShift, kBits, false>(detail::compare_numbers<kComparison>(a, b) ? 1 : 0, c.value);
}
// ±(a * b) ± c, shifted right, in 128 bits.
template <class D, class C, u32 kShift, bool kSaturate, bool kPlusOne, bool kMinusC>
__device__ inline u32 video_multiply(s64 a, s64 b, In<u32> c) {
  s128 wide = static_cast<s128>(a) * b;
  const s128 addend = static_cast<s64>(static_cast<C>(c.value));
  wide += (kMinusC ? -addend : addend) + (kPlusOne ? 1 : 0);
  wide >>= kShift;
  if constexpr (kSaturate) {
    const s128 low = detail::IsSigned<D>::value ? -2147483648ll : 0ll;
    const s128 high = detail::IsSigned<D>::value ? 2147483647ll : 4294967295ll;
    wide = wide < low ? low : wide > high ? high : wide;
  }
  return static_cast<u32>(wide);
}

// The parts of a pair of registers by number, four bits each, lowest first.
template <u32 kLanes, u32 kOrder>
__device__ inline u32 gather(In<u32> a, In<u32> b) {
  constexpr u32 kBits = 32 / kLanes;
  const u64 both = static_cast<u64>(b.value) << 32 | a.value;
  u32 result = 0;
  for (u32 i = 0; i < kLanes; ++i)
    result |= (static_cast<u32>(both >> ((kOrder >> (4 * i) & 7u) * kBits)) & ((1u << kBits) - 1u)) << (i * kBits);
  return result;
}
namespace detail {
template <class A, class B, u32 kLanes, u32 kMask, bool kAccumulate, class Operation>
__device__ inline u32 each_part(u32 a, u32 b, u32 c, Operation operation) {
  constexpr u32 kBits = 32 / kLanes, kOnes = (1u << kBits) - 1u;
  u32 result = c;
  for (u32 i = 0; i < kLanes; ++i) {
    if (!(kMask >> i & 1u)) continue;
    const u32 shift = i * kBits, up = 32u - shift - kBits;
    const s64 x = IsSigned<A>::value ? static_cast<s32>(a << up) >> (32u - kBits) : static_cast<s64>((a << up) >> (32u - kBits));
    const s64 y = IsSigned<B>::value ? static_cast<s32>(b << up) >> (32u - kBits) : static_cast<s64>((b << up) >> (32u - kBits));
    const u32 r = static_cast<u32>(operation(x, y));
    result = kAccumulate ? result + r : (result & ~(kOnes << shift)) | (r & kOnes) << shift;
  }
  return result;
}
}  // namespace detail
template <Video kVideo, u32 kLanes, class D, class A, class B, u32 kMask, bool kSaturate, bool kAccumulate>
__device__ inline u32 packed_video(In<u32> a, In<u32> b, In<u32> c) {
  return detail::each_part<A, B, kLanes, kMask, kAccumulate>(a.value, b.value, c.value, [](s64 x, s64 y) {
    const s64 r = detail::operate<kVideo>(x, y);
    return kSaturate ? detail::saturate_part<D>(r, 32 / kLanes) : r;
  });
}
template <Comparison kComparison, u32 kLanes, class A, class B, u32 kMask, bool kAccumulate>
__device__ inline u32 packed_set(In<u32> a, In<u32> b, In<u32> c) {
  return detail::each_part<A, B, kLanes, kMask, kAccumulate>(a.value, b.value, c.value, [](s64 x, s64 y) -> s64 {
    return detail::compare_numbers<kComparison>(x, y) ? 1 : 0;
  });
}

}  // namespace ptx
}  // namespace w2w
