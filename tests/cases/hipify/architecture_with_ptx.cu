// findings: R04:3:fixed
#include <cuda_runtime.h>
__device__ int twice(int x) {
#if __CUDA_ARCH__ >= 750
  int r;
  asm("tcgen05.shift.b32 %0, %1;" : "=r"(r) : "r"(x));
  return r;
#else
  return 2 * x;
#endif
}
// output
#include <hip/hip_runtime.h>
#ifndef W2W_CUDA_LEVEL
#define W2W_CUDA_LEVEL 700
#endif
#include "warp2wave/arch.h"
__device__ int twice(int x) {
#if W2W_CUDA_ARCH >= 750
  int r;
  asm("tcgen05.shift.b32 %0, %1;" : "=r"(r) : "r"(x));
  return r;
#else
  return 2 * x;
#endif
}
