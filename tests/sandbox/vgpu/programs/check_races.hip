// One way for waves to share global memory a run, named by the argument: wrong ones, and right ones that look alike.
#include <cstring>

#include "check.h"

constexpr int kThreads = 256, kGroups = 4, kItems = kThreads * kGroups;

__global__ void reverse_in_place(int* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[kItems - 1 - i] + 1;
}
__global__ void reverse(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[kItems - 1 - i] + 1;
}
__global__ void rotate_group(int* data, int with_barrier) {
  int* mine = data + blockIdx.x * blockDim.x;
  int next = mine[(threadIdx.x + 64) % kThreads];
  if (with_barrier) __syncthreads();
  mine[threadIdx.x] = next + 1;
}
__global__ void add_plainly(int* sum) {
  if (threadIdx.x == 0) *sum += blockIdx.x;
}
__global__ void add(int* sum) {
  if (threadIdx.x == 0) atomicAdd(sum, blockIdx.x);
}
__global__ void set_flag(int* flag) { *flag = 1; }
// The last group to arrive adds up what all groups wrote.
__global__ void last_group(int* partial, int* arrived, int* out, int with_counter) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    is_last = with_counter ? atomicAdd(arrived, 1) == kGroups - 1 : blockIdx.x == kGroups - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x < kGroups) out[threadIdx.x] = partial[threadIdx.x];
}
__global__ void hand_over(int* data, int* flag) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    data[0] = 7;
    __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  } else if (blockIdx.x == 1) {
    while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) {
    }
    data[1] = data[0] + 1;
  }
}

struct Row {
  const char* name;
  void (*launch)(int* data, int* out);
};
constexpr Row kRows[] = {
    {"reverse_in_place", [](int* d, int*) { reverse_in_place<<<kGroups, kThreads>>>(d); }},
    {"reverse", [](int* d, int* o) { reverse<<<kGroups, kThreads>>>(d, o); }},
    {"rotate_without_barrier", [](int* d, int*) { rotate_group<<<kGroups, kThreads>>>(d, 0); }},
    {"rotate_with_barrier", [](int* d, int*) { rotate_group<<<kGroups, kThreads>>>(d, 1); }},
    {"add_plainly", [](int* d, int*) { add_plainly<<<kGroups, kThreads>>>(d); }},
    {"add", [](int* d, int*) { add<<<kGroups, kThreads>>>(d); }},
    {"set_flag", [](int* d, int*) { set_flag<<<kGroups, kThreads>>>(d); }},
    {"last_group_by_counter", [](int* d, int* o) { last_group<<<kGroups, kThreads>>>(d, d + 100, o, 1); }},
    {"last_group_by_number", [](int* d, int* o) { last_group<<<kGroups, kThreads>>>(d, d + 100, o, 0); }},
    {"hand_over", [](int* d, int* o) { hand_over<<<2, 64>>>(d, o); }},
};

int main(int, char** argv) {
  DeviceVector<int> data(std::vector<int>(kItems, 0)), out(std::vector<int>(kItems, 0));
  for (const Row& row : kRows) {
    if (strcmp(row.name, argv[1])) continue;
    row.launch(data.data, out.data);
    CHECK(hipDeviceSynchronize());
    puts("done");
    return 0;
  }
  puts("no such row");
  return 3;
}
