// findings: W14:2:fixed W14:6:fixed
#include <cuda_runtime.h>
__device__ int lane() { return threadIdx.x % warpSize; }
int warps(int threads) {
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  int warpSize = prop.warpSize;
  return threads / warpSize;
}
// output
#include <hip/hip_runtime.h>
#include "warp2wave/device.h"
__device__ int lane() { return threadIdx.x % 32; }
int warps(int threads) {
  hipDeviceProp_t prop;
  w2w::get_device_properties(&prop, 0);
  int warpSize = prop.warpSize;
  return threads / warpSize;
}
