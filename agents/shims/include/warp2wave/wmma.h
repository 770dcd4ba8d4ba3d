// SPDX-License-Identifier: Apache-2.0
//
// CUDA's warp matrix functions (nvcuda::wmma) for logical warps of 32 lanes, in plain arithmetic.
//
// Right, not fast: the matrix cores are not used. Elements are spread over the lanes in row order, which CUDA
// leaves unspecified; programs that treat all elements of a fragment alike do not notice.
#pragma once

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

#include "warp32.h"

namespace w2w {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace detail {

template <class Use, int M, int N, int K>
struct Shape;
template <int M, int N, int K>
struct Shape<matrix_a, M, N, K> {
  static constexpr int kRows = M, kColumns = K;
};
template <int M, int N, int K>
struct Shape<matrix_b, M, N, K> {
  static constexpr int kRows = K, kColumns = N;
};
template <int M, int N, int K>
struct Shape<accumulator, M, N, K> {
  static constexpr int kRows = M, kColumns = N;
};

template <class Layout>
struct IsRowMajor;
template <>
struct IsRowMajor<row_major> {
  static constexpr bool value = true;
};
template <>
struct IsRowMajor<col_major> {
  static constexpr bool value = false;
};

__host__ __device__ inline float widen(float v) { return v; }
__host__ __device__ inline float widen(__half v) { return __half2float(v); }
__host__ __device__ inline float widen(__hip_bfloat16 v) { return __bfloat162float(v); }
__host__ __device__ inline double widen(double v) { return v; }
__host__ __device__ inline int widen(signed char v) { return v; }
__host__ __device__ inline int widen(unsigned char v) { return v; }
__host__ __device__ inline int widen(int v) { return v; }
__host__ __device__ inline void narrow(float v, float& r) { r = v; }
__host__ __device__ inline void narrow(float v, __half& r) { r = __float2half(v); }
__host__ __device__ inline void narrow(double v, double& r) { r = v; }
__host__ __device__ inline void narrow(int v, int& r) { r = v; }

}  // namespace detail

// Lane l holds the elements l*num_elements .. of the matrix in row order.
template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  static constexpr int kRows = detail::Shape<Use, M, N, K>::kRows;
  static constexpr int kColumns = detail::Shape<Use, M, N, K>::kColumns;
  static_assert(kRows * kColumns % 32 == 0, "a fragment's elements are spread evenly over 32 lanes");
  static constexpr int num_elements = kRows * kColumns / 32;
  static constexpr int num_storage_elements = num_elements;
  using element_type = T;
  using storage_element_type = T;
  T x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
__device__ inline void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const V& value) {
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = static_cast<T>(value);
}

namespace detail {
template <class F, class T>
__device__ inline void load(F& f, const T* source, unsigned stride, bool by_rows) {
  for (int i = 0; i < F::num_elements; ++i) {
    const unsigned at = lane_id() * F::num_elements + i, r = at / F::kColumns, c = at % F::kColumns;
    f.x[i] = source[by_rows ? r * stride + c : c * stride + r];
  }
}
}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout>
__device__ inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const T* source, unsigned stride) {
  syncwarp();
  detail::load(f, source, stride, detail::IsRowMajor<Layout>::value);
}
template <int M, int N, int K, class T>
__device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* source, unsigned stride,
                                        layout_t layout) {
  syncwarp();
  detail::load(f, source, stride, layout == mem_row_major);
}
template <int M, int N, int K, class T>
__device__ inline void store_matrix_sync(T* target, const fragment<accumulator, M, N, K, T>& f, unsigned stride,
                                         layout_t layout) {
  for (int i = 0; i < f.num_elements; ++i) {
    const unsigned at = lane_id() * f.num_elements + i, r = at / N, c = at % N;
    target[layout == mem_row_major ? r * stride + c : c * stride + r] = f.x[i];
  }
  syncwarp();
}

namespace detail {
__host__ __device__ constexpr int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }
}  // namespace detail

// d = a * b + c. A lane's elements of d lie in one row, so each step over K reads one element of a and, for each
// element of d, one of b. The loops are unrolled: `x` is never indexed by a value that is not a constant.
template <int M, int N, int K, class TD, class TA, class LA, class TB, class LB, class TC>
__device__ inline void mma_sync(fragment<accumulator, M, N, K, TD>& d, const fragment<matrix_a, M, N, K, TA, LA>& a,
                                const fragment<matrix_b, M, N, K, TB, LB>& b,
                                const fragment<accumulator, M, N, K, TC>& c, bool = false) {
  constexpr int kHeld = M * N / 32, kHeldA = M * K / 32, kHeldB = K * N / 32;
  static_assert(N % kHeld == 0 && K % kHeldA == 0, "no shape of CUDA's");
  constexpr int kStep = detail::common_divisor(kHeld, kHeldB);
  const int first = static_cast<int>(lane_id()) * kHeld, row = first / N, column = first % N;
  decltype(detail::widen(TC())) sums[kHeld];
#pragma unroll
  for (int i = 0; i < kHeld; ++i) sums[i] = detail::widen(c.x[i]);
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const TA left = w2w::detail::read_lane(a.x[k % kHeldA], static_cast<unsigned>((row * K + k) / kHeldA));
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
      const int place = k * N + column + i;
      TB right = TB();
#pragma unroll
      for (int e = i % kStep; e < kHeldB; e += kStep) {
        const TB value = w2w::detail::read_lane(b.x[e], static_cast<unsigned>(place / kHeldB));
        if (e == place % kHeldB) right = value;
      }
      sums[i] += detail::widen(left) * detail::widen(right);
    }
  }
#pragma unroll
  for (int i = 0; i < kHeld; ++i) detail::narrow(sums[i], d.x[i]);
}

}  // namespace wmma
}  // namespace w2w
