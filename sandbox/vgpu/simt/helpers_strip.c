/* Irregular loads and stores of a strip of 16 lanes: w2w_lanes_<space>_<load|store>_<size>(wave, on, addresses, offset,
 * data). `on` has one bit a lane; `data` has 64 words a register, of which the first 16 count. Loads give 0 in lanes that
 * are off. Generated code keeps vectors in registers around these calls: the calling convention saves all of them.
 * Spaces are those of helpers_memory.c. */
#include "helpers_memory.h"

#define KEEPS_REGISTERS __attribute__((preserve_all))
#define ONE_BY_ONE _Pragma("clang loop vectorize(disable) unroll(disable)")
#define LOADS_LANES(lane, on) ONE_BY_ONE W2W_EACH_ACTIVE_LANE(lane, on)
#define STORES_LANES(lane, on) ONE_BY_ONE EACH_STORING_LANE(lane, on)

/* 16 bytes at once, by a vector register that is put back whole: functions that keep registers do not save those that
 * AVX-512 added. */
#if defined(__AVX512F__)
#define SPARE "zmm16"
#define SPARE_LOW "xmm16"
#else
#define SPARE "ymm0"
#define SPARE_LOW "xmm0"
#endif
#ifdef __AVX__
#define COPY_16 "vmovups"
#else
#undef SPARE
#define SPARE "xmm0"
#define COPY_16 "movups"
#endif
ALWAYS_INLINE void copy_16(char *to, const char *from) {
  char saved[64];
  __asm__ volatile(COPY_16 " %%" SPARE ", (%[saved])\n\t" COPY_16 " (%[from]), %%" SPARE_LOW "\n\t" COPY_16
                           " %%" SPARE_LOW ", (%[to])\n\t" COPY_16 " (%[saved]), %%" SPARE
                   :
                   : [saved] "r"(saved), [from] "r"(from), [to] "r"(to)
                   : "memory");
}
ALWAYS_INLINE void at_once_load_b128(const char *from, uint32_t *data) {
  uint32_t words[4];
  copy_16((char *)words, from);
  for (int k = 0; k < 4; k++) data[k * kLanes] = words[k];
}
ALWAYS_INLINE void at_once_store_b128(char *to, const uint32_t *data) {
  uint32_t words[4];
  for (int k = 0; k < 4; k++) ((volatile uint32_t *)words)[k] = data[k * kLanes];
  copy_16(to, (const char *)words);
}
#define load_b128 at_once_load_b128
#define store_b128 at_once_store_b128

#define DEFINE_ACCESS(order, space, access, address_type, data_type, place_of, otherwise)           \
  KEEPS_REGISTERS void w2w_lanes_##space##_##access(struct w2w_wave *wave, uint32_t on,             \
                                                    const address_type *addresses, uint64_t offset, \
                                                    data_type *restrict data) {                     \
    (void)wave;                                                                                     \
    order##_LANES(lane, on) {                                                                       \
      char *place = place_of;                                                                       \
      if (place) {                                                                                  \
        access(place, data + lane);                                                                 \
      } else {                                                                                      \
        otherwise;                                                                                  \
      }                                                                                             \
    }                                                                                               \
  }

/* A null pointer faults like any other address that nothing is mapped at. */
#define GLOBAL_PLACE (char *)(addresses[lane] + offset ? addresses[lane] + offset : 1)
#define BASE_PLACE (char *)(offset + addresses[lane])
#define LDS_PLACE(bytes) w2w_lds_address(wave, (uint32_t)(addresses[lane] + offset), bytes)

#define DEFINE_LOAD(size, bytes, words)                                                \
  DEFINE_ACCESS(LOADS, global, load_##size, uint64_t, uint32_t, GLOBAL_PLACE, (void)0) \
  DEFINE_ACCESS(LOADS, base, load_##size, uint32_t, uint32_t, BASE_PLACE, (void)0)     \
  DEFINE_ACCESS(LOADS, lds, load_##size, uint32_t, uint32_t, LDS_PLACE(bytes), zero_words(data + lane, words))
#define DEFINE_STORE(size, bytes)                                                              \
  DEFINE_ACCESS(STORES, global, store_##size, uint64_t, const uint32_t, GLOBAL_PLACE, (void)0) \
  DEFINE_ACCESS(STORES, base, store_##size, uint32_t, const uint32_t, BASE_PLACE, (void)0)     \
  DEFINE_ACCESS(STORES, lds, store_##size, uint32_t, const uint32_t, LDS_PLACE(bytes), (void)0)

DEFINE_LOAD(u8, 1, 1)
DEFINE_LOAD(i8, 1, 1)
DEFINE_LOAD(u16, 2, 1)
DEFINE_LOAD(i16, 2, 1)
DEFINE_LOAD(b32, 4, 1)
DEFINE_LOAD(b64, 8, 2)
DEFINE_LOAD(b96, 12, 3)
DEFINE_LOAD(b128, 16, 4)
DEFINE_STORE(u8, 1)
DEFINE_STORE(u16, 2)
DEFINE_STORE(b32, 4)
DEFINE_STORE(b64, 8)
DEFINE_STORE(b96, 12)
DEFINE_STORE(b128, 16)
