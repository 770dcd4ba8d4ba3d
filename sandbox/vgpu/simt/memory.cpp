#include "simt/memory.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

#include "simt/target.h"

namespace w2w::simt {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kLdsReach = (size_t{4} << 30) + (size_t{64} << 10);
constexpr size_t kLdsMapping = kMaxLdsBytes + kLdsReach;
constexpr size_t kAlignment = 16;
constexpr size_t kScratchGuard = 64 << 10;
// NaN as float and half, signalling NaN as double, an unlikely index as integer.
constexpr uint32_t kPattern = 0x7ff5a5a5;

size_t round_up(size_t value, size_t step) { return (value + step - 1) / step * step; }

char* reserve(size_t bytes, size_t usable) {
  void* memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(memory, usable, PROT_READ | PROT_WRITE) != 0) {
    munmap(memory, bytes);
    throw std::bad_alloc();
  }
  return static_cast<char*>(memory);
}

bool is_within(const void* address, const char* start, size_t bytes) {
  auto* p = static_cast<const char*>(address);
  return p >= start && p < start + bytes;
}

}  // namespace

static_assert(kMaxLdsBytes % kPage == 0, "the guard behind LDS starts at a page");

LdsBuffer::LdsBuffer() : base_(reserve(kLdsMapping, kMaxLdsBytes)) {}

LdsBuffer::~LdsBuffer() { munmap(base_, kLdsMapping); }

char* LdsBuffer::prepare(uint32_t bytes, bool zero) {
  size_t size = round_up(bytes, kAlignment);
  char* start = base_ + kMaxLdsBytes - size;
  if (zero) {
    memset(start, 0, size);
  } else {
    auto* words = reinterpret_cast<uint32_t*>(start);
    for (size_t i = 0; i < size / sizeof kPattern; ++i) words[i] = kPattern;
  }
  return start;
}

bool LdsBuffer::guards(const void* address) const { return is_within(address, base_ + kMaxLdsBytes, kLdsReach); }

ScratchBuffer::~ScratchBuffer() {
  if (base_) munmap(base_, capacity_ + kScratchGuard);
}

char* ScratchBuffer::prepare(size_t bytes) {
  if (!bytes) return nullptr;
  if (bytes > capacity_) {
    size_t wanted = round_up(bytes, kPage);
    char* fresh = reserve(wanted + kScratchGuard, wanted);
    if (base_) munmap(base_, capacity_ + kScratchGuard);
    base_ = fresh;
    capacity_ = wanted;
  }
  return base_ + capacity_ - round_up(bytes, kAlignment);
}

bool ScratchBuffer::guards(const void* address) const {
  return base_ && is_within(address, base_ + capacity_, kScratchGuard);
}

}  // namespace w2w::simt
