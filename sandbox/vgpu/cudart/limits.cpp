#include "cudart/limits.h"

#include <cuda_runtime_api.h>

#include <atomic>

#include "cudart/device_heap.h"
#include "cudart/errors.h"

namespace w2w::cudart {
namespace {

constexpr size_t kMaxStack = 512 << 10;
std::atomic<size_t> stack_bytes{1024};
std::atomic<size_t> printf_bytes{8650752};

}  // namespace

size_t stack_limit() { return stack_bytes; }

namespace {

constexpr int kLimits = 10;

cudaError_t unknown_limit(cudaLimit limit) {
  return static_cast<unsigned>(limit) < kLimits ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue;
}

}  // namespace

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api([&] {
    switch (limit) {
      case cudaLimitStackSize:
        if (value > kMaxStack) return cudaErrorInvalidValue;
        stack_bytes = value;
        return cudaSuccess;
      case cudaLimitPrintfFifoSize:
        printf_bytes = value;
        return cudaSuccess;
      case cudaLimitMallocHeapSize:
        w2w::device_heap_set_limit(value);
        return cudaSuccess;
      case cudaLimitMaxL2FetchGranularity:
      case cudaLimitPersistingL2CacheSize:
        return cudaSuccess;
      default:
        return unknown_limit(limit);
    }
  });
}

W2W_API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return api([&] {
    if (!value) return cudaErrorInvalidValue;
    switch (limit) {
      case cudaLimitStackSize:
        *value = stack_bytes;
        return cudaSuccess;
      case cudaLimitPrintfFifoSize:
        *value = printf_bytes;
        return cudaSuccess;
      case cudaLimitMallocHeapSize:
        *value = w2w::device_heap_limit();
        return cudaSuccess;
      case cudaLimitDevRuntimePendingLaunchCount:
        *value = 2048;
        return cudaSuccess;
      case cudaLimitMaxL2FetchGranularity:
        *value = 64;
        return cudaSuccess;
      case cudaLimitPersistingL2CacheSize:
        *value = 11796480;
        return cudaSuccess;
      default:
        return unknown_limit(limit);
    }
  });
}
