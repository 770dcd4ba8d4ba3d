#include "simt/lds_shadow.h"

#include <algorithm>

#include "simt/written_bits.h"

namespace w2w::simt {
namespace {

// Bits that one thread alone changes.
void set_range(uint64_t* bits, uint32_t first, uint32_t end) {
  for (uint32_t word = first / 64; word <= (end - 1) / 64; ++word) {
    uint64_t mask = ~uint64_t{0};
    if (word == first / 64) mask &= ~uint64_t{0} << first % 64;
    if (word == (end - 1) / 64) mask &= low_bits((end - 1) % 64 + 1);
    bits[word] |= mask;
  }
}

bool any_set(const uint64_t* bits, uint32_t first, uint32_t end) {
  for (uint32_t word = first / 64; word <= (end - 1) / 64; ++word) {
    uint64_t mask = ~uint64_t{0};
    if (word == first / 64) mask &= ~uint64_t{0} << first % 64;
    if (word == (end - 1) / 64) mask &= low_bits((end - 1) % 64 + 1);
    if (bits[word] & mask) return true;
  }
  return false;
}

void clear(std::vector<uint64_t>* bits) { std::fill(bits->begin(), bits->end(), 0); }

}  // namespace

void VectorClock::join(const VectorClock& other) {
  for (unsigned wave = 0; wave < kMaxWaves; ++wave) of[wave] = std::max(of[wave], other.of[wave]);
}

void LdsShadow::prepare(uint32_t bytes, uint32_t waves) {
  const size_t words = (bytes + 3) / 4, sets = words / 64 + 2;
  waves_ = waves;
  bits_.assign(bytes / 64 + 2, 0);
  any_written_ = false;
  places_.clear();
  if (waves < 2) return;
  writes_.assign(words, Write());
  accessed_.resize(waves);
  for (Accessed& each : accessed_) {
    for (auto* set : {&each.read, &each.written, &each.changed}) set->assign(sets, 0);
    each.any = false;
  }
  at_barrier_ = VectorClock();
  for (unsigned wave = 0; wave < kMaxWaves; ++wave) {
    seen_[wave] = VectorClock();
    seen_[wave].of[wave] = 1;
  }
}

void LdsShadow::barrier() {
  if (waves_ < 2) return;
  VectorClock all;
  for (unsigned wave = 0; wave < waves_; ++wave) all.join(seen_[wave]);
  at_barrier_ = all;
  for (unsigned wave = 0; wave < waves_; ++wave) {
    seen_[wave] = all;
    ++seen_[wave].of[wave];
    Accessed& mine = accessed_[wave];
    if (mine.any)
      for (auto* set : {&mine.read, &mine.written, &mine.changed}) clear(set);
    mine.any = false;
  }
  any_written_ = false;
}

void LdsShadow::synchronise(unsigned wave, uint64_t place) {
  VectorClock& there = places_[place];
  seen_[wave].join(there);
  there.join(seen_[wave]);
  ++seen_[wave].of[wave];
}

void LdsShadow::note_read(unsigned wave, uint32_t first, uint32_t end) {
  set_range(accessed_[wave].read.data(), first, end);
  accessed_[wave].any = true;
}

void LdsShadow::note_write(unsigned wave, uint32_t first, uint32_t end, uint64_t pc, bool is_atomic) {
  Accessed& mine = accessed_[wave];
  set_range((is_atomic ? mine.changed : mine.written).data(), first, end);
  mine.any = any_written_ = true;
  const Write write{seen_[wave].of[wave], static_cast<uint32_t>(pc), wave};
  std::fill(writes_.begin() + first, writes_.begin() + end, write);
}

int LdsShadow::racing_writer(unsigned wave, uint32_t first, uint32_t end, bool is_atomic) const {
  for (unsigned other = 0; other < waves_; ++other) {
    if (other == wave || !accessed_[other].any) continue;
    const Accessed& theirs = accessed_[other];
    if (!any_set(theirs.written.data(), first, end) && (is_atomic || !any_set(theirs.changed.data(), first, end)))
      continue;
    // Where another wave wrote later, that write is the one to be ordered with.
    for (uint32_t word = first; word < end; ++word)
      if (writes_[word].wave == other && !has_seen(wave, other, writes_[word].clock)) return static_cast<int>(other);
  }
  return -1;
}

// When a wave read is not known, only that it was after the barrier: whoever has heard of it since is taken as ordered.
int LdsShadow::racing_reader(unsigned wave, uint32_t first, uint32_t end) const {
  for (unsigned other = 0; other < waves_; ++other) {
    if (other == wave || !accessed_[other].any) continue;
    if (!any_set(accessed_[other].read.data(), first, end)) continue;
    if (!has_seen(wave, other, at_barrier_.of[other] + 1)) return static_cast<int>(other);
  }
  return -1;
}

}  // namespace w2w::simt
