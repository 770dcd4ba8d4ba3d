/* What the helpers share. Helpers are called by code that the CDNA translator generates, and are part of the engine's
 * library. Per-lane arguments point to arrays of 64 elements; `exec` has one bit a lane. */
#pragma once
#include <stdint.h>
#include <string.h>

#include "wave_state.h"

enum { kLanes = 64 };

#define W2W_EACH_LANE(lane) for (int lane = 0; lane < kLanes; lane++)
#define W2W_EACH_ACTIVE_LANE(lane, exec) \
  for (uint64_t rest_ = (exec), lane = 0; rest_ && (lane = (uint64_t)__builtin_ctzll(rest_), 1); rest_ &= rest_ - 1)

static inline float w2w_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint32_t w2w_float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline double w2w_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint64_t w2w_double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline float w2w_half(uint16_t bits) {
  _Float16 value;
  memcpy(&value, &bits, sizeof value);
  return (float)value;
}
static inline uint16_t w2w_half_bits(float value) {
  _Float16 half = (_Float16)value;
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return bits;
}
static inline float w2w_bfloat(uint16_t bits) { return w2w_float((uint32_t)bits << 16); }

/* To bfloat16, to nearest even. */
static inline uint16_t w2w_bfloat_bits(float value) {
  uint32_t bits = w2w_float_bits(value);
  if (value != value) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static const uint32_t kSharedAperture = 0x10000;  /* high half of a flat address in LDS */
static const uint32_t kPrivateAperture = 0x20000; /* and of one in scratch */

/* Host address of a byte of LDS, or null if the access of `bytes` bytes is out of bounds, which is noted: no call, since
 * helpers that keep all registers come here. */
static inline char *w2w_lds_address(struct w2w_wave *wave, uint64_t offset, uint64_t bytes) {
  if (__builtin_expect(offset + bytes <= wave->lds_size, 1)) return wave->lds + offset;
  wave->outside_offset = offset;
  wave->outside_bytes = bytes;
  wave->outside_pc = wave->pc;
  return 0;
}

/* Host address of a flat address; LDS accesses out of bounds give null. A null pointer of the program's is no such
 * access: it becomes another address that nothing is mapped at, and faults. */
static inline char *w2w_flat_address(struct w2w_wave *wave, uint64_t address, uint64_t lane, uint64_t bytes) {
  uint32_t high = (uint32_t)(address >> 32);
  if (__builtin_expect(high == kSharedAperture, 0)) return w2w_lds_address(wave, (uint32_t)address, bytes);
  if (__builtin_expect(high == kPrivateAperture, 0))
    return wave->scratch + lane * wave->scratch_stride + (uint32_t)address;
  return (char *)(address ? address : 1);
}
