/* Arithmetic in a rounding mode other than to nearest, and conversions to narrower floats.
 * `rounding`: 0 to nearest even, 1 up, 2 down, 3 to zero (MODE.round). */
#include <xmmintrin.h>

#include "helpers.h"

enum { kNearest = 0, kUp = 1, kDown = 2, kToZero = 3 };

/* Sets the host's rounding mode for the loop that follows. The barriers keep the loop between the two settings. */
static inline unsigned enter(uint32_t rounding) {
  static const unsigned host[4] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};
  unsigned saved = _mm_getcsr();
  _mm_setcsr((saved & ~(unsigned)_MM_ROUND_MASK) | host[rounding & 3]);
  __asm__ volatile("" ::: "memory");
  return saved;
}
static inline void leave(unsigned saved) {
  __asm__ volatile("" ::: "memory");
  _mm_setcsr(saved);
}

#define DEFINE_ROUNDED2(op, suffix, type, expression)                                                           \
  __attribute__((noinline)) void w2w_rounded_##op##_##suffix(uint32_t rounding, const type *as, const type *bs, \
                                                             type *restrict result) {                           \
    unsigned saved = enter(rounding);                                                                           \
    W2W_EACH_LANE(lane) {                                                                                       \
      type a = as[lane], b = bs[lane];                                                                          \
      result[lane] = expression;                                                                                \
    }                                                                                                           \
    leave(saved);                                                                                               \
  }
#define DEFINE_ROUNDED(suffix, type, fma)                                                                          \
  DEFINE_ROUNDED2(add, suffix, type, a + b)                                                                        \
  DEFINE_ROUNDED2(sub, suffix, type, a - b)                                                                        \
  DEFINE_ROUNDED2(mul, suffix, type, a *b)                                                                         \
  __attribute__((noinline)) void w2w_rounded_fma_##suffix(uint32_t rounding, const type *a, const type *b,         \
                                                          const type *c, type *restrict result) {                  \
    unsigned saved = enter(rounding);                                                                              \
    W2W_EACH_LANE(lane) result[lane] = fma(a[lane], b[lane], c[lane]);                                             \
    leave(saved);                                                                                                  \
  }
DEFINE_ROUNDED(f32, float, __builtin_fmaf)
DEFINE_ROUNDED(f64, double, __builtin_fma)

/* A double to a half in the given rounding mode, by integers. */
static uint16_t narrow_to_half(double value, uint32_t rounding) {
  uint64_t bits = w2w_double_bits(value), fraction = bits & ((UINT64_C(1) << 52) - 1);
  uint16_t sign = (uint16_t)(bits >> 63 << 15);
  int exponent = (int)(bits >> 52 & 2047);
  if (exponent == 2047) return sign | 0x7c00 | (fraction ? 0x200 | (uint16_t)(fraction >> 42) : 0);
  if (exponent == 0) exponent = 1;
  else fraction |= UINT64_C(1) << 52;
  int target = exponent - 1023 + 15, drop = 42;
  if (target < 1) {
    drop += 1 - target;
    target = 1;
  }
  uint64_t kept = drop < 64 ? fraction >> drop : 0;
  uint64_t lost = drop < 64 ? fraction & ((UINT64_C(1) << drop) - 1) : fraction;
  uint64_t half = drop < 64 ? UINT64_C(1) << (drop - 1) : ~UINT64_C(0);
  int up = 0;
  if (lost) {
    if (rounding == kNearest) up = lost > half || (lost == half && (kept & 1));
    if (rounding == kUp) up = !sign;
    if (rounding == kDown) up = sign != 0;
  }
  kept += (uint64_t)up;
  uint64_t result = kept < 0x400 ? kept : kept + ((uint64_t)(target - 1) << 10);
  if (result >= 0x7c00) {
    int to_infinity = rounding == kNearest || (rounding == kUp && !sign) || (rounding == kDown && sign);
    result = to_infinity ? 0x7c00 : 0x7bff;
  }
  return sign | (uint16_t)result;
}

void w2w_narrow_f32_f16(uint32_t rounding, const float *x, uint16_t *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = narrow_to_half(x[lane], rounding);
}
void w2w_narrow_f64_f16(uint32_t rounding, const double *x, uint16_t *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = narrow_to_half(x[lane], rounding);
}
__attribute__((noinline)) void w2w_narrow_f64_f32(uint32_t rounding, const double *x, float *restrict result) {
  unsigned saved = enter(rounding);
  W2W_EACH_LANE(lane) result[lane] = (float)x[lane];
  leave(saved);
}

/* Halves: sums and products of halves are exact in double precision, and so is a * b + c up to a bit that no rounding
 * of a half can see. */
#define DEFINE_ROUNDED_HALF(op, expression)                                                                   \
  void w2w_rounded_##op##_f16(uint32_t rounding, const uint16_t *as, const uint16_t *bs,                      \
                              uint16_t *restrict result) {                                                    \
    W2W_EACH_LANE(lane) {                                                                                     \
      double a = w2w_half(as[lane]), b = w2w_half(bs[lane]);                                                  \
      result[lane] = narrow_to_half(expression, rounding);                                                    \
    }                                                                                                         \
  }
DEFINE_ROUNDED_HALF(add, a + b)
DEFINE_ROUNDED_HALF(sub, a - b)
DEFINE_ROUNDED_HALF(mul, a *b)
void w2w_rounded_fma_f16(uint32_t rounding, const uint16_t *a, const uint16_t *b, const uint16_t *c,
                         uint16_t *restrict result) {
  W2W_EACH_LANE(lane) {
    double value = __builtin_fma((double)w2w_half(a[lane]), (double)w2w_half(b[lane]), (double)w2w_half(c[lane]));
    result[lane] = narrow_to_half(value, rounding);
  }
}
