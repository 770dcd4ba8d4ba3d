// As many launches as asked for.
#include "check.h"

__global__ void nothing() {}

int main(int, char** argv) {
  for (int n = atoi(argv[1]); n; --n) nothing<<<1, 64>>>();
  CHECK(hipDeviceSynchronize());
  printf("done\n");
}
