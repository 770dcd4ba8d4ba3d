#include "hsa/initialised_memory.h"

#include <sys/mman.h>

#include <algorithm>

#include "hsa/address_space.h"
#include "simt/dispatch.h"

namespace w2w::hsa {
namespace {

constexpr size_t kWordBytes = 64;  // bytes of memory that a word stands for

uint64_t bits_from(unsigned first, unsigned count) { return (count == 64 ? ~0ull : (1ull << count) - 1) << first; }

}  // namespace

void InitialisedMemory::cover(const char* begin, size_t bytes) {
  void* words = mmap(nullptr, bytes / 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (words == MAP_FAILED) return;
  madvise(words, bytes / 8, MADV_NOHUGEPAGE);
  begin_ = begin;
  bytes_ = bytes;
  words_ = static_cast<uint64_t*>(words);
}

uint64_t* InitialisedMemory::word_of(const char* address) const {
  if (address < begin_ || address >= begin_ + bytes_) return nullptr;
  return words_ + static_cast<size_t>(address - begin_) / kWordBytes;
}

void InitialisedMemory::mark(const void* address, size_t bytes) {
  auto* at = const_cast<char*>(static_cast<const char*>(address));
  if (!words_ || at >= begin_ + bytes_ || at + bytes <= begin_) return;
  char* end = std::min(at + bytes, const_cast<char*>(begin_) + bytes_);
  at = std::max(at, const_cast<char*>(begin_));
  while (at < end) {
    const unsigned first = static_cast<unsigned>(static_cast<size_t>(at - begin_) % kWordBytes);
    const size_t count = std::min<size_t>(kWordBytes - first, static_cast<size_t>(end - at));
    __atomic_fetch_or(word_of(at), bits_from(first, static_cast<unsigned>(count)), __ATOMIC_RELAXED);
    at += count;
  }
}

void InitialisedMemory::clear(const char* base, size_t bytes) {
  uint64_t* first = word_of(base);
  if (!first) return;
  // Pages of bits that belong to these bytes alone go back to the system; at both ends bits are cleared by hand.
  auto begin = reinterpret_cast<uintptr_t>(first), end = begin + bytes / 8;
  auto inner = std::min(round_up(begin, kPageBytes), end), inner_end = std::max(inner, end / kPageBytes * kPageBytes);
  std::fill(first, reinterpret_cast<uint64_t*>(inner), 0);
  if (inner_end > inner) madvise(reinterpret_cast<void*>(inner), inner_end - inner, MADV_DONTNEED);
  std::fill(reinterpret_cast<uint64_t*>(inner_end), reinterpret_cast<uint64_t*>(end), 0);
}

InitialisedMemory& initialised_memory() {
  static InitialisedMemory* memory = [] {
    auto* made = new InitialisedMemory;  // never destroyed: threads outlive exit()
    if (checks_enabled()) made->cover(address_space().begin(), address_space().size());
    return made;
  }();
  return *memory;
}

}  // namespace w2w::hsa
