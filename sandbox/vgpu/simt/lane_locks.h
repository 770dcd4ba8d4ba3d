// Which lane of a wave changed a word by an atomic operation last: finds lanes that wait for another of their own wave,
// which cannot go on before they do.
#pragma once
#include <cstdint>

namespace w2w::simt {

class LaneLocks {
 public:
  void forget();
  // The lanes of `exec` are about to do an atomic operation of `bytes` bytes that tells them what was there.
  void note_atomic(uint64_t exec, const uint64_t* addresses, uint32_t bytes);
  void note_load(uint64_t address) { polled_ = address; }
  // A lane outside of `exec` that holds what lanes of `exec` asked for last; -1 if there is none.
  int find_holder(uint64_t exec);

 private:
  struct Change {
    uint64_t address = 0, value = 0;
    uint32_t bytes = 0, lane = 0;
  };
  static constexpr unsigned kKept = 64;

  void settle();
  Change& place_of(uint64_t address) { return changes_[address / 4 % kKept]; }
  int holder_of(uint64_t address, uint64_t exec);

  Change changes_[kKept];
  uint64_t asked_[64], before_[64];
  uint64_t asking_ = 0;  // lanes of the last operation
  uint32_t bytes_ = 0;
  uint64_t polled_ = 0;
};

}  // namespace w2w::simt
