#include "hsa/heap.h"

#include <sys/mman.h>

#include <algorithm>

#include "common/fault_report.h"
#include "hsa/address_space.h"
#include "hsa/initialised_memory.h"
#include "hsa/queues.h"
#include "hsa/signals.h"
#include "simt/dispatch.h"

namespace w2w {

bool find_allocation(const void* address, void** base, size_t* size) {
  hsa::Allocation found;
  if (!hsa::heap().find(address, &found)) return false;
  *base = found.base;
  *size = found.size;
  return true;
}

bool view_allocation(const void* address, AllocationView* view) {
  hsa::Allocation found;
  if (!hsa::heap().find(address, &found)) return false;
  view->base = found.base;
  view->size = found.size;
  view->initialised = found.tracked ? hsa::initialised_memory().word_of(found.base) : nullptr;
  return true;
}

uint64_t allocation_changes() { return hsa::heap().changes(); }

bool is_shared_with_host(const void* address) {
  return hsa::settings().xnack || hsa::Signal::holds(address) || hsa::Queue::holds(address);
}

bool find_freed_allocation(const void* address, void** base, size_t* size) {
  hsa::Allocation found;
  if (!hsa::heap().find_released(address, &found)) return false;
  *base = found.base;
  *size = found.size;
  return true;
}

}  // namespace w2w

namespace w2w::hsa {
namespace {

// The first allocations are mappings of their own, between two guards; freed ones leave holes between the others.
void report_lack_of_mappings() {
  static std::once_flag once;
  std::call_once(once, [] {
    Fault fault;
    fault.kind = "out-of-resources";
    fault.message =
        "the host has no more memory mappings for this process, which has too many device allocations alive at once "
        "(see vm.max_map_count)";
    report(fault);
  });
}

constexpr size_t kRemembered = 4096;  // released allocations, for reports

bool holds(const Allocation& allocation, const char* address) {
  const bool host = allocation.type == HSA_EXT_POINTER_TYPE_LOCKED;
  return address >= allocation.base &&
         address < allocation.base + (host ? allocation.size : pages_for(allocation.size));
}

}  // namespace

size_t pages_for(size_t size) { return round_up(std::max<size_t>(size, 1), kPageBytes); }

bool take_memory(MemoryPool* pool, size_t bytes) {
  if (bytes > pool->limit()) return false;
  std::atomic<size_t>& used = pool->agent->used;
  size_t before = used.load();
  do {
    if (before + bytes > pool->size) return false;
  } while (!used.compare_exchange_weak(before, before + bytes));
  return true;
}

void return_memory(MemoryPool* pool, size_t bytes) { pool->agent->used -= bytes; }

void* Heap::allocate(MemoryPool* pool, size_t size) {
  if (size > pool->limit()) return nullptr;
  const size_t bytes = pages_for(size);
  if (!take_memory(pool, bytes)) return nullptr;
  char* base = address_space().reserve(bytes, bytes >= kLargePageBytes ? kLargePageBytes : kPageBytes);
  if (base && mprotect(base, bytes, PROT_READ | PROT_WRITE)) {
    address_space().release(base);
    base = nullptr;
    report_lack_of_mappings();
  }
  if (!base) {
    return_memory(pool, bytes);
    return nullptr;
  }
  // What the host may write to without us is not tracked.
  const bool tracked = checks_enabled() && pool->agent->gpu();
  if (tracked) {
    initialised_memory().clear(base, bytes);
    madvise(base, bytes, MADV_NOHUGEPAGE);  // a page that is there was used itself, see simt/touched_pages.h
  }
  adopt({base, size, pool, HSA_EXT_POINTER_TYPE_HSA, nullptr, tracked});
  return base;
}

bool Heap::release(void* base) {
  Allocation allocation;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    auto it = allocations_.find(static_cast<char*>(base));
    if (it == allocations_.end() || it->second.type != HSA_EXT_POINTER_TYPE_HSA) return false;
    allocation = it->second;
    allocations_.erase(it);
    changes_++;
    released_.push_front(allocation);
    released_.front().exported = nullptr;
    if (released_.size() > kRemembered) released_.pop_back();
  }
  address_space().release(allocation.base);
  return_memory(allocation.pool, pages_for(allocation.size));
  return true;
}

void Heap::adopt(const Allocation& allocation) {
  std::lock_guard<std::mutex> guard(mutex_);
  allocations_[allocation.base] = allocation;
  changes_++;
}

bool Heap::forget(void* base) {
  std::lock_guard<std::mutex> guard(mutex_);
  changes_++;
  return allocations_.erase(static_cast<char*>(base)) != 0;
}

void Heap::lock(char* base, size_t size, MemoryPool* pool) {
  std::lock_guard<std::mutex> guard(mutex_);
  changes_++;
  locked_.insert({base, {base, size, pool, HSA_EXT_POINTER_TYPE_LOCKED, nullptr}});
}

bool Heap::unlock(char* base) {
  std::lock_guard<std::mutex> guard(mutex_);
  auto it = locked_.find(base);
  if (it == locked_.end()) return false;
  locked_.erase(it);
  changes_++;
  return true;
}

bool Heap::find(const void* address, Allocation* found) {
  char* at = const_cast<char*>(static_cast<const char*>(address));
  std::lock_guard<std::mutex> guard(mutex_);
  auto it = allocations_.upper_bound(at);
  if (it != allocations_.begin() && holds(std::prev(it)->second, at)) {
    *found = std::prev(it)->second;
    return true;
  }
  for (auto locked = locked_.upper_bound(at); locked != locked_.begin();) {
    if (!holds((--locked)->second, at)) continue;
    *found = locked->second;
    return true;
  }
  return false;
}

bool Heap::find_released(const void* address, Allocation* found) {
  const char* at = static_cast<const char*>(address);
  std::lock_guard<std::mutex> guard(mutex_);
  auto it = std::find_if(released_.begin(), released_.end(), [at](auto& released) { return holds(released, at); });
  if (it == released_.end()) return false;
  *found = *it;
  return true;
}

Heap& heap() {
  static Heap* h = new Heap;  // never destroyed: threads outlive exit()
  return *h;
}

}  // namespace w2w::hsa
