// A program whose port computes on the host and launches nothing.
// verdict: rejected
// reason: the port launches no kernel; the original launches 1
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count(int* data) { data[threadIdx.x] = threadIdx.x * 3; }

int main() {
  int results[64];
#ifdef __HIP_PLATFORM_AMD__
  for (int i = 0; i < 64; ++i) results[i] = i * 3;
#else
  int* data;
  cudaMalloc(&data, sizeof results);
  count<<<1, 64>>>(data);
  cudaMemcpy(results, data, sizeof results, cudaMemcpyDeviceToHost);
#endif
  int sum = 0;
  for (int value : results) sum += value;
  std::printf("sum = %d\n", sum);
  return 0;
}
