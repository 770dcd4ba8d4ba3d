#include "cudart/engine/stacks.h"

#include <sys/mman.h>

#include <new>

namespace w2w::cudart {

StackSlab::~StackSlab() {
  if (base_) munmap(base_, size_);
}

void StackSlab::require(size_t count, size_t bytes) {
  // An odd number of cache lines between stacks: their tops must not fall into the same sets of the cache.
  size_t stride = (bytes + 63) / 64 * 64 + 4096 + 5 * 64;
  if (base_ && count <= count_ && stride <= stride_) return;
  if (base_) munmap(base_, size_);
  base_ = nullptr;
  size_t size = kGuard + count * stride;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, kGuard, PROT_NONE);
  base_ = static_cast<char*>(memory);
  size_ = size;
  count_ = count;
  stride_ = stride;
}

bool StackSlab::guards(const void* address) const {
  auto* p = static_cast<const char*>(address);
  return base_ && p >= base_ && p < base_ + kGuard;
}

}  // namespace w2w::cudart
