// Stacks for the fibres of a block: one mapping, so that tens of thousands of threads can be resident.
#pragma once
#include <cstddef>
#include <cstdint>

namespace w2w::cudart {

class StackSlab {
 public:
  StackSlab() = default;
  ~StackSlab();
  StackSlab(const StackSlab&) = delete;
  StackSlab& operator=(const StackSlab&) = delete;

  // Room for `count` stacks of at least `bytes`; keeps what it has where that is enough. Throws std::bad_alloc.
  void require(size_t count, size_t bytes);
  char* low(size_t number) const { return base_ + kGuard + number * stride_; }
  char* high(size_t number) const { return low(number) + stride_; }
  bool guards(const void* address) const;

 private:
  static constexpr size_t kGuard = 64 << 10;
  char* base_ = nullptr;
  size_t size_ = 0, count_ = 0, stride_ = 0;
};

}  // namespace w2w::cudart
