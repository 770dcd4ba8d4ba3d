// Memory that can be seen at several addresses, and by several processes.
#pragma once
#include <cstddef>
#include <memory>

#include "hsa/agents.h"

namespace w2w::hsa {

class PhysicalMemory {
 public:
  // `bytes` of pages, counted against `pool`. Null if there are none. Backed by a memory file where the process may
  // have one of that size (RLIMIT_FSIZE applies to them), else by pages that other processes cannot be given.
  static std::shared_ptr<PhysicalMemory> create(MemoryPool* pool, size_t bytes);
  // Of a file descriptor that another process exported; it is duplicated. Null if it is none.
  static std::shared_ptr<PhysicalMemory> import(MemoryPool* pool, int file);
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;

  // Show [offset, offset + bytes) at `at`, in place of what is there, with access `protection` (PROT_*).
  bool map(char* at, size_t bytes, size_t offset, int protection);

  MemoryPool* pool() const { return pool_; }
  size_t size() const { return size_; }
  int file() const { return file_; }  // -1: cannot be shared with other processes

 private:
  PhysicalMemory(MemoryPool* pool, size_t size, int file, char* pages)
      : pool_(pool), size_(size), file_(file), pages_(pages) {}

  MemoryPool* pool_;
  size_t size_;
  int file_;
  char* pages_;  // without a file: where the pages are kept
};

// A memory file of that size whose name (as /proc/<pid>/fd shows it) is `name`; -1 if the process may not have one.
int create_memory_file(const char* name, size_t bytes);

}  // namespace w2w::hsa
