// Block reduction by warp shuffles: each warp folds its values, the first warp folds the warps' partial sums.
// The tree starts at 16 because a warp has 32 lanes; lanes and warps are counted with the built-in warpSize.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t status = (call);                                                          \
    if (status != cudaSuccess) {                                                          \
      std::printf("%s failed: %s\n", #call, cudaGetErrorString(status));                  \
      return 2;                                                                           \
    }                                                                                     \
  } while (0)

__device__ int warp_sum(int value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(__activemask(), value, offset);
  }
  return value;
}

__global__ void block_sum(const int* in, int* out, int n) {
  __shared__ int partial[32];
  const int lane = threadIdx.x % warpSize;
  const int warp = threadIdx.x / warpSize;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  int value = warp_sum(i < n ? in[i] : 0);
  if (lane == 0) partial[warp] = value;
  __syncthreads();

  const int warps = (blockDim.x + warpSize - 1) / warpSize;
  if (warp == 0) {
    value = warp_sum(lane < warps ? partial[lane] : 0);
    if (lane == 0) out[blockIdx.x] = value;
  }
}

int main() {
  const int n = 10000, threads = 256, blocks = (n + threads - 1) / threads;
  std::vector<int> in(n), out(blocks);
  long long expected = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = (i * 37) % 101 + 1;
    expected += in[i];
  }
  int *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, blocks * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  block_sum<<<blocks, threads>>>(d_in, d_out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  long long sum = 0;
  for (int partial : out) sum += partial;
  std::printf("sum = %lld\n", sum);
  std::printf("%s\n", sum == expected ? "PASS" : "FAIL");
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  return sum != expected;
}
