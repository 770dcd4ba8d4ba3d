// The leader of the active lanes reserves places for all of them; the other lanes' `base` is never set.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int reserve(int* counter) {
  const unsigned active = __activemask();
  const int leader = __ffs(active) - 1;
  const int rank = __popc(active & ((1u << (threadIdx.x & 31)) - 1));
  int base;
  if (rank == 0) base = atomicAdd(counter, __popc(active));
  base = __shfl_sync(active, base, leader);
  return base + rank;
}

__global__ void keep(const int* in, int* out, int* counter, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 0) out[reserve(counter)] = in[i];
}

int main() {
  const int n = 1000;
  int in[n], kept = 0, expected = 0, count = 0;
  long long sum = 0, expected_sum = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = (i * 7919) % 1009;
    if (in[i] % 3 == 0) {
      ++expected;
      expected_sum += in[i];
    }
  }
  int *d_in, *d_out, *d_counter;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, 64 * sizeof in);
  cudaMalloc(&d_counter, sizeof(int));
  cudaMemset(d_counter, 0, sizeof(int));
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  keep<<<(n + 127) / 128, 128>>>(d_in, d_out, d_counter, n);
  cudaMemcpy(&count, d_counter, sizeof count, cudaMemcpyDeviceToHost);
  int out[n] = {};
  cudaMemcpy(out, d_out, (count < n ? count : n) * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < count && i < n; ++i) {
    ++kept;
    sum += out[i];
  }
  const bool good = kept == expected && count == expected && sum == expected_sum;
  std::printf("kept %d of %d, sum %lld\n%s\n", count, n, sum, good ? "PASS" : "FAIL");
  return !good;
}
