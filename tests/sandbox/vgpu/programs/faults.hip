// One fault a run, named by the argument.
#include <cassert>
#include <cstring>

#include "check.h"

__global__ void past_the_end(int* data, int n) { data[n + threadIdx.x] = 1; }
__global__ void freed(int* data) { data[threadIdx.x] = 1; }
__global__ void past_a_part_page(int* data, int n) { data[n + threadIdx.x] = 1; }
__global__ void null_pointer(int* data) { data[threadIdx.x] = 1; }
__global__ void asserts(int n) { assert(n < 0); }
__global__ void traps(int n) {
  if (n > 0) __builtin_trap();
}

int main(int, char** argv) {
  const char* what = argv[1];
  DeviceVector<int> data(1 << 20);
  if (!strcmp(what, "past_the_end")) past_the_end<<<1, 64>>>(data.data, 1 << 20);
  if (!strcmp(what, "past_a_part_page")) {
    DeviceVector<int> small(1000);
    past_a_part_page<<<1, 64>>>(small.data, 1024);
    CHECK(hipDeviceSynchronize());
  }
  if (!strcmp(what, "freed")) {
    int* gone = DeviceVector<int>(1000).data;
    freed<<<1, 64>>>(gone);
  }
  if (!strcmp(what, "null_pointer")) null_pointer<<<1, 64>>>(nullptr);
  if (!strcmp(what, "asserts")) asserts<<<1, 1>>>(7);
  if (!strcmp(what, "traps")) traps<<<1, 1>>>(7);
  CHECK(hipDeviceSynchronize());
  puts("survived");
}
