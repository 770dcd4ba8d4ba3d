// The host's half of device printf: hostcall buffer, doorbell, listener.
#include "check.h"

__global__ void print() { printf("lane %d of %d\n", static_cast<int>(threadIdx.x), 4); }

int main() {
  print<<<1, 4>>>();
  HIP(hipDeviceSynchronize());
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; i++) {
    print<<<1, 4>>>();
    HIP(hipDeviceSynchronize());
  }
  std::fprintf(stderr, "printf: %.3f ms\n", milliseconds_since(start) / 20);
  std::puts("PASS");
}
