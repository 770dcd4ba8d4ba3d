// hipCUB: reduction, scan (decoupled look-back between groups), radix sort (several kernels), against the host.
#include <algorithm>
#include <hipcub/hipcub.hpp>
#include <numeric>

#include "check.h"

int main() {
  for (int n : {1, 1000, 40001}) {
    std::vector<int> in(n);
    for (int i = 0; i < n; ++i) in[i] = static_cast<int>(i * 2654435761u >> 4) % 100000 - 50000;
    DeviceVector<int> din(in), dout(n), dsum(1);
    with_storage([&](void* p, size_t& bytes) { return hipcub::DeviceReduce::Sum(p, bytes, din.data, dsum.data, n); });
    expect_equal("reduce", dsum.host(), std::vector<int>{std::accumulate(in.begin(), in.end(), 0)});
    with_storage([&](void* p, size_t& b) { return hipcub::DeviceScan::InclusiveSum(p, b, din.data, dout.data, n); });
    std::vector<int> expected(n);
    std::partial_sum(in.begin(), in.end(), expected.begin());
    expect_equal("scan", dout.host(), expected);
    with_storage([&](void* p, size_t& b) { return hipcub::DeviceRadixSort::SortKeys(p, b, din.data, dout.data, n); });
    expected = in;
    std::sort(expected.begin(), expected.end());
    expect_equal("sort", dout.host(), expected);
  }
}
