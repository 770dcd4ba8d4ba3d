// findings: R04:3:fixed R04:4:fixed R04:13:fixed R04:20:fixed
#include <cuda_runtime.h>
__host__ __device__ int f() {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 700
  return 1;
#else
  return 2;
#endif
#else
  return 3;
#endif
}
#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* p, double v);
__device__ double atomicAdd(double* p, double v) { return *p += v; }
#endif
#ifdef __CUDACC__
#define HD __host__ __device__
#endif
#if CUDART_VERSION >= 12000
#endif
// output
#include <hip/hip_runtime.h>
#include "warp2wave/arch.h"
__host__ __device__ int f() {
#ifdef __HIP_DEVICE_COMPILE__
#if W2W_CUDA_ARCH >= 700
  return 1;
#else
  return 2;
#endif
#else
  return 3;
#endif
}
#if W2W_CUDA_LEVEL < 600
__device__ double atomicAdd(double* p, double v);
__device__ double atomicAdd(double* p, double v) { return *p += v; }
#endif
#ifdef __HIPCC__
#define HD __host__ __device__
#endif
#if W2W_CUDA_VERSION >= 12000
#endif
