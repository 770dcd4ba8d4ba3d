// The functions of the CUDA runtime that the recorder sees.
#include <cuda_runtime_api.h>

#include "recorder/calls.h"

using namespace w2w::recorder;  // NOLINT: API functions have C linkage

// Not declared in a header: nvcc emits calls of them.
extern "C" void __cudaRegisterVar(void** modules, char* variable, char* host_name, const char* device_name,
                                  int external, size_t size, int constant, int global);
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                          size_t shared, cudaStream_t stream);

namespace {

bool is_idle(void* stream) {
  return W2W_NEXT(cudaStreamQuery)(static_cast<cudaStream_t>(stream)) != cudaErrorNotReady;
}

void synchronize() { W2W_NEXT(cudaDeviceSynchronize)(); }

bool copy_to_host(void* target, const void* source, size_t bytes) {
  return W2W_NEXT(cudaMemcpy)(target, source, bytes, cudaMemcpyDefault) == cudaSuccess;
}

bool fill_zero(void* target, size_t bytes) { return W2W_NEXT(cudaMemset)(target, 0, bytes) == cudaSuccess; }

void* symbol_address(const void* variable) {
  void* address = nullptr;
  return W2W_NEXT(cudaGetSymbolAddress)(&address, variable) == cudaSuccess ? address : nullptr;
}

__attribute__((constructor)) void begin() {
  start({is_idle, synchronize, copy_to_host, fill_zero, symbol_address});
}

Extent extent(dim3 size) { return {size.x, size.y, size.z}; }

std::vector<Argument> arguments_of(const void* function, void** arguments) {
  std::vector<Argument> result;
  size_t count = 0;
  if (!arguments || W2W_NEXT(cudaFuncGetParamCount)(function, &count) != cudaSuccess) return result;
  for (size_t i = 0; i < count; ++i) {
    size_t offset = 0, size = 0;
    if (W2W_NEXT(cudaFuncGetParamInfo)(function, i, &offset, &size) != cudaSuccess) return {};
    result.push_back({offset, std::string(static_cast<const char*>(arguments[i]), size)});
  }
  return result;
}

LaunchFacts facts(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared) {
  const char* name = nullptr;
  W2W_NEXT(cudaFuncGetName)(&name, function);
  return {name ? name : "", extent(grid), extent(block), shared, arguments_of(function, arguments)};
}

cudaError_t after_copy(cudaError_t answer, void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
  if (answer == cudaSuccess && (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDefault))
    host_read(target, source, bytes);
  return answer;
}

}  // namespace

#define ALLOCATES(name, kind, bytes, parameters, arguments) \
  W2W_ALLOCATES(name, cudaError_t, cudaSuccess, MemoryKind::kind, bytes, parameters, arguments)
#define RELEASES(name, parameters, arguments) W2W_RELEASES(name, cudaError_t, parameters, arguments)

ALLOCATES(cudaMalloc, kDevice, size, (void** memory, size_t size), (memory, size))
ALLOCATES(cudaMallocManaged, kManaged, size, (void** memory, size_t size, unsigned flags), (memory, size, flags))
ALLOCATES(cudaMallocHost, kHost, size, (void** memory, size_t size), (memory, size))
ALLOCATES(cudaHostAlloc, kHost, size, (void** memory, size_t size, unsigned flags), (memory, size, flags))
ALLOCATES(cudaMallocAsync, kDevice, size, (void** memory, size_t size, cudaStream_t stream), (memory, size, stream))
ALLOCATES(cudaMallocFromPoolAsync, kDevice, size,
          (void** memory, size_t size, cudaMemPool_t pool, cudaStream_t stream), (memory, size, pool, stream))
ALLOCATES(cudaMallocPitch, kDevice, *pitch * height,
          (void** memory, size_t* pitch, size_t width, size_t height), (memory, pitch, width, height))
RELEASES(cudaFree, (void* memory), (memory))
RELEASES(cudaFreeAsync, (void* memory, cudaStream_t stream), (memory, stream))
RELEASES(cudaFreeHost, (void* memory), (memory))

W2W_CALL void __cudaRegisterVar(void** modules, char* variable, char* host_name, const char* device_name,
                                int external, size_t size, int constant, int global) {
  W2W_NEXT(__cudaRegisterVar)(modules, variable, host_name, device_name, external, size, constant, global);
  has_variable(variable, device_name, size);
}

W2W_CALL cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
  return after_copy(W2W_NEXT(cudaMemcpy)(target, source, bytes, kind), target, source, bytes, kind);
}

W2W_CALL cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const cudaError_t answer = W2W_NEXT(cudaStreamBeginCapture)(stream, mode);
  if (answer == cudaSuccess) capture_began();
  return answer;
}

W2W_CALL cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const cudaError_t answer = W2W_NEXT(cudaStreamEndCapture)(stream, graph);
  capture_ended();
  return answer;
}

#define LAUNCHES(name, function_type)                                                                          \
  W2W_CALL cudaError_t name(function_type function, dim3 grid, dim3 block, void** arguments, size_t shared,    \
                            cudaStream_t stream) {                                                             \
    before_launch();                                                                                           \
    const cudaError_t answer = W2W_NEXT(name)(function, grid, block, arguments, shared, stream);               \
    if (answer == cudaSuccess) after_launch(facts(function, grid, block, arguments, shared), stream);          \
    return answer;                                                                                             \
  }

LAUNCHES(cudaLaunchKernel, const void*)
LAUNCHES(cudaLaunchCooperativeKernel, const void*)
LAUNCHES(__cudaLaunchKernel, cudaKernel_t)

W2W_CALL cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  before_launch();
  const cudaError_t answer = W2W_NEXT(cudaLaunchKernelExC)(config, function, arguments);
  if (answer == cudaSuccess)
    after_launch(facts(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes),
                 config->stream);
  return answer;
}

W2W_CALL cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  before_launch();
  const cudaError_t answer = W2W_NEXT(cudaGraphLaunch)(graph, stream);
  if (answer == cudaSuccess) after_launch({"(graph)", {0, 0, 0}, {0, 0, 0}, 0, {}}, stream);
  return answer;
}
