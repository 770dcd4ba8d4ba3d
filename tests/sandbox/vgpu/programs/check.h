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

// Calls an algorithm of a device library twice: for the size of its temporary storage, and with it.
template <typename Call>
void with_storage(Call call) {
  size_t bytes = 0;
  CHECK(call(nullptr, bytes));
  DeviceVector<char> storage(bytes);
  CHECK(call(storage.data, bytes));
}

// The same numbers on every host: bits of a linear congruential generator, from the top.
inline std::vector<unsigned> random_bits(size_t n, unsigned long long seed) {
  std::vector<unsigned> bits(n);
  for (unsigned& b : bits) b = (seed = seed * 6364136223846793005ull + 1442695040888963407ull) >> 32;
  return bits;
}

// The sizes that a program was called with.
inline std::vector<int> sizes(int argc, char** argv) {
  std::vector<int> all;
  for (int i = 1; i < argc; ++i) all.push_back(atoi(argv[i]));
  return all;
}

template <typename T>
void expect_equal(const char* what, const std::vector<T>& got, const std::vector<T>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (got[i] == expected[i]) continue;
    printf("%s[%zu]: got %g, expected %g\n", what, i, static_cast<double>(got[i]), static_cast<double>(expected[i]));
    exit(1);
  }
  printf("%s PASS\n", what);
}
