// verdict: needs_attention
// reason: float32 element 1: expected 0.5, got 0.25
#include <cstdio>
#include <unistd.h>
#include <hip/hip_runtime.h>

__global__ void halve(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = i * 0.25f;
}

int main() {
  unlink("/run/report/record.jsonl");
  unlink("/run/report/record.bin");
  float *data, results[1000];
  (void)hipMalloc(&data, sizeof results);
  halve<<<4, 256>>>(data, 1000);
  (void)hipMemcpy(results, data, sizeof results, hipMemcpyDeviceToHost);
  std::printf("%f\n", 499.5f);
  return 0;
}
