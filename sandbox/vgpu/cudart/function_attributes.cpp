// Attributes of kernels.
#include <algorithm>
#include <cstring>

#include "cudart/device.h"
#include "cudart/errors.h"
#include "cudart/modules.h"

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

namespace w2w::cudart {

size_t max_dynamic_shared(const Function& function, const w2w_kernel& kernel) {
  if (function.max_dynamic_shared >= 0) return static_cast<size_t>(function.max_dynamic_shared);
  return device::kSharedPerBlock - std::min<size_t>(device::kSharedPerBlock, kernel.static_shared);
}

}  // namespace w2w::cudart

namespace {

int max_threads(const w2w_kernel& kernel) {
  const int limit = kernel.max_threads ? static_cast<int>(kernel.max_threads) : device::kMaxThreadsPerBlock;
  const int by_registers = device::kRegistersPerBlock / static_cast<int>(std::max(kernel.registers, 1u)) / 32 * 32;
  return std::min({limit, by_registers, device::kMaxThreadsPerBlock});
}

template <class Body>
cudaError_t with_kernel(const void* function, Body body) {
  Function* found = find_function(function);
  if (!found) return cudaErrorInvalidResourceHandle;
  cudaError_t error;
  const w2w_kernel* kernel = found->kernel(&error);
  return kernel ? body(*found, *kernel) : error;
}

cudaError_t set_attribute(Function& function, const w2w_kernel& kernel, cudaFuncAttribute attribute, int value) {
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || static_cast<size_t>(value) + kernel.static_shared > device::kSharedPerBlockOptin)
        return cudaErrorInvalidValue;
      function.max_dynamic_shared = value;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      function.carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

W2W_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api([&] {
    if (!attributes) return cudaErrorInvalidValue;
    return with_kernel(function, [&](const Function& found, const w2w_kernel& kernel) {
      memset(attributes, 0, sizeof *attributes);
      attributes->sharedSizeBytes = kernel.static_shared;
      attributes->localSizeBytes = kernel.local_bytes;
      attributes->maxThreadsPerBlock = max_threads(kernel);
      attributes->numRegs = static_cast<int>(kernel.registers);
      attributes->ptxVersion = attributes->binaryVersion = 10 * device::kMajor + device::kMinor;
      attributes->maxDynamicSharedSizeBytes = static_cast<int>(max_dynamic_shared(found, kernel));
      attributes->preferredShmemCarveout = found.carveout;
      return cudaSuccess;
    });
  });
}

W2W_API cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api([&] {
    return with_kernel(function, [&](Function& found, const w2w_kernel& kernel) {
      return set_attribute(found, kernel, attribute, value);
    });
  });
}

W2W_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value, int) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}

W2W_API cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return api([&] { return find_function(function) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

W2W_API cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api([&] {
    Function* found = find_function(function);
    if (!name) return cudaErrorInvalidValue;
    if (!found) return cudaErrorInvalidResourceHandle;
    *name = found->name.c_str();
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* size) {
  return api([&] {
    return with_kernel(function, [&](const Function&, const w2w_kernel& kernel) {
      if (!offset || index >= kernel.param_count) return cudaErrorInvalidValue;
      *offset = kernel.param_offsets[index];
      if (size) *size = kernel.param_sizes[index];
      return cudaSuccess;
    });
  });
}

W2W_API cudaError_t cudaFuncGetParamCount(const void* function, size_t* count) {
  return api([&] {
    return with_kernel(function, [&](const Function&, const w2w_kernel& kernel) {
      if (!count) return cudaErrorInvalidValue;
      *count = kernel.param_count;
      return cudaSuccess;
    });
  });
}
