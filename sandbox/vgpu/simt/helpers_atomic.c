/* Atomic operations: w2w_<global|flat|lds>_atomic_<op>(wave, exec, addresses, offset, data, [compare,] result).
 *
 * Lanes are served in ascending order. Global and flat memory is shared with other threads, so host atomics are used;
 * the waves of a work-group share a thread, so LDS needs none. `result` gets the values before. */
#include "helpers.h"

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

static inline u32 add_halves(u32 a, u32 b) {
  u32 low = w2w_half_bits(w2w_half((uint16_t)a) + w2w_half((uint16_t)b));
  u32 high = w2w_half_bits(w2w_half((uint16_t)(a >> 16)) + w2w_half((uint16_t)(b >> 16)));
  return low | high << 16;
}
static inline u32 add_bfloats(u32 a, u32 b) {
  u32 low = w2w_bfloat_bits(w2w_bfloat((uint16_t)a) + w2w_bfloat((uint16_t)b));
  u32 high = w2w_bfloat_bits(w2w_bfloat((uint16_t)(a >> 16)) + w2w_bfloat((uint16_t)(b >> 16)));
  return low | high << 16;
}
/* A NaN loses against a number; -0 is below +0. */
static inline double least(double a, double b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return __builtin_signbit(a) ? a : b;
  return a < b ? a : b;
}
static inline double greatest(double a, double b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return __builtin_signbit(a) ? b : a;
  return a > b ? a : b;
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

#define DEFINE_ATOMIC(op, type, expression)                                                   \
  SIGNATURE(global, op, u64, type), type *result) {                                           \
    (void)wave;                                                                               \
    SHARED_LANES(type, GLOBAL_PLACE, 0, expression)                                           \
  }                                                                                           \
  SIGNATURE(flat, op, u64, type), type *result) { SHARED_LANES(type, FLAT_PLACE, 0, expression) } \
  SIGNATURE(lds, op, u32, type), type *result) { LDS_LANES(type, 0, expression) }

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
DEFINE_ATOMIC(add_f32, u32, w2w_float_bits(w2w_float(old) + w2w_float(x)))
DEFINE_ATOMIC(min_f32, u32, w2w_float_bits((float)least(w2w_float(old), w2w_float(x))))
DEFINE_ATOMIC(max_f32, u32, w2w_float_bits((float)greatest(w2w_float(old), w2w_float(x))))
DEFINE_ATOMIC(add_f64, u64, w2w_double_bits(w2w_double(old) + w2w_double(x)))
DEFINE_ATOMIC(min_f64, u64, w2w_double_bits(least(w2w_double(old), w2w_double(x))))
DEFINE_ATOMIC(max_f64, u64, w2w_double_bits(greatest(w2w_double(old), w2w_double(x))))
DEFINE_ATOMIC(pk_add_f16, u32, add_halves(old, x))
DEFINE_ATOMIC(pk_add_bf16, u32, add_bfloats(old, x))
DEFINE_ATOMIC2(cmpswap_f32, u32, w2w_float(old) == w2w_float(y) ? x : old)
DEFINE_ATOMIC2(cmpswap_f64, u64, w2w_double(old) == w2w_double(y) ? x : old)
DEFINE_ATOMIC2(wrap_b32, u32, old >= x ? old - x : old + y)
DEFINE_ATOMIC(condxchg_b64, u64,
              ((x >> 31 & 1) ? (x & 0x7fffffff) : (old & 0xffffffff)) |
                  ((x >> 63) ? (x >> 32 & 0x7fffffff) : (old >> 32)) << 32)
