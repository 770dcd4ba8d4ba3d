// The functions of the HIP runtime that the recorder sees.
#include <hip/hip_runtime_api.h>

#include "recorder/calls.h"

using namespace w2w::recorder;  // NOLINT: API functions have C linkage

// Not declared in a header: hipcc emits calls of it.
extern "C" void __hipRegisterVar(void** modules, void* variable, char* host_name, char* device_name, int external,
                                 size_t size, int constant, int global);

namespace {

bool is_idle(void* stream) { return W2W_NEXT(hipStreamQuery)(static_cast<hipStream_t>(stream)) != hipErrorNotReady; }

void synchronize() { (void)W2W_NEXT(hipDeviceSynchronize)(); }

bool copy_to_host(void* target, const void* source, size_t bytes) {
  return W2W_NEXT(hipMemcpy)(target, source, bytes, hipMemcpyDefault) == hipSuccess;
}

bool fill_zero(void* target, size_t bytes) { return W2W_NEXT(hipMemset)(target, 0, bytes) == hipSuccess; }

void* symbol_address(const void* variable) {
  void* address = nullptr;
  return W2W_NEXT_OF(hipGetSymbolAddress, hipError_t(*)(void**, const void*))(&address, variable) == hipSuccess ? address : nullptr;
}

__attribute__((constructor)) void begin() {
  start({is_idle, synchronize, copy_to_host, fill_zero, symbol_address});
}

Extent extent(dim3 size) { return {size.x, size.y, size.z}; }

LaunchFacts facts(const char* kernel, Extent grid, Extent block, size_t shared) {
  return {kernel ? kernel : "", grid, block, shared, {}};
}

// The host has waited for the copy where `waits`; else what it copied is not known yet.
hipError_t after_copy(hipError_t answer, void* target, const void* source, size_t bytes, hipMemcpyKind kind) {
  if (answer == hipSuccess && (kind == hipMemcpyDeviceToHost || kind == hipMemcpyDefault))
    host_read(target, source, bytes);
  return answer;
}

}  // namespace

#define ALLOCATES(name, kind, bytes, parameters, arguments) \
  W2W_ALLOCATES(name, hipError_t, hipSuccess, MemoryKind::kind, bytes, parameters, arguments)
#define RELEASES(name, parameters, arguments) W2W_RELEASES(name, hipError_t, parameters, arguments)

ALLOCATES(hipMalloc, kDevice, size, (void** memory, size_t size), (memory, size))
ALLOCATES(hipExtMallocWithFlags, kDevice, size, (void** memory, size_t size, unsigned flags), (memory, size, flags))
ALLOCATES(hipMallocManaged, kManaged, size, (void** memory, size_t size, unsigned flags), (memory, size, flags))
ALLOCATES(hipMallocHost, kHost, size, (void** memory, size_t size), (memory, size))
ALLOCATES(hipHostMalloc, kHost, size, (void** memory, size_t size, unsigned flags), (memory, size, flags))
ALLOCATES(hipHostAlloc, kHost, size, (void** memory, size_t size, unsigned flags), (memory, size, flags))
ALLOCATES(hipMallocAsync, kDevice, size, (void** memory, size_t size, hipStream_t stream), (memory, size, stream))
ALLOCATES(hipMallocFromPoolAsync, kDevice, size,
          (void** memory, size_t size, hipMemPool_t pool, hipStream_t stream), (memory, size, pool, stream))
ALLOCATES(hipMallocPitch, kDevice, *pitch * height,
          (void** memory, size_t* pitch, size_t width, size_t height), (memory, pitch, width, height))
RELEASES(hipFree, (void* memory), (memory))
RELEASES(hipFreeAsync, (void* memory, hipStream_t stream), (memory, stream))
RELEASES(hipHostFree, (void* memory), (memory))
RELEASES(hipFreeHost, (void* memory), (memory))

W2W_CALL void __hipRegisterVar(void** modules, void* variable, char* host_name, char* device_name, int external,
                               size_t size, int constant, int global) {
  W2W_NEXT(__hipRegisterVar)(modules, variable, host_name, device_name, external, size, constant, global);
  has_variable(variable, device_name, size);
}

W2W_CALL hipError_t hipModuleGetGlobal(hipDeviceptr_t* variable, size_t* size, hipModule_t module, const char* name) {
  const hipError_t answer = W2W_NEXT(hipModuleGetGlobal)(variable, size, module, name);
  if (answer == hipSuccess && variable && size) allocated(*variable, *size, MemoryKind::kSymbol, name);
  return answer;
}

W2W_CALL hipError_t hipMemcpy(void* target, const void* source, size_t bytes, hipMemcpyKind kind) {
  return after_copy(W2W_NEXT(hipMemcpy)(target, source, bytes, kind), target, source, bytes, kind);
}

W2W_CALL hipError_t hipMemcpyDtoH(void* target, hipDeviceptr_t source, size_t bytes) {
  return after_copy(W2W_NEXT(hipMemcpyDtoH)(target, source, bytes), target, source, bytes, hipMemcpyDeviceToHost);
}

W2W_CALL hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  const hipError_t answer = W2W_NEXT(hipStreamBeginCapture)(stream, mode);
  if (answer == hipSuccess) capture_began();
  return answer;
}

W2W_CALL hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  const hipError_t answer = W2W_NEXT(hipStreamEndCapture)(stream, graph);
  capture_ended();
  return answer;
}

W2W_CALL hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                    hipStream_t stream) {
  before_launch();
  const hipError_t answer = W2W_NEXT(hipLaunchKernel)(function, grid, block, arguments, shared, stream);
  if (answer == hipSuccess)
    after_launch(facts(hipKernelNameRefByPtr(function, stream), extent(grid), extent(block), shared), stream);
  return answer;
}

W2W_CALL hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                               unsigned shared, hipStream_t stream) {
  before_launch();
  using Function = hipError_t (*)(const void*, dim3, dim3, void**, unsigned, hipStream_t);
  const hipError_t answer =
      W2W_NEXT_OF(hipLaunchCooperativeKernel, Function)(function, grid, block, arguments, shared, stream);
  if (answer == hipSuccess)
    after_launch(facts(hipKernelNameRefByPtr(function, stream), extent(grid), extent(block), shared), stream);
  return answer;
}

W2W_CALL hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* function, void** arguments) {
  before_launch();
  const hipError_t answer = W2W_NEXT(hipLaunchKernelExC)(config, function, arguments);
  if (answer == hipSuccess)
    after_launch(facts(hipKernelNameRefByPtr(function, config->stream), extent(config->gridDim),
                       extent(config->blockDim), config->dynamicSmemBytes),
                 config->stream);
  return answer;
}

W2W_CALL hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                          hipStream_t stream, void** arguments, void** extra) {
  before_launch();
  const hipError_t answer = W2W_NEXT(hipModuleLaunchKernel)(function, grid_x, grid_y, grid_z, block_x, block_y,
                                                            block_z, shared, stream, arguments, extra);
  if (answer == hipSuccess)
    after_launch(facts(hipKernelNameRef(function), {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared),
                 stream);
  return answer;
}

W2W_CALL hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream) {
  before_launch();
  const hipError_t answer = W2W_NEXT(hipGraphLaunch)(graph, stream);
  if (answer == hipSuccess) after_launch(facts("(graph)", {0, 0, 0}, {0, 0, 0}, 0), stream);
  return answer;
}
