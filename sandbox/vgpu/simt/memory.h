// Memory of resident work-groups: LDS and scratch, each with inaccessible addresses behind its last byte.
#pragma once
#include <cstddef>
#include <cstdint>

namespace w2w::simt {

// The LDS of one work-group. Everything that a 32-bit LDS address plus a 16-bit offset can reach behind the allocated
// bytes is reserved and inaccessible, so that no check per access is needed.
class LdsBuffer {
 public:
  LdsBuffer();  // throws std::bad_alloc
  ~LdsBuffer();
  LdsBuffer(const LdsBuffer&) = delete;
  LdsBuffer& operator=(const LdsBuffer&) = delete;

  // The start of `bytes` bytes (at most kMaxLdsBytes) of LDS, 16-byte aligned, ending where the guard begins; filled
  // with zeros or a pattern, so that no group sees what another left.
  char* prepare(uint32_t bytes, bool zero);
  // True for an address behind the LDS. Async-signal-safe.
  bool guards(const void* address) const;

 private:
  char* base_;
};

// The scratch of one wave. Grows, never shrinks.
class ScratchBuffer {
 public:
  ScratchBuffer() = default;
  ~ScratchBuffer();
  ScratchBuffer(const ScratchBuffer&) = delete;
  ScratchBuffer& operator=(const ScratchBuffer&) = delete;

  // The start of `bytes` bytes ending where the guard begins, null for none. Throws std::bad_alloc.
  char* prepare(size_t bytes);
  bool guards(const void* address) const;

 private:
  char* base_ = nullptr;
  size_t capacity_ = 0;
};

}  // namespace w2w::simt
