/* Matrix multiplication: w2w_mfma_<shape>(controls, a, b, c, d), registers of 64 lanes each.
 *
 * `controls`: cbsz in bits 0-7, abid in 8-15, blgp (for doubles: negation of A, B, C) in 16-23.
 *
 * Layouts as AMD's matrix instruction calculator gives them. A is M x K, B is K x N, in `blocks` independent products.
 * Lane l holds row l % M of A (column l % N of B); the rest of the lane number counts blocks first, then groups of K
 * elements, which are packed from the lowest bits of the lane's registers. Of D, lane l holds column l % N; register r
 * and the rest of the lane number give the row: groups of four rows (doubles: single rows) change fastest with r, then
 * with the lane.
 *
 * AMD does not document the order of the sum nor intermediate rounding: here each product is fused into the sum, in
 * ascending order of k, in single precision (double for doubles, 32-bit integers for bytes). */
#include "helpers.h"

struct shape {
  int rows, depth, blocks; /* M = N, K, blocks */
};

static inline uint32_t packed_bits(const uint32_t *registers, int lane, int element, int bits) {
  int per_register = 32 / bits;
  uint32_t word = registers[element / per_register * kLanes + lane] >> (element % per_register * bits);
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

static inline float as_single(uint32_t bits) { return w2w_float(bits); }
static inline float as_half(uint32_t bits) { return w2w_half((uint16_t)bits); }
static inline float as_bfloat(uint32_t bits) { return w2w_bfloat((uint16_t)bits); }
/* xf32: a single of which the lowest 13 mantissa bits do not count. */
static inline float as_xf32(uint32_t bits) { return w2w_float(bits & 0xffffe000); }
static inline float as_byte(uint32_t bits) { return (float)(int8_t)bits; }

static inline int lane_of(struct shape s, int block, int row, int group) {
  return row + s.rows * (block + s.blocks * group);
}

/* The lane whose B this lane uses (CDNA3 ISA, "Broadcasting values": BLGP). */
static inline int permuted_lane(int lane, unsigned pattern) {
  switch (pattern) {
    case 1: return lane & 31;
    case 2: return 32 | lane;
    case 3: return (lane + 16) & 63;
    case 4: return lane & 15;
    case 5: return 16 + (lane & 15);
    case 6: return 32 + (lane & 15);
    case 7: return 48 + (lane & 15);
    default: return lane;
  }
}

/* The block whose A a block uses: with cbsz, groups of 2^cbsz blocks share block abid of the group. */
static inline int broadcast_block(int block, unsigned cbsz, unsigned abid) {
  int group = 1 << cbsz;
  return cbsz ? block / group * group + (int)abid % group : block;
}

#define DEFINE_MFMA(name, element, bits, decode, m, k_total, block_count, accumulator, fused)                         \
  void w2w_mfma_##name(uint32_t controls, const uint32_t *a, const uint32_t *b, const accumulator *c, accumulator *d) { \
    enum { kRows = m, kBlocks = block_count, kDepth = k_total };                                                      \
    enum { kGroups = kLanes / (kRows * kBlocks), kPerLane = kDepth / kGroups };                                       \
    const struct shape shape = {kRows, kDepth, kBlocks};                                                           \
    static _Thread_local element left[kRows][kDepth], right[kDepth][kRows];                                           \
    static _Thread_local accumulator sums[kRows][kRows], out[kRows * kRows * kBlocks];                                \
    unsigned cbsz = controls & 255, abid = controls >> 8 & 255, pattern = controls >> 16 & 255;                       \
    for (int block = 0; block < kBlocks; block++) {                                                                   \
      int source = broadcast_block(block, cbsz, abid);                                                                \
      for (int group = 0; group < kGroups; group++)                                                                   \
        for (int row = 0; row < kRows; row++)                                                                         \
          for (int e = 0; e < kPerLane; e++) {                                                                        \
            int la = lane_of(shape, source, row, group);                                                              \
            int lb = permuted_lane(lane_of(shape, block, row, group), pattern);                                       \
            left[row][group * kPerLane + e] = (element)decode(packed_bits(a, la, e, bits));                           \
            right[group * kPerLane + e][row] = (element)decode(packed_bits(b, lb, e, bits));                          \
          }                                                                                                           \
      for (int row = 0; row < kRows; row++)                                                                           \
        for (int column = 0; column < kRows; column++) sums[row][column] = c[place(shape, block, row, column)];       \
      for (int row = 0; row < kRows; row++)                                                                           \
        for (int k = 0; k < kDepth; k++)                                                                              \
          for (int column = 0; column < kRows; column++)                                                              \
            sums[row][column] = fused(left[row][k], right[k][column], sums[row][column]);                             \
      for (int row = 0; row < kRows; row++)                                                                           \
        for (int column = 0; column < kRows; column++) out[place(shape, block, row, column)] = sums[row][column];     \
    }                                                                                                                 \
    memcpy(d, out, sizeof out);                                                                                       \
  }

/* Where element (row, column) of a block of C or D is: register * 64 + lane. */
static inline int place(struct shape s, int block, int row, int column) {
  int lanes_over = kLanes / s.rows; /* lanes that share a column */
  if (s.rows == 4) return row * kLanes + column + 4 * block;
  int quad = row / 4;
  int lane = column + s.rows * (quad % lanes_over);
  int registers = s.rows * s.rows / kLanes; /* of one block */
  return (block * registers + quad / lanes_over * 4 + row % 4) * kLanes + lane;
}

static inline int32_t fused_int(int32_t a, int32_t b, int32_t c) {
  return (int32_t)((uint32_t)c + (uint32_t)a * (uint32_t)b);
}
#define DEFINE_FLOAT_MFMA(name, bits, decode, m, k, blocks) \
  DEFINE_MFMA(name, float, bits, decode, m, k, blocks, float, __builtin_fmaf)
#define DEFINE_BYTE_MFMA(name, m, k, blocks) DEFINE_MFMA(name, int32_t, 8, as_byte, m, k, blocks, int32_t, fused_int)

DEFINE_FLOAT_MFMA(f32_32x32x1_2b_f32, 32, as_single, 32, 1, 2)
DEFINE_FLOAT_MFMA(f32_16x16x1_4b_f32, 32, as_single, 16, 1, 4)
DEFINE_FLOAT_MFMA(f32_4x4x1_16b_f32, 32, as_single, 4, 1, 16)
DEFINE_FLOAT_MFMA(f32_32x32x2_f32, 32, as_single, 32, 2, 1)
DEFINE_FLOAT_MFMA(f32_16x16x4_f32, 32, as_single, 16, 4, 1)
DEFINE_FLOAT_MFMA(f32_32x32x4_xf32, 32, as_xf32, 32, 4, 1)
DEFINE_FLOAT_MFMA(f32_16x16x8_xf32, 32, as_xf32, 16, 8, 1)
#define DEFINE_SIXTEEN(type, decode)                                      \
  DEFINE_FLOAT_MFMA(f32_32x32x4_2b_##type, 16, decode, 32, 4, 2)          \
  DEFINE_FLOAT_MFMA(f32_16x16x4_4b_##type, 16, decode, 16, 4, 4)          \
  DEFINE_FLOAT_MFMA(f32_4x4x4_16b_##type, 16, decode, 4, 4, 16)           \
  DEFINE_FLOAT_MFMA(f32_32x32x8_##type, 16, decode, 32, 8, 1)             \
  DEFINE_FLOAT_MFMA(f32_16x16x16_##type, 16, decode, 16, 16, 1)           \
  DEFINE_FLOAT_MFMA(f32_32x32x16_##type, 16, decode, 32, 16, 1)           \
  DEFINE_FLOAT_MFMA(f32_16x16x32_##type, 16, decode, 16, 32, 1)
DEFINE_SIXTEEN(f16, as_half)
DEFINE_SIXTEEN(bf16, as_bfloat)
DEFINE_BYTE_MFMA(i32_32x32x4_2b_i8, 32, 4, 2)
DEFINE_BYTE_MFMA(i32_16x16x4_4b_i8, 16, 4, 4)
DEFINE_BYTE_MFMA(i32_4x4x4_16b_i8, 4, 4, 16)
DEFINE_BYTE_MFMA(i32_32x32x16_i8, 32, 16, 1)
DEFINE_BYTE_MFMA(i32_16x16x32_i8, 16, 32, 1)
DEFINE_BYTE_MFMA(i32_32x32x32_i8, 32, 32, 1)
DEFINE_BYTE_MFMA(i32_16x16x64_i8, 16, 64, 1)

/* ---- 8-bit floats: A and B may be of different formats ------------------------------------------------------------ */

void w2w_from_fp8_fnuz(const uint32_t *, float *);
void w2w_from_bf8_fnuz(const uint32_t *, float *);
void w2w_from_fp8_ocp(const uint32_t *, float *);
void w2w_from_bf8_ocp(const uint32_t *, float *);
typedef void (*convert_fn)(const uint32_t *, float *);

/* The eight bytes of each lane of a register pair as singles, one array of 64 lanes an element. */
static void widen(const uint32_t *registers, convert_fn convert, float *wide) {
  for (int e = 0; e < 8; e++) {
    uint32_t bytes[kLanes];
    W2W_EACH_LANE(lane) bytes[lane] = packed_bits(registers, lane, e, 8);
    convert(bytes, wide + e * kLanes);
  }
}

static void multiply_float8(struct shape s, convert_fn convert_a, convert_fn convert_b, const uint32_t *a,
                            const uint32_t *b, const float *c, float *d) {
  float left[8 * kLanes], right[8 * kLanes], out[16 * kLanes];
  widen(a, convert_a, left);
  widen(b, convert_b, right);
  for (int row = 0; row < s.rows; row++)
    for (int column = 0; column < s.rows; column++) {
      float sum = c[place(s, 0, row, column)];
      for (int k = 0; k < s.depth; k++)
        sum = __builtin_fmaf(left[k % 8 * kLanes + lane_of(s, 0, row, k / 8)],
                             right[k % 8 * kLanes + lane_of(s, 0, column, k / 8)], sum);
      out[place(s, 0, row, column)] = sum;
    }
  memcpy(d, out, (size_t)(s.rows * s.rows) * sizeof *out);
}

#define DEFINE_FLOAT8_MFMA(m, k, a_type, b_type, family)                                                            \
  void w2w_mfma_f32_##m##x##m##x##k##_##a_type##_##b_type##_##family(uint32_t controls, const uint32_t *a,          \
                                                                     const uint32_t *b, const float *c, float *d) { \
    (void)controls;                                                                                                 \
    multiply_float8((struct shape){m, k, 1}, w2w_from_##a_type##_##family, w2w_from_##b_type##_##family, a, b, c, d); \
  }
#define DEFINE_FLOAT8_PAIRS(m, k, family)         \
  DEFINE_FLOAT8_MFMA(m, k, fp8, fp8, family)      \
  DEFINE_FLOAT8_MFMA(m, k, fp8, bf8, family)      \
  DEFINE_FLOAT8_MFMA(m, k, bf8, fp8, family)      \
  DEFINE_FLOAT8_MFMA(m, k, bf8, bf8, family)
DEFINE_FLOAT8_PAIRS(16, 32, fnuz)
DEFINE_FLOAT8_PAIRS(16, 32, ocp)
DEFINE_FLOAT8_PAIRS(32, 16, fnuz)
DEFINE_FLOAT8_PAIRS(32, 16, ocp)

/* ---- doubles ---------------------------------------------------------------------------------------------------------- */

static inline double pair(const uint32_t *registers, int at, int lane) {
  return w2w_double((uint64_t)registers[(2 * at + 1) * kLanes + lane] << 32 | registers[2 * at * kLanes + lane]);
}
static inline void set_pair(uint32_t *registers, int at, int lane, double value) {
  uint64_t bits = w2w_double_bits(value);
  registers[2 * at * kLanes + lane] = (uint32_t)bits;
  registers[(2 * at + 1) * kLanes + lane] = (uint32_t)(bits >> 32);
}
static inline double negated(double value, unsigned is_negated) { return is_negated & 1 ? -value : value; }

/* 16 x 16 x 4: row 4r + l/16 of D is in register pair r. */
void w2w_mfma_f64_16x16x4_f64(uint32_t controls, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) {
  uint32_t out[8 * kLanes];
  unsigned signs = controls >> 16;
  for (int row = 0; row < 16; row++)
    for (int column = 0; column < 16; column++) {
      int lane = column + 16 * (row % 4);
      double sum = negated(pair(c, row / 4, lane), signs >> 2);
      for (int k = 0; k < 4; k++)
        sum = __builtin_fma(negated(pair(a, 0, row + 16 * k), signs), negated(pair(b, 0, column + 16 * k), signs >> 1), sum);
      set_pair(out, row / 4, lane, sum);
    }
  memcpy(d, out, sizeof out);
}

/* Four blocks of 4 x 4 x 4: lane = column + 4 * (block + 4 * row); A and B likewise, with k for the row. */
void w2w_mfma_f64_4x4x4_4b_f64(uint32_t controls, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) {
  uint32_t out[2 * kLanes];
  unsigned signs = controls >> 16;
  for (int block = 0; block < 4; block++)
    for (int row = 0; row < 4; row++)
      for (int column = 0; column < 4; column++) {
        int lane = column + 4 * (block + 4 * row);
        double sum = negated(pair(c, 0, lane), signs >> 2);
        for (int k = 0; k < 4; k++)
          sum = __builtin_fma(negated(pair(a, 0, row + 4 * (block + 4 * k)), signs),
                              negated(pair(b, 0, column + 4 * (block + 4 * k)), signs >> 1), sum);
        set_pair(out, 0, lane, sum);
      }
  memcpy(d, out, sizeof out);
}
