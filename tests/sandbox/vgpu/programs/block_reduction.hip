// Sums of blocks of 1000 threads (a partial last wave): shuffles within waves, LDS between them.
#include "check.h"

__global__ void block_sum(const int* in, int* out, int n) {
  __shared__ int partial[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = i < n ? in[i] : 0;
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_down(sum, step);
  int wave = threadIdx.x / warpSize;
  if (threadIdx.x % warpSize == 0) partial[wave] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int w = 0; w < (blockDim.x + warpSize - 1) / warpSize; ++w) total += partial[w];
    out[blockIdx.x] = total;
  }
}

int main() {
  const int block = 1000, blocks = 37, n = block * blocks - 123;
  std::vector<int> in(n), expected(blocks, 0);
  for (int i = 0; i < n; ++i) in[i] = i * 7 % 1001 - 500, expected[i / block] += in[i];
  DeviceVector<int> din(in), dout(blocks);
  block_sum<<<blocks, block>>>(din.data, dout.data, n);
  CHECK(hipGetLastError());
  expect_equal("block sums", dout.host(), expected);
}
