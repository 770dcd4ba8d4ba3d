// verdict: rejected
// reason: argument 0 (4000 bytes, allocation 0), float32 element 999: expected 499.5, got 0
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void halve(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = i * 0.5f;
}

int main() {
  float *data, results[1000];
  (void)hipMalloc(&data, sizeof results);
  halve<<<4, 256>>>(data, 999);
  (void)hipMemcpy(results, data, sizeof results, hipMemcpyDeviceToHost);
  std::printf("%f\n", results[999]);
  return 0;
}
