// AMDGPU code objects (ELF): checked, then loaded and relocated into device memory.
//
// The bytes come from a submitted program, so nothing in them is believed: every header, table, string, symbol and
// relocation is bounds-checked before use, and whatever does not fit is HSA_STATUS_ERROR_INVALID_CODE_OBJECT.
// Layout: https://llvm.org/docs/AMDGPUUsage.html (ELF Code Object, Relocation Records, Kernel Descriptor).
#pragma once
#include <hsa/hsa.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hsa/agents.h"

namespace w2w::hsa {

using Bytes = std::vector<char>;

struct KernelTraits {      // from the 64-byte kernel descriptor
  uint32_t lds_bytes;      // static
  uint32_t scratch_bytes;  // a work-item
  uint32_t kernarg_bytes;
  int64_t entry_offset;  // from the descriptor
  bool dynamic_stack;
};

struct CodeSymbol {
  std::string name;  // kernels: with ".kd"
  uint64_t address;  // loaded
  uint64_t size;     // bytes
  bool constant;
  bool kernel;
  KernelTraits traits;  // of a kernel
};

// A code object in device memory. Frees it at the end.
class LoadedCode {
 public:
  LoadedCode(Agent* agent, std::shared_ptr<const Bytes> elf) : agent_(agent), elf_(std::move(elf)) {}
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  // Address of a symbol that the code object does not define; 0 if there is none.
  using Resolve = std::function<uint64_t(const std::string&)>;

  // HSA_STATUS_SUCCESS; INVALID_CODE_OBJECT: malformed; INCOMPATIBLE_ARGUMENTS: for another target;
  // OUT_OF_RESOURCES: does not fit; VARIABLE_UNDEFINED: `resolve` does not know a symbol.
  hsa_status_t load(const Resolve& resolve);

  Agent* agent() const { return agent_; }
  const Bytes& elf() const { return *elf_; }
  const char* image() const { return image_; }
  size_t image_size() const { return image_size_; }
  std::vector<CodeSymbol>& symbols() { return symbols_; }

 private:
  Agent* agent_;
  std::shared_ptr<const Bytes> elf_;
  char* image_ = nullptr;
  size_t image_size_ = 0;
  std::vector<CodeSymbol> symbols_;
};

}  // namespace w2w::hsa
