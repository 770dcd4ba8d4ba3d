// Right, although the slots that threads take from a counter come in another order on every device.
// verdict: accepted
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void compact(const int* data, int n, int* kept, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && data[i] % 3 == 0) kept[atomicAdd(count, 1)] = data[i];
}

int main() {
  constexpr int n = 3000;
  static int values[n];
  for (int i = 0; i < n; ++i) values[i] = i * 7 % 1001;
  int *data, *kept, *count, total = 0;
  cudaMalloc(&data, sizeof values);
  cudaMalloc(&kept, sizeof values);
  cudaMalloc(&count, sizeof total);
  cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice);
  cudaMemset(count, 0, sizeof total);
  compact<<<(n + 127) / 128, 128>>>(data, n, kept, count);
  cudaMemcpy(&total, count, sizeof total, cudaMemcpyDeviceToHost);
  cudaMemcpy(values, kept, total * sizeof(int), cudaMemcpyDeviceToHost);
  std::sort(values, values + total);
  long sum = 0;
  for (int i = 0; i < total; ++i) sum += long(values[i]) * (i + 1);
  std::printf("%d kept, checksum %ld\n", total, sum);
  return 0;
}
