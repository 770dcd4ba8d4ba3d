// findings: S01:5:to-do S01:7:noted
#include <cuda_runtime.h>
__global__ void k(int* p) { extern __shared__ int s[]; s[threadIdx.x] = *p; }
void f(int bytes) {
  const int n = 96 * 1024 / sizeof(int);
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4);
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 << 10);
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}
// output
#include <hip/hip_runtime.h>
__global__ void k(int* p) { extern __shared__ int s[]; s[threadIdx.x] = *p; }
void f(int bytes) {
  const int n = 96 * 1024 / sizeof(int);
  hipFuncSetAttribute(reinterpret_cast<const void*>(&k), hipFuncAttributeMaxDynamicSharedMemorySize, n * 4);
  hipFuncSetAttribute(reinterpret_cast<const void*>(&k), hipFuncAttributeMaxDynamicSharedMemorySize, 60 << 10);
  hipFuncSetAttribute(reinterpret_cast<const void*>(&k), hipFuncAttributeMaxDynamicSharedMemorySize, bytes);
}
