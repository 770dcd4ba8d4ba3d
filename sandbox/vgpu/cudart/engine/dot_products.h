// The arithmetic of matrix instructions.
#pragma once
#include "cudart/engine/matrix_elements.h"

namespace w2w::cudart {

// c = a * b + c, as the tensor cores do it.
void multiply_accumulate(const w2w_mma& shape, const Matrix& a, const Matrix& b, Matrix& c);

}  // namespace w2w::cudart
