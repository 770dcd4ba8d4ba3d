#include "cudart/engine/dot_products.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace w2w::cudart {
namespace {

constexpr int kNoExponent = std::numeric_limits<int>::min() / 4;
constexpr int kFractionBits = 23, kExtraBits = 2;

std::vector<int> exponents(const Matrix& matrix) {
  std::vector<int> found(matrix.values.size());
  std::transform(matrix.values.begin(), matrix.values.end(), found.begin(),
                 [](double value) { return value == 0 ? kNoExponent : std::ilogb(value); });
  return found;
}

// What the tensor cores of an H200 were measured to do: the products and the addend are aligned to the largest
// exponent among them, cut off two bits below the precision of f32, added exactly, and the sum is cut off to f32.
class AlignedSum {
 public:
  AlignedSum(const Matrix& a, const Matrix& b) : a_(a), b_(b), a_exponents_(exponents(a)), b_exponents_(exponents(b)) {}

  double dot(unsigned row, unsigned column, double addend) const {
    const unsigned k = a_.columns;
    int top = addend == 0 ? kNoExponent : std::ilogb(addend);
    for (unsigned i = 0; i < k; ++i)
      top = std::max(top, a_exponents_[row * k + i] + b_exponents_[i * b_.columns + column]);
    if (top < kNoExponent / 2) return addend;
    const double scale = std::ldexp(1.0, kFractionBits + kExtraBits - top);
    auto sum = static_cast<int64_t>(addend * scale);
    for (unsigned i = 0; i < k; ++i) sum += static_cast<int64_t>(a_.at(row, i) * b_.at(i, column) * scale);
    return truncate(sum, top);
  }

 private:
  static double truncate(int64_t sum, int top) {
    uint64_t magnitude = sum < 0 ? -static_cast<uint64_t>(sum) : static_cast<uint64_t>(sum);
    const int width = magnitude ? 64 - __builtin_clzl(magnitude) : 0;
    if (width > kFractionBits + 1) magnitude &= ~uint64_t{0} << (width - kFractionBits - 1);
    const double value = std::ldexp(static_cast<double>(magnitude), top - kFractionBits - kExtraBits);
    return sum < 0 ? -value : value;
  }

  const Matrix &a_, &b_;
  std::vector<int> a_exponents_, b_exponents_;
};

bool all_finite(const Matrix& matrix) {
  return std::all_of(matrix.values.begin(), matrix.values.end(), [](double value) { return std::isfinite(value); });
}

double plain_dot(const Matrix& a, const Matrix& b, unsigned row, unsigned column, double sum) {
  for (unsigned i = 0; i < a.columns; ++i) sum = std::fma(a.at(row, i), b.at(i, column), sum);
  return sum;
}

double integer_dot(const w2w_mma& shape, const Matrix& a, const Matrix& b, unsigned row, unsigned column,
                   double addend) {
  auto sum = static_cast<int64_t>(addend);
  for (unsigned i = 0; i < a.columns; ++i) {
    const auto x = static_cast<int64_t>(a.at(row, i)), y = static_cast<int64_t>(b.at(i, column));
    if (shape.a == W2W_B1)
      sum += shape.bit_and ? (x & y) : (x ^ y);
    else
      sum += x * y;
  }
  if (shape.saturate) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<double>(static_cast<int32_t>(static_cast<uint64_t>(sum)));
}

}  // namespace

void multiply_accumulate(const w2w_mma& shape, const Matrix& a, const Matrix& b, Matrix& c) {
  const bool integer = shape.c == W2W_S32;
  const bool aligned = !integer && shape.a != W2W_F64 && all_finite(a) && all_finite(b) && all_finite(c);
  const AlignedSum sum(a, b);
  for (unsigned row = 0; row < c.rows; ++row) {
    for (unsigned column = 0; column < c.columns; ++column) {
      double& place = c.at(row, column);
      if (integer)
        place = integer_dot(shape, a, b, row, column, place);
      else
        place = aligned ? sum.dot(row, column, place) : plain_dot(a, b, row, column, place);
    }
  }
}

}  // namespace w2w::cudart
