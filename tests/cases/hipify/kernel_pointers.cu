#include <cuda_runtime.h>
template <typename T, int K> __global__ void mul(T* p) { p[threadIdx.x] *= K; }
__global__ void plain(int* p) { *p = 1; }
void f(void (*chosen)(int*)) {
  cudaFuncSetAttribute(mul<double, 3>, cudaFuncAttributeMaxDynamicSharedMemorySize, 32 * 1024);
  cudaFuncSetCacheConfig(plain, cudaFuncCachePreferL1);
  cudaFuncSetCacheConfig((const void*)plain, cudaFuncCachePreferL1);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, &plain);
  cudaFuncGetAttributes(&attributes, chosen);
}
// output
#include <hip/hip_runtime.h>
template <typename T, int K> __global__ void mul(T* p) { p[threadIdx.x] *= K; }
__global__ void plain(int* p) { *p = 1; }
void f(void (*chosen)(int*)) {
  hipFuncSetAttribute(reinterpret_cast<const void*>(&mul<double, 3>), hipFuncAttributeMaxDynamicSharedMemorySize, 32 * 1024);
  hipFuncSetCacheConfig(reinterpret_cast<const void*>(&plain), hipFuncCachePreferL1);
  hipFuncSetCacheConfig((const void*)plain, hipFuncCachePreferL1);
  hipFuncAttributes attributes;
  hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&plain));
  hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(chosen));
}
