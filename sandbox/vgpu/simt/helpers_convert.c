/* Conversions to bfloat16, and of single small floats for the matrix helpers. */
#include "helpers_small_floats.h"

void w2w_pack_bf16(const float *low, const float *high, uint32_t *restrict result) {
  W2W_EACH_LANE(lane) result[lane] = w2w_bfloat_bits(low[lane]) | (uint32_t)w2w_bfloat_bits(high[lane]) << 16;
}

/* Random bits are added below the last bit kept. */
static const struct small_format kHalf = {16, 10, 15, kInfinities}, kBfloat = {16, 7, 127, kInfinities};

static inline uint32_t stochastic(float x, const struct small_format *format, uint32_t seed) {
  struct narrowing how = {0, 23, 1, 0, seed};
  return float_to_small(x, format, &how);
}
void w2w_stochastic_bf16(const float *x, const uint32_t *random, uint32_t *restrict result) {
  W2W_EACH_LANE(lane)
    result[lane] = x[lane] != x[lane] ? w2w_bfloat_bits(x[lane]) : stochastic(x[lane], &kBfloat, random[lane]);
}
void w2w_stochastic_f16(const float *x, const uint32_t *random, uint32_t *restrict result) {
  W2W_EACH_LANE(lane)
    result[lane] = x[lane] != x[lane] ? w2w_half_bits(x[lane]) : stochastic(x[lane], &kHalf, random[lane]);
}

#define DEFINE_FROM(name, number)                                                                  \
  void w2w_from_##name(const uint32_t *x, float *restrict result) {                                \
    W2W_EACH_LANE(lane) result[lane] = small_to_float(x[lane] & 255, &kSmallFormats[number]);      \
  }
DEFINE_FROM(fp8_ocp, 0)
DEFINE_FROM(bf8_ocp, 1)
DEFINE_FROM(fp8_fnuz, 5)
DEFINE_FROM(bf8_fnuz, 6)
