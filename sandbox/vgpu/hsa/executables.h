// Executables, and the kernels that packets may name.
#pragma once
#include <memory>

#include "hsa/code_object.h"

namespace w2w::hsa {

struct LoadedKernel {
  std::string name;  // mangled, without ".kd"
  uint64_t descriptor;
  KernelTraits traits;
  std::shared_ptr<LoadedCode> code;  // kept while a dispatch runs, even if the module is unloaded meanwhile
};

// The kernel whose loaded descriptor is at `kernel_object`; null if there is none.
std::shared_ptr<const LoadedKernel> find_kernel(uint64_t kernel_object);

// The executable whose loaded code holds `device_address`; INVALID_ARGUMENT if none does.
hsa_status_t query_executable(const void* device_address, hsa_executable_t* executable);

}  // namespace w2w::hsa
