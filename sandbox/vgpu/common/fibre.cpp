#include "common/fibre.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#ifndef __x86_64__
#error "fibres are written for x86-64 (System V ABI)"
#endif

// The System V ABI makes rbx, rbp, r12-r15, the control bits of mxcsr and the x87 control word callee-saved. The last
// two matter here: generated code changes the rounding and denormal modes of one wave and not of its neighbours. They
// take long to load, so they are only where they differ; the exceptions that occurred do not count.
// Generated code does not clear the upper halves of vector registers; code compiled for SSE may be slow with them.
#ifdef __AVX__
#define W2W_CLEAR_UPPER_HALVES "  vzeroupper\n"
#else
#define W2W_CLEAR_UPPER_HALVES ""
#endif

asm(R"(
.text
.globl w2w_fibre_switch
.type w2w_fibre_switch,@function
w2w_fibre_switch:
)" W2W_CLEAR_UPPER_HALVES R"(
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movl (%rsp), %eax
  movzwl 4(%rsp), %ecx
  movq %rsi, %rsp
  xorl (%rsp), %eax
  xorw 4(%rsp), %cx
  andl $0xffc0, %eax
  orl %ecx, %eax
  jz 1f
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
1:
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size w2w_fibre_switch,.-w2w_fibre_switch

.hidden w2w_fibre_start
.globl w2w_fibre_start
.type w2w_fibre_start,@function
w2w_fibre_start:
  .cfi_startproc
  .cfi_undefined rip
  movq %r13, %rdi
  callq *%r12
  ud2
  .cfi_endproc
.size w2w_fibre_start,.-w2w_fibre_start
)");

extern "C" void w2w_fibre_start();

namespace w2w {
namespace {

// What w2w_fibre_switch leaves on the stack of a fibre that waits, lowest address first.
struct SavedFrame {
  uint32_t mxcsr;
  uint32_t x87_control;
  uint64_t r15, r14, r13, r12, rbx, rbp;
  void (*resume)();
};

constexpr uint32_t kDefaultMxcsr = 0x1f80;       // round to nearest, denormals kept, exceptions masked
constexpr uint32_t kDefaultX87Control = 0x037f;  // the same for the x87 unit, 64-bit precision

size_t page_size() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

void* prepare_fibre(void* stack_top, void (*entry)(void*), void* argument) {
  // The frame ends on a 16-byte boundary, as the ABI wants rsp to be before the call in w2w_fibre_start.
  auto top = reinterpret_cast<uintptr_t>(stack_top) & ~uintptr_t{15};
  auto* frame = reinterpret_cast<SavedFrame*>(top - sizeof(SavedFrame));
  *frame = SavedFrame{kDefaultMxcsr, kDefaultX87Control, 0, 0, 0, 0, 0, 0, w2w_fibre_start};
  frame->r12 = reinterpret_cast<uint64_t>(entry);
  frame->r13 = reinterpret_cast<uint64_t>(argument);
  return frame;
}

FibreStack::FibreStack(size_t bytes) {
  size_t page = page_size();
  bytes_ = (bytes + page - 1) / page * page + page;
  void* memory =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<char*>(memory);
  if (mprotect(base_, page, PROT_NONE) != 0) {
    munmap(base_, bytes_);
    throw std::bad_alloc();
  }
}

FibreStack::~FibreStack() { munmap(base_, bytes_); }

void* FibreStack::prepare(void (*entry)(void*), void* argument) { return prepare_fibre(base_ + bytes_, entry, argument); }

void FibreStack::swap(FibreStack& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
}

bool FibreStack::guards(const void* address) const {
  auto* p = static_cast<const char*>(address);
  return p >= base_ && p < base_ + page_size();
}

}  // namespace w2w
