// findings: W12:2:fixed M05:2:noted W11:4:noted W11:6:noted
#include <cuda_runtime.h>
__global__ void k(int* p) { p[threadIdx.x + 32 * threadIdx.y] = __shfl_sync(0xffffffff, p[0], 0) + (31 - __clz(p[1])); }
void f(int* p) {
  dim3 block(32, 8);
  k<<<1, block>>>(p);
  k<<<dim3(32), dim3(32, 4)>>>(p);
}
// output
#include <hip/hip_runtime.h>
#include "warp2wave/warp32.h"
__global__ void k(int* p) { p[threadIdx.x + 32 * threadIdx.y] = w2w::shfl_sync(0xffffffff, p[0], 0) + (31 - __clz(p[1])); }
void f(int* p) {
  dim3 block(32, 8);
  k<<<1, block>>>(p);
  k<<<dim3(32), dim3(32, 4)>>>(p);
}
