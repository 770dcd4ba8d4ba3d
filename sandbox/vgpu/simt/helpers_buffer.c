/* Buffers: memory behind a descriptor, with bounds (CDNA4 ISA, "Buffer Addressing" and "Buffer resource"). */
#include "helpers.h"

/* `words` words from `from`; those at `limit` and beyond are 0. */
void w2w_bounded_load(const uint32_t *from, uint64_t limit, uint32_t words, uint32_t *to) {
  for (uint32_t k = 0; k < words; k++) to[k] = (uint64_t)(from + k + 1) <= limit ? from[k] : 0;
}
/* `words` words to `to`; those at `limit` and beyond are dropped. */
void w2w_bounded_store(uint32_t *to, uint64_t limit, uint32_t words, const uint32_t *from) {
  for (uint32_t k = 0; k < words && (uint64_t)(to + k + 1) <= limit; k++) to[k] = from[k];
}

struct buffer {
  uint64_t base, stride;
  uint32_t records, index_stride, element_bytes;
  int is_swizzled, adds_lane;
};

/* `is_format`: of a typed access, for which the data format is no part of the stride. The descriptor has no element size
 * on these targets: swizzled elements are of 4 bytes, as in the one use that the document proposes. */
static struct buffer read_descriptor(const uint32_t *words, uint32_t is_format) {
  struct buffer b;
  b.base = words[0] | (uint64_t)(words[1] & 0xffff) << 32;
  b.stride = words[1] >> 16 & 0x3fff;
  b.records = words[2];
  b.is_swizzled = words[1] >> 31;
  b.index_stride = 8u << (words[3] >> 21 & 3);
  b.adds_lane = words[3] >> 23 & 1;
  b.element_bytes = 4;
  if (b.adds_lane && !is_format) b.stride |= (uint64_t)(words[3] >> 15 & 15) << 14;
  return b;
}

/* What is out of range depends on the kind of buffer: private ones are not checked, structured ones by their index
 * alone, raw ones by byte. */
static inline int is_inside(const struct buffer *b, int has_index, uint64_t record, uint64_t within, uint32_t bytes) {
  if (b->adds_lane && !has_index) return 1;
  if (b->stride && has_index) return record < b->records;
  return within + bytes <= b->records;
}

static inline uint64_t place_in_buffer(const struct buffer *b, uint64_t record, uint64_t within) {
  if (!b->is_swizzled) return record * b->stride + within;
  uint64_t group = record / b->index_stride, element = within / b->element_bytes;
  return (group * b->stride + element * b->element_bytes) * b->index_stride +
         record % b->index_stride * b->element_bytes + within % b->element_bytes;
}

/* Addresses of a buffer access, and the lanes of `exec` that are in bounds with all of their `bytes`. `index`, `offset`:
 * per lane, or null. */
uint64_t w2w_buffer_addresses(uint64_t exec, const uint32_t *descriptor, const uint32_t *index, const uint32_t *offset,
                              uint32_t scalar_offset, uint32_t constant, uint32_t bytes, uint32_t is_format,
                              uint64_t *addresses) {
  struct buffer b = read_descriptor(descriptor, is_format);
  uint64_t inside = 0;
  W2W_EACH_ACTIVE_LANE(lane, exec) {
    uint64_t record = (index ? index[lane] : 0) + (b.adds_lane ? lane : 0);
    uint64_t within = (uint64_t)constant + (offset ? offset[lane] : 0);
    if (is_inside(&b, index != 0, record, within, bytes)) inside |= UINT64_C(1) << lane;
    addresses[lane] = b.base + scalar_offset + place_in_buffer(&b, record, within);
  }
  return inside;
}

/* How many of the `words` words of a lane's access are in bounds. Wide accesses are checked word by word. */
static uint32_t words_inside(const uint32_t *descriptor, const uint32_t *index, const uint32_t *offset,
                             uint32_t constant, uint32_t words, uint64_t lane) {
  struct buffer b = read_descriptor(descriptor, 0);
  uint64_t within = (uint64_t)constant + (offset ? offset[lane] : 0);
  uint32_t count = 0;
  while (count < words && is_inside(&b, index != 0, b.records, within + 4 * count, 4)) count++;
  return count;
}

/* Words of the lanes `lanes`, which are not all in bounds: those that are out are 0. */
void w2w_buffer_load_partly(uint64_t lanes, const uint32_t *descriptor, const uint32_t *index, const uint32_t *offset,
                            uint32_t constant, uint32_t words, const uint64_t *addresses, uint32_t *data) {
  W2W_EACH_ACTIVE_LANE(lane, lanes) {
    uint32_t count = words > 1 ? words_inside(descriptor, index, offset, constant, words, lane) : 0;
    for (uint32_t k = 0; k < words; k++) data[k * kLanes + lane] = 0;
    for (uint32_t k = 0; k < count; k++) memcpy(&data[k * kLanes + lane], (const char *)addresses[lane] + 4 * k, 4);
  }
}
void w2w_buffer_store_partly(uint64_t lanes, const uint32_t *descriptor, const uint32_t *index, const uint32_t *offset,
                             uint32_t constant, uint32_t words, const uint64_t *addresses, const uint32_t *data) {
  W2W_EACH_ACTIVE_LANE(lane, lanes) {
    uint32_t count = words_inside(descriptor, index, offset, constant, words, lane);
    for (uint32_t k = 0; k < count; k++) memcpy((char *)addresses[lane] + 4 * k, &data[k * kLanes + lane], 4);
  }
}
