/* Typed buffers: conversions between the data formats of a buffer descriptor and registers (CDNA4 ISA, "Buffer Data").
 *
 * `format`: data format in bits 0-3, number format in bits 4-6, as the MTBUF encoding has them. Names of data formats
 * begin with the component in the highest bits: of 2_10_10_10, X is in the lowest ten. */
#include "helpers.h"

enum { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kReserved, kFloat };

struct layout {
  int count;          /* components */
  int bits[4];        /* of each, from the lowest */
};

static const struct layout kLayouts[16] = {
    {0, {0}},          {1, {8}},           {1, {16}},          {2, {8, 8}},
    {1, {32}},         {2, {16, 16}},      {3, {11, 11, 10}},  {3, {10, 11, 11}},
    {4, {2, 10, 10, 10}}, {4, {10, 10, 10, 2}}, {4, {8, 8, 8, 8}}, {2, {32, 32}},
    {4, {16, 16, 16, 16}}, {3, {32, 32, 32}}, {4, {32, 32, 32, 32}}, {0, {0}},
};

/* Bytes of one element. */
uint32_t w2w_format_bytes(uint32_t format) {
  const struct layout *layout = &kLayouts[format & 15];
  int bits = 0;
  for (int k = 0; k < layout->count; k++) bits += layout->bits[k];
  return (uint32_t)bits / 8;
}

static uint32_t ones(int bits) { return bits == 32 ? ~UINT32_C(0) : (UINT32_C(1) << bits) - 1; }
static int32_t signed_bits(uint32_t value, int bits) { return (int32_t)(value << (32 - bits)) >> (32 - bits); }

/* Floats of 10 and 11 bits have five exponent bits and no sign: a half without its sign and lowest bits. */
static float from_float_bits(uint32_t bits, int width) {
  if (width == 32) return w2w_float(bits);
  return w2w_half((uint16_t)(width < 16 ? bits << (15 - width) : bits));
}
static uint32_t to_float_bits(float value, int width) {
  if (width == 32) return w2w_float_bits(value);
  if (width == 16) return w2w_half_bits(value);
  if (value != value) return ones(width);
  uint32_t half = value < 0 ? 0 : w2w_half_bits(value), drop = 15 - (uint32_t)width;
  return half >> drop;
}

/* A component as the 32 bits that a register gets: a float, or an integer for the integer formats. */
static uint32_t decode(uint32_t bits, int width, uint32_t number) {
  float scale;
  switch (number) {
    case kUnorm: return w2w_float_bits((float)((double)bits / ones(width)));
    case kSnorm:
      scale = (float)((double)signed_bits(bits, width) / (ones(width) >> 1));
      return w2w_float_bits(scale < -1 ? -1 : scale);
    case kUscaled: return w2w_float_bits((float)bits);
    case kSscaled: return w2w_float_bits((float)signed_bits(bits, width));
    case kSint: return (uint32_t)signed_bits(bits, width);
    case kFloat: return width >= 10 ? w2w_float_bits(from_float_bits(bits, width)) : 0;
    default: return bits;
  }
}

/* `value` limited to [low, high], rounded to nearest even; NaN gives 0. */
static int64_t bounded(double value, double low, double high) {
  if (value != value) return 0;
  return (int64_t)__builtin_rint(value < low ? low : (value > high ? high : value));
}
static uint32_t encode(uint32_t value, int width, uint32_t number) {
  double x = w2w_float(value), largest = ones(width), half = ones(width) >> 1;
  int64_t result = value;
  if (number == kUnorm) result = bounded(x * largest, 0, largest);
  if (number == kSnorm) result = bounded(x * half, -half, half);
  if (number == kUscaled) result = bounded(x, 0, largest);
  if (number == kSscaled) result = bounded(x, -half - 1, half);
  if (number == kFloat) result = width >= 10 ? to_float_bits((float)x, width) : 0;
  return (uint32_t)result & ones(width);
}

static uint32_t take_bits(const unsigned char *from, int at, int width) {
  uint64_t bits = 0;
  for (int byte = 0; byte < (at % 8 + width + 7) / 8; byte++) bits |= (uint64_t)from[at / 8 + byte] << (8 * byte);
  return (uint32_t)(bits >> (at % 8)) & ones(width);
}
static void put_bits(unsigned char *to, int at, int width, uint32_t value) {
  for (int k = 0; k < width; k++)
    to[(at + k) / 8] = (unsigned char)((to[(at + k) / 8] & ~(1u << (at + k) % 8)) | (value >> k & 1) << (at + k) % 8);
}

/* What a register component gets: `selector` 0 and 1 are constants, 4 to 7 are X to W. */
static uint32_t selected(const uint32_t *components, uint32_t selector, uint32_t number) {
  if (selector == 1) return number == kUint || number == kSint ? 1 : w2w_float_bits(1.0f);
  return selector >= 4 ? components[selector - 4] : 0;
}
static uint32_t to_sixteen(uint32_t value, uint32_t number) {
  return number == kUint || number == kSint ? value & 0xffff : w2w_half_bits(w2w_float(value));
}

/* Lanes of `exec` get `count` components, or halves of them; those out of bounds (not in `inside`) read zeros.
 * `selectors`: three bits a component. */
void w2w_load_format(uint64_t exec, uint64_t inside, const uint64_t *addresses, uint32_t format, uint32_t selectors,
                     uint32_t count, uint32_t is_d16, uint32_t *data) {
  const struct layout *layout = &kLayouts[format & 15];
  uint32_t number = format >> 4 & 7;
  W2W_EACH_ACTIVE_LANE(lane, exec) {
    uint32_t components[4] = {0, 0, 0, 0};
    for (int k = 0, at = 0; k < layout->count && inside >> lane & 1; at += layout->bits[k++])
      components[k] = decode(take_bits((const unsigned char *)addresses[lane], at, layout->bits[k]), layout->bits[k], number);
    for (uint32_t k = 0; k < count; k++) {
      uint32_t value = selected(components, selectors >> (3 * k) & 7, number);
      if (is_d16) value = to_sixteen(value, number);
      data[k * kLanes + lane] = value;
    }
  }
}

/* The first `count` components of an element are written; the others only where they share its bytes: as zeros. */
void w2w_store_format(uint64_t inside, const uint64_t *addresses, uint32_t format, uint32_t count, uint32_t is_d16,
                      const uint32_t *data) {
  const struct layout *layout = &kLayouts[format & 15];
  uint32_t number = format >> 4 & 7;
  int is_integer = number == kUint || number == kSint;
  W2W_EACH_ACTIVE_LANE(lane, inside) {
    unsigned char *to = (unsigned char *)addresses[lane];
    for (int k = 0, at = 0; k < layout->count; at += layout->bits[k++]) {
      int is_given = (uint32_t)k < count;
      if (!is_given && layout->bits[k] % 8 == 0) break;
      uint32_t value = is_given ? data[(uint32_t)k * kLanes + lane] : 0;
      if (is_d16 && is_given && !is_integer) value = w2w_float_bits(w2w_half((uint16_t)value));
      if (is_d16 && is_given && number == kSint) value = (uint32_t)signed_bits(value, 16);
      put_bits(to, at, layout->bits[k], encode(value, layout->bits[k], number));
    }
  }
}
