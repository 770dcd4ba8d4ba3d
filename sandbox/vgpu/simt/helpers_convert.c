/* Conversions to and from bfloat16 and 8-bit floats, with and without random rounding.
 *
 * 8-bit formats: fp8 has 4 exponent and 3 mantissa bits, bf8 5 and 2. FNUZ (gfx942) has one NaN, 0x80, no infinity, no
 * negative zero, and a bias one higher than OCP (gfx950): OCP Microscaling Formats, and AMD's "FP8 numbers". */
#include "helpers.h"

double ldexp(double, int);

void w2w_pack_bf16(const float *low, const float *high, uint32_t *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = w2w_bfloat_bits(low[lane]) | (uint32_t)w2w_bfloat_bits(high[lane]) << 16;
}

/* The random bits are added below the last bit kept. */
void w2w_stochastic_bf16(const float *x, const uint32_t *random, uint32_t *restrict result) {
  W2W_EACH_LANE(lane) {
    uint32_t bits = w2w_float_bits(x[lane]);
    int special = (bits & 0x7f800000) == 0x7f800000;
    if (special) {
      result[lane] = (bits >> 16) | (bits & 0x7fffff ? 0x40 : 0);
    } else {
      result[lane] = (bits + (random[lane] >> 16)) >> 16;
    }
  }
}
void w2w_stochastic_f16(const float *x, const uint32_t *random, uint32_t *restrict result) {
  W2W_EACH_LANE(lane) {
    uint32_t bits = w2w_float_bits(x[lane]);
    if ((bits & 0x7f800000) != 0x7f800000) bits += random[lane] >> 19;
    float value = w2w_float(bits & ~UINT32_C(0x1fff));
    result[lane] = w2w_half_bits((bits & 0x7f800000) == 0x7f800000 ? x[lane] : value);
  }
}

struct format {
  int exponent_bits, mantissa_bits, bias, is_fnuz;
};

static inline float from_float8(uint32_t byte, struct format f) {
  uint32_t sign = byte >> 7 & 1, exponent = byte >> f.mantissa_bits & ((1u << f.exponent_bits) - 1);
  uint32_t fraction = byte & ((1u << f.mantissa_bits) - 1), top = (1u << f.exponent_bits) - 1;
  if (f.is_fnuz && (byte & 255) == 0x80) return __builtin_nanf("");
  if (!f.is_fnuz && exponent == top) {
    if (f.mantissa_bits == 2) {
      if (fraction) return __builtin_nanf("");
      return sign ? -__builtin_inff() : __builtin_inff();
    }
    if (fraction == 7) return __builtin_nanf("");
  }
  double value = exponent ? ldexp((double)(fraction | 1u << f.mantissa_bits), (int)exponent - f.bias - f.mantissa_bits)
                          : ldexp((double)fraction, 1 - f.bias - f.mantissa_bits);
  return (float)(sign ? -value : value);
}

/* To nearest even, or by `random` (32 bits, added below the last bit kept) if `is_stochastic`. Too large values become NaN (FNUZ,
 * and OCP fp8) or infinity: MODE.FP16_OVFL, with which they would saturate, is 0 in HIP programs. */
static inline uint32_t to_float8(float x, struct format f, int is_stochastic, uint32_t random) {
  uint32_t bits = w2w_float_bits(x), sign = bits >> 31 << 7;
  uint32_t nan = f.is_fnuz ? 0x80 : sign | 0x7f;
  if (x != x) return nan;
  uint32_t infinity = f.mantissa_bits == 2 && !f.is_fnuz ? sign | 0x7c : nan;
  if (x - x != 0) return infinity;
  int exponent = (int)(bits >> 23 & 255);
  uint64_t fraction = bits & 0x7fffff;
  if (exponent == 0) exponent = 1;
  else fraction |= 0x800000;
  int target = exponent - 127 + f.bias, drop = 23 - f.mantissa_bits;
  if (target < 1) {
    drop += 1 - target;
    target = 1;
  }
  if (drop > 40) drop = 40;
  uint64_t kept = fraction >> drop, lost = fraction & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);
  if (is_stochastic) {
    uint64_t noise = drop <= 32 ? random >> (32 - drop) : (uint64_t)random << (drop - 32);
    kept = (fraction + noise) >> drop;
  } else {
    kept += lost > half || (lost == half && (kept & 1));
  }
  uint32_t hidden = 1u << f.mantissa_bits;
  uint64_t result = kept < hidden ? kept : kept + ((uint64_t)(target - 1) << f.mantissa_bits);
  uint64_t largest = f.is_fnuz ? 0x7f : (f.mantissa_bits == 2 ? 0x7b : 0x7e);
  if (result > largest) return infinity;
  if (f.is_fnuz && result == 0) return 0;
  return sign | (uint32_t)result;
}

#define DEFINE_FLOAT8(name, ...)                                                                              \
  void w2w_from_##name(const uint32_t *x, float *restrict result) {                                           \
    W2W_EACH_LANE(lane) result[lane] = from_float8(x[lane], (struct format){__VA_ARGS__});                    \
  }                                                                                                           \
  void w2w_to_##name(const float *x, uint32_t *restrict result) {                                             \
    W2W_EACH_LANE(lane) result[lane] = to_float8(x[lane], (struct format){__VA_ARGS__}, 0, 0);                \
  }                                                                                                           \
  void w2w_stochastic_##name(const float *x, const uint32_t *random, uint32_t *restrict result) {             \
    W2W_EACH_LANE(lane) result[lane] = to_float8(x[lane], (struct format){__VA_ARGS__}, 1, random[lane]);     \
  }
DEFINE_FLOAT8(fp8_fnuz, 4, 3, 8, 1)
DEFINE_FLOAT8(bf8_fnuz, 5, 2, 16, 1)
DEFINE_FLOAT8(fp8_ocp, 4, 3, 7, 0)
DEFINE_FLOAT8(bf8_ocp, 5, 2, 15, 0)
