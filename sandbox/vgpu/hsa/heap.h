// What lies where: device memory, host memory that was locked, and address ranges of others.
//
// Memory of host and device is one: an address means the same to both. Pages are the system's until touched
// (MAP_NORESERVE), so 100 GiB may be allocated on a part that has them.
#pragma once
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "hsa/agents.h"

namespace w2w::hsa {

struct IpcExport;  // ipc.cpp

struct Allocation {
  char* base;
  size_t size;  // bytes, as asked for
  MemoryPool* pool;
  hsa_amd_pointer_type_t type;
  std::shared_ptr<IpcExport> exported;  // null unless other processes may attach it
  bool tracked = false;                 // its initialised bytes are known; see initialised_memory.h
};

class Heap {
 public:
  // Counts what adds or takes away allocations: who remembers one looks here whether it may still be there.
  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  // Page-aligned, from 2 MiB on 2 MiB-aligned, zero. Null if the pool's size or limit, the addresses, or the number of
  // mappings that the system allows is exceeded.
  void* allocate(MemoryPool* pool, size_t size);
  bool release(void* base);

  // Ranges that others mapped (virtual memory, IPC).
  void adopt(const Allocation& allocation);
  bool forget(void* base);

  // Host memory that was locked for devices; ranges may overlap and be locked more than once.
  void lock(char* base, size_t size, MemoryPool* pool);
  bool unlock(char* base);

  // The allocation whose pages hold `address`, else the locked range that does.
  bool find(const void* address, Allocation* found);
  // The last one that held it and was released, if that is not too many releases ago.
  bool find_released(const void* address, Allocation* found);

  // change(Allocation&) on the allocation that begins at `base`. False if there is none or `change` returns false.
  template <class Change>
  bool alter(void* base, Change change) {
    std::lock_guard<std::mutex> guard(mutex_);
    auto it = allocations_.find(static_cast<char*>(base));
    return it != allocations_.end() && change(it->second);
  }

 private:
  std::mutex mutex_;
  std::atomic<uint64_t> changes_{0};
  std::map<char*, Allocation> allocations_;
  std::multimap<char*, Allocation> locked_;
  std::deque<Allocation> released_;  // newest first
};

Heap& heap();

// Whole pages that `size` bytes take from their pool.
size_t pages_for(size_t size);

// Count bytes against the pool's agent. False, and nothing counted, if the pool is exhausted.
bool take_memory(MemoryPool* pool, size_t bytes);
void return_memory(MemoryPool* pool, size_t bytes);

}  // namespace w2w::hsa
