// The heap of device-side malloc and free, bounded by cudaLimitMallocHeapSize.
#pragma once
#include <cstddef>
#include <cstdint>

namespace w2w {

uint64_t device_heap_allocate(size_t size);  // 0 where the heap is full
bool device_heap_release(uint64_t address);  // false for an address that is none of its own
void device_heap_set_limit(size_t bytes);
size_t device_heap_limit();

}  // namespace w2w
