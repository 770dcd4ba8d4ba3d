/* Vector loads and stores: w2w_<space>_<load|store>_<size>(wave, exec, addresses, offset, data).
 *
 * Spaces: global (64-bit addresses), base (32-bit offsets from the scalar `offset`), flat (64-bit, may be LDS or
 * scratch), scratch (32-bit, or no addresses: the same in all lanes), lds (32-bit). `data` has 64 words a register.
 * Out of bounds, LDS reads give 0 and writes are dropped (CDNA3 ISA, "LDS out-of-range").
 * Lanes outside of `exec` are neither read nor written. */
#include "helpers.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- one lane's element ------------------------------------------------------------------------------------- */

ALWAYS_INLINE void load_u8(const char *from, uint32_t *data) { data[0] = *(const uint8_t *)from; }
ALWAYS_INLINE void load_i8(const char *from, uint32_t *data) { data[0] = (uint32_t)*(const int8_t *)from; }
ALWAYS_INLINE void load_u16(const char *from, uint32_t *data) {
  uint16_t value;
  memcpy(&value, from, sizeof value);
  data[0] = value;
}
ALWAYS_INLINE void load_i16(const char *from, uint32_t *data) {
  int16_t value;
  memcpy(&value, from, sizeof value);
  data[0] = (uint32_t)value;
}
ALWAYS_INLINE void load_words(const char *from, uint32_t *data, int words) {
  for (int k = 0; k < words; k++) memcpy(&data[k * kLanes], from + 4 * k, 4);
}
ALWAYS_INLINE void load_b32(const char *from, uint32_t *data) { load_words(from, data, 1); }
ALWAYS_INLINE void load_b64(const char *from, uint32_t *data) { load_words(from, data, 2); }
ALWAYS_INLINE void load_b96(const char *from, uint32_t *data) { load_words(from, data, 3); }
ALWAYS_INLINE void load_b128(const char *from, uint32_t *data) { load_words(from, data, 4); }

ALWAYS_INLINE void store_u8(char *to, const uint32_t *data) { *(uint8_t *)to = (uint8_t)data[0]; }
ALWAYS_INLINE void store_u16(char *to, const uint32_t *data) {
  uint16_t value = (uint16_t)data[0];
  memcpy(to, &value, sizeof value);
}
ALWAYS_INLINE void store_words(char *to, const uint32_t *data, int words) {
  for (int k = 0; k < words; k++) memcpy(to + 4 * k, &data[k * kLanes], 4);
}
ALWAYS_INLINE void store_b32(char *to, const uint32_t *data) { store_words(to, data, 1); }
ALWAYS_INLINE void store_b64(char *to, const uint32_t *data) { store_words(to, data, 2); }
ALWAYS_INLINE void store_b96(char *to, const uint32_t *data) { store_words(to, data, 3); }
ALWAYS_INLINE void store_b128(char *to, const uint32_t *data) { store_words(to, data, 4); }

ALWAYS_INLINE void zero_words(uint32_t *data, int words) {
  for (int k = 0; k < words; k++) data[k * kLanes] = 0;
}

/* ---- are the lanes' elements one after the other? -------------------------------------------------------------- */

ALWAYS_INLINE int follow_each_other64(const uint64_t *addresses, uint64_t step) {
  uint64_t different = 0, first = addresses[0];
  W2W_EACH_LANE(lane) different |= addresses[lane] ^ (first + step * (uint64_t)lane);
  return different == 0;
}
ALWAYS_INLINE int follow_each_other32(const uint32_t *offsets, uint32_t step) {
  uint32_t different = 0, first = offsets[0];
  W2W_EACH_LANE(lane) different |= offsets[lane] ^ (first + step * (uint32_t)lane);
  return different == 0 && first <= 0xffffffff - step * kLanes;
}

/* ---- global and base --------------------------------------------------------------------------------------------- */

#define ALL_LANES (~UINT64_C(0))

#define ACCESS_ALL(access, exec, address_of)                                   \
  if ((exec) == ALL_LANES) {                                                   \
    W2W_EACH_LANE(lane) access((char *)(address_of), data + lane);             \
  } else {                                                                     \
    W2W_EACH_ACTIVE_LANE(lane, exec) access((char *)(address_of), data + lane); \
  }

#define DEFINE_GLOBAL(name, access, bytes, data_type)                                                               \
  void w2w_global_##name(struct w2w_wave *wave, uint64_t exec, const uint64_t *addresses, uint64_t offset,         \
                         data_type *restrict data) {                                                               \
    (void)wave;                                                                                                     \
    if (exec == ALL_LANES && follow_each_other64(addresses, bytes)) {                                               \
      char *first = (char *)(addresses[0] + offset);                                                                \
      W2W_EACH_LANE(lane) access(first + bytes * lane, data + lane);                                                \
      return;                                                                                                       \
    }                                                                                                               \
    ACCESS_ALL(access, exec, addresses[lane] + offset)                                                              \
  }                                                                                                                 \
  void w2w_base_##name(struct w2w_wave *wave, uint64_t exec, const uint32_t *offsets, uint64_t base,               \
                       data_type *restrict data) {                                                                 \
    (void)wave;                                                                                                     \
    if (exec == ALL_LANES && follow_each_other32(offsets, bytes)) {                                                 \
      char *first = (char *)(base + offsets[0]);                                                                    \
      W2W_EACH_LANE(lane) access(first + bytes * lane, data + lane);                                                \
      return;                                                                                                       \
    }                                                                                                               \
    ACCESS_ALL(access, exec, base + offsets[lane])                                                                  \
  }

/* ---- scratch ------------------------------------------------------------------------------------------------------ */

#define DEFINE_SCRATCH(name, access, data_type)                                                               \
  void w2w_scratch_##name(struct w2w_wave *wave, uint64_t exec, const uint32_t *offsets, uint64_t offset,    \
                          data_type *restrict data) {                                                        \
    char *base = wave->scratch + offset;                                                                      \
    uint64_t stride = wave->scratch_stride;                                                                   \
    if (offsets) {                                                                                            \
      ACCESS_ALL(access, exec, base + (uint64_t)lane * stride + offsets[lane])                                \
    } else {                                                                                                  \
      ACCESS_ALL(access, exec, base + (uint64_t)lane * stride)                                                \
    }                                                                                                         \
  }

/* ---- LDS and flat: an address may be out of bounds ----------------------------------------------------------------- */

/* Whether all lanes are in bounds: the usual case, found without a branch a lane. */
ALWAYS_INLINE int all_within(const uint32_t *offsets, uint64_t exec, uint64_t limit) {
  uint32_t largest = 0;
  if (exec == ALL_LANES) {
    W2W_EACH_LANE(lane) largest = offsets[lane] > largest ? offsets[lane] : largest;
  } else {
    W2W_EACH_ACTIVE_LANE(lane, exec) largest = offsets[lane] > largest ? offsets[lane] : largest;
  }
  return largest <= limit;
}

#define DEFINE_LDS(name, access, bytes, words, data_type, outside)                                              \
  void w2w_lds_##name(struct w2w_wave *wave, uint64_t exec, const uint32_t *offsets, uint64_t offset,          \
                      data_type *restrict data) {                                                              \
    if (!exec) return;                                                                                          \
    if (wave->lds_size >= offset + bytes && all_within(offsets, exec, wave->lds_size - offset - bytes)) {       \
      char *base = wave->lds + offset;                                                                          \
      ACCESS_ALL(access, exec, base + offsets[lane])                                                            \
      return;                                                                                                   \
    }                                                                                                           \
    W2W_EACH_ACTIVE_LANE(lane, exec) {                                                                          \
      char *place = w2w_lds_address(wave, offsets[lane] + offset, bytes);                                       \
      if (place) {                                                                                              \
        access(place, data + lane);                                                                             \
      } else {                                                                                                  \
        outside(data + lane, words);                                                                            \
      }                                                                                                         \
    }                                                                                                           \
  }

#define DEFINE_FLAT(name, access, bytes, words, data_type, outside)                                             \
  void w2w_flat_##name(struct w2w_wave *wave, uint64_t exec, const uint64_t *addresses, uint64_t offset,       \
                       data_type *restrict data) {                                                             \
    W2W_EACH_ACTIVE_LANE(lane, exec) {                                                                          \
      char *place = w2w_flat_address(wave, addresses[lane] + offset, lane, bytes);                              \
      if (place) {                                                                                              \
        access(place, data + lane);                                                                             \
      } else {                                                                                                  \
        outside(data + lane, words);                                                                            \
      }                                                                                                         \
    }                                                                                                           \
  }

#define DROP(data, words) (void)0

#define DEFINE_LOAD(size, bytes, words)                                              \
  DEFINE_GLOBAL(load_##size, load_##size, bytes, uint32_t)                           \
  DEFINE_SCRATCH(load_##size, load_##size, uint32_t)                                 \
  DEFINE_LDS(load_##size, load_##size, bytes, words, uint32_t, zero_words)           \
  DEFINE_FLAT(load_##size, load_##size, bytes, words, uint32_t, zero_words)

#define DEFINE_STORE(size, bytes, words)                                             \
  DEFINE_GLOBAL(store_##size, store_##size, bytes, const uint32_t)                   \
  DEFINE_SCRATCH(store_##size, store_##size, const uint32_t)                         \
  DEFINE_LDS(store_##size, store_##size, bytes, words, const uint32_t, DROP)         \
  DEFINE_FLAT(store_##size, store_##size, bytes, words, const uint32_t, DROP)

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

/* ---- scalar and typed buffers ---------------------------------------------------------------------------------------- */

/* `words` words from `from`; those at `limit` and beyond are 0. */
void w2w_bounded_words(const uint32_t *from, uint64_t limit, uint32_t words, uint32_t *to) {
  for (uint32_t k = 0; k < words; k++) to[k] = (uint64_t)(from + k + 1) <= limit ? from[k] : 0;
}

/* Addresses of a buffer access, and the lanes of `exec` that are in bounds. `descriptor`: base (48 bits), stride (14),
 * swizzle enable, number of records, flags (CDNA3 ISA, "Buffer resource descriptor"). `index`, `offset`: per lane, or
 * null. Raw buffers (stride 0) are checked by byte, structured ones by index. Swizzled buffers are not known to occur
 * outside of graphics. */
uint64_t w2w_buffer_addresses(uint64_t exec, const uint32_t *descriptor, const uint32_t *index, const uint32_t *offset,
                              uint32_t scalar_offset, uint32_t constant, uint32_t bytes, uint64_t *addresses) {
  uint64_t base = descriptor[0] | (uint64_t)(descriptor[1] & 0xffff) << 32;
  uint32_t stride = descriptor[1] >> 16 & 0x3fff, records = descriptor[2];
  uint64_t inside = 0;
  W2W_EACH_ACTIVE_LANE(lane, exec) {
    uint64_t record = index ? index[lane] : 0;
    uint64_t within = (uint64_t)constant + (offset ? offset[lane] : 0);
    int is_inside = stride && index ? record < records && within + bytes <= stride : within + bytes <= records;
    if (is_inside) inside |= UINT64_C(1) << lane;
    addresses[lane] = base + scalar_offset + record * stride + within;
  }
  return inside;
}
