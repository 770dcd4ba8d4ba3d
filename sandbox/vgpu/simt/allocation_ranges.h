// The allocations that a thread's waves used lately, for checks of every access.
#pragma once
#include <cstddef>
#include <cstdint>

namespace w2w::simt {

// `initialised`: one bit a byte from `begin` on; null where that is not known. See AllocationView.
struct AllocationRange {
  uintptr_t begin = 0, end = 0;
  uint64_t* initialised = nullptr;
};

class AllocationRanges {
 public:
  // The allocation that holds [low, high), null if none does. Valid until the next call.
  const AllocationRange* find(uintptr_t low, uintptr_t high) {
    if (!is_current()) forget();
    for (unsigned i = 0; i < kKept; ++i)
      if (low >= kept_[i].begin && high <= kept_[i].end) return &kept_[i];
    return look_up(low, high);
  }

 private:
  static constexpr unsigned kKept = 8;

  bool is_current() const;
  void forget();
  const AllocationRange* look_up(uintptr_t low, uintptr_t high);

  AllocationRange kept_[kKept];
  unsigned next_ = 0;
  uint64_t changes_ = 0;
};

}  // namespace w2w::simt
