// Which bytes of device memory have been written, one bit a byte; only where memory is checked.
//
// The bits of the address space's reservation are one large mapping that costs memory only where it is touched, and
// never goes away: a checking wave may look at the bits of memory that another thread just freed.
#pragma once
#include <cstddef>
#include <cstdint>

namespace w2w::hsa {

class InitialisedMemory {
 public:
  // Bits for [begin, begin + bytes). Without memory for them nothing is tracked.
  void cover(const char* begin, size_t bytes);
  // The word whose bit 0 stands for the byte at `address`, a multiple of 64; null where bytes are not tracked.
  uint64_t* word_of(const char* address) const;
  // Bytes were written. Thread-safe.
  void mark(const void* address, size_t bytes);
  // Bytes are new: nothing has been written. `base` is page-aligned.
  void clear(const char* base, size_t bytes);

 private:
  const char* begin_ = nullptr;
  size_t bytes_ = 0;
  uint64_t* words_ = nullptr;
};

InitialisedMemory& initialised_memory();

}  // namespace w2w::hsa
