// Arithmetic in a rounding direction, and functions that PTX defines as approximations.
//
// Compiled with -frounding-math semantics by hand: operands and results pass through volatile variables, so that the
// compiler neither folds nor moves the operation out of the region with the other rounding.
#include <x86intrin.h>

#include <cfenv>
#include <cmath>
#include <ctime>

#include "cudart/thread_state.h"

namespace {

class Rounding {
 public:
  explicit Rounding(enum w2w_rounding rounding) {
    static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    fesetround(kModes[rounding]);
  }
  ~Rounding() { fesetround(FE_TONEAREST); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
};

template <class T, class F, class... Values>
T rounded(enum w2w_rounding rounding, F operation, Values... values) {
  Rounding scope(rounding);
  volatile T result = operation(static_cast<volatile Values&>(values)...);
  return result;
}

template <class T>
T add(T a, T b, enum w2w_rounding r) {
  return rounded<T>(r, [](volatile T& x, volatile T& y) { return x + y; }, a, b);
}
template <class T>
T multiply(T a, T b, enum w2w_rounding r) {
  return rounded<T>(r, [](volatile T& x, volatile T& y) { return x * y; }, a, b);
}
template <class T>
T divide(T a, T b, enum w2w_rounding r) {
  return rounded<T>(r, [](volatile T& x, volatile T& y) { return x / y; }, a, b);
}
template <class T>
T square_root(T a, enum w2w_rounding r) {
  return rounded<T>(r, [](volatile T& x) { return std::sqrt(x); }, a);
}
template <class T>
T fuse(T a, T b, T c, enum w2w_rounding r) {
  return rounded<T>(r, [](volatile T& x, volatile T& y, volatile T& z) { return std::fma(x, y, z); }, a, b, c);
}
template <class To, class From>
To convert(From a, enum w2w_rounding r) {
  return rounded<To>(r, [](volatile From& x) { return static_cast<To>(x); }, a);
}

unsigned long upper_half(double value) {
  unsigned long bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits & ~0xfffffffful;
}
double from_upper_half(unsigned long bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

extern "C" {

float w2w_add_f32(float a, float b, enum w2w_rounding r) { return add(a, b, r); }
float w2w_mul_f32(float a, float b, enum w2w_rounding r) { return multiply(a, b, r); }
float w2w_fma_f32(float a, float b, float c, enum w2w_rounding r) { return fuse(a, b, c, r); }
float w2w_div_f32(float a, float b, enum w2w_rounding r) { return divide(a, b, r); }
float w2w_sqrt_f32(float a, enum w2w_rounding r) { return square_root(a, r); }
double w2w_add_f64(double a, double b, enum w2w_rounding r) { return add(a, b, r); }
double w2w_mul_f64(double a, double b, enum w2w_rounding r) { return multiply(a, b, r); }
double w2w_fma_f64(double a, double b, double c, enum w2w_rounding r) { return fuse(a, b, c, r); }
double w2w_div_f64(double a, double b, enum w2w_rounding r) { return divide(a, b, r); }
double w2w_sqrt_f64(double a, enum w2w_rounding r) { return square_root(a, r); }
float w2w_f64_to_f32(double a, enum w2w_rounding r) { return convert<float>(a, r); }
float w2w_s64_to_f32(long a, enum w2w_rounding r) { return convert<float>(a, r); }
double w2w_s64_to_f64(long a, enum w2w_rounding r) { return convert<double>(a, r); }

// Unsigned values beyond the signed range are halved, keeping what falls off as a sticky bit.
float w2w_u64_to_f32(unsigned long a, enum w2w_rounding r) {
  if (a >> 63) return 2.0f * convert<float>(static_cast<long>((a >> 1) | (a & 1)), r);
  return convert<float>(static_cast<long>(a), r);
}
double w2w_u64_to_f64(unsigned long a, enum w2w_rounding r) {
  if (a >> 63) return 2.0 * convert<double>(static_cast<long>((a >> 1) | (a & 1)), r);
  return convert<double>(static_cast<long>(a), r);
}

// The approximations are computed in double precision and rounded once. The hardware's differ by a few units in the
// last place at most, and flush subnormal inputs and results of ex2, lg2, sin and cos only with .ftz.
float w2w_ex2_f32(float a) { return static_cast<float>(std::exp2(static_cast<double>(a))); }
float w2w_lg2_f32(float a) { return static_cast<float>(std::log2(static_cast<double>(a))); }
float w2w_sin_f32(float a) { return static_cast<float>(std::sin(static_cast<double>(a))); }
float w2w_cos_f32(float a) { return static_cast<float>(std::cos(static_cast<double>(a))); }
float w2w_tanh_f32(float a) { return static_cast<float>(std::tanh(static_cast<double>(a))); }
float w2w_rsqrt_f32(float a) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); }
double w2w_rsqrt_f64(double a) { return 1.0 / std::sqrt(a); }

// rcp.approx.ftz.f64 reads and writes only the upper 32 bits: the start of Newton's method.
double w2w_rcp_ftz_f64(double a) {
  if (std::isnan(a)) return from_upper_half(0x7fffffff00000000ul);
  a = from_upper_half(upper_half(a));
  if (std::fabs(a) < 0x1p-1022) a = std::copysign(0.0, a);
  double result = 1.0 / a;
  if (std::fabs(result) < 0x1p-1022) return std::copysign(0.0, result);
  return from_upper_half(upper_half(result));
}

unsigned long w2w_clock(void) { return __rdtsc(); }

unsigned long w2w_global_timer(void) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<unsigned long>(now.tv_sec) * 1000000000ul + static_cast<unsigned long>(now.tv_nsec);
}

}  // extern "C"
