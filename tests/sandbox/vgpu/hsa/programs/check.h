// Checks for the test programs, and the kernels that the stub engine knows.
#pragma once
#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define HIP(call)                                                                             \
  do {                                                                                        \
    hipError_t error_ = (call);                                                               \
    if (error_ != hipSuccess) {                                                               \
      std::printf("FAIL %s:%d %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_)); \
      std::fflush(stdout);                                                                    \
      std::exit(1);                                                                           \
    }                                                                                         \
  } while (0)

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      std::printf("FAIL %s:%d %s\n", __FILE__, __LINE__, #condition); \
      std::fflush(stdout);                                            \
      std::exit(1);                                                   \
    }                                                                 \
  } while (0)

__global__ void add_vectors(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void increment(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i]++;
}
__global__ void spin(int milliseconds) {
  long long start = wall_clock64();
  while (wall_clock64() - start < milliseconds * 100000ll) __builtin_amdgcn_s_sleep(1);
}
__global__ void nothing(int*) {}

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}
