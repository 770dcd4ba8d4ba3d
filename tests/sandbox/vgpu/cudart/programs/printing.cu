// Device printf: every conversion, and the order of lanes, warps and blocks.
#include "check.h"

__global__ void conversions(float f) {
  printf("%d %5d|%-5d|%05d %i %u %x %X %o %c %% %s\n", -7, 42, 42, 42, -1, 3000000000u, 0xbeef, 0xbeef, 8, 'z', "text");
  printf("%lld %llu %llx %ld %hd\n", -5000000000ll, 18446744073709551615ull, 0x123456789abcull, 7l, (short)-3);
  printf("%f %.3f %10.2e|%g %G %a\n", f, f, f, f, 1e-10, 1.0);
  printf("%*d|%-*d|%.*f\n", 6, 42, 6, 42, 2, 3.14159);
  printf("no arguments\n");
}
__global__ void order(int n) {
  if (threadIdx.x < n) printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
  if (threadIdx.x == 1) printf("second %d = %d\n", blockIdx.x, printf("x"));
}
int main() {
  printf("before\n");
  conversions<<<1, 1>>>(2.5f);
  printf("launched\n");
  cudaDeviceSynchronize();
  order<<<2, 64>>>(3);
  return finish();
}
