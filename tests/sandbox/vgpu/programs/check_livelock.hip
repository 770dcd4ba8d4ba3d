// One way to wait a run, named by the argument: lanes that wait for each other, and waits that end.
#include <unistd.h>

#include <cstring>

#include "check.h"

__global__ void lock_by_lane(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += 1;
  __threadfence();
  atomicExch(lock, 0);
}
__global__ void lock_in_turns(int* lock, int* sum) {
  for (int turn = 0; turn < 64; turn++) {
    if (turn != static_cast<int>(threadIdx.x)) continue;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *reinterpret_cast<volatile int*>(sum) += 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}
__global__ void lock_by_group(int* lock, int* sum) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *reinterpret_cast<volatile int*>(sum) += 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}
// Lane 0 of the second group waits, for longer than a livelock takes to be found, until the first group has counted.
__global__ void wait_for_group(int* flag, int* sum, long long ticks) {
  if (blockIdx.x == 0) {
    const long long start = wall_clock64();
    while (wall_clock64() - start < ticks) {
    }
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    *sum = 1;
  }
}
__global__ void wait_for_host(int* flag, int* sum) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    *sum = 1;
  }
}

int main(int, char** argv) {
  const char* what = argv[1];
  DeviceVector<int> memory(std::vector<int>(2, 0));
  int *lock = memory.data, *sum = memory.data + 1, *flag;
  CHECK(hipHostMalloc(&flag, sizeof *flag));
  *flag = 0;
  int expected = 1;
  if (!strcmp(what, "lock_by_lane")) lock_by_lane<<<1, 64>>>(lock, sum);
  if (!strcmp(what, "lock_in_turns")) lock_in_turns<<<2, 64>>>(lock, sum), expected = 128;
  if (!strcmp(what, "lock_by_group")) lock_by_group<<<300, 64>>>(lock, sum), expected = 300;
  if (!strcmp(what, "wait_for_group")) wait_for_group<<<2, 64>>>(lock, sum, 250000000);  // 2.5 s at 100 MHz
  if (!strcmp(what, "wait_for_host")) {
    wait_for_host<<<1, 64>>>(flag, sum);
    usleep(2500000);
    __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
  }
  CHECK(hipDeviceSynchronize());
  puts(memory.host()[1] == expected ? "done" : "wrong sum");
}
