// hipCUB radix sorts, segmented sorts and merge sorts of the sizes given, against the host. Keys cover every bit pattern
// of integers; of floats, negative zero, denormals and infinities.
#include <algorithm>
#include <cstring>
#include <hipcub/hipcub.hpp>
#include <numeric>

#include "check.h"

template <typename T>
std::vector<T> keys(int n) {
  std::vector<T> out(n);
  const auto high = random_bits(n, 11), low = random_bits(n, 13);
  for (int i = 0; i < n; ++i) {
    const unsigned long long bits = static_cast<unsigned long long>(high[i]) << 32 | low[i];
    std::memcpy(&out[i], &bits, sizeof(T));
    if (out[i] != out[i]) out[i] = static_cast<T>(-0.0);
  }
  return out;
}

// Order by all bits where that is how the sort tells keys apart: -0.0 before 0.0.
template <typename T>
bool before(T a, T b) {
  return a < b;
}

template <typename T>
void radix(int n) {
  const auto in = keys<T>(n);
  std::vector<int> order(n), index(n);
  std::iota(index.begin(), index.end(), 0);
  order = index;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return before(in[a], in[b]); });
  std::vector<T> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = in[order[i]];
  DeviceVector<T> din(in), dout(n);
  DeviceVector<int> dindex(index), dorder(n);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceRadixSort::SortPairs(p, b, din.data, dout.data, dindex.data, dorder.data, n);
  });
  expect_equal("pairs: keys", dout.host(), expected);
  expect_equal("pairs: values", dorder.host(), order);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceRadixSort::SortKeysDescending(p, b, din.data, dout.data, n);
  });
  std::reverse(expected.begin(), expected.end());
  expect_equal("descending", dout.host(), expected);
}

struct ByLowByte {
  __host__ __device__ bool operator()(unsigned a, unsigned b) const { return (a & 255) > (b & 255); }
};

void merge(int n) {
  const auto in = keys<unsigned>(n);
  std::vector<int> index(n);
  std::iota(index.begin(), index.end(), 0);
  auto order = index;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ByLowByte()(in[a], in[b]); });
  DeviceVector<unsigned> dkeys(in);
  DeviceVector<int> dvalues(index);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceMergeSort::StableSortPairs(p, b, dkeys.data, dvalues.data, n, ByLowByte());
  });
  expect_equal("merge sort", dvalues.host(), order);
}

void segmented(int n) {
  const auto in = keys<int>(n);
  std::vector<int> starts{0};
  for (int length = 1; starts.back() < n; length = length * 5 / 2 + 1) {
    starts.push_back(std::min(n, starts.back() + length));
  }
  DeviceVector<int> din(in), dout(n), dstarts(starts);
  const int count = static_cast<int>(starts.size()) - 1;
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceSegmentedRadixSort::SortKeys(p, b, din.data, dout.data, n, count, dstarts.data,
                                                      dstarts.data + 1);
  });
  auto expected = in;
  for (int s = 0; s < count; ++s) std::sort(expected.begin() + starts[s], expected.begin() + starts[s + 1]);
  expect_equal("segments", dout.host(), expected);
}

int main(int argc, char** argv) {
  for (int n : sizes(argc, argv)) {
    radix<unsigned>(n), radix<long long>(n), radix<float>(n);
    merge(n), segmented(n);
  }
}
