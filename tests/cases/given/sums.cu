#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(const int* data, int* total) {
  __shared__ int partial[256];
  partial[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = partial[0];
}

int main() {
  int values[256], *data, *total, result;
  for (int i = 0; i < 256; ++i) values[i] = i * i % 97;
  cudaMalloc(&data, sizeof values);
  cudaMalloc(&total, sizeof result);
  cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice);
  sum<<<1, 256>>>(data, total);
  cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
  return 0;
}
