/* Floating-point operations. PTX ISA 9.7.3. A NaN that an f32 operation makes is 0x7fffffff; other NaNs are as an
 * H200 makes them. */
INLINE u32 result_f32(float f) { return UNLIKELY(f != f) ? 0x7fffffffu : bits_f32(f); }
INLINE u64 result_f64(double f) { return bits_f64(f); }
INLINE float flush_f32(float f) { return __builtin_fabsf(f) < 0x1p-126f ? __builtin_copysignf(0.0f, f) : f; }
INLINE float saturate_f32(float f) { return f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f; }
INLINE double saturate_f64(double f) { return f > 0.0 ? (f < 1.0 ? f : 1.0) : 0.0; }

#define DEFINE_MINMAX(T, B, as, bits, nan)                                          \
  INLINE T min_##B(T a, T b) {                                                      \
    if (a != a) return b;                                                           \
    if (b != b) return a;                                                           \
    return a == b ? as(bits(a) | bits(b)) : a < b ? a : b;                          \
  }                                                                                 \
  INLINE T max_##B(T a, T b) {                                                      \
    if (a != a) return b;                                                           \
    if (b != b) return a;                                                           \
    return a == b ? as(bits(a) & bits(b)) : a > b ? a : b;                          \
  }                                                                                 \
  INLINE T min_nan_##B(T a, T b) { return a != a || b != b ? nan : min_##B(a, b); } \
  INLINE T max_nan_##B(T a, T b) { return a != a || b != b ? nan : max_##B(a, b); }
DEFINE_MINMAX(float, f32, as_f32, bits_f32, as_f32(0x7fffffffu))
DEFINE_MINMAX(double, f64, as_f64, bits_f64, as_f64(0x7ffffffffffffffful))
#undef DEFINE_MINMAX
/* .xorsign.abs: magnitude of the chosen one, sign of the product. */
INLINE float xor_sign_f32(float magnitude, float a, float b) {
  if (magnitude != magnitude) return as_f32(0x7fffffffu);
  return as_f32((bits_f32(magnitude) & 0x7fffffffu) | ((bits_f32(a) ^ bits_f32(b)) & 0x80000000u));
}

/* div.approx: |b| in (2^126, 2^128) gives 0, or NaN for an infinite a. */
INLINE float divide_approx_f32(float a, float b) {
  float magnitude = __builtin_fabsf(b);
  if (magnitude > 0x1p126f && magnitude < __builtin_inff())
    return __builtin_isinf(a) ? __builtin_nanf("") : __builtin_copysignf(0.0f, a) * __builtin_copysignf(1.0f, b);
  return a / b;
}

/* Zero counts as normal. */
INLINE u32 is_normal_f32(float f) { return __builtin_isnormal(f) || f == 0.0f; }
INLINE u32 is_subnormal_f32(float f) { return f != 0.0f && __builtin_fabsf(f) < 0x1p-126f; }
INLINE u32 is_normal_f64(double f) { return __builtin_isnormal(f) || f == 0.0; }
INLINE u32 is_subnormal_f64(double f) { return f != 0.0 && __builtin_fabs(f) < 0x1p-1022; }

/* a + b, rounded to odd: rounding that once more to fewer bits gives what one rounding would have. */
INLINE double add_to_odd(double a, double b) {
  double sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
  u64 bits = bits_f64(sum);
  if (error == 0.0 || error != error || sum - sum != 0.0 || (bits & 1)) return sum;
  return as_f64((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
