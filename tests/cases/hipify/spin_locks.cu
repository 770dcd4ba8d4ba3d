// findings: W07:4:fixed W07:11:fixed W07:26:to-do
#include <cuda_runtime.h>
__device__ int gate;
__global__ void wait(int* v) {
  while (atomicCAS(&gate, 0, 1) != 0) {
  }
  *v += 1;
  atomicExch(&gate, 0);
}
__global__ void retry(int* locks, int* v, int row) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[row], 0, 1) == 0) {
      v[row] += 1;
      atomicExch(&locks[row], 0);
      done = true;
    }
  }
}
__global__ void leader(int* v) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&gate, 0, 1) != 0);
    *v += 1;
    atomicExch(&gate, 0);
  }
}
__device__ void acquire(int* lock) { while (atomicCAS(lock, 0, 1)); }
__device__ float largest(float* a, float v) {
  int old = __float_as_int(*a), seen;
  do {
    seen = old;
    old = atomicCAS((int*)a, seen, __float_as_int(fmaxf(v, __int_as_float(seen))));
  } while (seen != old);
  return __int_as_float(old);
}
// output
#include <hip/hip_runtime.h>
#include "warp2wave/warp32.h"
__device__ int gate;
__global__ void wait(int* v) {
  W2W_ONE_LANE_AT_A_TIME { while (atomicCAS(&gate, 0, 1) != 0) {
  }
  *v += 1;
  atomicExch(&gate, 0); }
}
__global__ void retry(int* locks, int* v, int row) {
  bool done = false;
  W2W_ONE_LANE_AT_A_TIME { while (!done) {
    if (atomicCAS(&locks[row], 0, 1) == 0) {
      v[row] += 1;
      atomicExch(&locks[row], 0);
      done = true;
    }
  } }
}
__global__ void leader(int* v) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&gate, 0, 1) != 0);
    *v += 1;
    atomicExch(&gate, 0);
  }
}
__device__ void acquire(int* lock) { while (atomicCAS(lock, 0, 1)); }
__device__ float largest(float* a, float v) {
  int old = __float_as_int(*a), seen;
  do {
    seen = old;
    old = atomicCAS((int*)a, seen, __float_as_int(fmaxf(v, __int_as_float(seen))));
  } while (seen != old);
  return __int_as_float(old);
}
