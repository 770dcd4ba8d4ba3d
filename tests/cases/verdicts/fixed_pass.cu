// A program that prints PASS whatever its kernel computes, which on AMD is something else.
// verdict: needs_attention
// reason: float32 element 0: expected 2, got 3
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef __HIP_DEVICE_COMPILE__
  const float factor = 3;
#else
  const float factor = 2;
#endif
  if (i < n) data[i] = (i + 1) * factor;
}

int main() {
  float* data;
  cudaMalloc(&data, 1000 * sizeof(float));
  scale<<<4, 256>>>(data, 1000);
  float results[1000];
  cudaMemcpy(results, data, sizeof results, cudaMemcpyDeviceToHost);
  std::printf("PASS\n");
  return 0;
}
