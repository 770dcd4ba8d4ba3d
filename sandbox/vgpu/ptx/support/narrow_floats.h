/* Formats narrower than f32: f16, bf16, tf32, e4m3, e5m2. Arithmetic is done in f32 or f64, whose precision makes
 * the second rounding harmless, and fused forms round to odd before. */

/* Round to a format with IEEE's layout. Overflow gives infinity where the rounding says so. */
static u32 narrow_f64(double x, int exponent_bits, int fraction_bits, enum w2w_rounding rounding) {
  u64 bits = bits_f64(x);
  u32 sign = (u32)(bits >> 63) << (exponent_bits + fraction_bits);
  u32 infinity = ((1u << exponent_bits) - 1) << fraction_bits;
  if (x != x) return infinity | ((1u << fraction_bits) - 1);
  if (x - x != 0.0) return sign | infinity;
  if (x == 0.0) return sign;
  int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  u64 fraction = bits & 0xffffffffffffful;
  if (exponent == -1023)
    exponent = -1022; /* a subnormal f64: far below every format here but still not zero */
  else
    fraction |= 1ul << 52;
  int below = 1 - bias - exponent;
  int drop = 52 - fraction_bits + (below > 0 ? below : 0);
  u64 kept = drop > 54 ? 0 : fraction >> drop;
  u64 rest = drop > 54 ? 1 : fraction & ((1ul << drop) - 1), half = drop > 54 ? 2 : 1ul << (drop - 1);
  int up;
  switch (rounding) {
    case W2W_ROUND_NEAREST:
      up = rest > half || (rest == half && (kept & 1));
      break;
    case W2W_ROUND_AWAY:
      up = rest >= half;
      break;
    case W2W_ROUND_ZERO:
      up = 0;
      break;
    case W2W_ROUND_DOWN:
      up = rest != 0 && sign;
      break;
    default:
      up = rest != 0 && !sign;
      break;
  }
  kept += (u64)up;
  u64 result = below > 0 ? kept : ((u64)(exponent + bias) << fraction_bits) + kept - (1ul << fraction_bits);
  if (result < infinity) return sign | (u32)result;
  int to_infinity = rounding == W2W_ROUND_NEAREST || rounding == W2W_ROUND_AWAY ||
                    (rounding == W2W_ROUND_DOWN && sign) || (rounding == W2W_ROUND_UP && !sign);
  return sign | (to_infinity ? infinity : infinity - 1);
}

INLINE float as_f16(u16 x) {
  _Float16 h;
  __builtin_memcpy(&h, &x, 2);
  return (float)h;
}
INLINE float as_bf16(u16 x) { return as_f32((u32)x << 16); }
INLINE u16 result_f16(float f) {
  if (UNLIKELY(f != f)) return 0x7fff;
  _Float16 h = (_Float16)f;
  u16 x;
  __builtin_memcpy(&x, &h, 2);
  return x;
}
INLINE u16 result_bf16(float f) {
  u32 x = bits_f32(f);
  return UNLIKELY(f != f) ? 0x7fff : (u16)((x + 0x7fff + (x >> 16 & 1)) >> 16);
}
INLINE u16 round_f16(double f, enum w2w_rounding rounding) { return (u16)narrow_f64(f, 5, 10, rounding); }
INLINE u16 round_bf16(double f, enum w2w_rounding rounding) { return (u16)narrow_f64(f, 8, 7, rounding); }
INLINE u16 narrow_f16(double f) { return round_f16(f, W2W_ROUND_NEAREST); }
INLINE u16 narrow_bf16(double f) { return round_bf16(f, W2W_ROUND_NEAREST); }
INLINE u16 fused_f16(float a, float b, float c) { return narrow_f16(add_to_odd((double)a * b, c)); }
INLINE u16 fused_bf16(float a, float b, float c) { return narrow_bf16(add_to_odd((double)a * b, c)); }
INLINE float flush_f16(float f) { return __builtin_fabsf(f) < 0x1p-14f ? __builtin_copysignf(0.0f, f) : f; }
INLINE u16 flush_result_f16(u16 x) { return x & 0x7c00 ? x : x & 0x8000; }

/* .satfinite: the largest finite number instead of infinity. */
INLINE u16 finite_f16(u16 x) { return (x & 0x7fff) == 0x7c00 ? (u16)(x - 1) : x; }
INLINE u16 finite_bf16(u16 x) { return (x & 0x7fff) == 0x7f80 ? (u16)(x - 1) : x; }
/* .rna is a plain addition on the hardware, also for NaN. */
INLINE u32 to_tf32(float f, enum w2w_rounding rounding) {
  if (rounding == W2W_ROUND_AWAY) return (bits_f32(f) + 0x1000u) & ~0x1fffu;
  return f != f ? 0x7fffe000u : narrow_f64(f, 8, 10, rounding) << 13;
}
/* From f64 a NaN keeps its sign and the upper bits of its payload. */
INLINE u16 round_f16_from_f64(double f, enum w2w_rounding rounding) {
  u64 x = bits_f64(f);
  return f != f ? (u16)(x >> 48 & 0x8000) | 0x7e00 | (u16)(x >> 42 & 0x1ff) : round_f16(f, rounding);
}

INLINE u8 to_e5m2(double f) {
  u32 x = narrow_f64(f, 5, 2, W2W_ROUND_NEAREST);
  return (x & 0x7f) == 0x7c ? (u8)(x - 1) : (u8)(f != f ? 0x7f : x);
}
/* e4m3 has no infinity: 0x7f is NaN, 0x7e is 448. Rounded as if the exponent had one bit more. */
INLINE u8 to_e4m3(double f) {
  if (f != f) return 0x7f;
  u8 sign = (u8)(bits_f64(f) >> 63) << 7;
  double magnitude = __builtin_fabs(f);
  if (magnitude >= 448.0) return sign | 0x7e;
  double quantum = magnitude < 0x1p-6 ? 0x1p-9 : as_f64((bits_f64(magnitude) & 0x7ff0000000000000ul) - (3ul << 52));
  double scaled = magnitude / quantum, rounded = __builtin_roundeven(scaled);
  double value = rounded * quantum;
  if (value >= 448.0) return sign | 0x7e;
  if (value < 0x1p-6) return sign | (u8)(value * 0x1p9);
  u64 bits = bits_f64(value);
  return sign | (u8)(((bits >> 52) - 1023 + 7) << 3 | (bits >> 49 & 7));
}
INLINE u16 from_e5m2(u8 x) { return (x & 0x7f) > 0x7c ? 0x7fff : (u16)(x << 8); }
INLINE u16 from_e4m3(u8 x) {
  if ((x & 0x7f) == 0x7f) return 0x7fff;
  float magnitude = (x & 0x78) ? as_f32((u32)((x >> 3 & 15) + 120) << 23 | (u32)(x & 7) << 20) : (x & 7) * 0x1p-9f;
  return result_f16(x & 0x80 ? -magnitude : magnitude);
}
