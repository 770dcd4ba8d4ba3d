// Right, with a kernel of its own on AMD: launches cannot be replayed, results that the host reads are the same.
// verdict: accepted
// replay: the port's launch 0 is _Z10two_stridePi, where the original's is _Z10one_stridePi
#include <cstdio>
#include <cuda_runtime.h>

__global__ void one_stride(int* data) { data[threadIdx.x] = threadIdx.x * 5; }

__global__ void two_stride(int* data) {
  for (int i = threadIdx.x; i < 128; i += 64) data[i] = i * 5;
}

int main() {
  int *data, results[128];
  cudaMalloc(&data, sizeof results);
#ifdef __HIP_PLATFORM_AMD__
  two_stride<<<1, 64>>>(data);
#else
  one_stride<<<1, 128>>>(data);
#endif
  cudaMemcpy(results, data, sizeof results, cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int value : results) sum += value;
  std::printf("%d\n", sum);
  return 0;
}
