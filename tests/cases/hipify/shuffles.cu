// findings: W01:4:fixed M01:5:fixed W03:6:fixed W01:7:noted W01:7:noted
#include <cuda_runtime.h>
__global__ void k(float* x) {
  float v = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  unsigned votes = __ballot_sync(0xffffffff, v > 0);
  __syncwarp();
  if (threadIdx.x % 32 == 0) x[threadIdx.x / 32] = v + __popc(votes);
}
// output
#include <hip/hip_runtime.h>
#include "warp2wave/warp32.h"
__global__ void k(float* x) {
  float v = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += w2w::shfl_down_sync(0xffffffff, v, d);
  unsigned votes = w2w::ballot_sync(0xffffffff, v > 0);
  w2w::syncwarp();
  if (threadIdx.x % 32 == 0) x[threadIdx.x / 32] = v + __popc(votes);
}
