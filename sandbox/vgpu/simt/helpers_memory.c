/* Vector loads and stores: w2w_<space>_<load|store>_<size>(wave, exec, addresses, offset, data).
 *
 * Spaces: global (64-bit addresses), base (32-bit offsets from the scalar `offset`), flat (64-bit, may be LDS or
 * scratch), scratch (32-bit, or no addresses: the same in all lanes), lds (32-bit). `data` has 64 words a register.
 * LDS addresses wrap at 32 bits: a negative base with an offset is an address like any other. Out of bounds, LDS reads
 * give 0 and writes are dropped (CDNA3 ISA, "LDS out-of-range").
 * Lanes outside of `exec` are neither read nor written.
 *
 * Most accesses are regular within groups of 16 lanes: elements follow each other, or all lanes use the same one. Then
 * a group is a few accesses of vectors. Tiles of matrices are regular within groups and not between them. */
#include "helpers_memory.h"

/* Gathers and scatters are slower than single accesses on many hosts; the compiler must not make them of these. */
#define EACH_BY_ITSELF _Pragma("clang loop vectorize(disable) interleave(disable)")

#define ACCESS_GROUPS(group_access, first)                              \
  EACH_BY_ITSELF for (int group = 0; group < kLanes; group += kGroup) { \
    group_access((char *)(first), data + group);                        \
  }

/* `address_of` is the address of `lane`'s element; `order` is LOADS or STORES. */
#define ACCESS_LANES(order, access, exec, address_of)                                               \
  if ((exec) == ALL_LANES) {                                                                        \
    EACH_BY_ITSELF for (int four = 0; four < kLanes; four += 4) {                                   \
      char *places[4];                                                                              \
      int first = order##_FOUR(four);                                                               \
      for (int lane = first; lane < first + 4; lane++) places[lane - first] = (char *)(address_of); \
      four_##access(places, data + first);                                                          \
    }                                                                                               \
  } else {                                                                                          \
    order##_LANES(lane, exec) access((char *)(address_of), data + lane);                            \
  }
#define LOADS_LANES W2W_EACH_ACTIVE_LANE
#define STORES_LANES EACH_STORING_LANE
#define LOADS_FOUR(four) (four)
#define STORES_FOUR(four) ((four) ^ (kGroup - 4))

/* ---- global and base -------------------------------------------------------------------------------------------- */

#define DEFINE_GLOBAL(order, name, bytes, data_type)                                                       \
  void w2w_global_##name(struct w2w_wave *wave, uint64_t exec, const uint64_t *addresses, uint64_t offset, \
                         data_type *restrict data) {                                                       \
    (void)wave;                                                                                            \
    if (exec == ALL_LANES && groups_follow64(addresses, bytes)) {                                          \
      ACCESS_GROUPS(group_##name, addresses[group] + offset)                                               \
      return;                                                                                              \
    }                                                                                                      \
    ACCESS_LANES(order, name, exec, addresses[lane] + offset)                                              \
  }                                                                                                        \
  void w2w_base_##name(struct w2w_wave *wave, uint64_t exec, const uint32_t *offsets, uint64_t base,       \
                       data_type *restrict data) {                                                         \
    (void)wave;                                                                                            \
    if (exec == ALL_LANES && groups_follow32(offsets, bytes)) {                                            \
      ACCESS_GROUPS(group_##name, base + offsets[group])                                                   \
      return;                                                                                              \
    }                                                                                                      \
    ACCESS_LANES(order, name, exec, base + offsets[lane])                                                  \
  }

/* ---- scratch ------------------------------------------------------------------------------------------------------ */

#define DEFINE_SCRATCH(order, name, data_type)                                                            \
  void w2w_scratch_##name(struct w2w_wave *wave, uint64_t exec, const uint32_t *offsets, uint64_t offset, \
                          data_type *restrict data) {                                                     \
    char *base = wave->scratch + offset;                                                                  \
    uint64_t stride = wave->scratch_stride;                                                               \
    if (offsets) {                                                                                        \
      ACCESS_LANES(order, name, exec, base + (uint64_t)lane * stride + offsets[lane])                     \
    } else {                                                                                              \
      ACCESS_LANES(order, name, exec, base + (uint64_t)lane * stride)                                     \
    }                                                                                                     \
  }

/* ---- LDS and flat: an address may be out of bounds ----------------------------------------------------------------- */

/* Whether all lanes are in bounds: the usual case, found without a branch a lane. */
ALWAYS_INLINE int all_within(const uint32_t *offsets, uint64_t exec, uint64_t limit) {
  uint32_t largest = 0;
  if (exec == ALL_LANES) {
    W2W_EACH_LANE(lane) largest = offsets[lane] > largest ? offsets[lane] : largest;
    return largest <= limit;
  }
  W2W_EACH_LANE(lane) {
    uint32_t counted = offsets[lane] & (0 - (uint32_t)(exec >> lane & 1));
    largest = counted > largest ? counted : largest;
  }
  return largest <= limit;
}

/* `share_access`: how 16 lanes use one element, or 0 where the order of stores matters. */
#define DEFINE_LDS(order, name, bytes, words, data_type, outside, is_load, share_access)                          \
  void w2w_lds_##name(struct w2w_wave *wave, uint64_t exec, const uint32_t *offsets, uint64_t offset,             \
                      data_type *restrict data) {                                                                 \
    if (!exec) return;                                                                                            \
    if (wave->lds_size >= offset + bytes && all_within(offsets, exec, wave->lds_size - offset - bytes)) {         \
      char *base = wave->lds + offset;                                                                            \
      if (exec == ALL_LANES && groups_follow32(offsets, bytes)) {                                                 \
        ACCESS_GROUPS(group_##name, base + offsets[group])                                                        \
      } else if (is_load && exec == ALL_LANES && groups_share(offsets)) {                                         \
        ACCESS_GROUPS(share_access, base + offsets[group])                                                        \
      } else {                                                                                                    \
        ACCESS_LANES(order, name, exec, base + offsets[lane])                                                     \
      }                                                                                                           \
      return;                                                                                                     \
    }                                                                                                             \
    ACCESS_CHECKED(order, name, words, outside, w2w_lds_address(wave, (uint32_t)(offsets[lane] + offset), bytes)) \
  }

#define DEFINE_FLAT(order, name, bytes, words, data_type, outside)                                             \
  void w2w_flat_##name(struct w2w_wave *wave, uint64_t exec, const uint64_t *addresses, uint64_t offset,       \
                       data_type *restrict data) {                                                             \
    ACCESS_CHECKED(order, name, words, outside, w2w_flat_address(wave, addresses[lane] + offset, lane, bytes)) \
  }

#define ACCESS_CHECKED(order, access, words, outside, address_or_null) \
  order##_LANES(lane, exec) {                                          \
    char *place = address_or_null;                                     \
    if (place) {                                                       \
      access(place, data + lane);                                      \
    } else {                                                           \
      outside(data + lane, words);                                     \
    }                                                                  \
  }
#define DROP(data, words) (void)0

#define DEFINE_LOAD(size, bytes, words)                                                    \
  DEFINE_GLOBAL(LOADS, load_##size, bytes, uint32_t)                                       \
  DEFINE_SCRATCH(LOADS, load_##size, uint32_t)                                             \
  DEFINE_LDS(LOADS, load_##size, bytes, words, uint32_t, zero_words, 1, share_load_##size) \
  DEFINE_FLAT(LOADS, load_##size, bytes, words, uint32_t, zero_words)

#define DEFINE_STORE(size, bytes, words)                                                      \
  DEFINE_GLOBAL(STORES, store_##size, bytes, const uint32_t)                                  \
  DEFINE_SCRATCH(STORES, store_##size, const uint32_t)                                        \
  DEFINE_LDS(STORES, store_##size, bytes, words, const uint32_t, DROP, 0, group_store_##size) \
  DEFINE_FLAT(STORES, store_##size, bytes, words, const uint32_t, DROP)

DEFINE_LOAD(u8, 1, 1)
DEFINE_LOAD(i8, 1, 1)
DEFINE_LOAD(u16, 2, 1)
DEFINE_LOAD(i16, 2, 1)
DEFINE_LOAD(b32, 4, 1)
DEFINE_LOAD(b64, 8, 2)
DEFINE_LOAD(b96, 12, 3)
DEFINE_LOAD(b128, 16, 4)
DEFINE_STORE(u8, 1, 1)
DEFINE_STORE(u16, 2, 1)
DEFINE_STORE(b32, 4, 1)
DEFINE_STORE(b64, 8, 2)
DEFINE_STORE(b96, 12, 3)
DEFINE_STORE(b128, 16, 4)
