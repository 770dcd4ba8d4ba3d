/* Scalar and packed video instructions. PTX ISA 9.7.19. Values are widened to 64 bits. */
INLINE s64 select_part(u32 value, u32 shift, u32 bits, int is_signed) {
  u32 part = value >> shift & (bits == 32 ? ~0u : (1u << bits) - 1);
  return is_signed ? (s64)(s32)(part << (32 - bits)) >> (32 - bits) : (s64)part;
}
INLINE s64 saturate_part(s64 v, u32 bits, int is_signed) {
  return is_signed ? clamp_s64(v, -(1l << (bits - 1)), (1l << (bits - 1)) - 1) : clamp_s64(v, 0, (1l << bits) - 1);
}
INLINE u32 merge_part(s64 v, u32 base, u32 shift, u32 bits) {
  u32 mask = (bits == 32 ? ~0u : (1u << bits) - 1) << shift;
  return (base & ~mask) | ((u32)v << shift & mask);
}

enum lane_operation { LANE_ADD, LANE_SUB, LANE_AVERAGE, LANE_ABSDIFF, LANE_MIN, LANE_MAX };

INLINE s64 operate_lane(enum lane_operation operation, s64 a, s64 b) {
  switch (operation) {
    case LANE_ADD:
      return a + b;
    case LANE_SUB:
      return a - b;
    case LANE_AVERAGE:
      return (a + b + (a + b >= 0)) >> 1;
    case LANE_ABSDIFF:
      return a > b ? a - b : b - a;
    case LANE_MIN:
      return a < b ? a : b;
    default:
      return a > b ? a : b;
  }
}

/* v*2 and v*4: `lanes` parts; lanes outside `mask` keep c; `accumulate` adds the results to c instead. */
INLINE u32 packed_operation(enum lane_operation operation, u32 lanes, u32 a, u32 b, u32 c, u32 mask, int a_signed,
                            int b_signed, int d_signed, int saturate, int accumulate) {
  u32 bits = 32 / lanes, result = c;
  for (u32 i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    s64 v = operate_lane(operation, select_part(a, i * bits, bits, a_signed), select_part(b, i * bits, bits, b_signed));
    if (saturate) v = saturate_part(v, bits, d_signed);
    result = accumulate ? result + (u32)v : merge_part(v, result, i * bits, bits);
  }
  return result;
}
enum comparison { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };
INLINE int compare_lane(enum comparison comparison, s64 a, s64 b) {
  switch (comparison) {
    case COMPARE_EQ:
      return a == b;
    case COMPARE_NE:
      return a != b;
    case COMPARE_LT:
      return a < b;
    case COMPARE_LE:
      return a <= b;
    case COMPARE_GT:
      return a > b;
    default:
      return a >= b;
  }
}
INLINE u32 packed_compare(enum comparison comparison, u32 lanes, u32 a, u32 b, u32 c, u32 mask, int a_signed,
                          int b_signed, int accumulate) {
  u32 bits = 32 / lanes, result = c;
  for (u32 i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    s64 v =
        compare_lane(comparison, select_part(a, i * bits, bits, a_signed), select_part(b, i * bits, bits, b_signed));
    result = accumulate ? result + (u32)v : merge_part(v, result, i * bits, bits);
  }
  return result;
}
/* Lanes of a pair of registers by selectors, e.g. b7610: four hex digits' worth in `order`, lowest lane first. */
INLINE u32 gather_parts(u32 a, u32 b, u32 order, u32 lanes) {
  u64 both = (u64)b << 32 | a;
  u32 bits = 32 / lanes, result = 0;
  for (u32 i = 0; i < lanes; ++i) {
    u32 part = order >> (4 * i) & 7;
    result |= (u32)(both >> (part * bits) & ((1ul << bits) - 1)) << (i * bits);
  }
  return result;
}
