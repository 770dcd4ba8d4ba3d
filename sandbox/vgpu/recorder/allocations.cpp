#include "recorder/allocations.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace w2w::recorder {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kChunk = 1 << 20;  // copied from the device at a time

// Compares one chunk with its shadow, page by page.
void look_at_chunk(const Allocation& allocation, size_t first, const char* now, size_t size, const OnChange& on_change) {
  char* before = allocation.shadow.data() + first;
  size_t run = 0;  // bytes of the run of changed pages that ends at `at`
  for (size_t at = 0; at <= size; at += kPage) {
    const size_t page = at < size ? std::min(kPage, size - at) : 0;
    if (page && memcmp(before + at, now + at, page) != 0) {
      run += page;
      continue;
    }
    if (run) {
      const size_t start = std::min(at, size) - run;
      memcpy(before + start, now + start, run);
      on_change(allocation, first + start, now + start, run);
      run = 0;
    }
  }
  if (run) {  // the last page is a part of one
    memcpy(before + size - run, now + size - run, run);
    on_change(allocation, first + size - run, now + size - run, run);
  }
}

}  // namespace

Shadow::Shadow(size_t bytes) : size_(bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  data_ = memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

Shadow::~Shadow() {
  if (data_) munmap(data_, size_);
}

Allocation* Allocations::add(const void* address, size_t size, MemoryKind kind) {
  const auto key = reinterpret_cast<uintptr_t>(address);
  if (size == 0 || find(address)) return nullptr;
  const bool fits = size <= left_;
  Shadow shadow = fits ? Shadow(size) : Shadow();
  const bool tracked = shadow.data() != nullptr;
  if (tracked) left_ -= size;
  Allocation fresh{next_id_++, static_cast<const char*>(address), size, kind, tracked, std::move(shadow)};
  return &by_address_.emplace(key, std::move(fresh)).first->second;
}

long long Allocations::remove(const void* address) {
  const auto found = by_address_.find(reinterpret_cast<uintptr_t>(address));
  if (found == by_address_.end()) return -1;
  const unsigned id = found->second.id;
  if (found->second.tracked) left_ += found->second.size;
  by_address_.erase(found);
  return id;
}

Allocation* Allocations::find(const void* address) {
  const auto key = reinterpret_cast<uintptr_t>(address);
  auto after = by_address_.upper_bound(key);
  if (after == by_address_.begin()) return nullptr;
  Allocation& candidate = std::prev(after)->second;
  return static_cast<const char*>(address) < candidate.address + candidate.size ? &candidate : nullptr;
}

void Allocations::look(const CopyToHost& copy, const OnChange& on_change) {
  static std::vector<char> now(kChunk);
  for (auto& [address, allocation] : by_address_) {
    if (!allocation.tracked) continue;
    for (size_t first = 0; first < allocation.size; first += kChunk) {
      const size_t size = std::min(kChunk, allocation.size - first);
      if (!copy(now.data(), allocation.address + first, size)) break;
      look_at_chunk(allocation, first, now.data(), size, on_change);
    }
  }
}

}  // namespace w2w::recorder
