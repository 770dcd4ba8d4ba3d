/* Conversions between packed small floats and singles, halves and bfloats, with and without scales. */
#include "helpers_small_floats.h"

/* What generated code asks for: `kind` is format | type << 4 | count << 8 | stochastic << 16 | saturates << 17.
 * Types: 0 single, 1 half, 2 bfloat. */
struct request {
  const struct small_format *format;
  int type, count, is_stochastic, saturates;
};
static inline struct request read_request(uint32_t kind) {
  return (struct request){&kSmallFormats[(kind & 15) % 7], (int)(kind >> 4 & 15), (int)(kind >> 8 & 255),
                          (int)(kind >> 16 & 1), (int)(kind >> 17 & 1)};
}

static const int kMantissaBits[3] = {23, 10, 7};

static inline float element_of(const uint32_t *registers, uint64_t lane, int k, int type) {
  if (type == 0) return w2w_float(registers[k * kLanes + lane]);
  uint16_t half = (uint16_t)packed_element(registers, lane, k, 16);
  return type == 1 ? w2w_half(half) : w2w_bfloat(half);
}

/* One step of v_prng_b32: each element of a stochastic conversion has its own seed. */
static inline uint32_t next_seed(uint32_t seed) { return seed << 1 ^ (seed >> 31 ? 197 : 0); }

/* `registers`: `count` elements a lane. `scales`: singles of which the exponent counts, or null. */
void w2w_small_pack(uint32_t kind, const uint32_t *registers, const uint32_t *scales, const uint32_t *seeds,
                    uint32_t *restrict result) {
  struct request r = read_request(kind);
  int bits = r.format->bits;
  memset(result, 0, (size_t)((bits * r.count + 31) / 32) * kLanes * sizeof *result);
  W2W_EACH_LANE(lane) {
    struct narrowing how = {scales ? scale_of(scales[lane] >> 23) : 0, kMantissaBits[r.type], r.is_stochastic,
                            r.saturates, seeds ? seeds[lane] : 0};
    for (int k = 0; k < r.count; k++) {
      uint64_t small = float_to_small(element_of(registers, (uint64_t)lane, k, r.type), r.format, &how);
      int at = k * bits, word = at / 32;
      result[word * kLanes + lane] |= (uint32_t)(small << (at % 32));
      if (at % 32 + bits > 32) result[(word + 1) * kLanes + lane] |= (uint32_t)(small >> (32 - at % 32));
      how.seed = next_seed(how.seed);
    }
  }
}

double ldexp(double, int);

/* A small float times 2^`scale` as a single, a half or a bfloat, to nearest even; too large becomes infinity. */
static uint32_t widen(uint32_t bits, const struct small_format *format, int scale, int type) {
  float value = small_to_float(bits, format);
  if (scale == kNoScale) value = w2w_float(0x7fc00000 | bits >> (format->bits - 1) << 31);
  else if (scale) value = (float)ldexp(value, scale);
  if (type == 0) return w2w_float_bits(value);
  return type == 1 ? w2w_half_bits(value) : w2w_bfloat_bits(value);
}

/* `count` packed elements to registers: one a single, two halves in a register. */
void w2w_small_unpack(uint32_t kind, const uint32_t *registers, const uint32_t *scales, uint32_t *restrict result) {
  struct request r = read_request(kind);
  W2W_EACH_LANE(lane) {
    int scale = scales ? scale_of(scales[lane] >> 23) : 0;
    for (int k = 0; k < r.count; k++) {
      uint32_t small = packed_element(registers, (uint64_t)lane, k, r.format->bits);
      uint32_t value = widen(small, r.format, scale, r.type);
      if (r.type == 0) result[k * kLanes + lane] = value;
      else if (k % 2) result[k / 2 * kLanes + lane] |= value << 16;
      else result[k / 2 * kLanes + lane] = value;
    }
  }
}
