// Occupancy, function attributes, launch configuration errors, cooperative launch. Prints what depends on the target.
#include "check.h"

__global__ __launch_bounds__(256) void nothing_with_lds(float* data) {
  __shared__ float tile[8192];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[255 - threadIdx.x];
}

int main() {
  int blocks, value;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_vectors, 256, 0));
  EXPECT(blocks == 8);
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing_with_lds, 256, 0));
  std::printf("blocks with 32 KiB: %d\n", blocks);
  hipFuncAttributes attributes;
  HIP(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(nothing_with_lds)));
  EXPECT(attributes.sharedSizeBytes == 32768 && attributes.maxThreadsPerBlock == 256);
  float* data;
  HIP(hipMalloc(&data, 4096));
  add_vectors<<<1, 2048>>>(data, data, data, 1);
  EXPECT(hipGetLastError() != hipSuccess);
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeCooperativeLaunch, 0));
  EXPECT(value == 1);
  void* arguments[] = {&data};
  HIP(hipLaunchCooperativeKernel(reinterpret_cast<const void*>(nothing_with_lds), 1, 256, arguments, 0, 0));
  HIP(hipDeviceSynchronize());
  std::puts("PASS");
}
