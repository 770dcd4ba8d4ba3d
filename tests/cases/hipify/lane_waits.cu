// findings: W08:4:to-do
#include <cuda_runtime.h>
__global__ void chain(volatile int* flag) {
  int t = threadIdx.x;
  if (t > 0) while (flag[t - 1] == 0) { }
  flag[t] = 1;
}
__global__ void blocks(volatile int* count) {
  while (*count < (int)gridDim.x) { }
}
// output
#include <hip/hip_runtime.h>
__global__ void chain(volatile int* flag) {
  int t = threadIdx.x;
  if (t > 0) while (flag[t - 1] == 0) { }
  flag[t] = 1;
}
__global__ void blocks(volatile int* count) {
  while (*count < (int)gridDim.x) { }
}
