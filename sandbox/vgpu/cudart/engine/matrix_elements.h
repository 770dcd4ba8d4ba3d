// Elements of matrix fragments as doubles, which hold every element type exactly.
#pragma once
#include <cstdint>
#include <vector>

#include "cudart/thread_state.h"

namespace w2w::cudart {

struct Matrix {
  Matrix(unsigned rows_, unsigned columns_) : rows(rows_), columns(columns_), values(size_t{rows_} * columns_) {}
  double& at(unsigned row, unsigned column) { return values[size_t{row} * columns + column]; }
  double at(unsigned row, unsigned column) const { return values[size_t{row} * columns + column]; }

  unsigned rows, columns;
  std::vector<double> values;
};

double read_element(const uint32_t* words, unsigned element, unsigned index);
// Rounds to nearest where the element type cannot hold the value.
void write_element(uint32_t* words, unsigned element, unsigned index, double value);

}  // namespace w2w::cudart
