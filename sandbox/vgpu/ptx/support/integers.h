/* Integer operations of PTX whose meaning is not that of a C operator. PTX ISA 9.7.1, 9.7.2, 9.7.8.
 * What the ISA leaves open (division by zero, fields of 64-bit values past bit 255) is as an H200 does it. */
INLINE u32 divide_u32(u32 a, u32 b) { return b ? a / b : ~0u; }
INLINE u64 divide_u64(u64 a, u64 b) { return b ? a / b : ~0ul; }
INLINE u16 divide_u16(u16 a, u16 b) { return b ? a / b : 0xffff; }
INLINE u32 divide_s32(u32 a, u32 b) { return !b ? ~0u : b == ~0u ? -a : (u32)((s32)a / (s32)b); }
INLINE u64 divide_s64(u64 a, u64 b) { return !b ? ~0ul : b == ~0ul ? -a : (u64)((s64)a / (s64)b); }
INLINE u16 divide_s16(u16 a, u16 b) { return (u16)divide_s32((u32)(s16)a, (u32)(s16)b); }
INLINE u32 remainder_u32(u32 a, u32 b) { return b ? a % b : ~0u; }
INLINE u64 remainder_u64(u64 a, u64 b) { return b ? a % b : ~0ul; }
INLINE u16 remainder_u16(u16 a, u16 b) { return b ? a % b : 0xffff; }
INLINE u32 remainder_s32(u32 a, u32 b) { return !b ? ~0u : b == ~0u ? 0 : (u32)((s32)a % (s32)b); }
INLINE u64 remainder_s64(u64 a, u64 b) { return !b ? ~0ul : b == ~0ul ? 0 : (u64)((s64)a % (s64)b); }
INLINE u16 remainder_s16(u16 a, u16 b) { return (u16)remainder_s32((u32)(s16)a, (u32)(s16)b); }

INLINE s64 clamp_s64(s64 v, s64 low, s64 high) { return v < low ? low : v > high ? high : v; }
INLINE s128 clamp_s128(s128 v, s128 low, s128 high) { return v < low ? low : v > high ? high : v; }

INLINE u32 reverse_b32(u32 x) { return __builtin_bitreverse32(x); }
INLINE u64 reverse_b64(u64 x) { return __builtin_bitreverse64(x); }
INLINE u32 leading_zeros_b32(u32 x) { return x ? __builtin_clz(x) : 32; }
INLINE u32 leading_zeros_b64(u64 x) { return x ? __builtin_clzl(x) : 64; }
INLINE u32 find_bit_u32(u32 x) { return x ? 31 - __builtin_clz(x) : ~0u; }
INLINE u32 find_bit_u64(u64 x) { return x ? 63 - __builtin_clzl(x) : ~0u; }
INLINE u32 find_bit_s32(u32 x) { return find_bit_u32((s32)x < 0 ? ~x : x); }
INLINE u32 find_bit_s64(u64 x) { return find_bit_u64((s64)x < 0 ? ~x : x); }

/* fns.b32: the |offset|-th set bit at or above (below) base; 0 asks for base itself. */
INLINE u32 find_nth_set(u32 mask, u32 base, s32 offset) {
  if (base > 31) return ~0u;
  if (offset == 0) return mask >> base & 1 ? base : ~0u;
  s32 step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
  for (s32 bit = (s32)base; bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --left == 0) return (u32)bit;
  return ~0u;
}

INLINE u64 extract_field(u64 a, u32 position, u32 length, u32 width, int is_signed) {
  if (width == 32) position &= 255, length &= 255;
  u64 top = (u64)position + length - 1;
  u64 sign = is_signed && length ? a >> (top < width - 1 ? top : width - 1) & 1 : 0;
  u32 have = position >= width ? 0 : width - position;
  u32 bits = length < have ? length : have;
  u64 mask = bits >= 64 ? ~0ul : (1ul << bits) - 1;
  u64 field = position >= width ? 0 : a >> position;
  return (field & mask) | (sign ? ~mask : 0);
}
INLINE u64 insert_field(u64 field, u64 base, u32 position, u32 length, u32 width) {
  if (width == 32) position &= 255, length &= 255;
  if (position >= width || !length) return base;
  u64 mask = (length >= 64 ? ~0ul : (1ul << length) - 1) << position;
  return (base & ~mask) | (field << position & mask);
}
INLINE u32 sign_extend_bits(u32 a, u32 bits, int wrap, int is_signed) {
  u32 n = wrap ? bits & 31 : bits > 32 ? 32 : bits;
  if (n == 0) return 0;
  if (n == 32) return a;
  u32 mask = (1u << n) - 1;
  return is_signed && (a >> (n - 1) & 1) ? a | ~mask : a & mask;
}
INLINE u32 make_mask(u32 position, u32 length, int wrap) {
  if (wrap) position &= 31, length &= 31;
  if (position > 31 || !length) return 0;
  u64 ones = length >= 32 ? 0xfffffffful : (1ul << length) - 1;
  return (u32)(ones << position);
}

INLINE u32 funnel_left(u32 a, u32 b, u32 c, int wrap) {
  c = wrap ? c & 31 : c > 32 ? 32 : c;
  return c == 32 ? a : (u32)((((u64)b << 32 | a) << c) >> 32);
}
INLINE u32 funnel_right(u32 a, u32 b, u32 c, int wrap) {
  c = wrap ? c & 31 : c > 32 ? 32 : c;
  return (u32)(((u64)b << 32 | a) >> c);
}

INLINE u32 permute_bytes(u32 a, u32 b, u32 selectors) {
  u64 value = (u64)b << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    u32 selector = selectors >> (4 * i), byte = value >> ((selector & 7) * 8) & 255;
    if (selector & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
/* prmt's modes as selectors, one row for each value of c & 3. */
INLINE u32 permute_mode(u32 a, u32 b, u32 c, const u16 selectors[4]) { return permute_bytes(a, b, selectors[c & 3]); }

INLINE u32 logic3(u32 a, u32 b, u32 c, u32 table) {
  u32 r = 0;
  if (table & 1) r |= ~a & ~b & ~c;
  if (table & 2) r |= ~a & ~b & c;
  if (table & 4) r |= ~a & b & ~c;
  if (table & 8) r |= ~a & b & c;
  if (table & 16) r |= a & ~b & ~c;
  if (table & 32) r |= a & ~b & c;
  if (table & 64) r |= a & b & ~c;
  if (table & 128) r |= a & b & c;
  return r;
}

INLINE u32 dot_4(u32 a, u32 b, u32 c, int a_signed, int b_signed) {
  for (int i = 0; i < 4; ++i) {
    s32 x = a_signed ? (s8)(a >> 8 * i) : (u8)(a >> 8 * i), y = b_signed ? (s8)(b >> 8 * i) : (u8)(b >> 8 * i);
    c += (u32)(x * y);
  }
  return c;
}
INLINE u32 dot_2(u32 a, u32 b, u32 c, int a_signed, int b_signed, int high) {
  for (int i = 0; i < 2; ++i) {
    s32 x = a_signed ? (s16)(a >> 16 * i) : (u16)(a >> 16 * i);
    s32 y = b_signed ? (s8)(b >> 8 * (i + 2 * high)) : (u8)(b >> 8 * (i + 2 * high));
    c += (u32)(x * y);
  }
  return c;
}
