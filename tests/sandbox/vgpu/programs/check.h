// What the test programs share: every HIP call is checked, and a program says PASS or what differs.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                         \
  do {                                                      \
    hipError_t error_ = (call);                             \
    if (error_ != hipSuccess) {                             \
      printf("%s: %s\n", #call, hipGetErrorString(error_)); \
      exit(2);                                              \
    }                                                       \
  } while (0)

template <typename T>
struct DeviceVector {
  explicit DeviceVector(size_t n) : size(n) { CHECK(hipMalloc(&data, n * sizeof(T))); }
  explicit DeviceVector(const std::vector<T>& host) : DeviceVector(host.size()) {
    CHECK(hipMemcpy(data, host.data(), size * sizeof(T), hipMemcpyHostToDevice));
  }
  ~DeviceVector() { (void)hipFree(data); }
  std::vector<T> host() const {
    std::vector<T> copy(size);
    CHECK(hipMemcpy(copy.data(), data, size * sizeof(T), hipMemcpyDeviceToHost));
    return copy;
  }
  T* data = nullptr;
  size_t size;
};

template <typename T>
void expect_equal(const char* what, const std::vector<T>& got, const std::vector<T>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (got[i] == expected[i]) continue;
    printf("%s[%zu]: got %g, expected %g\n", what, i, static_cast<double>(got[i]), static_cast<double>(expected[i]));
    exit(1);
  }
  printf("%s PASS\n", what);
}
