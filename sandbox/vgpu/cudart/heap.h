// The device's memory: one range of addresses that holds everything that kernels may reach through generic and global
// addresses, with a table of which bytes of it are valid.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

namespace w2w {

enum class MemoryKind : uint8_t { kDevice, kManaged, kHost, kVariable, kDeviceHeap };

struct Allocation {
  uint64_t base = 0;
  size_t size = 0;
  MemoryKind kind = MemoryKind::kDevice;
  unsigned flags = 0;          // of cudaHostAlloc
  const void* pool = nullptr;  // memory pool it came from, if any
};

class Heap {
 public:
  static constexpr size_t kGranule = 256;
  static constexpr size_t kRange = size_t{1} << 40;

  static Heap& instance();

  // Null if the device's memory (kDevice, kManaged) or the address range is used up. `size` must not be 0.
  void* allocate(size_t size, size_t align, MemoryKind kind, unsigned flags = 0, const void* pool = nullptr);
  // False if `address` is not the base of an allocation.
  bool release(void* address);
  // The allocation that holds `address`.
  bool find(const void* address, Allocation* found);
  // Host memory of the program that kernels may access (cudaHostRegister).
  bool add_registered(void* address, size_t size, unsigned flags);
  bool remove_registered(void* address);
  bool find_registered(const void* address, Allocation* found);

  uint64_t base() const { return base_; }
  const uint16_t* valid() const { return valid_; }
  bool contains(const void* address) const { return reinterpret_cast<uint64_t>(address) - base_ < kRange; }
  size_t capacity() const { return capacity_; }
  size_t free_bytes();

 private:
  Heap();
  bool take(size_t need, size_t align, uint64_t* offset, size_t* got);
  void give(uint64_t offset, size_t size);
  void mark(uint64_t offset, size_t size, bool valid);

  std::mutex mutex_;
  uint64_t base_ = 0;
  uint16_t* valid_ = nullptr;
  size_t capacity_ = 0;
  size_t used_ = 0;
  struct Block {
    Allocation allocation;
    size_t reserved;
  };
  std::map<uint64_t, size_t> free_;                   // by offset
  std::set<std::pair<size_t, uint64_t>> free_sizes_;  // (size, offset)
  std::map<uint64_t, Block> used_blocks_;             // by address
  std::map<uint64_t, Allocation> registered_;         // by address
};

}  // namespace w2w
