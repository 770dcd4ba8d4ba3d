// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of half and bfloat16 that HIP lacks for one of them: saturated, rectified, minima and maxima.
#pragma once

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

#include "ptx_floats.h"

namespace w2w {
namespace detail {

template <class T>
struct PtxType;
template <>
struct PtxType<__half> {
  using type = ptx::f16;
};
template <>
struct PtxType<__half2> {
  using type = ptx::f16x2;
};
template <>
struct PtxType<__hip_bfloat16> {
  using type = ptx::bf16;
};
template <>
struct PtxType<__hip_bfloat162> {
  using type = ptx::bf16x2;
};
template <class T>
using Ptx = typename PtxType<T>::type;

template <class T>
__device__ inline ptx::Raw<Ptx<T>> half_bits(T value) {
  ptx::Raw<Ptx<T>> bits;
  __builtin_memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  return bits;
}
template <class T>
__device__ inline T half_of(ptx::Raw<Ptx<T>> bits) {
  T value;
  __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

template <class T>
__device__ inline T hadd_sat(T a, T b) {
  return half_of<T>(ptx::hadd<Ptx<T>, false, true>(half_bits(a), half_bits(b)));
}
template <class T>
__device__ inline T hsub_sat(T a, T b) {
  return half_of<T>(ptx::hsub<Ptx<T>, false, true>(half_bits(a), half_bits(b)));
}
template <class T>
__device__ inline T hmul_sat(T a, T b) {
  return half_of<T>(ptx::hmul<Ptx<T>, false, true>(half_bits(a), half_bits(b)));
}
template <class T>
__device__ inline T hmax(T a, T b) {
  return half_of<T>(ptx::fextreme<Ptx<T>, true, false, false, false>(half_bits(a), half_bits(b)));
}
template <class T>
__device__ inline T hmin(T a, T b) {
  return half_of<T>(ptx::fextreme<Ptx<T>, false, false, false, false>(half_bits(a), half_bits(b)));
}
template <class T>
__device__ inline T hmax_nan(T a, T b) {
  return half_of<T>(ptx::fextreme<Ptx<T>, true, false, true, false>(half_bits(a), half_bits(b)));
}
template <class T>
__device__ inline T hmin_nan(T a, T b) {
  return half_of<T>(ptx::fextreme<Ptx<T>, false, false, true, false>(half_bits(a), half_bits(b)));
}
template <class T>
__device__ inline T hfma_sat(T a, T b, T c) {
  return half_of<T>(ptx::hfma<Ptx<T>, false, true, false>(half_bits(a), half_bits(b), half_bits(c)));
}
template <class T>
__device__ inline T hfma_relu(T a, T b, T c) {
  return half_of<T>(ptx::hfma<Ptx<T>, false, false, true>(half_bits(a), half_bits(b), half_bits(c)));
}

}  // namespace detail

// Plain functions, so that arguments are converted as CUDA converts them.
#define W2W_TWO(name, function, type) \
  __device__ inline type name(type a, type b) { return detail::function(a, b); }
#define W2W_THREE(name, function, type) \
  __device__ inline type name(type a, type b, type c) { return detail::function(a, b, c); }
#define W2W_ALL(form, name, name2)        \
  form(name, name, __half)                \
  form(name, name, __hip_bfloat16)        \
  form(name2, name, __half2)              \
  form(name2, name, __hip_bfloat162)
W2W_ALL(W2W_TWO, hadd_sat, hadd2_sat)
W2W_ALL(W2W_TWO, hsub_sat, hsub2_sat)
W2W_ALL(W2W_TWO, hmul_sat, hmul2_sat)
W2W_ALL(W2W_TWO, hmax, hmax2)
W2W_ALL(W2W_TWO, hmin, hmin2)
W2W_ALL(W2W_TWO, hmax_nan, hmax2_nan)
W2W_ALL(W2W_TWO, hmin_nan, hmin2_nan)
W2W_ALL(W2W_THREE, hfma_sat, hfma2_sat)
W2W_ALL(W2W_THREE, hfma_relu, hfma2_relu)
#undef W2W_ALL
#undef W2W_THREE
#undef W2W_TWO

}  // namespace w2w
