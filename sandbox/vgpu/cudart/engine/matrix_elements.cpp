#include "cudart/engine/matrix_elements.h"

#include <cmath>
#include <cstring>

#include "cudart/engine/matrix_layout.h"

namespace w2w::cudart {
namespace {

uint64_t read_bits(const uint32_t* words, unsigned bits, unsigned index) {
  if (bits == 64) return words[2 * index] | uint64_t{words[2 * index + 1]} << 32;
  const unsigned per_word = 32 / bits;
  const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  return words[index / per_word] >> (index % per_word * bits) & mask;
}

double float_from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// IEEE layout with `exponent_bits` and `fraction_bits`; `finite`: the largest exponent is an ordinary one (e4m3).
double decode(uint32_t bits, int exponent_bits, int fraction_bits, bool finite) {
  const bool negative = bits >> (exponent_bits + fraction_bits) & 1;
  const int top = (1 << exponent_bits) - 1, bias = top / 2;
  const int exponent = static_cast<int>(bits >> fraction_bits) & top;
  const auto fraction = static_cast<double>(bits & ((1u << fraction_bits) - 1));
  double magnitude;
  if (finite && exponent == top && fraction == (1 << fraction_bits) - 1)
    magnitude = NAN;
  else if (!finite && exponent == top)
    magnitude = fraction != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
  else
    magnitude = std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return negative ? -magnitude : magnitude;
}

// Round to nearest even with 11 bits of significand.
uint16_t encode_f16(double value) {
  if (std::isnan(value)) return 0x7fff;
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) return sign | 0x7c00;
  int exponent = magnitude > 0 ? std::ilogb(magnitude) : -15;
  if (exponent < -14) exponent = -14;
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  const uint32_t biased = units < 1024 ? units : (static_cast<uint32_t>(exponent + 15) << 10) + (units - 1024);
  return static_cast<uint16_t>(sign | biased);
}

}  // namespace

double read_element(const uint32_t* words, unsigned element, unsigned index) {
  const unsigned width = element_bits(element);
  const uint64_t bits = read_bits(words, width, index);
  const auto word = static_cast<uint32_t>(bits);
  switch (element) {
    case W2W_F64: {
      double value;
      memcpy(&value, &bits, sizeof value);
      return value;
    }
    case W2W_F32:
      return float_from_bits(word);
    case W2W_TF32:
      return float_from_bits(word & ~0x1fffu);
    case W2W_BF16:
      return float_from_bits(word << 16);
    case W2W_F16:
      return decode(word, 5, 10, false);
    case W2W_E4M3:
      return decode(word, 4, 3, true);
    case W2W_E5M2:
      return decode(word, 5, 2, false);
    case W2W_S32:
    case W2W_S8:
    case W2W_S4:
      return static_cast<double>(static_cast<int32_t>(word << (32 - width)) >> (32 - width));
    default:
      return static_cast<double>(word);
  }
}

void write_element(uint32_t* words, unsigned element, unsigned index, double value) {
  switch (element) {
    case W2W_F64:
      memcpy(words + 2 * index, &value, sizeof value);
      return;
    case W2W_F32: {
      const auto narrow = static_cast<float>(value);
      const uint32_t nan = 0x7fffffff;
      memcpy(words + index, std::isnan(narrow) ? static_cast<const void*>(&nan) : &narrow, sizeof narrow);
      return;
    }
    case W2W_F16: {
      const uint16_t half = encode_f16(value);
      memcpy(reinterpret_cast<char*>(words) + 2 * index, &half, sizeof half);
      return;
    }
    default:
      words[index] = static_cast<uint32_t>(static_cast<int64_t>(value));
  }
}

}  // namespace w2w::cudart
