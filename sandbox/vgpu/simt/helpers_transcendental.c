/* Functions that AMD specifies to about one unit in the last place. Here they are computed in double precision and
 * rounded once, so that results may differ from hardware in the last bit.
 *
 * Single-precision forms take and give denormals as zero whatever MODE says: LLVM's AMDGPU back end scales their
 * arguments for that reason (AMDGPULegalizerInfo, needsDenormHandlingF32). */
#include "helpers.h"

double exp2(double), log2(double), frexp(double, int *), ldexp(double, int);
float ldexpf(float, int);

static const double kTwoPi = 6.283185307179586476925286766559;

static inline float flush(float value) {
  uint32_t bits = w2w_float_bits(value);
  return bits & 0x7f800000 ? value : w2w_float(bits & 0x80000000);
}

/* 2 to the power of x for |x| < 1000, to about 1e-16, without branches. */
static inline double power_of_two(double x) {
  double whole = __builtin_rint(x), f = (x - whole) * 0.69314718055994530942;
  double sum = 1 + f * (1 + f * (1. / 2 + f * (1. / 6 + f * (1. / 24 + f * (1. / 120 + f * (1. / 720 +
               f * (1. / 5040 + f * (1. / 40320 + f * (1. / 362880 + f * (1. / 3628800 + f * (1. / 39916800)))))))))));
  return sum * w2w_double((uint64_t)((int64_t)whole + 1023) << 52);
}

void w2w_exp_f32(const float *x, float *restrict result) {
  W2W_EACH_LANE(lane) {
    float value = flush(x[lane]);
    double bounded = value < -160 ? -160 : (value > 140 ? 140 : value);
    result[lane] = value != value ? value : flush((float)power_of_two(bounded));
  }
}

/* The logarithm to base 2: of the mantissa by the series of atanh, which converges for [sqrt(1/2), sqrt(2)]. */
static inline double logarithm(double x) {
  uint64_t bits = w2w_double_bits(x);
  int64_t exponent = (int64_t)(bits - UINT64_C(0x3fe6a09e667f3bcd)) >> 52;
  double mantissa = w2w_double(bits - ((uint64_t)exponent << 52));
  double s = (mantissa - 1) / (mantissa + 1), z = s * s;
  double sum = 1. / 3 + z * (1. / 5 + z * (1. / 7 + z * (1. / 9 + z * (1. / 11 + z * (1. / 13 + z * (1. / 15 +
               z * (1. / 17 + z * (1. / 19 + z * (1. / 21)))))))));
  return (double)exponent + (2 * s + 2 * s * z * sum) * 1.44269504088896340736;
}

void w2w_log_f32(const float *x, float *restrict result) {
  W2W_EACH_LANE(lane) {
    float value = flush(x[lane]);
    double positive = value > 0 && value < __builtin_inff() ? (double)value : 1.0;
    float normal = (float)logarithm(positive);
    float special = value == 0 ? -__builtin_inff() : (value > 0 ? value : __builtin_nanf(""));
    result[lane] = value > 0 && value < __builtin_inff() ? normal : (value != value ? value : special);
  }
}

void w2w_rcp_f32(const float *x, float *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = flush(1.0f / flush(x[lane]));
}
void w2w_rsq_f32(const float *x, float *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = (float)(1.0 / __builtin_sqrt((double)flush(x[lane])));
}
void w2w_sqrt_f32(const float *x, float *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = __builtin_sqrtf(flush(x[lane]));
}

/* The sine of a quarter of a turn at most, by its series: exact at 0, to about 1e-16. */
static inline double sine_within_quarter(double turns) {
  double x = turns * kTwoPi, z = x * x;
  double sum = 1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110 * (1 - z / 156 * (1 - z / 210 *
               (1 - z / 272 * (1 - z / 342 * (1 - z / 420)))))))));
  return x * sum;
}

/* The argument is in turns, of which whole ones and halves are taken off exactly. Beyond 256 turns the hardware gives
 * 0 for sin and 1 for cos (CDNA3 ISA, V_SIN_F32). */
static inline float sine(float turns) {
  double rest = (double)turns - __builtin_rint((double)turns);
  double folded = __builtin_fabs(rest) > 0.25 ? __builtin_copysign(0.5, rest) - rest : rest;
  double value = __builtin_fabsf(turns) > 256 ? 0 : sine_within_quarter(folded);
  return turns - turns == 0 ? (float)value : __builtin_nanf("");
}
static inline float cosine(float turns) {
  double rest = (double)turns - __builtin_rint((double)turns);
  double value = __builtin_fabsf(turns) > 256 ? 1 : sine_within_quarter(0.25 - __builtin_fabs(rest));
  return turns - turns == 0 ? (float)value : __builtin_nanf("");
}
void w2w_sin_f32(const float *x, float *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = flush(sine(flush(x[lane])));
}
void w2w_cos_f32(const float *x, float *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = flush(cosine(flush(x[lane])));
}

void w2w_rcp_f64(const double *x, double *restrict result) { W2W_EACH_LANE(lane) result[lane] = 1.0 / x[lane]; }
void w2w_rsq_f64(const double *x, double *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = 1.0 / __builtin_sqrt(x[lane]);
}

/* ---- halves ------------------------------------------------------------------------------------------------------ */

#define DEFINE_HALF(name, expression)                                      \
  void w2w_##name##_f16(const uint16_t *x, uint16_t *restrict result) {    \
    W2W_EACH_LANE(lane) {                                                  \
      float value = w2w_half(x[lane]);                                     \
      result[lane] = w2w_half_bits((float)(expression));                   \
    }                                                                      \
  }
DEFINE_HALF(rcp, 1.0f / value)
DEFINE_HALF(rsq, 1.0 / __builtin_sqrt((double)value))
DEFINE_HALF(exp, exp2((double)value))
DEFINE_HALF(log, log2((double)value))
DEFINE_HALF(sin, sine(value))
DEFINE_HALF(cos, cosine(value))

/* ---- exponents and classes ------------------------------------------------------------------------------------------ */

static inline int bounded_exponent(int32_t exponent) {
  return exponent < -5000 ? -5000 : (exponent > 5000 ? 5000 : exponent);
}
void w2w_ldexp_f32(const float *x, const int32_t *exponent, float *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = ldexpf(x[lane], bounded_exponent(exponent[lane]));
}
void w2w_ldexp_f64(const double *x, const int32_t *exponent, double *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = ldexp(x[lane], bounded_exponent(exponent[lane]));
}
void w2w_ldexp_f16(const uint16_t *x, const int32_t *exponent, uint16_t *restrict result) {
  W2W_EACH_LANE(lane) {  /* a half times a power of two is exact in single precision within its range */
    int bounded = exponent[lane] < -60 ? -60 : (exponent[lane] > 60 ? 60 : exponent[lane]);
    result[lane] = w2w_half_bits(ldexpf(w2w_half(x[lane]), bounded));
  }
}

/* Infinity and NaN: the mantissa is the value itself, the exponent 0. */
static inline double mantissa(double value, int *exponent) {
  *exponent = 0;
  return value - value == 0 ? frexp(value, exponent) : value;
}
#define DEFINE_FREXP(suffix, type, from, to)                                   \
  void w2w_frexp_mant_##suffix(const type *x, type *restrict result) {         \
    W2W_EACH_LANE(lane) {                                                      \
      int exponent;                                                            \
      result[lane] = to(mantissa(from(x[lane]), &exponent));                   \
    }                                                                          \
  }                                                                            \
  void w2w_frexp_exp_##suffix(const type *x, int32_t *restrict result) {       \
    W2W_EACH_LANE(lane) {                                                      \
      int exponent;                                                            \
      mantissa(from(x[lane]), &exponent);                                      \
      result[lane] = exponent;                                                 \
    }                                                                          \
  }
#define TO_HALF(value) w2w_half_bits((float)(value))
DEFINE_FREXP(f64, double, (double), (double))
DEFINE_FREXP(f32, float, (double), (float))
DEFINE_FREXP(f16, uint16_t, w2w_half, TO_HALF)

/* Bits 0 to 9: signalling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity. */
#define DEFINE_CLASS(suffix, type, exponent_bits, mantissa_bits)                                      \
  void w2w_class_##suffix(const type *x, const uint32_t *mask, uint32_t *restrict result) {           \
    W2W_EACH_LANE(lane) {                                                                             \
      uint64_t bits = x[lane], largest = (1u << exponent_bits) - 1;                                   \
      uint64_t exponent = bits >> mantissa_bits & largest;                                            \
      uint64_t fraction = bits & ((UINT64_C(1) << mantissa_bits) - 1);                                \
      int negative = (int)(bits >> (exponent_bits + mantissa_bits));                                  \
      int found;                                                                                      \
      if (exponent == largest)                                                                        \
        found = fraction ? (int)(fraction >> (mantissa_bits - 1)) : (negative ? 2 : 9);               \
      else if (exponent)                                                                              \
        found = negative ? 3 : 8;                                                                     \
      else                                                                                            \
        found = fraction ? (negative ? 4 : 7) : (negative ? 5 : 6);                                   \
      result[lane] = mask[lane] >> found & 1;                                                         \
    }                                                                                                 \
  }
DEFINE_CLASS(f64, uint64_t, 11, 52)
DEFINE_CLASS(f32, uint32_t, 8, 23)
DEFINE_CLASS(f16, uint16_t, 5, 10)

/* ---- cube maps --------------------------------------------------------------------------------------------------------- */

enum face { kFaceX, kFaceY, kFaceZ };
static inline enum face major_axis(float x, float y, float z) {
  float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
  if (az >= ax && az >= ay) return kFaceZ;
  return ay >= ax ? kFaceY : kFaceX;
}
#define DEFINE_CUBE(name, on_z, on_y, on_x)                                                                      \
  void w2w_cube##name##_f32(const float *xs, const float *ys, const float *zs, float *restrict result) {         \
    W2W_EACH_LANE(lane) {                                                                                        \
      float x = xs[lane], y = ys[lane], z = zs[lane];                                                            \
      (void)x, (void)y, (void)z;                                                                                 \
      enum face axis = major_axis(x, y, z);                                                                      \
      result[lane] = axis == kFaceZ ? (on_z) : (axis == kFaceY ? (on_y) : (on_x));                               \
    }                                                                                                            \
  }
DEFINE_CUBE(id, z < 0 ? 5.0f : 4.0f, y < 0 ? 3.0f : 2.0f, x < 0 ? 1.0f : 0.0f)
DEFINE_CUBE(sc, z < 0 ? -x : x, x, x < 0 ? z : -z)
DEFINE_CUBE(tc, -y, y < 0 ? -z : z, -y)
DEFINE_CUBE(ma, z * 2, y * 2, x * 2)
