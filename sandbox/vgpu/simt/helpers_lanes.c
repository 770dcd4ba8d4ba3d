/* Permutations of lanes whose pattern is known at run time only, and counters in LDS. */
#include "helpers.h"

/* Each lane reads from lane (address + offset) / 4; inactive lanes hold 0 for their readers. */
void w2w_bpermute_b32(uint64_t exec, uint32_t offset, const uint32_t *addresses, const uint32_t *data,
                      uint32_t *restrict result) {
  if (exec == ~UINT64_C(0)) {
    W2W_EACH_LANE(lane) result[lane] = data[(addresses[lane] + offset) >> 2 & 63];
    return;
  }
  W2W_EACH_ACTIVE_LANE(lane, exec) {
    uint32_t source = (addresses[lane] + offset) >> 2 & 63;
    result[lane] = exec >> source & 1 ? data[source] : 0;
  }
}

/* Each active lane writes to lane (address + offset) / 4; lanes that nobody writes to get 0. */
void w2w_permute_b32(uint64_t exec, uint32_t offset, const uint32_t *addresses, const uint32_t *data,
                     uint32_t *restrict result) {
  memset(result, 0, kLanes * sizeof *result);
  W2W_EACH_ACTIVE_LANE(lane, exec) result[(addresses[lane] + offset) >> 2 & 63] = data[lane];
}

/* Adds `count` to a word of LDS; the value before. Waves of a work-group share a thread: no atomic is needed. */
uint32_t w2w_lds_count(struct w2w_wave *wave, uint32_t address, uint32_t count) {
  char *place = w2w_lds_address(wave, address, 4);
  uint32_t old = 0;
  if (!place) return 0;
  memcpy(&old, place, sizeof old);
  uint32_t sum = old + count;
  memcpy(place, &sum, sizeof sum);
  return old;
}

/* Groups of four bits, of which any is set, become all ones. */
uint64_t w2w_wqm(uint64_t mask) {
  uint64_t any = (mask | mask >> 1 | mask >> 2 | mask >> 3) & UINT64_C(0x1111111111111111);
  return any * 15;
}

/* One bit for each group of four. */
uint64_t w2w_quadmask(uint64_t mask) {
  uint64_t result = 0;
  for (int group = 0; group < 16; group++) result |= (uint64_t)((mask >> (4 * group) & 15) != 0) << group;
  return result;
}

uint64_t w2w_bitreplicate(uint32_t bits) {
  uint64_t result = 0;
  for (int k = 0; k < 32; k++) result |= (uint64_t)(bits >> k & 1) * 3 << (2 * k);
  return result;
}

/* Transposing reads: within groups of 16 lanes, the lanes' elements are a matrix of 16 columns, stored by rows (a row is
 * one, two or four lanes). Lane c of the group gets column c. Each lane has `count` elements of `bits` bits. */
static void transpose(const uint32_t *from, uint32_t *to, int bits, int count) {
  int lanes_a_row = 16 / count;
  memset(to, 0, (size_t)(bits * count / 32) * kLanes * sizeof *to);
  W2W_EACH_LANE(lane) {
    int group = lane & ~15, column = lane & 15;
    for (int row = 0; row < count; row++) {
      int source = group + row * lanes_a_row + column / count;
      for (int bit = 0; bit < bits; bit++) {
        int at = column % count * bits + bit, put = row * bits + bit;
        uint32_t value = from[at / 32 * kLanes + source] >> (at % 32) & 1;
        to[put / 32 * kLanes + lane] |= value << (put % 32);
      }
    }
  }
}
void w2w_transpose_b16(const uint32_t *from, uint32_t *restrict to) { transpose(from, to, 16, 4); }
void w2w_transpose_b8(const uint32_t *from, uint32_t *restrict to) { transpose(from, to, 8, 8); }
void w2w_transpose_b6(const uint32_t *from, uint32_t *restrict to) { transpose(from, to, 6, 16); }
void w2w_transpose_b4(const uint32_t *from, uint32_t *restrict to) { transpose(from, to, 4, 16); }
