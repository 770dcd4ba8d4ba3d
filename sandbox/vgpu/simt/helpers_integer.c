/* Bytes: permutation, sums of absolute differences; dot products of packed values. */
#include "helpers.h"

/* Selectors 0 to 7: a byte of {a,b}; 8 to 11: the sign of a 16-bit half of it; 12: 0; above: 0xff. */
void w2w_perm_b32(const uint32_t *a, const uint32_t *b, const uint32_t *selectors, uint32_t *restrict result) {
  W2W_EACH_LANE(lane) {
    uint64_t bytes = (uint64_t)a[lane] << 32 | b[lane];
    uint32_t value = 0;
    for (int k = 0; k < 4; k++) {
      uint32_t selector = selectors[lane] >> (8 * k) & 255, byte;
      if (selector >= 13) byte = 255;
      else if (selector == 12) byte = 0;
      else if (selector >= 8) byte = bytes >> (16 * (selector - 8) + 15) & 1 ? 255 : 0;
      else byte = (uint32_t)(bytes >> (8 * selector)) & 255;
      value |= byte << (8 * k);
    }
    result[lane] = value;
  }
}

static inline uint32_t byte_of(uint32_t value, int k) { return value >> (8 * k) & 255; }
static inline uint32_t difference(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
static inline uint32_t sad_bytes(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (int k = 0; k < 4; k++) sum += difference(byte_of(a, k), byte_of(b, k));
  return sum;
}
/* Bytes that are 0 in the reference `b` do not count. */
static inline uint32_t masked_sad_bytes(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (int k = 0; k < 4; k++) sum += byte_of(b, k) ? difference(byte_of(a, k), byte_of(b, k)) : 0;
  return sum;
}

/* `clamp` saturates the sum with the addend. */
#define DEFINE_SAD(name, expression)                                                                        \
  void w2w_sad_##name(uint32_t clamp, const uint32_t *as, const uint32_t *bs, const uint32_t *cs,           \
                      uint32_t *restrict result) {                                                          \
    W2W_EACH_LANE(lane) {                                                                                   \
      uint32_t a = as[lane], b = bs[lane], sum;                                                             \
      int overflows = __builtin_add_overflow((uint32_t)(expression), cs[lane], &sum);                       \
      result[lane] = clamp && overflows ? UINT32_MAX : sum;                                                 \
    }                                                                                                       \
  }
DEFINE_SAD(u8, sad_bytes(a, b))
DEFINE_SAD(hi_u8, sad_bytes(a, b) << 16)
DEFINE_SAD(masked_u8, masked_sad_bytes(a, b))
DEFINE_SAD(u16, difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16))
DEFINE_SAD(u32, difference(a, b))

/* Averages of bytes, rounded up where the lowest bit of c's byte is set. */
void w2w_lerp_u8(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *restrict result) {
  W2W_EACH_LANE(lane) {
    uint32_t value = 0;
    for (int k = 0; k < 4; k++)
      value |= (byte_of(a[lane], k) + byte_of(b[lane], k) + (c[lane] >> (8 * k) & 1)) >> 1 << (8 * k);
    result[lane] = value;
  }
}

#define DEFINE_QUAD_SAD(name, sad)                                                                      \
  void w2w_##name##_u16(uint32_t clamp, const uint64_t *windows, const uint32_t *references,            \
                        const uint64_t *sums, uint64_t *restrict result) {                              \
    W2W_EACH_LANE(lane) {                                                                               \
      uint64_t value = 0;                                                                               \
      for (int k = 0; k < 4; k++) {                                                                     \
        uint32_t sum = sad((uint32_t)(windows[lane] >> (8 * k)), references[lane]);                     \
        sum += (uint32_t)(sums[lane] >> (16 * k)) & 0xffff;                                             \
        if (clamp && sum > 0xffff) sum = 0xffff;                                                        \
        value |= (uint64_t)(sum & 0xffff) << (16 * k);                                                  \
      }                                                                                                 \
      result[lane] = value;                                                                             \
    }                                                                                                   \
  }
DEFINE_QUAD_SAD(qsad, sad_bytes)
DEFINE_QUAD_SAD(mqsad, masked_sad_bytes)

/* `sums` and `result`: four registers. */
void w2w_mqsad_u32(uint32_t clamp, const uint64_t *windows, const uint32_t *references, const uint32_t *sums,
                   uint32_t *restrict result) {
  for (int k = 0; k < 4; k++)
    W2W_EACH_LANE(lane) {
      uint32_t difference_sum = masked_sad_bytes((uint32_t)(windows[lane] >> (8 * k)), references[lane]), sum;
      int overflows = __builtin_add_overflow(difference_sum, sums[k * kLanes + lane], &sum);
      result[k * kLanes + lane] = clamp && overflows ? UINT32_MAX : sum;
    }
}

/* ---- dot products: `clamp` saturates integer sums to 32 bits ------------------------------------------------------- */

static inline int64_t element(uint32_t packed, int k, int bits, int is_signed) {
  uint32_t value = packed << (32 - bits * (k + 1));
  return is_signed ? (int32_t)value >> (32 - bits) : (int64_t)(value >> (32 - bits));
}
static inline uint32_t saturated(int64_t sum, uint32_t clamp, int is_signed) {
  if (!clamp) return (uint32_t)sum;
  if (is_signed) return (uint32_t)(sum > INT32_MAX ? INT32_MAX : (sum < INT32_MIN ? INT32_MIN : sum));
  return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

#define DEFINE_INTEGER_DOT(name, bits, is_signed)                                                              \
  void w2w_dot_##name(uint32_t clamp, const uint32_t *a, const uint32_t *b, const uint32_t *c,                 \
                      uint32_t *restrict result) {                                                             \
    W2W_EACH_LANE(lane) {                                                                                      \
      int64_t sum = is_signed ? (int64_t)(int32_t)c[lane] : (int64_t)c[lane];                                  \
      for (int k = 0; k < 32 / bits; k++)                                                                      \
        sum += element(a[lane], k, bits, is_signed) * element(b[lane], k, bits, is_signed);                    \
      result[lane] = saturated(sum, clamp, is_signed);                                                         \
    }                                                                                                          \
  }
DEFINE_INTEGER_DOT(i32_i16, 16, 1)
DEFINE_INTEGER_DOT(u32_u16, 16, 0)
DEFINE_INTEGER_DOT(i32_i8, 8, 1)
DEFINE_INTEGER_DOT(u32_u8, 8, 0)
DEFINE_INTEGER_DOT(i32_i4, 4, 1)
DEFINE_INTEGER_DOT(u32_u4, 4, 0)

/* Each sum is rounded; the documents give the orders (CDNA4 ISA, V_DOT2_F32_F16 and V_DOT2_F32_BF16). */
#define DEFINE_FLOAT_DOT(name, convert, sum)                                                                   \
  void w2w_dot_##name(uint32_t clamp, const uint32_t *a, const uint32_t *b, const float *c,                    \
                      float *restrict result) {                                                                \
    (void)clamp;                                                                                               \
    W2W_EACH_LANE(lane) {                                                                                      \
      float low = convert((uint16_t)a[lane]) * convert((uint16_t)b[lane]);                                     \
      float high = convert((uint16_t)(a[lane] >> 16)) * convert((uint16_t)(b[lane] >> 16));                    \
      result[lane] = sum;                                                                                      \
    }                                                                                                          \
  }
DEFINE_FLOAT_DOT(f32_f16, w2w_half, high + (low + c[lane]))
DEFINE_FLOAT_DOT(f32_bf16, w2w_bfloat, (low + high) + c[lane])
DEFINE_FLOAT_DOT(accumulate_f32_bf16, w2w_bfloat, high + (low + c[lane]))

/* ---- a table of screen partitions, one hexadecimal digit an entry (Vega ISA, V_SCREEN_PARTITION_4SE_B32) ------------ */

static const char kPartitions[257] =
    "137f5fff7ffffffff26efafffbffffffdf4cff5fffdfffff9bf8fffafffeffff"
    "ffff4cdf6fffeffffffff89bf99ffdffffff7f13ff9fffbfffff6ef26ff6fff7"
    "bfffffff23bfaffff7fffffff19df5ffffefffffef8cffaffffdffff67f4fff5"
    "9fffdfffffff8ceff66ffefffffff467ff6fff7fffffbf239ff9fffbffff9df1";
void w2w_screen_partition(const uint32_t *x, uint32_t *restrict result) {
  W2W_EACH_LANE(lane) {
    char digit = kPartitions[x[lane] & 255];
    result[lane] = (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
}
