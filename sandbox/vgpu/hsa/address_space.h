// The addresses of device memory: ranges of one large inaccessible reservation.
//
// A range that was released stays inaccessible and its addresses are not given out again until the whole reservation
// has been used once, so that a use after free faults instead of reading another buffer. Ranges are kept apart, so
// that a run past the end faults too; beyond 16,384 live ones they follow each other, because the system's mappings
// are limited. Addresses are the same in each run of a program, as far as the kernel lets us.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace w2w::hsa {

constexpr size_t kPageBytes = 4096;
constexpr size_t kLargePageBytes = 2 << 20;
constexpr size_t kGuardBytes = 64 << 10;  // inaccessible bytes between ranges

inline size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

class AddressSpace {
 public:
  AddressSpace();
  // An inaccessible range without memory behind it. `bytes` is a multiple of the page, `alignment` a power of two.
  // Null when the addresses are used up.
  char* reserve(size_t bytes, size_t alignment);
  // Give the memory behind a range back to the system, and the range up.
  void release(char* base);
  // Give back only the memory: [base, base + bytes) becomes inaccessible.
  static bool clear(char* base, size_t bytes);
  // The whole reservation.
  const char* begin() const { return reinterpret_cast<const char*>(begin_); }
  size_t size() const { return end_ - begin_; }

 private:
  uintptr_t next_fit(uintptr_t from, size_t bytes, size_t alignment, size_t guard) const;

  std::mutex mutex_;
  uintptr_t begin_ = 0, end_ = 0, cursor_ = 0;
  std::map<uintptr_t, uintptr_t> live_;  // base -> end, guard not included
};

AddressSpace& address_space();

}  // namespace w2w::hsa
