// One way for waves to work together a run, named by the argument: wrong ones, and right ones that look alike.
#include <cstring>

#include "check.h"

constexpr int kThreads = 256;

__global__ void reverse_racing(int* out) {
  __shared__ int shared[kThreads];
  shared[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = shared[kThreads - 1 - threadIdx.x];
}
__global__ void reverse(int* out) {
  __shared__ int shared[kThreads];
  shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = shared[kThreads - 1 - threadIdx.x];
}
// Within a wave no barrier is needed.
__global__ void reverse_in_waves(int* out) {
  __shared__ int shared[kThreads];
  shared[threadIdx.x] = threadIdx.x;
  __builtin_amdgcn_wave_barrier();
  out[threadIdx.x] = shared[threadIdx.x / 64 * 64 + 63 - threadIdx.x % 64];
}
__global__ void rotate_racing(int* out, int rounds) {
  __shared__ int shared[kThreads];
  shared[threadIdx.x] = threadIdx.x;
  for (int i = 0; i < rounds; i++) {
    __syncthreads();
    int next = shared[(threadIdx.x + 64) % kThreads];
    shared[threadIdx.x] = next;  // others may still have to read it
  }
  out[threadIdx.x] = shared[threadIdx.x];
}
__global__ void rotate(int* out, int rounds) {
  __shared__ int shared[kThreads];
  shared[threadIdx.x] = threadIdx.x;
  for (int i = 0; i < rounds; i++) {
    __syncthreads();
    int next = shared[(threadIdx.x + 64) % kThreads];
    __syncthreads();
    shared[threadIdx.x] = next;
  }
  out[threadIdx.x] = shared[threadIdx.x];
}
__global__ void count_racing(int* out) {
  __shared__ int counts[4];
  if (threadIdx.x < 4) counts[threadIdx.x] = 0;
  __syncthreads();
  counts[threadIdx.x % 4] += 1 + threadIdx.x / 64;
  __syncthreads();
  out[threadIdx.x] = counts[threadIdx.x % 4];
}
__global__ void count(int* out) {
  __shared__ int counts[4];
  if (threadIdx.x < 4) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[threadIdx.x % 4], 1 + threadIdx.x / 64);
  __syncthreads();
  out[threadIdx.x] = counts[threadIdx.x % 4];
}
// All waves write the same.
__global__ void agree(int* out, int value) {
  __shared__ int shared;
  shared = value;
  __syncthreads();
  out[threadIdx.x] = shared;
}
// The last of the waves, by an atomic counter, reads what the others wrote.
__global__ void last_wave(int* out) {
  __shared__ int sums[kThreads / 64], arrived;
  if (threadIdx.x == 0) arrived = 0;
  __syncthreads();
  if (threadIdx.x % 64 == 0) {
    sums[threadIdx.x / 64] = threadIdx.x;
    __threadfence_block();
    if (atomicAdd(&arrived, 1) == kThreads / 64 - 1) {
      int sum = 0;
      for (int i = 0; i < kThreads / 64; i++) sum += sums[i];
      out[0] = sum;
    }
  }
}
__global__ void halves_of_words(int* out) {
  __shared__ short shared[kThreads];
  shared[threadIdx.x * 64 % kThreads + threadIdx.x / 4] = threadIdx.x;  // neighbours come from different waves
  __syncthreads();
  out[threadIdx.x] = shared[threadIdx.x];
}
__global__ void two_barriers(int* out) {
  __shared__ int shared[kThreads];
  shared[threadIdx.x] = 1;
  if (__builtin_amdgcn_readfirstlane(threadIdx.x) < 64) {  // waves go one way or the other
    __syncthreads();
    out[threadIdx.x] = shared[kThreads - 1];
  } else {
    out[threadIdx.x] = 5;
    __syncthreads();
    out[threadIdx.x] += shared[0];
  }
}
__global__ void early_return(int* out, int n) {
  __shared__ int shared[kThreads];
  if (static_cast<int>(threadIdx.x) >= n) return;
  shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = shared[n - 1 - threadIdx.x];
}

struct Row {
  const char* name;
  void (*launch)(int* out);
};
constexpr Row kRows[] = {
    {"reverse_racing", [](int* out) { reverse_racing<<<2, kThreads>>>(out); }},
    {"reverse", [](int* out) { reverse<<<2, kThreads>>>(out); }},
    {"reverse_in_waves", [](int* out) { reverse_in_waves<<<2, kThreads>>>(out); }},
    {"rotate_racing", [](int* out) { rotate_racing<<<1, kThreads>>>(out, 5); }},
    {"rotate", [](int* out) { rotate<<<1, kThreads>>>(out, 5); }},
    {"count_racing", [](int* out) { count_racing<<<1, kThreads>>>(out); }},
    {"count", [](int* out) { count<<<1, kThreads>>>(out); }},
    {"agree", [](int* out) { agree<<<1, kThreads>>>(out, 7); }},
    {"last_wave", [](int* out) { last_wave<<<1, kThreads>>>(out); }},
    {"halves_of_words", [](int* out) { halves_of_words<<<1, kThreads>>>(out); }},
    {"two_barriers", [](int* out) { two_barriers<<<1, kThreads>>>(out); }},
    {"early_return", [](int* out) { early_return<<<1, kThreads>>>(out, 128); }},
};

int main(int, char** argv) {
  DeviceVector<int> out(std::vector<int>(kThreads, 0));
  for (const Row& row : kRows) {
    if (strcmp(row.name, argv[1])) continue;
    row.launch(out.data);
    CHECK(hipDeviceSynchronize());
    puts("done");
    return 0;
  }
  puts("no such row");
  return 3;
}
