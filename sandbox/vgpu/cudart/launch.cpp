// Kernel launches.
#include "cudart/engine/launch.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "common/fault_report.h"
#include "cudart/device.h"
#include "cudart/errors.h"
#include "cudart/heap.h"
#include "cudart/limits.h"
#include "cudart/occupancy.h"
#include "cudart/operations.h"

namespace w2w::cudart {
namespace {

constexpr size_t kGridWorkspace = 4096;

std::atomic<uint64_t> launches{0};

cudaError_t to_error(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return cudaSuccess;
    case Outcome::kIllegalAddress:
    case Outcome::kStackOverflow:
    case Outcome::kInvalidCall:
      return cudaErrorIllegalAddress;
    case Outcome::kMisalignedAddress:
      return cudaErrorMisalignedAddress;
    case Outcome::kAssert:
      return cudaErrorAssert;
    case Outcome::kDeadlock:
      return cudaErrorLaunchTimeout;
    case Outcome::kIllegalInstruction:
      return cudaErrorIllegalInstruction;
    default:
      return cudaErrorLaunchFailure;
  }
}

std::vector<char> lay_out_parameters(const w2w_kernel& kernel, const KernelOperation& operation) {
  std::vector<char> params(kernel.param_size + 16);
  for (unsigned i = 0; i < kernel.param_count; ++i)
    memcpy(params.data() + kernel.param_offsets[i], operation.arguments[i].data(), kernel.param_sizes[i]);
  return params;
}

void trace(const Launch& launch, double milliseconds) {
  LaunchRecord launch_record;
  launch_record.kernel = launch.kernel->name;
  std::copy_n(launch.grid, 3, launch_record.grid);
  std::copy_n(launch.block, 3, launch_record.block);
  launch_record.lds_bytes = launch.shared_bytes();
  launch_record.milliseconds = milliseconds;
  record(launch_record);
}

double now_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Since 13.5 NVIDIA's runtime answers a wrong configuration with cudaErrorInvalidValue.
cudaError_t check_geometry(const KernelOperation& operation, const w2w_kernel& kernel) {
  using namespace device;  // NOLINT: figures
  const dim3 &grid = operation.grid, &block = operation.block;
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > kMaxThreadsPerBlock || block.x > kMaxBlockX || block.y > kMaxBlockY ||
      block.z > kMaxBlockZ)
    return cudaErrorInvalidValue;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > kMaxGridX || grid.y > kMaxGridY || grid.z > kMaxGridZ)
    return cudaErrorInvalidValue;
  if (kernel.max_threads && threads > kernel.max_threads) return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaError_t check_shared(const KernelOperation& operation, const w2w_kernel& kernel) {
  return operation.dynamic_shared > max_dynamic_shared(*operation.function, kernel) ? cudaErrorInvalidValue
                                                                                    : cudaSuccess;
}

cudaError_t check_cooperative(const KernelOperation& operation, const w2w_kernel& kernel) {
  if (!operation.cooperative) return cudaSuccess;
  const int threads = static_cast<int>(operation.block.x * operation.block.y * operation.block.z);
  const uint64_t resident = uint64_t{device::kMultiprocessors} *
                            static_cast<uint64_t>(blocks_per_multiprocessor(kernel, threads, operation.dynamic_shared));
  const uint64_t blocks = uint64_t{operation.grid.x} * operation.grid.y * operation.grid.z;
  return blocks > resident ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

}  // namespace

cudaError_t check_kernel(const KernelOperation& operation) {
  cudaError_t error;
  const w2w_kernel* kernel = operation.function->kernel(&error);
  if (!kernel) return error;
  error = check_geometry(operation, *kernel);
  if (error == cudaSuccess) error = check_shared(operation, *kernel);
  return error == cudaSuccess ? check_cooperative(operation, *kernel) : error;
}

cudaError_t execute_kernel(const KernelOperation& operation) {
  cudaError_t error;
  const w2w_kernel* kernel = operation.function->kernel(&error);
  if (!kernel) return error;
  flush_output();  // CUDA prints what earlier kernels left when a kernel starts
  Launch launch;
  launch.kernel = kernel;
  launch.module = operation.function->module->record();
  const unsigned grid[] = {operation.grid.x, operation.grid.y, operation.grid.z};
  const unsigned block[] = {operation.block.x, operation.block.y, operation.block.z};
  std::copy_n(grid, 3, launch.grid);
  std::copy_n(block, 3, launch.block);
  launch.dynamic_shared = static_cast<uint32_t>(operation.dynamic_shared);
  launch.cooperative = operation.cooperative;
  launch.params = lay_out_parameters(*kernel, operation);
  launch.grid_id = ++launches;
  launch.stack_bytes = stack_limit();
  void* workspace = nullptr;
  if (operation.cooperative) {
    workspace = Heap::instance().allocate(kGridWorkspace, 256, MemoryKind::kVariable);
    if (!workspace) return cudaErrorMemoryAllocation;
    memset(workspace, 0, kGridWorkspace);
    launch.grid_workspace = reinterpret_cast<uint64_t>(workspace);
  }
  const double started = now_milliseconds();
  execute(launch);
  trace(launch, now_milliseconds() - started);
  if (workspace) Heap::instance().release(workspace);
  append_output(launch.take_output());
  if (launch.outcome == Outcome::kUnsupported) report_and_die(launch.fault());
  if (launch.outcome != Outcome::kCompleted) {
    report(launch.fault());
    set_sticky_error(to_error(launch.outcome));
  }
  return cudaSuccess;
}

namespace {

cudaError_t launch(const void* host_function, dim3 grid, dim3 block, void** arguments, size_t shared,
                   cudaStream_t stream, bool cooperative) {
  return api([&] {
    KernelOperation operation;
    operation.function = find_function(host_function);
    if (!operation.function) return cudaErrorInvalidResourceHandle;
    operation.host_function = host_function;
    operation.grid = grid;
    operation.block = block;
    operation.dynamic_shared = shared;
    operation.cooperative = cooperative;
    cudaError_t error = copy_arguments(&operation, arguments);
    return error == cudaSuccess ? submit(stream, std::move(operation)) : error;
  });
}

}  // namespace

cudaError_t copy_arguments(KernelOperation* operation, void* const* arguments) {
  cudaError_t error;
  const w2w_kernel* kernel = operation->function->kernel(&error);
  if (!kernel) return error;
  operation->arguments.clear();
  for (unsigned i = 0; i < kernel->param_count; ++i) {
    if (!arguments || !arguments[i]) return cudaErrorInvalidValue;
    auto bytes = static_cast<const char*>(arguments[i]);
    operation->arguments.emplace_back(bytes, bytes + kernel->param_sizes[i]);
  }
  return cudaSuccess;
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host_function));
  return cudaSuccess;
}

W2W_API cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  return api([&] {
    if (!kernel || !find_function(host_function)) return cudaErrorInvalidDeviceFunction;
    return __cudaGetKernel(kernel, host_function);
  });
}

W2W_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* host_function) {
  return api([&] {
    if (!function || !find_function(host_function)) return cudaErrorInvalidDeviceFunction;
    *function = reinterpret_cast<cudaFunction_t>(const_cast<void*>(host_function));
    return cudaSuccess;
  });
}

W2W_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                       cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, shared, stream, false);
}

W2W_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                     cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, false);
}

W2W_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                                size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, true);
}

W2W_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (!config) return record_error(cudaErrorInvalidValue);
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    const auto& cluster = attribute.val.clusterDim;
    if (uint64_t{cluster.x} * cluster.y * cluster.z > 1)
      return unsupported_function("cudaLaunchKernelExC", "with clusters of more than one block");
  }
  return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream,
                cooperative);
}
