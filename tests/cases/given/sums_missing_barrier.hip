// Right only while the wavefronts run in the order of their numbers, last one last: a barrier is missing.
// verdict: rejected
// reason: sums_missing_barrier.hip:12: lds-race: load of
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void sum(const int* data, int* total) {
  __shared__ int partial[256];
  partial[threadIdx.x] = data[threadIdx.x];
  if (threadIdx.x >= 192) {
    int all = 0;
    for (int i = 0; i < 256; ++i) all += partial[i];
    if (threadIdx.x == 255) *total = all;
  }
}

int main() {
  int values[256], *data, *total, result;
  for (int i = 0; i < 256; ++i) values[i] = i * i % 97;
  (void)hipMalloc(&data, sizeof values);
  (void)hipMalloc(&total, sizeof result);
  (void)hipMemcpy(data, values, sizeof values, hipMemcpyHostToDevice);
  sum<<<1, 256>>>(data, total);
  (void)hipMemcpy(&result, total, sizeof result, hipMemcpyDeviceToHost);
  std::printf("%d\n", result);
  return 0;
}
