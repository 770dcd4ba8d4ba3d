/* Floats of 4, 6 and 8 bits. OCP formats as in "OCP Microscaling Formats"; the FNUZ ones of gfx942 have one NaN, 0x80, no
 * infinity, no negative zero, and a bias one higher.
 *
 * Rounding, overflow and scales are those of AMD's software twin of the gfx950 conversions, hip/amd_detail/
 * amd_hip_ocp_host.hpp; the CDNA4 document names these functions without defining them. */
#pragma once
#include "helpers.h"

enum specials {
  kFnuz,       /* NaN is 0x80 */
  kInfinities, /* IEEE: infinities and NaNs */
  kNan,        /* NaN only, all ones */
  kFinite,     /* neither: too large values and NaNs become the largest */
};

struct small_format {
  int bits, mantissa_bits, bias;
  enum specials specials;
};

/* By number, as generated code names them. The first five are in the order of the matrix instructions' CBSZ and BLGP. */
static const struct small_format kSmallFormats[7] = {
    {8, 3, 7, kNan},    /* 0 fp8 */
    {8, 2, 15, kInfinities}, /* 1 bf8 */
    {6, 3, 1, kFinite}, /* 2 fp6 */
    {6, 2, 3, kFinite}, /* 3 bf6 */
    {4, 1, 1, kFinite}, /* 4 fp4 */
    {8, 3, 8, kFnuz},   /* 5 fp8 FNUZ */
    {8, 2, 16, kFnuz},  /* 6 bf8 FNUZ */
};

static inline uint32_t small_largest(const struct small_format *f) {
  uint32_t all = (1u << (f->bits - 1)) - 1;
  if (f->specials == kNan) return all - 1;
  return f->specials == kInfinities ? all - (1u << f->mantissa_bits) : all;
}

/* Exact. */
static inline float small_to_float(uint32_t bits, const struct small_format *f) {
  uint32_t magnitude = bits & ((1u << (f->bits - 1)) - 1), sign = bits >> (f->bits - 1) & 1;
  uint32_t exponent = magnitude >> f->mantissa_bits, fraction = magnitude & ((1u << f->mantissa_bits) - 1);
  uint32_t signed_nan = 0x7fc00000 | sign << 31;
  if (f->specials == kFnuz && sign && !magnitude) return w2w_float(0x7fc00000);
  if (f->specials != kFnuz && magnitude > small_largest(f)) {
    int is_infinity = f->specials == kInfinities && fraction == 0;
    return w2w_float(is_infinity ? 0x7f800000 | sign << 31 : signed_nan);
  }
  float unit = w2w_float((uint32_t)(127 + (exponent ? (int)exponent : 1) - f->bias - f->mantissa_bits) << 23);
  float value = (float)(exponent ? fraction | 1u << f->mantissa_bits : fraction) * unit;
  return sign ? -value : value;
}

/* How a float becomes small. It is divided by 2^`scale`; a `scale` of kNoScale is NaN. `source_bits`: mantissa bits of
 * the type that it came from. With `is_stochastic`, the highest bits of `seed` are added below the last bit kept, else
 * it is rounded to nearest even. `saturates` (MODE.FP16_OVFL): too large values become the largest. */
struct narrowing {
  int scale, source_bits, is_stochastic, saturates;
  uint32_t seed;
};
enum { kNoScale = 128 };

static inline uint32_t small_nan(const struct small_format *f, uint32_t sign) {
  return f->specials == kFnuz ? 0x80 : sign | ((1u << (f->bits - 1)) - 1);
}
static inline uint32_t small_overflow(const struct small_format *f, uint32_t sign, int saturates) {
  if (saturates || f->specials == kFinite) return sign | small_largest(f);
  return f->specials == kInfinities ? sign | (small_largest(f) + 1) : small_nan(f, sign);
}

static inline uint32_t float_to_small(float x, const struct small_format *f, const struct narrowing *how) {
  uint32_t bits = w2w_float_bits(x), sign = bits >> 31 << (f->bits - 1), fraction = bits & 0x7fffff;
  int exponent = (int)(bits >> 23 & 255), drop = 23 - f->mantissa_bits;
  if (x != x || how->scale == kNoScale) return small_nan(f, sign);
  if (exponent == 255) return small_overflow(f, sign, how->saturates);
  if (!exponent && !fraction) return f->specials == kFnuz ? 0 : sign;
  if (!exponent) {
    int shift = __builtin_clz(fraction) - 8;
    fraction <<= shift;
    exponent = 1 - shift;
  }
  fraction |= 0x800000;
  int target = exponent - 127 - how->scale + f->bias, below = 0;
  if (target < 1) {
    below = 1 - target < 31 ? 1 - target : 31;
    target = 1;
  }
  uint32_t kept;
  if (how->is_stochastic) {
    uint32_t unit = 1u << (23 - how->source_bits), shifted = (fraction >> below) & ~(unit - 1);
    kept = (shifted + (how->seed >> (32 - how->source_bits + f->mantissa_bits)) * unit) >> drop;
  } else {
    uint64_t wide = (uint64_t)fraction << 32 >> below, lost = wide & (((uint64_t)1 << (32 + drop)) - 1);
    uint64_t half = (uint64_t)1 << (31 + drop);
    kept = (uint32_t)(wide >> (32 + drop));
    kept += lost > half || (lost == half && (kept & 1));
  }
  uint64_t hidden = 1u << f->mantissa_bits;
  uint64_t result = kept < hidden ? kept : kept + ((uint64_t)(target - 1) << f->mantissa_bits);
  if (result > small_largest(f)) return small_overflow(f, sign, how->saturates);
  return f->specials == kFnuz && !result ? 0 : sign | (uint32_t)result;
}

/* E8M0: the exponent of a power of two; all ones are NaN. */
static inline int scale_of(uint32_t e8m0) { return (e8m0 & 255) == 255 ? kNoScale : (int)(e8m0 & 255) - 127; }

/* Element `k` of `bits` bits in the registers of a lane. */
static inline uint32_t packed_element(const uint32_t *registers, uint64_t lane, int k, int bits) {
  int at = k * bits, word = at / 32, shift = at % 32;
  uint64_t pair = registers[word * kLanes + lane];
  if (shift + bits > 32) pair |= (uint64_t)registers[(word + 1) * kLanes + lane] << 32;
  return (uint32_t)(pair >> shift) & (uint32_t)((UINT64_C(1) << bits) - 1);
}
