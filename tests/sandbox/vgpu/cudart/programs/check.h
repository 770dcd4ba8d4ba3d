// What the programs share: CHECK counts failures, and finish() prints the verdict.
#pragma once
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

static int failures = 0;
#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); ++failures; }      \
  } while (0)
#define OK(call)                                                                          \
  do {                                                                                    \
    cudaError_t error_ = (call);                                                          \
    if (error_ != cudaSuccess) { printf("line %d: %s\n", __LINE__, cudaGetErrorName(error_)); ++failures; } \
  } while (0)

template <class T>
struct Buffer {
  explicit Buffer(size_t n) : size(n) { OK(cudaMalloc((void**)&data, n * sizeof(T))); OK(cudaMemset(data, 0, n * sizeof(T))); }
  explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) { OK(cudaMemcpy(data, host.data(), size * sizeof(T), cudaMemcpyHostToDevice)); }
  ~Buffer() { cudaFree(data); }
  std::vector<T> get() const {
    std::vector<T> host(size);
    OK(cudaMemcpy(host.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  T* data = nullptr;
  size_t size;
};

static int finish() {
  OK(cudaDeviceSynchronize());
  printf("%s\n", failures ? "FAIL" : "PASS");
  return failures != 0;
}
