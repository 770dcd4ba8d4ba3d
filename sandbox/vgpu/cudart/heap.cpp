#include "cudart/heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace w2w {
namespace {

constexpr size_t kDefaultCapacityGiB = 16;
constexpr size_t kReleasePages = 256 << 10;  // larger allocations give their pages back when freed

size_t round_up(size_t size, size_t to) { return (size + to - 1) / to * to; }

size_t configured_capacity() {
  const char* text = getenv("W2W_MEMORY_GB");
  double gib = text ? strtod(text, nullptr) : 0;
  if (!(gib > 0) || gib > 512) gib = kDefaultCapacityGiB;
  return static_cast<size_t>(gib * (size_t{1} << 30));
}

char* reserve(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

bool uses_device_memory(MemoryKind kind) { return kind != MemoryKind::kHost; }

}  // namespace

Heap& Heap::instance() {
  static Heap* heap = new Heap;  // never destroyed: kernels and static destructors may use it to the end
  return *heap;
}

Heap::Heap() : capacity_(configured_capacity()) {
  base_ = reinterpret_cast<uint64_t>(reserve(kRange));
  valid_ = reinterpret_cast<uint16_t*>(reserve(kRange / kGranule * sizeof(uint16_t)));
  give(0, kRange);
}

void* Heap::allocate(size_t size, size_t align, MemoryKind kind, unsigned flags, const void* pool) {
  if (size == 0 || size > kRange / 2) return nullptr;
  // An invalid granule follows every allocation, so that running over its end is seen.
  size_t need = round_up(size, kGranule) + kGranule;
  std::lock_guard<std::mutex> lock(mutex_);
  if (uses_device_memory(kind) && size > capacity_ - std::min(used_, capacity_)) return nullptr;
  uint64_t offset;
  size_t got;
  if (!take(need, std::max(align, kGranule), &offset, &got)) return nullptr;
  mark(offset, size, true);
  Allocation allocation{base_ + offset, size, kind, flags, pool};
  used_blocks_[allocation.base] = Block{allocation, got};
  if (uses_device_memory(kind)) used_ += size;
  return reinterpret_cast<void*>(allocation.base);
}

bool Heap::release(void* address) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto place = used_blocks_.find(reinterpret_cast<uint64_t>(address));
  if (place == used_blocks_.end()) return false;
  Block block = place->second;
  used_blocks_.erase(place);
  uint64_t offset = block.allocation.base - base_;
  mark(offset, block.allocation.size, false);
  if (block.reserved >= kReleasePages) {
    uint64_t first = round_up(block.allocation.base, 4096),
             last = (block.allocation.base + block.reserved) / 4096 * 4096;
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
  if (uses_device_memory(block.allocation.kind)) used_ -= block.allocation.size;
  give(offset, block.reserved);
  return true;
}

bool Heap::find(const void* address, Allocation* found) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto value = reinterpret_cast<uint64_t>(address);
  auto place = used_blocks_.upper_bound(value);
  if (place == used_blocks_.begin()) return false;
  const Allocation& allocation = std::prev(place)->second.allocation;
  if (value - allocation.base >= allocation.size) return false;
  *found = allocation;
  return true;
}

bool Heap::add_registered(void* address, size_t size, unsigned flags) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto value = reinterpret_cast<uint64_t>(address);
  return registered_.emplace(value, Allocation{value, size, MemoryKind::kHost, flags, nullptr}).second;
}

bool Heap::remove_registered(void* address) {
  std::lock_guard<std::mutex> lock(mutex_);
  return registered_.erase(reinterpret_cast<uint64_t>(address)) != 0;
}

bool Heap::find_registered(const void* address, Allocation* found) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto value = reinterpret_cast<uint64_t>(address);
  auto place = registered_.upper_bound(value);
  if (place == registered_.begin()) return false;
  const Allocation& allocation = std::prev(place)->second;
  if (value - allocation.base >= allocation.size) return false;
  *found = allocation;
  return true;
}

size_t Heap::free_bytes() {
  std::lock_guard<std::mutex> lock(mutex_);
  return capacity_ - std::min(used_, capacity_);
}

// Best fit. Takes the whole of a free block's head; what alignment skips goes back.
bool Heap::take(size_t need, size_t align, uint64_t* offset, size_t* got) {
  for (auto place = free_sizes_.lower_bound({need, 0}); place != free_sizes_.end(); ++place) {
    auto [size, start] = *place;
    uint64_t aligned = round_up(base_ + start, align) - base_;
    if (aligned - start + need > size) continue;
    free_sizes_.erase(place);
    free_.erase(start);
    if (aligned > start) give(start, aligned - start);
    if (start + size > aligned + need) give(aligned + need, start + size - aligned - need);
    *offset = aligned;
    *got = need;
    return true;
  }
  return false;
}

void Heap::give(uint64_t offset, size_t size) {
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + size) {
    size += next->second;
    free_sizes_.erase({next->second, next->first});
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      size += previous->second;
      free_sizes_.erase({previous->second, previous->first});
      free_.erase(previous);
    }
  }
  free_[offset] = size;
  free_sizes_.insert({size, offset});
}

void Heap::mark(uint64_t offset, size_t size, bool valid) {
  uint16_t* granules = valid_ + offset / kGranule;
  std::fill_n(granules, size / kGranule, valid ? uint16_t{kGranule} : uint16_t{0});
  if (size % kGranule) granules[size / kGranule] = valid ? static_cast<uint16_t>(size % kGranule) : uint16_t{0};
}

}  // namespace w2w
