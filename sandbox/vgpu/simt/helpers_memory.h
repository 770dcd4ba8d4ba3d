/* Elements of vector loads and stores: one lane's, 16 that follow each other, and one that 16 lanes share.
 * `data` is a lane's place in an array of 64 words a register. */
#pragma once
#include "helpers.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define ALL_LANES (~UINT64_C(0))

enum { kGroup = 16 };

typedef uint32_t group32 __attribute__((vector_size(64)));
typedef uint64_t group64 __attribute__((vector_size(128)));
typedef uint32_t pairs32 __attribute__((vector_size(128)));
typedef uint32_t quads32 __attribute__((vector_size(256)));

/* ---- patterns over the lanes ---------------------------------------------------------------------------------- */

static const group32 kPlaces32 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const group64 kPlaces64 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Whether the elements of each group are `step` bytes apart. */
#define DEFINE_FOLLOW(bits)                                                                     \
  ALWAYS_INLINE int groups_follow##bits(const uint##bits##_t *addresses, uint##bits##_t step) { \
    group##bits different = {0};                                                                \
    int wraps = 0;                                                                              \
    for (int group = 0; group < kLanes; group += kGroup) {                                      \
      group##bits lanes;                                                                        \
      memcpy(&lanes, addresses + group, sizeof lanes);                                          \
      different |= (lanes - lanes[0]) ^ (kPlaces##bits * step);                                 \
      wraps |= lanes[0] > (uint##bits##_t) - 1 - kGroup * step;                                 \
    }                                                                                           \
    return !wraps && __builtin_reduce_or(different) == 0;                                       \
  }
DEFINE_FOLLOW(32)
DEFINE_FOLLOW(64)

/* Whether the lanes of each group use the same element. */
ALWAYS_INLINE int groups_share(const uint32_t *offsets) {
  group32 different = {0};
  for (int group = 0; group < kLanes; group += kGroup) {
    group32 lanes;
    memcpy(&lanes, offsets + group, sizeof lanes);
    different |= lanes ^ lanes[0];
  }
  return __builtin_reduce_or(different) == 0;
}

/* ---- one lane ---------------------------------------------------------------------------------------------------- */

#define DEFINE_SMALL_LOAD(size, type)                                \
  ALWAYS_INLINE void load_##size(const char *from, uint32_t *data) { \
    type value;                                                      \
    memcpy(&value, from, sizeof value);                              \
    data[0] = (uint32_t)value;                                       \
  }
DEFINE_SMALL_LOAD(u8, uint8_t)
DEFINE_SMALL_LOAD(i8, int8_t)
DEFINE_SMALL_LOAD(u16, uint16_t)
DEFINE_SMALL_LOAD(i16, int16_t)

/* An element is read and written at once, as the hardware does: rocPRIM's look-back keeps a flag and a value in one of up
 * to 16 bytes. Volatile keeps the compiler from taking it apart. */
typedef uint32_t four32 __attribute__((vector_size(16)));
typedef uint32_t word_anywhere __attribute__((aligned(1), may_alias));
typedef uint64_t two_anywhere __attribute__((aligned(1), may_alias));
typedef four32 four_anywhere __attribute__((aligned(1), may_alias));

ALWAYS_INLINE void load_b32(const char *from, uint32_t *data) { data[0] = *(const volatile word_anywhere *)from; }
ALWAYS_INLINE void load_b64(const char *from, uint32_t *data) {
  uint64_t value = *(const volatile two_anywhere *)from;
  data[0] = (uint32_t)value;
  data[kLanes] = (uint32_t)(value >> 32);
}
ALWAYS_INLINE void load_b96(const char *from, uint32_t *data) {
  load_b64(from, data);
  load_b32(from + 8, data + 2 * kLanes);
}
ALWAYS_INLINE void load_b128(const char *from, uint32_t *data) {
  four32 value = *(const volatile four_anywhere *)from;
  for (int k = 0; k < 4; k++) data[k * kLanes] = value[k];
}

ALWAYS_INLINE void zero_words(uint32_t *data, int words) {
  for (int k = 0; k < words; k++) data[k * kLanes] = 0;
}

/* Stores go through a group's lanes from the last to the first, and through the groups from the first to the last: of
 * lanes that write to one place, the first one of the last group stays. AMD leaves this open; an H200 was measured
 * to do so, in groups of 128 bytes, and public HIP programs count on the first lane. */
#define EACH_STORING_LANE(lane, exec) \
  for (uint64_t rest_ = (exec), lane = 0; rest_ && (lane = next_storing_lane(rest_), 1); rest_ &= ~(1ull << lane))
ALWAYS_INLINE uint64_t next_storing_lane(uint64_t rest) {
  uint64_t group = (uint64_t)__builtin_ctzll(rest) & ~(uint64_t)(kGroup - 1);
  return group + 31 - (uint64_t)__builtin_clz((uint32_t)(rest >> group & 0xFFFF));
}

#define DEFINE_SMALL_STORE(size, type)                              \
  ALWAYS_INLINE void store_##size(char *to, const uint32_t *data) { \
    type value = (type)data[0];                                     \
    memcpy(to, &value, sizeof value);                               \
  }
DEFINE_SMALL_STORE(u8, uint8_t)
DEFINE_SMALL_STORE(u16, uint16_t)

ALWAYS_INLINE void store_b32(char *to, const uint32_t *data) { *(volatile word_anywhere *)to = data[0]; }
ALWAYS_INLINE void store_b64(char *to, const uint32_t *data) {
  *(volatile two_anywhere *)to = data[0] | (uint64_t)data[kLanes] << 32;
}
ALWAYS_INLINE void store_b96(char *to, const uint32_t *data) {
  store_b64(to, data);
  store_b32(to + 8, data + 2 * kLanes);
}
ALWAYS_INLINE void store_b128(char *to, const uint32_t *data) {
  *(volatile four_anywhere *)to = (four32){data[0], data[kLanes], data[2 * kLanes], data[3 * kLanes]};
}

/* ---- four lanes, anywhere ----------------------------------------------------------------------------------------- */

#define DEFINE_FOUR_LOADS(size)                                        \
  ALWAYS_INLINE void four_load_##size(char **places, uint32_t *data) { \
    for (int k = 0; k < 4; k++) load_##size(places[k], data + k);      \
  }
#define DEFINE_FOUR_STORES(size)                                              \
  ALWAYS_INLINE void four_store_##size(char **places, const uint32_t *data) { \
    for (int k = 3; k >= 0; k--) store_##size(places[k], data + k);           \
  }
DEFINE_FOUR_LOADS(u8)
DEFINE_FOUR_LOADS(i8)
DEFINE_FOUR_LOADS(u16)
DEFINE_FOUR_LOADS(i16)
DEFINE_FOUR_LOADS(b32)
DEFINE_FOUR_LOADS(b64)
DEFINE_FOUR_LOADS(b96)
DEFINE_FOUR_STORES(u8)
DEFINE_FOUR_STORES(u16)
DEFINE_FOUR_STORES(b32)
DEFINE_FOUR_STORES(b64)
DEFINE_FOUR_STORES(b96)

/* Rows become columns. */
ALWAYS_INLINE void transpose(four32 v[4]) {
  four32 a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5), b = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
  four32 c = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5), d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
  v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  v[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
ALWAYS_INLINE void four_load_b128(char **places, uint32_t *data) {
  four32 v[4];
  for (int k = 0; k < 4; k++) v[k] = *(const volatile four_anywhere *)places[k];
  transpose(v);
  for (int k = 0; k < 4; k++) memcpy(data + k * kLanes, &v[k], sizeof v[k]);
}
ALWAYS_INLINE void four_store_b128(char **places, const uint32_t *data) {
  four32 v[4];
  for (int k = 0; k < 4; k++) memcpy(&v[k], data + k * kLanes, sizeof v[k]);
  transpose(v);
  for (int k = 3; k >= 0; k--) *(volatile four_anywhere *)places[k] = v[k];
}

/* ---- 16 lanes whose elements follow each other --------------------------------------------------------------------- */

#define DEFINE_GROUP(name, bytes, pointer, data_type)                   \
  ALWAYS_INLINE void group_##name(pointer place, data_type data) {      \
    for (int k = 0; k < kGroup; k++) name(place + bytes * k, data + k); \
  }
DEFINE_GROUP(load_u8, 1, const char *, uint32_t *)
DEFINE_GROUP(load_i8, 1, const char *, uint32_t *)
DEFINE_GROUP(load_u16, 2, const char *, uint32_t *)
DEFINE_GROUP(load_i16, 2, const char *, uint32_t *)
DEFINE_GROUP(load_b96, 12, const char *, uint32_t *)
DEFINE_GROUP(store_u8, 1, char *, const uint32_t *)
DEFINE_GROUP(store_u16, 2, char *, const uint32_t *)
DEFINE_GROUP(store_b96, 12, char *, const uint32_t *)

ALWAYS_INLINE void group_load_b32(const char *from, uint32_t *data) { memcpy(data, from, sizeof(group32)); }
ALWAYS_INLINE void group_store_b32(char *to, const uint32_t *data) { memcpy(to, data, sizeof(group32)); }

/* Every second, or fourth, word from `k` on. */
#define EVERY_SECOND(v, k)                                                                                     \
  __builtin_shufflevector(v, v, k, k + 2, k + 4, k + 6, k + 8, k + 10, k + 12, k + 14, k + 16, k + 18, k + 20, \
                          k + 22, k + 24, k + 26, k + 28, k + 30)
#define EVERY_FOURTH(v, k)                                                                                       \
  __builtin_shufflevector(v, v, k, k + 4, k + 8, k + 12, k + 16, k + 20, k + 24, k + 28, k + 32, k + 36, k + 40, \
                          k + 44, k + 48, k + 52, k + 56, k + 60)

ALWAYS_INLINE void put(uint32_t *data, int word, group32 value) { memcpy(data + word * kLanes, &value, sizeof value); }
ALWAYS_INLINE group32 get(const uint32_t *data, int word) {
  group32 value;
  memcpy(&value, data + word * kLanes, sizeof value);
  return value;
}

ALWAYS_INLINE void group_load_b64(const char *from, uint32_t *data) {
  pairs32 all;
  memcpy(&all, from, sizeof all);
  put(data, 0, EVERY_SECOND(all, 0));
  put(data, 1, EVERY_SECOND(all, 1));
}
ALWAYS_INLINE void group_load_b128(const char *from, uint32_t *data) {
  quads32 all;
  memcpy(&all, from, sizeof all);
  put(data, 0, EVERY_FOURTH(all, 0));
  put(data, 1, EVERY_FOURTH(all, 1));
  put(data, 2, EVERY_FOURTH(all, 2));
  put(data, 3, EVERY_FOURTH(all, 3));
}

#define TURNS(a, b)                                                                                                   \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, \
                          12, 28, 13, 29, 14, 30, 15, 31)

ALWAYS_INLINE void group_store_b64(char *to, const uint32_t *data) {
  pairs32 all = TURNS(get(data, 0), get(data, 1));
  memcpy(to, &all, sizeof all);
}
ALWAYS_INLINE void group_store_b128(char *to, const uint32_t *data) {
  for (int k = 0; k < kGroup; k += 4)
    four_store_b128((char *[]){to + 16 * k, to + 16 * k + 16, to + 16 * k + 32, to + 16 * k + 48}, data + k);
}

/* ---- one element that 16 lanes share --------------------------------------------------------------------------------- */

#define DEFINE_SHARE(size, words)                                                     \
  ALWAYS_INLINE void share_load_##size(const char *from, uint32_t *data) {            \
    uint32_t element[4 * kLanes];                                                     \
    load_##size(from, element);                                                       \
    for (int k = 0; k < words; k++) put(data, k, (group32){0} + element[k * kLanes]); \
  }
DEFINE_SHARE(u8, 1)
DEFINE_SHARE(i8, 1)
DEFINE_SHARE(u16, 1)
DEFINE_SHARE(i16, 1)
DEFINE_SHARE(b32, 1)
DEFINE_SHARE(b64, 2)
DEFINE_SHARE(b96, 3)
DEFINE_SHARE(b128, 4)
