#include "cudart/occupancy.h"

#include <algorithm>

#include "cudart/device.h"
#include "cudart/errors.h"
#include "cudart/modules.h"

namespace w2w::cudart {

// The rule of NVIDIA's occupancy calculator (cuda_occupancy.h) for compute capability 9.0, except that the number of
// registers is an estimate: ptxas decides it.
int blocks_per_multiprocessor(const w2w_kernel& kernel, int threads, size_t dynamic_shared) {
  using namespace device;  // NOLINT: figures
  if (threads <= 0 || threads > kMaxThreadsPerBlock) return 0;
  const int warps = (threads + device::kWarpSize - 1) / device::kWarpSize;
  const int by_threads = kMaxThreadsPerMultiprocessor / (warps * device::kWarpSize);
  const int warp_registers = (static_cast<int>(kernel.registers) * device::kWarpSize + kRegisterAllocation - 1) /
                             kRegisterAllocation * kRegisterAllocation;
  const int by_registers = kRegistersPerMultiprocessor / warp_registers / warps;
  const size_t shared = kernel.static_shared + dynamic_shared;
  if (shared > kSharedPerBlockOptin) return 0;
  const size_t allocated = (shared + kReservedSharedPerBlock + 127) / 128 * 128;
  const int by_shared = static_cast<int>(kSharedPerMultiprocessor / allocated);
  return std::min({kMaxBlocksPerMultiprocessor, by_threads, by_registers, by_shared});
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                           int threads, size_t dynamic_shared,
                                                                           unsigned) {
  return api([&] {
    Function* found = find_function(function);
    if (!blocks || threads <= 0) return cudaErrorInvalidValue;
    if (!found) return cudaErrorInvalidResourceHandle;
    cudaError_t error;
    const w2w_kernel* kernel = found->kernel(&error);
    if (!kernel) return error;
    *blocks = blocks_per_multiprocessor(*kernel, threads, dynamic_shared);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                                  size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic_shared, 0);
}

W2W_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                              int threads) {
  return api([&] {
    Function* found = find_function(function);
    if (!bytes || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    if (!found) return cudaErrorInvalidResourceHandle;
    cudaError_t error;
    const w2w_kernel* kernel = found->kernel(&error);
    if (!kernel) return error;
    const size_t share = device::kSharedPerMultiprocessor / static_cast<size_t>(blocks) / 128 * 128;
    const size_t taken = device::kReservedSharedPerBlock + kernel->static_shared;
    const size_t limit =
        device::kSharedPerBlockOptin - std::min<size_t>(device::kSharedPerBlockOptin, kernel->static_shared);
    *bytes = std::min(share > taken ? share - taken : 0, limit);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function, const cudaLaunchConfig_t*) {
  return api([&] {
    if (!size) return cudaErrorInvalidValue;
    if (!find_function(function)) return cudaErrorInvalidResourceHandle;
    *size = 1;
    return cudaSuccess;
  });
}
