/* Conversions between numbers. PTX ISA 9.7.9 (cvt). */
INLINE float round_integral_f32(float f, enum w2w_rounding rounding) {
  switch (rounding) {
    case W2W_ROUND_NEAREST:
      return __builtin_rintf(f);
    case W2W_ROUND_ZERO:
      return __builtin_truncf(f);
    case W2W_ROUND_DOWN:
      return __builtin_floorf(f);
    default:
      return __builtin_ceilf(f);
  }
}
INLINE double round_integral_f64(double f, enum w2w_rounding rounding) {
  switch (rounding) {
    case W2W_ROUND_NEAREST:
      return __builtin_rint(f);
    case W2W_ROUND_ZERO:
      return __builtin_trunc(f);
    case W2W_ROUND_DOWN:
      return __builtin_floor(f);
    default:
      return __builtin_ceil(f);
  }
}
/* `f` is integral already, or NaN, which becomes `nan`. */
INLINE u64 to_signed(double f, u32 bits, u64 nan) {
  if (f != f) return nan;
  double limit = bits == 64 ? 0x1p63 : (double)(1ul << (bits - 1));
  if (f >= limit) return (1ul << (bits - 1)) - 1;
  if (f < -limit) return -(1ul << (bits - 1));
  return (u64)(s64)f;
}
INLINE u64 to_unsigned(double f, u32 bits, u64 nan) {
  if (f != f) return nan;
  if (f <= 0.0) return 0;
  double limit = bits == 64 ? 0x1p64 : (double)(1ul << bits);
  if (f >= limit) return bits == 64 ? ~0ul : (1ul << bits) - 1;
  return (u64)f;
}
