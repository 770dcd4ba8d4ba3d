/* Atomic operations: w2w_<global|flat|lds>_atomic_<op>(wave, exec, addresses, offset, data, [compare,] result).
 *
 * Lanes are served in ascending order. Global and flat memory is shared with other threads, so host atomics are used;
 * the waves of a work-group share a thread, so LDS needs none. `result` gets the values before. */
#include "helpers.h"

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* Floats by their bits: `inf` is the pattern of infinity, `quiet` the highest bit of the fraction. A NaN goes through, the
 * one in memory first, and becomes quiet (CDNA4 ISA, "NaN Handling" of float atomics). */
#define DEFINE_SUM(bits, type, inf, quiet, sign)                                                   \
  static inline int is_nan##bits(type x) { return (x & ~(sign)) > (inf); }                         \
  static inline type sum##bits(type old, type x, type total) {                                     \
    if (is_nan##bits(old)) return old | (quiet);                                                   \
    if (is_nan##bits(x)) return x | (quiet);                                                       \
    return is_nan##bits(total) ? (type)((inf) | (quiet)) : total;                                  \
  }
/* A signalling NaN wins and becomes quiet, a quiet one loses; -0 is below +0. */
#define DEFINE_EXTREME(bits, type, quiet, number)                                                  \
  static inline int is_signal##bits(type x) { return is_nan##bits(x) && !(x & (quiet)); }          \
  static inline type extreme##bits(type old, type x, int greatest) {                               \
    if (is_signal##bits(old)) return old | (quiet);                                                \
    if (is_signal##bits(x)) return x | (quiet);                                                    \
    if (is_nan##bits(old)) return x;                                                               \
    if (is_nan##bits(x)) return old;                                                               \
    if (number(old) == number(x)) return greatest ? (old & x) : (old | x);                         \
    return (number(old) < number(x)) == greatest ? x : old;                                        \
  }
DEFINE_SUM(32, u32, UINT32_C(0x7f800000), UINT32_C(0x400000), UINT32_C(1) << 31)
DEFINE_SUM(64, u64, UINT64_C(0x7ff) << 52, UINT64_C(1) << 51, UINT64_C(1) << 63)
DEFINE_EXTREME(32, u32, UINT32_C(0x400000), w2w_float)
DEFINE_EXTREME(64, u64, UINT64_C(1) << 51, w2w_double)
DEFINE_SUM(16, u32, UINT32_C(0x7c00), UINT32_C(0x200), UINT32_C(0x8000))
DEFINE_SUM(_bf, u32, UINT32_C(0x7f80), UINT32_C(0x40), UINT32_C(0x8000))

static inline u32 add32(u32 old, u32 x) { return sum32(old, x, w2w_float_bits(w2w_float(old) + w2w_float(x))); }
static inline u64 add64(u64 old, u64 x) { return sum64(old, x, w2w_double_bits(w2w_double(old) + w2w_double(x))); }
static inline u32 add16(u32 old, u32 x) {
  return sum16(old, x, w2w_half_bits(w2w_half((uint16_t)old) + w2w_half((uint16_t)x)));
}
static inline u32 add_bf(u32 old, u32 x) {
  return sum_bf(old, x, w2w_bfloat_bits(w2w_bfloat((uint16_t)old) + w2w_bfloat((uint16_t)x)));
}
static inline u32 add_halves(u32 a, u32 b) { return add16(a & 0xffff, b & 0xffff) | add16(a >> 16, b >> 16) << 16; }
static inline u32 add_bfloats(u32 a, u32 b) { return add_bf(a & 0xffff, b & 0xffff) | add_bf(a >> 16, b >> 16) << 16; }

/* LDS adds as MODE says of denormals: two bits each, inputs and results. */
static inline u32 flush32(u32 x, u32 keep) { return keep || x & 0x7f800000 ? x : x & 0x80000000; }
static inline u32 flush16(u32 x, u32 keep) { return keep || x & 0x7c00 ? x : x & 0x8000; }
static inline u32 lds_add32(u32 mode, u32 old, u32 x) {
  u32 in = mode >> 4 & 1, out = mode >> 5 & 1;
  return flush32(add32(flush32(old, in), flush32(x, in)), out);
}
static inline u32 lds_add16(u32 mode, u32 old, u32 x) {
  u32 in = mode >> 6 & 1, out = mode >> 7 & 1;
  return flush16(add16(flush16(old, in), flush16(x, in)), out);
}
static inline u32 lds_add_halves(u32 mode, u32 a, u32 b) {
  return lds_add16(mode, a & 0xffff, b & 0xffff) | lds_add16(mode, a >> 16, b >> 16) << 16;
}

#define GLOBAL_PLACE(type) ((type *)(addresses[lane] + offset))
#define FLAT_PLACE(type) ((type *)w2w_flat_address(wave, addresses[lane] + offset, lane, sizeof(type)))
#define LDS_PLACE(type) ((type *)w2w_lds_address(wave, (uint32_t)(addresses[lane] + offset), sizeof(type)))

/* The loop over lanes around one update; `old`, `x` (data) and `y` (compared with) are named in `expression`. */
#define SHARED_LANES(type, place_of, data2, expression)                                             \
  W2W_EACH_ACTIVE_LANE(lane, exec) {                                                                \
    type *place = place_of(type);                                                                   \
    type x = data[lane], y = data2;                                                                 \
    (void)x, (void)y;                                                                               \
    if (!place) {                                                                                   \
      result[lane] = 0;                                                                             \
      continue;                                                                                     \
    }                                                                                               \
    type old = __atomic_load_n(place, __ATOMIC_RELAXED), new_value;                                 \
    do {                                                                                            \
      new_value = (expression);                                                                     \
    } while (!__atomic_compare_exchange_n(place, &old, new_value, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)); \
    result[lane] = old;                                                                             \
  }

#define LDS_LANES(type, data2, expression)     \
  W2W_EACH_ACTIVE_LANE(lane, exec) {           \
    type *place = LDS_PLACE(type);             \
    type x = data[lane], y = data2;            \
    (void)x, (void)y;                          \
    type old = 0;                              \
    if (place) {                               \
      memcpy(&old, place, sizeof old);         \
      type new_value = (expression);           \
      memcpy(place, &new_value, sizeof old);   \
    }                                          \
    result[lane] = old;                        \
  }

#define SIGNATURE(space, op, address_type, type) \
  void w2w_##space##_atomic_##op(struct w2w_wave *wave, u64 exec, const address_type *addresses, u64 offset, const type *data

#define DEFINE_ATOMIC(op, type, expression) DEFINE_MODE_ATOMIC(op, type, expression, expression)

#define DEFINE_MODE_ATOMIC(op, type, expression, lds_expression)                              \
  SIGNATURE(global, op, u64, type), type *result) {                                           \
    (void)wave;                                                                               \
    SHARED_LANES(type, GLOBAL_PLACE, 0, expression)                                           \
  }                                                                                           \
  SIGNATURE(flat, op, u64, type), type *result) { SHARED_LANES(type, FLAT_PLACE, 0, expression) } \
  SIGNATURE(lds, op, u32, type), type *result) { LDS_LANES(type, 0, lds_expression) }

#define DEFINE_ATOMIC2(op, type, expression)                                                                       \
  SIGNATURE(global, op, u64, type), const type *data2, type *result) {                                             \
    (void)wave;                                                                                                    \
    SHARED_LANES(type, GLOBAL_PLACE, data2[lane], expression)                                                      \
  }                                                                                                                \
  SIGNATURE(flat, op, u64, type), const type *data2, type *result) {                                               \
    SHARED_LANES(type, FLAT_PLACE, data2[lane], expression)                                                        \
  }                                                                                                                \
  SIGNATURE(lds, op, u32, type), const type *data2, type *result) { LDS_LANES(type, data2[lane], expression) }

#define DEFINE_INTEGER(bits, type, signed_type)                                  \
  DEFINE_ATOMIC(add_b##bits, type, old + x)                                      \
  DEFINE_ATOMIC(sub_b##bits, type, old - x)                                      \
  DEFINE_ATOMIC(rsub_b##bits, type, x - old)                                     \
  DEFINE_ATOMIC(and_b##bits, type, old &x)                                       \
  DEFINE_ATOMIC(or_b##bits, type, old | x)                                       \
  DEFINE_ATOMIC(xor_b##bits, type, old ^ x)                                      \
  DEFINE_ATOMIC(smin_b##bits, type, (signed_type)old < (signed_type)x ? old : x) \
  DEFINE_ATOMIC(smax_b##bits, type, (signed_type)old > (signed_type)x ? old : x) \
  DEFINE_ATOMIC(umin_b##bits, type, old < x ? old : x)                           \
  DEFINE_ATOMIC(umax_b##bits, type, old > x ? old : x)                           \
  DEFINE_ATOMIC(inc_b##bits, type, old >= x ? 0 : old + 1)                       \
  DEFINE_ATOMIC(dec_b##bits, type, old == 0 || old > x ? x : old - 1)            \
  DEFINE_ATOMIC(swap_b##bits, type, x)                                           \
  DEFINE_ATOMIC2(cmpswap_b##bits, type, old == y ? x : old)                      \
  DEFINE_ATOMIC2(mskor_b##bits, type, (old & ~x) | y)

DEFINE_INTEGER(32, u32, i32)
DEFINE_INTEGER(64, u64, i64)
DEFINE_MODE_ATOMIC(add_f32, u32, add32(old, x), lds_add32(wave->mode, old, x))
DEFINE_ATOMIC(min_f32, u32, extreme32(old, x, 0))
DEFINE_ATOMIC(max_f32, u32, extreme32(old, x, 1))
DEFINE_ATOMIC(add_f64, u64, add64(old, x))
DEFINE_ATOMIC(min_f64, u64, extreme64(old, x, 0))
DEFINE_ATOMIC(max_f64, u64, extreme64(old, x, 1))
DEFINE_MODE_ATOMIC(pk_add_f16, u32, add_halves(old, x), lds_add_halves(wave->mode, old, x))
DEFINE_ATOMIC(pk_add_bf16, u32, add_bfloats(old, x))
DEFINE_ATOMIC2(cmpswap_f32, u32, w2w_float(old) == w2w_float(y) ? x : old)
DEFINE_ATOMIC2(cmpswap_f64, u64, w2w_double(old) == w2w_double(y) ? x : old)
DEFINE_ATOMIC2(wrap_b32, u32, old >= x ? old - x : old + y)
DEFINE_ATOMIC(condxchg_b64, u64,
              ((x >> 31 & 1) ? (x & 0x7fffffff) : (old & 0xffffffff)) |
                  ((x >> 63) ? (x >> 32 & 0x7fffffff) : (old >> 32)) << 32)
