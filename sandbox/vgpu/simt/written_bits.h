// Arithmetic on bits that say which bytes have been written: bit n of word n / 64.
#pragma once
#include <cstdint>

namespace w2w::simt {

inline uint64_t low_bits(unsigned count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

// The bits of `count` (at most 64) bytes from `offset` on.
inline uint64_t read_bits(const uint64_t* bits, uint64_t offset, unsigned count) {
  const unsigned shift = offset & 63;
  uint64_t value = bits[offset >> 6] >> shift;
  if (shift + count > 64) value |= bits[(offset >> 6) + 1] << (64 - shift);
  return value & low_bits(count);
}

inline bool all_set(const uint64_t* bits, uint64_t begin, uint64_t end) {
  uint64_t word = begin >> 6, last = (end - 1) >> 6;
  uint64_t first_mask = ~uint64_t{0} << (begin & 63), last_mask = low_bits(((end - 1) & 63) + 1);
  if (word == last) return (~bits[word] & first_mask & last_mask) == 0;
  uint64_t missing = (~bits[word] & first_mask) | (~bits[last] & last_mask);
  for (++word; word < last; ++word) missing |= ~bits[word];
  return missing == 0;
}

// Other threads may set neighbouring bits at the same time; a whole word of ones needs no care.
inline void set_word(uint64_t* word, uint64_t mask) {
  if ((*word & mask) == mask) return;
  if (mask == ~uint64_t{0})
    __atomic_store_n(word, mask, __ATOMIC_RELAXED);
  else
    __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
}

inline void set_bits(uint64_t* bits, uint64_t begin, uint64_t end) {
  uint64_t word = begin >> 6, last = (end - 1) >> 6;
  uint64_t first_mask = ~uint64_t{0} << (begin & 63), last_mask = low_bits(((end - 1) & 63) + 1);
  if (word == last) return set_word(&bits[word], first_mask & last_mask);
  set_word(&bits[word], first_mask);
  for (++word; word < last; ++word) set_word(&bits[word], ~uint64_t{0});
  set_word(&bits[last], last_mask);
}

inline void clear_bits(uint64_t* bits, uint64_t begin, uint64_t end) {
  for (uint64_t at = begin; at < end; ++at)
    __atomic_fetch_and(&bits[at >> 6], ~(uint64_t{1} << (at & 63)), __ATOMIC_RELAXED);
}

}  // namespace w2w::simt
