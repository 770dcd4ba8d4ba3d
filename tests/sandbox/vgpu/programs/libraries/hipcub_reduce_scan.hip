// hipCUB reductions and scans, whole and by key, of the sizes given, against the host. Floats hold whole numbers, so that
// every order of additions gives the same sum.
#include <algorithm>
#include <hipcub/hipcub.hpp>
#include <numeric>

#include "check.h"

struct Runs {
  explicit Runs(int n) : keys(n) {
    const auto bits = random_bits(n, 7);
    for (int i = 1; i < n; ++i) keys[i] = keys[i - 1] + (bits[i] % 5 == 0);
    for (int i = 0; i < n; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) starts.push_back(i);
    }
    starts.push_back(n);
  }
  size_t count() const { return starts.size() - 1; }
  std::vector<int> keys, starts;
};

template <typename T>
std::vector<T> numbers(int n) {
  const auto bits = random_bits(n, 1);
  std::vector<T> out(n);
  for (int i = 0; i < n; ++i) out[i] = static_cast<T>(static_cast<int>(bits[i] % 201) - 100);
  return out;
}

template <typename T>
void reduce(int n) {
  const auto in = numbers<T>(n);
  DeviceVector<T> din(in), dout(1);
  DeviceVector<hipcub::KeyValuePair<int, T>> dbest(1);
  with_storage([&](void* p, size_t& b) { return hipcub::DeviceReduce::Sum(p, b, din.data, dout.data, n); });
  expect_equal("sum", dout.host(), {std::accumulate(in.begin(), in.end(), T(0))});
  with_storage([&](void* p, size_t& b) { return hipcub::DeviceReduce::Max(p, b, din.data, dout.data, n); });
  expect_equal("max", dout.host(), {*std::max_element(in.begin(), in.end())});
  with_storage([&](void* p, size_t& b) { return hipcub::DeviceReduce::ArgMin(p, b, din.data, dbest.data, n); });
  const auto least = std::min_element(in.begin(), in.end());
  const auto best = dbest.host()[0];
  expect_equal("least index", std::vector<int>{best.key}, {static_cast<int>(least - in.begin())});
  expect_equal("least value", std::vector<T>{best.value}, {*least});
}

template <typename T>
void scan(int n) {
  const auto in = numbers<T>(n);
  DeviceVector<T> din(in), dout(n);
  std::vector<T> expected(n);
  with_storage([&](void* p, size_t& b) { return hipcub::DeviceScan::InclusiveSum(p, b, din.data, dout.data, n); });
  std::partial_sum(in.begin(), in.end(), expected.begin());
  expect_equal("inclusive", dout.host(), expected);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceScan::ExclusiveScan(p, b, din.data, dout.data, hipcub::Sum(), T(5), n);
  });
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), T(5));
  expect_equal("exclusive", dout.host(), expected);
}

void by_key(int n) {
  const auto in = numbers<int>(n);
  const Runs runs(n);
  DeviceVector<int> din(in), dkeys(runs.keys), dout(n), dunique(n), dcount(1);
  DeviceVector<int> dstarts(runs.starts);
  std::vector<int> inclusive(n), exclusive(n), sums, unique;
  for (size_t r = 0; r < runs.count(); ++r) {
    int sum = 0;
    for (int i = runs.starts[r]; i < runs.starts[r + 1]; ++i) {
      exclusive[i] = sum;
      inclusive[i] = sum += in[i];
    }
    sums.push_back(sum);
    unique.push_back(runs.keys[runs.starts[r]]);
  }
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceScan::InclusiveSumByKey(p, b, dkeys.data, din.data, dout.data, n);
  });
  expect_equal("inclusive by key", dout.host(), inclusive);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceScan::ExclusiveSumByKey(p, b, dkeys.data, din.data, dout.data, n);
  });
  expect_equal("exclusive by key", dout.host(), exclusive);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceReduce::ReduceByKey(p, b, dkeys.data, dunique.data, din.data, dout.data, dcount.data,
                                             hipcub::Sum(), n);
  });
  expect_equal("runs", dcount.host(), {static_cast<int>(runs.count())});
  expect_equal("reduced by key", dout.host(), sums);
  expect_equal("keys", dunique.host(), unique);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceSegmentedReduce::Sum(p, b, din.data, dout.data, static_cast<int>(runs.count()), dstarts.data,
                                              dstarts.data + 1);
  });
  expect_equal("segments", dout.host(), sums);
}

int main(int argc, char** argv) {
  for (int n : sizes(argc, argv)) {
    reduce<int>(n), reduce<double>(n);
    scan<long long>(n), scan<float>(n);
    by_key(n);
  }
}
