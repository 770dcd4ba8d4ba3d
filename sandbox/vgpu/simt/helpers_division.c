/* The steps of IEEE division: v_div_scale, v_div_fmas, v_div_fixup; and v_trig_preop.
 * The quotient is computed by fma between them (CDNA3 ISA, with the corrections in cdna/corrections.toml). */
#include "helpers.h"

double ldexp(double, int);
float ldexpf(float, int);

static inline int exponent32(float value) { return (int)(w2w_float_bits(value) >> 23 & 255); }
static inline int exponent64(double value) { return (int)(w2w_double_bits(value) >> 52 & 2047); }
static inline int same32(float a, float b) { return w2w_float_bits(a) == w2w_float_bits(b); }
static inline int same64(double a, double b) { return w2w_double_bits(a) == w2w_double_bits(b); }

/* `scaled`: numerator or denominator, whichever this call is for, scaled; `flag`: the quotient must be scaled back. */
#define DEFINE_DIV_SCALE(suffix, type, exponent, same, scale, far, bias_limit, up, smallest, tiny_quotient) \
  void w2w_div_scale_##suffix(const type *values, const type *denominators, const type *numerators,         \
                              type *restrict scaled, uint32_t *restrict flags) {                            \
    W2W_EACH_LANE(lane) {                                                                                   \
      type value = values[lane], denominator = denominators[lane], numerator = numerators[lane];            \
      int en = exponent(numerator), ed = exponent(denominator), is_numerator = same(value, numerator);      \
      int is_denominator = same(value, denominator), flag = 0, by = 0;                                      \
      int huge_denominator = ed >= bias_limit, denormal = ed == 0, tiny = tiny_quotient;                    \
      if (numerator == 0 || denominator == 0) {                                                             \
        scaled[lane] = (type)__builtin_nan("");                                                             \
        flags[lane] = 0;                                                                                    \
        continue;                                                                                           \
      }                                                                                                     \
      if (en - ed >= far) {                                                                                 \
        flag = 1;                                                                                           \
        if (is_denominator) by = up;                                                                        \
      } else if (denormal) {                                                                                \
        by = up;                                                                                            \
      } else if (huge_denominator && tiny) {                                                                \
        flag = 1;                                                                                           \
        if (is_denominator) by = -up;                                                                       \
      } else if (huge_denominator) {                                                                        \
        by = -up;                                                                                           \
      } else if (tiny) {                                                                                    \
        flag = 1;                                                                                           \
        if (is_numerator) by = up;                                                                          \
      } else if (en <= smallest) {                                                                          \
        by = up;                                                                                            \
      }                                                                                                     \
      scaled[lane] = by ? scale(value, by) : value;                                                         \
      flags[lane] = (uint32_t)flag;                                                                         \
    }                                                                                                       \
  }
DEFINE_DIV_SCALE(f32, float, exponent32, same32, ldexpf, 96, 253, 64, 23,
                 ((double)numerator / (double)denominator != 0 &&
                  __builtin_fabs((double)numerator / (double)denominator) < 0x1p-126))
DEFINE_DIV_SCALE(f64, double, exponent64, same64, ldexp, 768, 2045, 128, 53, (en - ed < -1022))

void w2w_div_fmas_f32(const float *a, const float *b, const float *c, const uint32_t *flags, float *restrict result) {
  W2W_EACH_LANE(lane) {
    float value = __builtin_fmaf(a[lane], b[lane], c[lane]);
    float scale = exponent32(c[lane]) > 127 ? 0x1p64f : 0x1p-64f;
    result[lane] = flags[lane] ? value * scale : value;
  }
}
void w2w_div_fmas_f64(const double *a, const double *b, const double *c, const uint32_t *flags,
                      double *restrict result) {
  W2W_EACH_LANE(lane) {
    double value = __builtin_fma(a[lane], b[lane], c[lane]);
    double scale = exponent64(c[lane]) > 1023 ? 0x1p128 : 0x1p-128;
    result[lane] = flags[lane] ? value * scale : value;
  }
}

static inline double quieted(double nan) { return w2w_double(w2w_double_bits(nan) | UINT64_C(1) << 51); }

#define DEFINE_DIV_FIXUP(suffix, type, load, store)                                                            \
  void w2w_div_fixup_##suffix(const type *quotients, const type *denominators, const type *numerators,         \
                              type *restrict result) {                                                         \
    W2W_EACH_LANE(lane) {                                                                                      \
      double quotient = load(quotients[lane]), denominator = load(denominators[lane]);                         \
      double numerator = load(numerators[lane]), infinity = __builtin_inf(), value;                            \
      double sign = (__builtin_signbit(denominator) != 0) != (__builtin_signbit(numerator) != 0) ? -1 : 1;     \
      double size_n = __builtin_fabs(numerator), size_d = __builtin_fabs(denominator);                         \
      if (numerator != numerator)                                                                              \
        value = quieted(numerator);                                                                            \
      else if (denominator != denominator)                                                                     \
        value = quieted(denominator);                                                                          \
      else if ((size_n == 0 && size_d == 0) || (size_n == infinity && size_d == infinity))                     \
        value = -__builtin_nan("");                                                                            \
      else if (size_d == 0 || size_n == infinity)                                                              \
        value = sign * infinity;                                                                               \
      else if (size_d == infinity || size_n == 0)                                                              \
        value = sign * 0.0;                                                                                    \
      else if (quotient != quotient)                                                                           \
        value = sign * infinity;                                                                               \
      else                                                                                                     \
        value = sign * __builtin_fabs(quotient);                                                               \
      result[lane] = store(value);                                                                             \
    }                                                                                                          \
  }
#define TO_HALF(value) w2w_half_bits((float)(value))
DEFINE_DIV_FIXUP(f32, float, (double), (float))
DEFINE_DIV_FIXUP(f64, double, (double), (double))
DEFINE_DIV_FIXUP(f16, uint16_t, w2w_half, TO_HALF)

/* 2/pi, 1216 bits after the point. */
static const uint64_t kTwoOverPi[19] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

static inline uint64_t two_over_pi(int word) { return word < 19 ? kTwoOverPi[word] : 0; }

/* 53 bits of 2/pi that matter for an argument of this size; `segments` 0, 1, 2 give three such pieces. */
void w2w_trig_preop_f64(const double *x, const uint32_t *segments, double *restrict result) {
  W2W_EACH_LANE(lane) {
    int shift = (int)(segments[lane] & 31) * 53, exponent = exponent64(x[lane]);
    if (exponent > 1077) shift += exponent - 1077;
    int word = shift >> 6, bit = shift & 63;
    uint64_t high = two_over_pi(word), low = two_over_pi(word + 1);
    uint64_t bits = bit ? high << bit | low >> (64 - bit) : high;
    int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
    result[lane] = ldexp((double)(bits >> 11), scale);
  }
}
