// SPDX-License-Identifier: Apache-2.0
//
// CUDA's arithmetic intrinsics with a rounding mode in their name.
//
// The _rn forms are never contracted into a fused multiply-add. The directed forms round the nearest result and then
// step to its neighbour where the exact rounding error has the wrong sign, so they need no mode register.
#pragma once

#include <hip/hip_runtime.h>

namespace w2w {

namespace detail {

enum class Round { kDown, kUp, kZero };

template <class T>
struct Bits;
template <>
struct Bits<float> {
  using Int = int;
};
template <>
struct Bits<double> {
  using Int = long long;
};

template <class T>
__host__ __device__ inline T step(T value, bool up) {
  using Int = typename Bits<T>::Int;
  Int bits;
  __builtin_memcpy(&bits, &value, sizeof(T));
  if (value == T(0)) {
    bits = 1;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return up ? value : -value;
  }
  bits += (value > T(0)) == up ? 1 : -1;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
__host__ __device__ inline T largest() {
  return sizeof(T) == 4 ? T(3.4028234663852886e38f) : T(1.7976931348623157e308);
}

// `value` is the exact result rounded to nearest; `error` has the sign of exact - value.
template <class T, class E>
__host__ __device__ inline T direct(T value, E error, Round mode) {
  if (value != value) return value;
  const bool infinite = value > largest<T>() || value < -largest<T>();
  if (infinite) {  // an overflow: the finite neighbour is right where the mode points away from infinity
    if (error == E(0)) return value;
    const bool inwards = mode == Round::kZero || (value > T(0)) == (mode == Round::kDown);
    return inwards ? (value > T(0) ? largest<T>() : -largest<T>()) : value;
  }
  if (error == E(0)) return value;
  if (mode == Round::kDown && error < E(0)) return step(value, false);
  if (mode == Round::kUp && error > E(0)) return step(value, true);
  if (mode == Round::kZero) {
    const bool away = value == T(0) ? false : (value > T(0)) == (error < E(0));
    if (away) return step(value, value < T(0));
  }
  return value;
}

// The sign of the exact a + b - s, for s the nearest double (two-sum).
__host__ __device__ inline double sum_error(double a, double b, double s) {
#pragma clang fp contract(off)
  const double bb = s - a;
  return (a - (s - bb)) + (b - bb);
}

// An exact zero sum is -0 only when rounding down.
template <class T>
__host__ __device__ inline T zero_sum(T a, T b, T s, Round mode) {
  if (s == T(0) && a == -b && a != T(0)) return mode == Round::kDown ? -T(0) : T(0);
  if (s == T(0) && a == T(0) && b == T(0) && __builtin_signbit(a) != __builtin_signbit(b))
    return mode == Round::kDown ? -T(0) : T(0);
  return s;
}

__host__ __device__ inline bool finite(double value) { return value - value == 0.0; }

__host__ __device__ inline float to_float(double high, double low, Round mode) {
#pragma clang fp contract(off)
  const float nearest = static_cast<float>(high);
  double error = high - static_cast<double>(nearest);
  if (!finite(high)) error = 0.0;
  if (error == 0.0) error = low;
  return direct(nearest, error, mode);
}

__host__ __device__ inline float add(float a, float b, Round mode) {
#pragma clang fp contract(off)
  const double s = static_cast<double>(a) + static_cast<double>(b);
  const double low = finite(s) ? sum_error(a, b, s) : 0.0;
  return zero_sum(a, b, to_float(s, low, mode), mode);
}
__host__ __device__ inline float mul(float a, float b, Round mode) {
  return to_float(static_cast<double>(a) * static_cast<double>(b), 0.0, mode);
}
__host__ __device__ inline float div(float a, float b, Round mode) {
#pragma clang fp contract(off)
  const double q = static_cast<double>(a) / static_cast<double>(b);
  if (!finite(q) || b == 0.0f) return static_cast<float>(q);
  const double rest = __builtin_fma(-q, static_cast<double>(b), static_cast<double>(a));
  return to_float(q, b < 0.0f ? -rest : rest, mode);
}
__host__ __device__ inline float sqrt(float a, Round mode) {
  const double r = __builtin_sqrt(static_cast<double>(a));
  if (!finite(r) || r != r) return static_cast<float>(r);
  return to_float(r, __builtin_fma(-r, r, static_cast<double>(a)), mode);
}
__host__ __device__ inline float fma(float a, float b, float c, Round mode) {
#pragma clang fp contract(off)
  const double p = static_cast<double>(a) * static_cast<double>(b);
  const double s = p + static_cast<double>(c);
  if (s == 0.0) return static_cast<float>(zero_sum(p, static_cast<double>(c), s, mode));
  const double low = finite(s) ? sum_error(p, c, s) : 0.0;
  return to_float(s, low, mode);
}

__host__ __device__ inline double add(double a, double b, Round mode) {
#pragma clang fp contract(off)
  const double s = a + b;
  if (!finite(a) || !finite(b)) return s;
  if (!finite(s)) return direct(s, s > 0 ? -1.0 : 1.0, mode);
  return zero_sum(a, b, direct(s, sum_error(a, b, s), mode), mode);
}
__host__ __device__ inline double mul(double a, double b, Round mode) {
#pragma clang fp contract(off)
  const double p = a * b;
  if (!finite(a) || !finite(b)) return p;
  if (!finite(p)) return direct(p, p > 0 ? -1.0 : 1.0, mode);
  // Scaled so that the residual of a tiny product does not underflow.
  const double size = __builtin_fabs(p);
  if (size < 1e-250 && a != 0.0 && b != 0.0) {
    int ea, eb;
    const double ma = __builtin_frexp(a, &ea), mb = __builtin_frexp(b, &eb);
    const double exact = ma * mb;
    const double back = __builtin_ldexp(p, -(ea + eb));
    const double error = (exact - back) + __builtin_fma(ma, mb, -exact);
    return direct(p, error, mode);
  }
  return direct(p, __builtin_fma(a, b, -p), mode);
}
__host__ __device__ inline double div(double a, double b, Round mode) {
#pragma clang fp contract(off)
  const double q = a / b;
  if (!finite(a) || !finite(b) || a == 0.0 || b == 0.0) return q;
  if (!finite(q)) return direct(q, q > 0 ? -1.0 : 1.0, mode);
  int ea, eb;
  const double ma = __builtin_frexp(a, &ea), mb = __builtin_frexp(b, &eb);
  const double rest = __builtin_fma(-__builtin_ldexp(q, eb - ea), mb, ma);
  return direct(q, b < 0.0 ? -rest : rest, mode);
}
__host__ __device__ inline double sqrt(double a, Round mode) {
  const double r = __builtin_sqrt(a);
  if (!finite(r) || a == 0.0) return r;
  int exponent;
  double m = __builtin_frexp(a, &exponent);
  if (exponent & 1) {
    m *= 2.0;
    exponent -= 1;
  }
  const double scaled = __builtin_ldexp(r, -exponent / 2);
  return direct(r, __builtin_fma(-scaled, scaled, m), mode);
}

// The exact a * b + c is high + low + rest, of which the nearest double is subtracted (Boldo and Muller). Where the
// parts could underflow everything is scaled up first, where they could overflow, down.
__host__ __device__ inline double fma(double a, double b, double c, Round mode) {
#pragma clang fp contract(off)
  const double r = __builtin_fma(a, b, c);
  if (!finite(a) || !finite(b) || !finite(c)) return r;
  if (!finite(r)) return direct(r, r > 0 ? -1.0 : 1.0, mode);
  if (a == 0.0 || b == 0.0) return zero_sum(a * b, c, r, mode);
  int ea, eb;
  const double ma = __builtin_frexp(a, &ea), mb = __builtin_frexp(b, &eb);
  int shift = -(ea + eb);  // a * b becomes a number of ordinary size
  int ec = -5000;
  if (c != 0.0) __builtin_frexp(c, &ec);
  if (c != 0.0 && ec + shift > 900) {  // the product is only a sign beside c
    return direct(r, r == c ? ((a < 0.0) == (b < 0.0) ? 1.0 : -1.0) : c - r, mode);
  }
  const double mc = c != 0.0 && ec + shift < -900 ? (c > 0.0 ? 0x1p-900 : -0x1p-900) : __builtin_ldexp(c, shift);
  const double p = ma * mb, low = __builtin_fma(ma, mb, -p);
  const double s = p + mc, rest = sum_error(p, mc, s);
  const double back = __builtin_ldexp(r, shift);
  const double error = (s - back) + (rest + low);
  return s == 0.0 && low == 0.0 ? zero_sum(p, mc, r, mode) : direct(r, error, mode);
}

}  // namespace detail

#pragma clang fp contract(off)
__host__ __device__ inline float fadd_rn(float a, float b) { return a + b; }
__host__ __device__ inline float fsub_rn(float a, float b) { return a - b; }
__host__ __device__ inline float fmul_rn(float a, float b) { return a * b; }
__host__ __device__ inline double dadd_rn(double a, double b) { return a + b; }
__host__ __device__ inline double dsub_rn(double a, double b) { return a - b; }
__host__ __device__ inline double dmul_rn(double a, double b) { return a * b; }

#define W2W_DIRECTED(suffix, mode)                                                                                  \
  __host__ __device__ inline float fadd_##suffix(float a, float b) { return detail::add(a, b, mode); }              \
  __host__ __device__ inline float fsub_##suffix(float a, float b) { return detail::add(a, -b, mode); }             \
  __host__ __device__ inline float fmul_##suffix(float a, float b) { return detail::mul(a, b, mode); }              \
  __host__ __device__ inline float fdiv_##suffix(float a, float b) { return detail::div(a, b, mode); }              \
  __host__ __device__ inline float frcp_##suffix(float a) { return detail::div(1.0f, a, mode); }                    \
  __host__ __device__ inline float fsqrt_##suffix(float a) { return detail::sqrt(a, mode); }                        \
  __host__ __device__ inline float fmaf_##suffix(float a, float b, float c) { return detail::fma(a, b, c, mode); }  \
  __host__ __device__ inline double dadd_##suffix(double a, double b) { return detail::add(a, b, mode); }           \
  __host__ __device__ inline double dsub_##suffix(double a, double b) { return detail::add(a, -b, mode); }          \
  __host__ __device__ inline double dmul_##suffix(double a, double b) { return detail::mul(a, b, mode); }           \
  __host__ __device__ inline double ddiv_##suffix(double a, double b) { return detail::div(a, b, mode); }           \
  __host__ __device__ inline double drcp_##suffix(double a) { return detail::div(1.0, a, mode); }                   \
  __host__ __device__ inline double fma_##suffix(double a, double b, double c) { return detail::fma(a, b, c, mode); } \
  __host__ __device__ inline double dsqrt_##suffix(double a) { return detail::sqrt(a, mode); }
W2W_DIRECTED(rd, detail::Round::kDown)
W2W_DIRECTED(ru, detail::Round::kUp)
W2W_DIRECTED(rz, detail::Round::kZero)
#undef W2W_DIRECTED

}  // namespace w2w
