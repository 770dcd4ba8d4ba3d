// findings: P01:2:fixed P14:3:fixed P03:6:to-do
#include <cuda_runtime.h>
__device__ unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
__device__ void fence() { asm volatile("membar.gl;" ::: "memory"); }
__device__ unsigned swap(unsigned a) {
  unsigned r;
  asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r) : "r"(a));
  return r;
}
int host() { int x; asm("cpuid" : "=a"(x)); return x; }
// output
#include <hip/hip_runtime.h>
#include "warp2wave/warp32.h"
__device__ unsigned lane() { unsigned r; r = w2w::lane_id(); return r; }
__device__ void fence() { __threadfence(); }
__device__ unsigned swap(unsigned a) {
  unsigned r;
  asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r) : "r"(a));
  return r;
}
int host() { int x; asm("cpuid" : "=a"(x)); return x; }
