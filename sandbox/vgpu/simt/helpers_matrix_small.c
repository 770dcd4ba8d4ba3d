/* Matrix multiplication of floats of 8, 6 and 4 bits with a scale for each 32 elements of K (CDNA4 ISA, "Block Scaled
 * Matrices" and "8-bit and Smaller Matrix Operations and Layouts"), and of sparse matrices ("Sparse Matrices").
 *
 * Lane l holds row l % rows of A (column l % rows of B); l / rows is its group. The document does not give the order of
 * sums: here products are summed in double precision, and the sum with C is rounded once. */
#include "helpers_small_floats.h"

/* Lane and register of element (row, column) of C or D: groups of four rows lie in the registers of one lane. */
static inline int output_place(int rows, int row, int column) {
  int lanes_over = kLanes / rows, quad = row / 4;
  return (quad / lanes_over * 4 + row % 4) * kLanes + column + rows * (quad % lanes_over);
}

/* ---- scaled --------------------------------------------------------------------------------------------------------- */

enum { kMaxRows = 32, kMaxDepth = 128, kBlock = 32 };

/* The matrix as rows of K elements. A lane has 32 of them: four- and six-bit ones follow each other; of eight-bit ones
 * the first and the second 16 are half of K apart. */
static void read_rows(const uint32_t *registers, const struct small_format *format, int rows, int depth,
                      float elements[kMaxRows][kMaxDepth]) {
  W2W_EACH_LANE(lane) {
    int group = lane / rows;
    for (int item = 0; item < kBlock; item++) {
      int k = format->bits == 8 ? item / 16 * (depth / 2) + 16 * group + item % 16 : kBlock * group + item;
      uint32_t bits = packed_element(registers, (uint64_t)lane, item, format->bits);
      elements[lane % rows][k] = small_to_float(bits, format);
    }
  }
}

/* Two to the power of a sum of two scales; NaN if either is. */
static double power_of_scales(uint32_t a, uint32_t b) {
  int x = scale_of(a), y = scale_of(b);
  if (x == kNoScale || y == kNoScale) return __builtin_nan("");
  return w2w_double((uint64_t)(1023 + x + y) << 52);
}

/* `controls`: rows (16 or 32) in bits 0-7, formats of A and B in 8-11 and 12-15, bytes of the scale registers in 16-17
 * and 18-19. Scales: one register each; lane l has the scale of row l % rows and of the l / rows-th 32 of K. */
void w2w_mfma_small(uint32_t controls, const uint32_t *a, const uint32_t *b, const float *c, const uint32_t *scales_a,
                    const uint32_t *scales_b, float *d) {
  static _Thread_local float left[kMaxRows][kMaxDepth], right[kMaxRows][kMaxDepth], out[kMaxRows * kMaxRows];
  int rows = (int)(controls & 255), depth = rows == 16 ? 128 : 64;
  uint32_t shift_a = 8 * (controls >> 16 & 3), shift_b = 8 * (controls >> 18 & 3);
  read_rows(a, &kSmallFormats[(controls >> 8 & 15) % 5], rows, depth, left);
  read_rows(b, &kSmallFormats[(controls >> 12 & 15) % 5], rows, depth, right);
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < rows; column++) {
      double sum = c[output_place(rows, row, column)];
      for (int block = 0; block < depth / kBlock; block++) {
        double dot = 0;
        for (int k = block * kBlock; k < (block + 1) * kBlock; k++) dot += (double)left[row][k] * right[column][k];
        sum += dot * power_of_scales(scales_a[row + rows * block] >> shift_a, scales_b[column + rows * block] >> shift_b);
      }
      out[output_place(rows, row, column)] = (float)sum;
    }
  memcpy(d, out, (size_t)(rows * rows) * sizeof *d);
}

/* ---- sparse ------------------------------------------------------------------------------------------------------- */

enum element_type { kF16, kBf16, kI8, kSmall }; /* small: number in kSmallFormats added */

static double sparse_element(const uint32_t *registers, uint64_t lane, int item, uint32_t type) {
  if (type == kF16) return w2w_half((uint16_t)packed_element(registers, lane, item, 16));
  if (type == kBf16) return w2w_bfloat((uint16_t)packed_element(registers, lane, item, 16));
  uint32_t byte = packed_element(registers, lane, item, 8);
  return type == kI8 ? (double)(int8_t)byte : small_to_float(byte, &kSmallFormats[(type - kSmall) % 7]);
}

/* K of an item of B: 16 bytes of a lane follow each other; if it has 32, the second half of them is half of K away. */
static inline int k_of_item(int item, int per_chunk, int depth, int group) {
  return item / per_chunk * (depth / 2) + per_chunk * group + item % per_chunk;
}

/* `controls`: rows in bits 0-7, K in 8-15, types of A and B in 16-19 and 20-23, first bit of the indices in 24-31.
 * Of four elements of A along K two are there, and two bits each of `indices` say which. `d` is C too: `is_integer` if
 * they are 32-bit integers. */
void w2w_smfmac(uint32_t controls, uint32_t is_integer, const uint32_t *a, const uint32_t *b, const uint32_t *indices,
                uint32_t *d) {
  static _Thread_local double right[kMaxRows][kMaxDepth], sums[kMaxRows][kMaxRows];
  int rows = (int)(controls & 255), depth = (int)(controls >> 8 & 255);
  uint32_t type_a = controls >> 16 & 15, type_b = controls >> 20 & 15, first_bit = controls >> 24;
  int items = depth * rows / kLanes, per_chunk = type_a <= kBf16 ? 8 : 16;
  W2W_EACH_LANE(lane)
    for (int item = 0; item < items; item++)
      right[lane % rows][k_of_item(item, per_chunk, depth, lane / rows)] =
          sparse_element(b, (uint64_t)lane, item, type_b);
  memset(sums, 0, sizeof sums);
  W2W_EACH_LANE(lane)
    for (int item = 0; item < items / 2; item++) {
      int index = (int)(indices[lane] >> (first_bit + 2 * (uint32_t)item) & 3);
      int k = k_of_item(item / 2 * 4 + index, per_chunk, depth, lane / rows);
      double element = sparse_element(a, (uint64_t)lane, item, type_a);
      for (int column = 0; column < rows; column++) sums[lane % rows][column] += element * right[column][k];
    }
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < rows; column++) {
      uint32_t *place = &d[output_place(rows, row, column)];
      if (is_integer) *place += (uint32_t)(int64_t)sums[row][column];
      else *place = w2w_float_bits((float)(w2w_float(*place) + sums[row][column]));
    }
}
