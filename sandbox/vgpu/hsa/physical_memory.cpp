#include "hsa/physical_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hsa/heap.h"

namespace w2w::hsa {

int create_memory_file(const char* name, size_t bytes) {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) || bytes > limit.rlim_cur) return -1;  // ftruncate would raise SIGXFSZ
  int file = memfd_create(name, MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes))) {
    close(file);
    return -1;
  }
  return file;
}

std::shared_ptr<PhysicalMemory> PhysicalMemory::create(MemoryPool* pool, size_t bytes) {
  if (!take_memory(pool, bytes)) return nullptr;
  int file = create_memory_file("w2w-memory", bytes);
  void* pages = nullptr;
  if (file < 0) pages = mmap(nullptr, bytes, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) {
    return_memory(pool, bytes);
    return nullptr;
  }
  return std::shared_ptr<PhysicalMemory>(new PhysicalMemory(pool, bytes, file, static_cast<char*>(pages)));
}

std::shared_ptr<PhysicalMemory> PhysicalMemory::import(MemoryPool* pool, int file) {
  struct stat status;
  if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_size <= 0) return nullptr;
  const auto bytes = static_cast<size_t>(status.st_size);
  int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return nullptr;
  if (!take_memory(pool, bytes)) {
    close(copy);
    return nullptr;
  }
  return std::shared_ptr<PhysicalMemory>(new PhysicalMemory(pool, bytes, copy, nullptr));
}

PhysicalMemory::~PhysicalMemory() {
  if (file_ >= 0) close(file_);
  if (pages_) munmap(pages_, size_);
  return_memory(pool_, size_);
}

bool PhysicalMemory::map(char* at, size_t bytes, size_t offset, int protection) {
  if (offset > size_ || bytes > size_ - offset) return false;
  if (file_ >= 0)
    return mmap(at, bytes, protection, MAP_SHARED | MAP_FIXED, file_, static_cast<off_t>(offset)) != MAP_FAILED;
  // Of shared pages, an old size of 0 asks for a second view.
  return mremap(pages_ + offset, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED &&
         !mprotect(at, bytes, protection);
}

}  // namespace w2w::hsa
