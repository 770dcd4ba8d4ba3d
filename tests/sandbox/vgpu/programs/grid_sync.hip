// Cooperative groups over the whole grid, with as many groups as the occupancy query allows.
#include <hip/hip_cooperative_groups.h>

#include "check.h"

__global__ void rotate(int* data, int n, int rounds) {
  auto grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    int next = data[(i + 1) % n];
    grid.sync();
    data[i] = next + 1;
    grid.sync();
  }
}

int main() {
  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0));
  int per_unit = 0, rounds = 2;
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, rotate, 256, 0));
  for (int blocks : {3, per_unit * properties.multiProcessorCount}) {
    int n = blocks * 256;
    std::vector<int> start(n), expected(n);
    for (int i = 0; i < n; ++i) start[i] = i, expected[i] = (i + rounds) % n + rounds;
    DeviceVector<int> data(start);
    void* arguments[] = {&data.data, &n, &rounds};
    CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(rotate), dim3(blocks), dim3(256), arguments, 0, nullptr));
    expect_equal("rotated", data.host(), expected);
  }
}
