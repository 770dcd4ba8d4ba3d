#include "cudart/device_heap.h"

#include <atomic>

#include "cudart/heap.h"

namespace w2w {
namespace {

std::atomic<size_t> limit{8 << 20};
std::atomic<size_t> used{0};

}  // namespace

uint64_t device_heap_allocate(size_t size) {
  if (size == 0) return 0;
  if (size > limit || used.fetch_add(size) + size > limit) {
    if (size <= limit) used -= size;
    return 0;
  }
  void* memory = Heap::instance().allocate(size, 16, MemoryKind::kDeviceHeap);
  if (!memory) used -= size;
  return reinterpret_cast<uint64_t>(memory);
}

bool device_heap_release(uint64_t address) {
  if (address == 0) return true;
  Allocation allocation;
  auto pointer = reinterpret_cast<void*>(address);
  if (!Heap::instance().find(pointer, &allocation) || allocation.base != address ||
      allocation.kind != MemoryKind::kDeviceHeap || !Heap::instance().release(pointer))
    return false;
  used -= allocation.size;
  return true;
}

void device_heap_set_limit(size_t bytes) { limit = bytes; }
size_t device_heap_limit() { return limit; }

}  // namespace w2w
