#include "check.h"

__global__ void talk(int n) {
  if (threadIdx.x % 40 == 0)
    printf("block %d thread %3d: %s %.3f %lld\n", blockIdx.x, threadIdx.x, "text", n / 8.0, 1ll << 40);
}

int main() {
  talk<<<2, 100>>>(5);
  CHECK(hipDeviceSynchronize());
  puts("host PASS");
}
