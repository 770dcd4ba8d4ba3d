// SPDX-License-Identifier: Apache-2.0
//
// How the functions that stand for PTX instructions take and give values. A PTX register is bits: it is an unsigned
// integer of its size here, and each function reads it as the type that its instruction names.
#pragma once

#include <hip/hip_runtime.h>

namespace w2w {
namespace ptx {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;
using u128 = unsigned __int128;
using s8 = signed char;
using s16 = short;
using s32 = int;
using s64 = long long;
using s128 = __int128;
using f32 = float;
using f64 = double;

// Types without a C++ type of the same meaning, as their bits.
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};
struct f16x2 {
  u32 bits;
};
struct bf16x2 {
  u32 bits;
};
struct u16x2 {
  u32 bits;
};
struct s16x2 {
  u32 bits;
};

enum Round { rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };
enum Comparison { eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan };
enum Boolean { none, land, lor, lxor };

namespace detail {
template <unsigned kBytes>
struct Unsigned;
template <>
struct Unsigned<1> {
  using type = u8;
};
template <>
struct Unsigned<2> {
  using type = u16;
};
template <>
struct Unsigned<4> {
  using type = u32;
};
template <>
struct Unsigned<8> {
  using type = u64;
};
template <>
struct Unsigned<16> {
  using type = u128;
};
template <class T>
struct IsSigned {
  static constexpr bool value = false;
};
template <>
struct IsSigned<s8> {
  static constexpr bool value = true;
};
template <>
struct IsSigned<s16> {
  static constexpr bool value = true;
};
template <>
struct IsSigned<s32> {
  static constexpr bool value = true;
};
template <>
struct IsSigned<s64> {
  static constexpr bool value = true;
};
template <class T>
struct IsBool {
  static constexpr bool value = false;
};
template <>
struct IsBool<bool> {
  static constexpr bool value = true;
};
}  // namespace detail

// The register that holds a T.
template <class T>
using Raw = typename detail::Unsigned<sizeof(T)>::type;

template <class To, class From>
__device__ inline To cast_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "the same bits as another type");
  To to;
  __builtin_memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof(To));
  return to;
}
template <class T>
__device__ inline Raw<T> raw(T value) {
  return cast_bits<Raw<T>>(value);
}

// A value of the program as bits of type R: the same bits where the sizes agree, else the same integer.
template <class R, class T>
__device__ inline R take(T value) {
  if constexpr (sizeof(T) == sizeof(R) && !detail::IsBool<T>::value) {
    return cast_bits<R>(value);
  } else {
    return static_cast<R>(value);
  }
}
// The register's bits, as a value of the program.
template <class T, class R>
__device__ inline void give(T& result, R bits) {
  if constexpr (sizeof(T) == sizeof(R) && !detail::IsBool<T>::value) {
    __builtin_memcpy(const_cast<void*>(static_cast<const volatile void*>(&result)), &bits, sizeof(R));
  } else {
    result = static_cast<T>(bits);
  }
}

// An operand that is read as a T: registers that are wider give their low part.
template <class T>
struct In {
  template <class R>
  __device__ In(R bits) : value(read(bits)) {}
  __device__ operator T() const { return value; }
  T value;

 private:
  template <class R>
  __device__ static T read(R bits) {
    if constexpr (sizeof(R) == sizeof(T)) {
      return cast_bits<T>(bits);
    } else {
      return cast_bits<T>(static_cast<Raw<T>>(bits));
    }
  }
};

// A T in a register that may be wider: signed integers are extended by their sign, all else by zeros.
template <class R, class T>
__device__ inline R widen(T value) {
  if constexpr (sizeof(R) == sizeof(T)) {
    return cast_bits<R>(value);
  } else if constexpr (detail::IsSigned<T>::value) {
    return static_cast<R>(static_cast<s64>(value));
  } else {
    return static_cast<R>(raw(value));
  }
}

}  // namespace ptx
}  // namespace w2w
