// Where the elements of a matrix lie in the registers of a warp's lanes.
#pragma once
#include <cstdint>

#include "cudart/thread_state.h"

namespace w2w::cudart {

constexpr unsigned element_bits(unsigned element) {
  switch (element) {
    case W2W_F64:
      return 64;
    case W2W_F32:
    case W2W_TF32:
    case W2W_S32:
      return 32;
    case W2W_F16:
    case W2W_BF16:
      return 16;
    case W2W_S4:
    case W2W_U4:
      return 4;
    case W2W_B1:
      return 1;
    default:
      return 8;
  }
}

struct Position {
  unsigned row, column;
};

// mma.sync, PTX ISA 9.7.14.5: element `e` of a lane's fragment of A (rows x k), B (k x 8) or C and D (rows x 8). The
// same rule holds for all types: a group of four lanes holds consecutive parts of a row.
inline Position mma_a_position(unsigned rows, unsigned bits, unsigned lane, unsigned e) {
  const unsigned per_register = bits == 64 ? 1 : 32 / bits, blocks = rows / 8;
  const unsigned number = e / per_register, group = lane / 4, member = lane % 4;
  return {group + 8 * (number % blocks),
          4 * per_register * (number / blocks) + member * per_register + e % per_register};
}
inline Position mma_b_position(unsigned bits, unsigned lane, unsigned e) {
  const unsigned per_register = bits == 64 ? 1 : 32 / bits;
  return {4 * per_register * (e / per_register) + lane % 4 * per_register + e % per_register, lane / 4};
}
inline Position mma_c_position(unsigned lane, unsigned e) { return {lane / 4 + 8 * (e / 2), lane % 4 * 2 + e % 2}; }

// wmma fragments are opaque; accumulators of 16 x 16 are two of mma.sync's side by side, as on the hardware. The
// others are in reading order, and repeated where the registers have room for more.
inline Position wmma_position(unsigned operand, unsigned rows, unsigned columns, unsigned elements, unsigned lane,
                              unsigned e) {
  if (operand == 'c' && rows == 16 && columns == 16) {
    Position inner = mma_c_position(lane, e % 4);
    return {inner.row, inner.column + 8 * (e / 4)};
  }
  const unsigned index = (lane * elements + e) % (rows * columns);
  return {index / columns, index % columns};
}

}  // namespace w2w::cudart
