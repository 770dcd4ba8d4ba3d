// What the waves of one work-group did to its LDS: which bytes were written, and which words each wave read and wrote.
//
// Two accesses of different waves race unless one happened before the other: a barrier, or atomic operations at the
// same address, lie in between. Since the last barrier, bit sets say which words a wave read or wrote: where they do
// not meet there is no race. Where they meet, clocks decide: each wave has one, and knows what it has seen of the
// others' (vector clocks; the last write of a word is kept with its clock, reads are taken as old as can be, so that a
// race may be missed but none is made up).
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/target.h"

namespace w2w::simt {

constexpr unsigned kMaxWaves = kMaxWorkItems / kLanes;

struct VectorClock {
  uint32_t of[kMaxWaves] = {};
  void join(const VectorClock& other);
};

class LdsShadow {
 public:
  // The last write of a word.
  struct Write {
    uint32_t clock = 0;
    uint32_t pc = 0;
    unsigned wave = 0;
  };

  void prepare(uint32_t bytes, uint32_t waves);
  void barrier();
  // Wave `wave` did an atomic operation at `place`: it knows what those before it there knew, and tells those after.
  void synchronise(unsigned wave, uint64_t place);

  bool several_waves() const { return waves_ > 1; }
  bool is_quiet() const { return !any_written_; }  // since the last barrier nobody wrote
  uint64_t* written_bits() { return bits_.data(); }

  // Word numbers are offsets divided by 4; ranges end behind the last.
  void note_read(unsigned wave, uint32_t first, uint32_t end);
  void note_write(unsigned wave, uint32_t first, uint32_t end, uint64_t pc, bool is_atomic);
  // A wave that wrote, or read, words of the range and is not ordered before `wave`; -1 if none is. Atomic operations do
  // not race with each other.
  int racing_writer(unsigned wave, uint32_t first, uint32_t end, bool is_atomic) const;
  int racing_reader(unsigned wave, uint32_t first, uint32_t end) const;
  const Write& last_write(uint32_t word) const { return writes_[word]; }

 private:
  struct Accessed {
    std::vector<uint64_t> read, written, changed;  // `changed`: by atomic operations
    bool any = false;
  };
  bool has_seen(unsigned wave, unsigned other, uint32_t clock) const { return seen_[wave].of[other] >= clock; }

  std::vector<Write> writes_;
  std::vector<uint64_t> bits_;
  std::vector<Accessed> accessed_;
  VectorClock seen_[kMaxWaves];  // of[own] is the wave's own clock
  VectorClock at_barrier_;
  std::unordered_map<uint64_t, VectorClock> places_;
  uint32_t waves_ = 0;
  bool any_written_ = false;
};

}  // namespace w2w::simt
