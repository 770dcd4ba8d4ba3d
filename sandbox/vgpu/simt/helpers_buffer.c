/* Buffers: memory behind a descriptor, with bounds. */
#include "helpers.h"

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
