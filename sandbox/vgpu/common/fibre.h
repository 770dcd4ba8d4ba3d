// Fibres: stacks and a switch, for waves (AMD) and threads (CUDA) that wait for each other.
#pragma once
#include <cstddef>

namespace w2w {

// Save the callee-saved registers, mxcsr and the x87 control word on the current stack, store its pointer in *save,
// continue at `to`. x86-64 only.
extern "C" void w2w_fibre_switch(void** save, void* to);

// Prepare a fresh fibre on a stack that ends at `top`: the first switch to the returned pointer calls entry(argument),
// which must not return. It starts with default rounding.
void* prepare_fibre(void* top, void (*entry)(void*), void* argument);

// mmap'ed, MAP_NORESERVE, with a guard page below. Throws std::bad_alloc. A fibre starts with default rounding.
class FibreStack {
 public:
  explicit FibreStack(size_t bytes);
  ~FibreStack();
  FibreStack(const FibreStack&) = delete;
  FibreStack& operator=(const FibreStack&) = delete;
  // Prepare a fresh fibre: the first switch to the returned pointer calls entry(argument); it must not return.
  void* prepare(void (*entry)(void*), void* argument);
  // True for an address in the guard page: a fault there is a stack overflow. Async-signal-safe.
  bool guards(const void* address) const;
  void swap(FibreStack& other) noexcept;
  // Behind the highest byte.
  const char* end() const { return base_ + bytes_; }

 private:
  char* base_;
  size_t bytes_;
};

}  // namespace w2w
