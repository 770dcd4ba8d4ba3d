// The smallest program that gets an answer from a kernel.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void hello(int* answer) {
  if (threadIdx.x == 0) *answer = 42;
}

int main() {
  int *answer, got = 0;
  if (hipMalloc(&answer, sizeof *answer)) return 2;
  hello<<<1, 64>>>(answer);
  if (hipMemcpy(&got, answer, sizeof got, hipMemcpyDeviceToHost)) return 2;
  printf("%d\n", got);
  return got != 42;
}
