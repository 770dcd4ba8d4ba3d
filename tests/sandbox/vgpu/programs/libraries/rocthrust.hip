// rocThrust algorithms of the sizes given, against the host.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

#include "check.h"

struct Square {
  __host__ __device__ long long operator()(int x) const { return static_cast<long long>(x) * x; }
};

struct Odd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};

template <typename T>
std::vector<T> host(const thrust::device_vector<T>& from, size_t n) {
  std::vector<T> out(n);
  thrust::copy(from.begin(), from.begin() + n, out.begin());
  return out;
}

std::vector<int> numbers(int n, int seed, int range) {
  const auto bits = random_bits(n, seed);
  std::vector<int> out(n);
  for (int i = 0; i < n; ++i) out[i] = static_cast<int>(bits[i] % (2 * range + 1)) - range;
  return out;
}

void reductions(int n) {
  const auto in = numbers(n, 1, 30000);
  const thrust::device_vector<int> din(in.begin(), in.end());
  expect_equal("reduce", std::vector<long long>{thrust::reduce(din.begin(), din.end(), 7ll)},
               {std::accumulate(in.begin(), in.end(), 7ll)});
  long long squares = 0;
  for (int x : in) squares += Square()(x);
  expect_equal("squares",
               std::vector<long long>{thrust::transform_reduce(din.begin(), din.end(), Square(), 0ll,
                                                               thrust::plus<long long>())},
               {squares});
  const auto found = thrust::minmax_element(din.begin(), din.end());
  expect_equal("least", std::vector<long>{found.first - din.begin()},
               {std::min_element(in.begin(), in.end()) - in.begin()});
  expect_equal("greatest", std::vector<long>{found.second - din.begin()},
               {std::max_element(in.begin(), in.end()) - in.begin()});
}

void scans(int n) {
  const auto in = numbers(n, 2, 1000);
  const auto bits = random_bits(n, 4);
  std::vector<int> keys(n), expected(n), unique, sums;
  for (int i = 1; i < n; ++i) keys[i] = keys[i - 1] + (bits[i] % 6 == 0);
  thrust::device_vector<int> din(in.begin(), in.end()), dkeys(keys.begin(), keys.end()), dout(n), dunique(n);
  thrust::exclusive_scan(din.begin(), din.end(), dout.begin(), 3);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 3);
  expect_equal("exclusive", host(dout, n), expected);
  thrust::inclusive_scan_by_key(dkeys.begin(), dkeys.end(), din.begin(), dout.begin());
  for (int i = 0; i < n; ++i) {
    const bool first = i == 0 || keys[i] != keys[i - 1];
    expected[i] = first ? in[i] : expected[i - 1] + in[i];
    if (first) unique.push_back(keys[i]), sums.push_back(0);
    sums.back() += in[i];
  }
  expect_equal("inclusive by key", host(dout, n), expected);
  const auto ends = thrust::reduce_by_key(dkeys.begin(), dkeys.end(), din.begin(), dunique.begin(), dout.begin());
  expect_equal("keys", host(dunique, ends.first - dunique.begin()), unique);
  expect_equal("reduced by key", host(dout, ends.second - dout.begin()), sums);
}

void sorts(int n) {
  const auto in = numbers(n, 5, n);
  std::vector<int> index(n);
  std::iota(index.begin(), index.end(), 0);
  auto order = index, sorted = in;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] < in[b]; });
  std::sort(sorted.begin(), sorted.end());
  thrust::device_vector<int> dkeys(in.begin(), in.end()), dvalues(n), dmerged(2 * n);
  thrust::sequence(dvalues.begin(), dvalues.end());
  thrust::stable_sort_by_key(dkeys.begin(), dkeys.end(), dvalues.begin());
  expect_equal("sorted", host(dkeys, n), sorted);
  expect_equal("order", host(dvalues, n), order);
  thrust::sort(dvalues.begin(), dvalues.end(), thrust::greater<int>());
  std::reverse(index.begin(), index.end());
  expect_equal("descending", host(dvalues, n), index);
  thrust::sort(dvalues.begin(), dvalues.end());
  thrust::merge(dkeys.begin(), dkeys.end(), dvalues.begin(), dvalues.end(), dmerged.begin());
  std::vector<int> merged(2 * n);
  std::reverse(index.begin(), index.end());
  std::merge(sorted.begin(), sorted.end(), index.begin(), index.end(), merged.begin());
  expect_equal("merged", host(dmerged, 2 * n), merged);
  thrust::device_vector<int> dfound(n);
  thrust::lower_bound(dkeys.begin(), dkeys.end(), dvalues.begin(), dvalues.end(), dfound.begin());
  std::vector<int> found(n);
  for (int i = 0; i < n; ++i) {
    found[i] = static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), index[i]) - sorted.begin());
  }
  expect_equal("lower bounds", host(dfound, n), found);
}

void selections(int n) {
  const auto in = numbers(n, 6, 3);
  thrust::device_vector<int> din(in.begin(), in.end()), dout(n);
  std::vector<int> odd, unique(in);
  std::copy_if(in.begin(), in.end(), std::back_inserter(odd), Odd());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  auto end = thrust::copy_if(din.begin(), din.end(), dout.begin(), Odd());
  expect_equal("odd", host(dout, end - dout.begin()), odd);
  end = thrust::unique_copy(din.begin(), din.end(), dout.begin());
  expect_equal("unique count", std::vector<long>{end - dout.begin()}, {static_cast<long>(unique.size())});
  expect_equal("unique", host(dout, unique.size()), unique);
  auto parted = in;
  std::stable_partition(parted.begin(), parted.end(), Odd());
  thrust::stable_partition(din.begin(), din.end(), Odd());
  expect_equal("partition", host(din, n), parted);
}

int main(int argc, char** argv) {
  for (int n : sizes(argc, argv)) reductions(n), scans(n), sorts(n), selections(n);
}
