// SPDX-License-Identifier: Apache-2.0
//
// PTX's matrix instructions for logical warps of 32 lanes: ldmatrix, stmatrix, movmatrix, mma.sync. PTX ISA 9.7.14.
//
// All 32 lanes of the caller's warp take part; the other half of the wavefront may be elsewhere. Products are exact,
// and f32 sums are rounded after each step in order of k: results differ from NVIDIA's by a few units in the last
// place of the largest partial sum.
#pragma once

#include "ptx_floats.h"
#include "ptx_memory.h"
#include "warp32.h"

namespace w2w {
namespace ptx {

// Elements of fragments that are no C++ types.
struct tf32 {};
struct s4 {};
struct u4 {};

namespace detail {

template <class T>
struct Fragment {
  static constexpr int kBits = 8 * sizeof(T);
  using Word = u32;
  using Sum = s32;
};
template <>
struct Fragment<f16> {
  static constexpr int kBits = 16;
  using Word = u32;
  using Sum = f32;
};
template <>
struct Fragment<bf16> {
  static constexpr int kBits = 16;
  using Word = u32;
  using Sum = f32;
};
template <>
struct Fragment<tf32> {
  static constexpr int kBits = 32;
  using Word = u32;
  using Sum = f32;
};
template <>
struct Fragment<f64> {
  static constexpr int kBits = 64;
  using Word = u64;
  using Sum = f64;
};
template <>
struct Fragment<s4> {
  static constexpr int kBits = 4;
  using Word = u32;
  using Sum = s32;
};
template <>
struct Fragment<u4> {
  static constexpr int kBits = 4;
  using Word = u32;
  using Sum = s32;
};

// Element `e` of a word, widened to the type in which sums are kept.
template <class T>
__device__ inline typename Fragment<T>::Sum element(typename Fragment<T>::Word word, int e);
template <>
__device__ inline f32 element<f16>(u32 word, int e) {
  return static_cast<f32>(number(f16{static_cast<u16>(word >> (16 * e))}));
}
template <>
__device__ inline f32 element<bf16>(u32 word, int e) {
  return number(bf16{static_cast<u16>(word >> (16 * e))});
}
template <>
__device__ inline f32 element<tf32>(u32 word, int) {
  return cast_bits<f32>(word & ~0x1fffu);
}
template <>
__device__ inline f64 element<f64>(u64 word, int) {
  return cast_bits<f64>(word);
}
template <>
__device__ inline s32 element<s8>(u32 word, int e) {
  return static_cast<s8>(word >> (8 * e));
}
template <>
__device__ inline s32 element<u8>(u32 word, int e) {
  return static_cast<u8>(word >> (8 * e));
}
template <>
__device__ inline s32 element<s4>(u32 word, int e) {
  return static_cast<s32>(word << (28 - 4 * e)) >> 28;
}
template <>
__device__ inline s32 element<u4>(u32 word, int e) {
  return static_cast<s32>(word >> (4 * e) & 15u);
}

__device__ inline void add_product(f32& sum, f32 a, f32 b) { sum = __builtin_fmaf(a, b, sum); }
__device__ inline void add_product(f64& sum, f64 a, f64 b) { sum = __builtin_fma(a, b, sum); }
// 64 bits, so that a saturated sum is known at the end.
__device__ inline void add_product(s64& sum, s32 a, s32 b) { sum += static_cast<s64>(a) * b; }

template <class S>
struct Accumulator {
  using type = S;
};
template <>
struct Accumulator<s32> {
  using type = s64;
};

}  // namespace detail

// d = a * b + c for D, A, B, C as in the instruction (f16x2 where it says f16 for d or c). `kRows` is 8 or 16, there are 8 columns.
//
// Lane 4g + q holds, for each 32-bit register r of a: row g + 8 (r % 2) (of 8 rows: g), columns from
// (r / 2) 4E + qE on, where E elements fit a register; of b: rows from r 4E + qE on, column g; of c and d: rows g and
// g + 8, columns 2q and 2q + 1.
template <int kRows, int kDepth, class D, class A, class B, class C, bool kSaturate>
__device__ inline void multiply(Raw<D>* d, const typename detail::Fragment<A>::Word* a,
                                const typename detail::Fragment<B>::Word* b, const Raw<C>* c) {
  using Word = typename detail::Fragment<A>::Word;
  using Sum = typename detail::Accumulator<typename detail::Fragment<A>::Sum>::type;
  constexpr int kElements = 8 * static_cast<int>(sizeof(Word)) / detail::Fragment<A>::kBits;
  constexpr int kHalves = kRows / 8, kChunks = kDepth / (4 * kElements);
  const unsigned lane = lane_id(), group = lane / 4u, column = lane % 4u * 2u;
  Sum sums[kHalves][2];
#pragma unroll
  for (int i = 0; i < kHalves; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      if constexpr (detail::Element<C>::kPacked) {
        sums[i][j] = static_cast<f32>(detail::number(f16{static_cast<u16>(c[i] >> (16 * j))}));
      } else {
        sums[i][j] = static_cast<Sum>(cast_bits<C>(c[2 * i + j]));
      }
    }
  }
#pragma unroll
  for (int chunk = 0; chunk < kChunks; ++chunk) {
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      const Word left = w2w::detail::read_lane(b[chunk], column * 4u + q);
      const Word right = w2w::detail::read_lane(b[chunk], (column + 1u) * 4u + q);
#pragma unroll
      for (int i = 0; i < kHalves; ++i) {
        const Word row = w2w::detail::read_lane(a[chunk * kHalves + i], group * 4u + q);
#pragma unroll
        for (int e = 0; e < kElements; ++e) {
          detail::add_product(sums[i][0], detail::element<A>(row, e), detail::element<B>(left, e));
          detail::add_product(sums[i][1], detail::element<A>(row, e), detail::element<B>(right, e));
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kHalves; ++i) {
    if constexpr (detail::Element<D>::kPacked) {
      d[i] = detail::pair(detail::narrow_wide<f16, rn>(sums[i][0]).bits, detail::narrow_wide<f16, rn>(sums[i][1]).bits);
    } else {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        if constexpr (kSaturate) {
          d[2 * i + j] = raw(static_cast<D>(detail::clamp<Sum>(sums[i][j], -2147483648ll, 2147483647ll)));
        } else {
          d[2 * i + j] = raw(static_cast<D>(sums[i][j]));
        }
      }
    }
  }
}

// ldmatrix: lane 8m + r passes the address of row r of matrix m.
template <int kCount, bool kTransposed>
__device__ inline void load_matrix(Raw<u32>* d, u64 address) {
  detail::keep_order();
  const unsigned lane = lane_id();
#pragma unroll
  for (unsigned m = 0; m < kCount; ++m) {
    if constexpr (kTransposed) {
      const unsigned column = 2u * (lane / 4u);
      const u32 low = w2w::detail::read_lane(static_cast<u32>(address), 8u * m + lane % 4u * 2u);
      const u32 high = w2w::detail::read_lane(static_cast<u32>(address), 8u * m + lane % 4u * 2u + 1u);
      d[m] = detail::pair(*pointer<u16, Space::shared>(low + column), *pointer<u16, Space::shared>(high + column));
    } else {
      const u32 row = w2w::detail::read_lane(static_cast<u32>(address), 8u * m + lane / 4u);
      d[m] = *pointer<u32, Space::shared>(row + 4u * (lane % 4u));
    }
  }
  detail::keep_order();
}
template <int kCount, bool kTransposed>
__device__ inline void store_matrix(u64 address, const u32* values) {
  detail::keep_order();
  const unsigned lane = lane_id();
#pragma unroll
  for (unsigned m = 0; m < kCount; ++m) {
    if constexpr (kTransposed) {
      const unsigned column = 2u * (lane / 4u);
      const u32 low = w2w::detail::read_lane(static_cast<u32>(address), 8u * m + lane % 4u * 2u);
      const u32 high = w2w::detail::read_lane(static_cast<u32>(address), 8u * m + lane % 4u * 2u + 1u);
      *pointer<u16, Space::shared>(low + column) = static_cast<u16>(values[m]);
      *pointer<u16, Space::shared>(high + column) = static_cast<u16>(values[m] >> 16);
    } else {
      const u32 row = w2w::detail::read_lane(static_cast<u32>(address), 8u * m + lane / 4u);
      *pointer<u32, Space::shared>(row + 4u * (lane % 4u)) = values[m];
    }
  }
  detail::keep_order();
}
// The 8x8 matrix whose rows lie over the lanes, transposed.
__device__ inline u32 move_matrix(In<u32> value) {
  const unsigned lane = lane_id(), row = lane / 4u, column = lane % 4u * 2u;
  const unsigned shift = 16u * (row % 2u);
  const u32 low = w2w::detail::read_lane(value.value, column * 4u + row / 2u);
  const u32 high = w2w::detail::read_lane(value.value, (column + 1u) * 4u + row / 2u);
  return detail::pair(low >> shift, high >> shift);
}

}  // namespace ptx
}  // namespace w2w
