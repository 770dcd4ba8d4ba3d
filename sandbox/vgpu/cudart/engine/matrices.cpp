// mma.sync, wmma, ldmatrix, stmatrix, movmatrix.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "cudart/engine/dot_products.h"
#include "cudart/engine/faults.h"
#include "cudart/engine/matrix_elements.h"
#include "cudart/engine/matrix_layout.h"
#include "cudart/engine/warp_operations.h"
#include "cudart/heap.h"

namespace w2w::cudart {
namespace {

Position position(const w2w_mma& shape, char operand, unsigned element, unsigned elements, unsigned lane, unsigned e) {
  const unsigned bits = element_bits(element);
  if (shape.wmma) {
    const unsigned rows = operand == 'b' ? shape.k : shape.m, columns = operand == 'a' ? shape.k : shape.n;
    return wmma_position(static_cast<unsigned>(operand), rows, columns, elements, lane, e);
  }
  if (operand == 'a') return mma_a_position(shape.m, bits, lane, e);
  if (operand == 'b') return mma_b_position(bits, lane, e);
  return mma_c_position(lane, e);
}

// Elements that a lane's fragment holds. wmma repeats the elements of f16 inputs to fill eight registers.
unsigned fragment_elements(const w2w_mma& shape, char operand, unsigned element) {
  const unsigned rows = operand == 'b' ? shape.k : shape.m, columns = operand == 'a' ? shape.k : shape.n;
  const unsigned own = rows * columns / kWarpSize;
  return shape.wmma && operand != 'c' && element == W2W_F16 ? 16 : own;
}

// A matrix of doubles, which hold every element type exactly.
Matrix gather(Block& block, uint32_t warp, const w2w_mma& shape, char operand, unsigned element, int input) {
  Matrix matrix(operand == 'b' ? shape.k : shape.m, operand == 'a' ? shape.k : shape.n);
  const unsigned elements = fragment_elements(shape, operand, element);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    auto words = static_cast<const uint32_t*>(block.lane(warp, lane).request.input[input]);
    for (unsigned e = 0; e < elements; ++e) {
      Position place = position(shape, operand, element, elements, lane, e);
      matrix.at(place.row, place.column) = read_element(words, element, e);
    }
  }
  return matrix;
}

void scatter(Block& block, uint32_t warp, const w2w_mma& shape, const Matrix& matrix) {
  const unsigned elements = shape.m * shape.n / kWarpSize;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    auto words = static_cast<uint32_t*>(block.lane(warp, lane).request.output);
    for (unsigned e = 0; e < elements; ++e) {
      Position place = position(shape, 'c', shape.d, elements, lane, e);
      write_element(words, shape.d, e, matrix.at(place.row, place.column));
    }
  }
}

// The eight rows of 16 bytes of matrix `number`; its lanes passed their addresses.
char* row_address(Block& block, uint32_t warp, unsigned number, unsigned row) {
  return static_cast<char*>(const_cast<void*>(block.lane(warp, number * 8 + row).request.input[0]));
}

// Calls f(lane, matrix number, half, address of the element in memory).
template <class F>
void each_half(Block& block, uint32_t warp, F f) {
  const WarpRequest& request = block.lane(warp, 0).request;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned number = 0; number < request.a; ++number) {
      for (unsigned half = 0; half < 2; ++half) {
        unsigned row = lane / 4, column = lane % 4 * 2 + half;
        if (request.b) std::swap(row, column);
        f(lane, number, half, row_address(block, warp, number, row) + 2 * column);
      }
    }
  }
}

void load_matrix(Block& block, uint32_t warp) {
  each_half(block, warp, [&](unsigned lane, unsigned number, unsigned half, const char* place) {
    auto values = static_cast<char*>(block.lane(warp, lane).request.output);
    memcpy(values + 4 * number + 2 * half, place, 2);
  });
}

void store_matrix(Block& block, uint32_t warp) {
  each_half(block, warp, [&](unsigned lane, unsigned number, unsigned half, char* place) {
    auto values = static_cast<const char*>(block.lane(warp, lane).request.input[1]);
    memcpy(place, values + 4 * number + 2 * half, 2);
  });
}

void transpose_matrix(Block& block, uint32_t warp) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    auto result = static_cast<char*>(block.lane(warp, lane).request.output);
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned row = lane % 4 * 2 + half, column = lane / 4;
      auto source = static_cast<const char*>(block.lane(warp, row * 4 + column / 2).request.input[0]);
      memcpy(result + 2 * half, source + 2 * (column % 2), 2);
    }
  }
}

constexpr uint32_t kFullWarp = ~0u;

void require_full_warp(Thread& thread, const w2w_site* site) {
  const Warp& warp = thread.owner().warps[thread.warp];
  if (warp.lanes != ~0u || warp.done)
    stop(thread, Outcome::kIllegalInstruction, "trap", site,
         "a matrix instruction needs all 32 lanes of the warp, " + describe_thread(thread));
}

// Address of one element of a fragment in memory, checked.
char* element_address(w2w_thread* t, const w2w_site* site, const w2w_fragment& shape, Position place,
                      unsigned long address, unsigned stride) {
  const unsigned bytes = element_bits(shape.element) / 8;
  const uint64_t index =
      shape.column_major ? uint64_t{place.column} * stride + place.row : uint64_t{place.row} * stride + place.column;
  const uint64_t first = address + index * bytes;
  for (uint64_t byte : {first, first + bytes - 1}) {
    const uint64_t offset = byte - t->heap_base;
    if (offset >= t->heap_size || (offset & 255) + 1 > t->heap_valid[offset >> 8]) w2w_check_address(t, byte, site);
  }
  return reinterpret_cast<char*>(first);
}

// Calls f(byte offset in the lane's registers, address in memory) for each element.
template <class F>
void each_element(w2w_thread* t, const w2w_site* site, const w2w_fragment& shape, unsigned long address,
                  unsigned stride, F f) {
  const unsigned rows = shape.operand == 'b' ? shape.k : shape.m, columns = shape.operand == 'a' ? shape.k : shape.n;
  const unsigned bytes = element_bits(shape.element) / 8, elements = shape.registers * 4u / bytes;
  if (stride == 0) stride = shape.column_major ? rows : columns;
  for (unsigned e = 0; e < elements; ++e) {
    Position place = wmma_position(shape.operand, rows, columns, elements, t->lane, e);
    f(e * bytes, element_address(t, site, shape, place, address, stride), bytes);
  }
}

}  // namespace

void multiply_matrices(Block& block, uint32_t warp) {
  const auto& shape = *static_cast<const w2w_mma*>(block.lane(warp, 0).request.shape);
  Matrix a = gather(block, warp, shape, 'a', shape.a, 0);
  Matrix b = gather(block, warp, shape, 'b', shape.b, 1);
  Matrix c = gather(block, warp, shape, 'c', shape.c, 2);
  multiply_accumulate(shape, a, b, c);
  scatter(block, warp, shape, c);
}

void move_matrix(Block& block, uint32_t warp, uint32_t kind) {
  if (kind == W2W_MEET_LOAD_MATRIX) return load_matrix(block, warp);
  if (kind == W2W_MEET_STORE_MATRIX) return store_matrix(block, warp);
  transpose_matrix(block, warp);
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: the functions below are the C interface of generated code

extern "C" {

void w2w_matrix_multiply(w2w_thread* t, const w2w_site* site, const w2w_mma* shape, unsigned* d, const unsigned* a,
                         const unsigned* b, const unsigned* c) {
  Thread& thread = as_thread(t);
  require_full_warp(thread, site);
  WarpRequest& request = thread.request;
  request.shape = shape;
  request.input[0] = a;
  request.input[1] = b;
  request.input[2] = c;
  request.output = d;
  meet(thread, site, W2W_MEET_MATRIX_MULTIPLY, kFullWarp);
}

void w2w_load_matrix(w2w_thread* t, const w2w_site* site, unsigned count, unsigned transposed, char* row,
                     unsigned* values) {
  Thread& thread = as_thread(t);
  require_full_warp(thread, site);
  WarpRequest& request = thread.request;
  request.a = count;
  request.b = transposed;
  request.input[0] = row;
  request.output = values;
  meet(thread, site, W2W_MEET_LOAD_MATRIX, kFullWarp);
}

void w2w_store_matrix(w2w_thread* t, const w2w_site* site, unsigned count, unsigned transposed, char* row,
                      const unsigned* values) {
  Thread& thread = as_thread(t);
  require_full_warp(thread, site);
  WarpRequest& request = thread.request;
  request.a = count;
  request.b = transposed;
  request.input[0] = row;
  request.input[1] = values;
  meet(thread, site, W2W_MEET_STORE_MATRIX, kFullWarp);
}

void w2w_transpose_matrix(w2w_thread* t, const w2w_site* site, const unsigned* value, unsigned* result) {
  Thread& thread = as_thread(t);
  require_full_warp(thread, site);
  WarpRequest& request = thread.request;
  request.input[0] = value;
  request.output = result;
  meet(thread, site, W2W_MEET_TRANSPOSE_MATRIX, kFullWarp);
}

void w2w_load_fragment(w2w_thread* t, const w2w_site* site, const w2w_fragment* shape, unsigned long address,
                       unsigned stride, unsigned* values) {
  auto bytes = reinterpret_cast<char*>(values);
  each_element(t, site, *shape, address, stride,
               [&](unsigned offset, const char* place, unsigned size) { memcpy(bytes + offset, place, size); });
}

void w2w_store_fragment(w2w_thread* t, const w2w_site* site, const w2w_fragment* shape, unsigned long address,
                        unsigned stride, const unsigned* values) {
  auto bytes = reinterpret_cast<const char*>(values);
  each_element(t, site, *shape, address, stride,
               [&](unsigned offset, char* place, unsigned size) { memcpy(place, bytes + offset, size); });
}

}  // extern "C"
