#include <cuda.h>
int f(CUmodule m, CUstream s, void** args) {
  CUfunction k;
  CUdeviceptr p;
  if (cuModuleGetFunction(&k, m, "k") != CUDA_SUCCESS) return 1;
  cuMemAlloc_v2(&p, 256);
  cuMemcpyHtoD(p, args, 8);
  return cuLaunchKernel(k, 1, 1, 1, 32, 1, 1, 0, s, args, nullptr) == CUDA_ERROR_OUT_OF_MEMORY;
}
// output
#include <hip/hip_runtime.h>
int f(hipModule_t m, hipStream_t s, void** args) {
  hipFunction_t k;
  hipDeviceptr_t p;
  if (hipModuleGetFunction(&k, m, "k") != hipSuccess) return 1;
  hipMalloc(&p, 256);
  hipMemcpyHtoD(p, args, 8);
  return hipModuleLaunchKernel(k, 1, 1, 1, 32, 1, 1, 0, s, args, nullptr) == hipErrorOutOfMemory;
}
