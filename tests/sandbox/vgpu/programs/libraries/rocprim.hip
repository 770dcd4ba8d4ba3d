// rocPRIM called directly, with the sizes given, against the host.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <rocprim/rocprim.hpp>

#include "check.h"

struct Third {
  __host__ __device__ bool operator()(unsigned x) const { return x % 3 == 0; }
};

struct Low {
  __host__ __device__ bool operator()(unsigned x) const { return x < 1u << 30; }
};

void scan_and_reduce(int n) {
  const auto in = random_bits(n, 21);
  DeviceVector<unsigned> din(in), dout(n);
  std::vector<unsigned> expected(n);
  with_storage([&](void* p, size_t& b) {
    return rocprim::inclusive_scan(p, b, din.data, dout.data, n, rocprim::maximum<unsigned>());
  });
  std::partial_sum(in.begin(), in.end(), expected.begin(), [](unsigned a, unsigned c) { return std::max(a, c); });
  expect_equal("maxima", dout.host(), expected);
  with_storage([&](void* p, size_t& b) {
    return rocprim::reduce(p, b, din.data, dout.data, 9u, n, rocprim::plus<unsigned>());
  });
  expect_equal("sum", std::vector<unsigned>{dout.host()[0]}, {std::accumulate(in.begin(), in.end(), 9u)});
}

void sorts(int n) {
  const auto in = random_bits(n, 22);
  auto sorted = in;
  std::sort(sorted.begin(), sorted.end());
  DeviceVector<unsigned> din(in), dout(n);
  with_storage([&](void* p, size_t& b) { return rocprim::radix_sort_keys(p, b, din.data, dout.data, n); });
  expect_equal("radix sort", dout.host(), sorted);
  with_storage([&](void* p, size_t& b) { return rocprim::merge_sort(p, b, din.data, dout.data, n); });
  expect_equal("merge sort", dout.host(), sorted);
  DeviceVector<unsigned> dnth(in);
  with_storage([&](void* p, size_t& b) { return rocprim::nth_element(p, b, dnth.data, n / 3, n); });
  expect_equal("nth", std::vector<unsigned>{dnth.host()[n / 3]}, {sorted[n / 3]});
  std::vector<unsigned long long> wide(n);
  for (int i = 0; i < n; ++i) wide[i] = static_cast<unsigned long long>(in[i]) << 20 ^ i;
  DeviceVector<unsigned long long> dwide(wide), dsorted(n);
  with_storage([&](void* p, size_t& b) { return rocprim::radix_sort_keys_desc(p, b, dwide.data, dsorted.data, n); });
  std::sort(wide.begin(), wide.end(), std::greater<>());
  expect_equal("wide keys", dsorted.host(), wide);
}

void partitions(int n) {
  const auto in = random_bits(n, 23);
  std::vector<unsigned> first, second, rest;
  for (unsigned x : in) (Low()(x) ? first : Third()(x) ? second : rest).push_back(x);
  DeviceVector<unsigned> din(in), dfirst(n), dsecond(n), drest(n), dcounts(2);
  with_storage([&](void* p, size_t& b) {
    return rocprim::partition_three_way(p, b, din.data, dfirst.data, dsecond.data, drest.data, dcounts.data, n, Low(),
                                        Third());
  });
  expect_equal("first part", dfirst.host(), first);
  expect_equal("second part", dsecond.host(), second);
  expect_equal("rest", drest.host(), rest);
  const auto sizes_of_parts = dcounts.host();
  expect_equal("part sizes", sizes_of_parts,
               {static_cast<unsigned>(first.size()), static_cast<unsigned>(second.size())});
  with_storage([&](void* p, size_t& b) {
    return rocprim::select(p, b, din.data, dfirst.data, dcounts.data, n, Third());
  });
  std::vector<unsigned> thirds;
  std::copy_if(in.begin(), in.end(), std::back_inserter(thirds), Third());
  expect_equal("selected", dfirst.host(), thirds);
}

void runs_and_bins(int n) {
  auto in = random_bits(n, 24);
  std::vector<unsigned> values, lengths, bins(1000);
  for (unsigned& x : in) ++bins[x % 1000], x %= 1000;
  DeviceVector<unsigned> din(in), dbins(1000);
  with_storage([&](void* p, size_t& b) {
    return rocprim::histogram_even(p, b, din.data, n, dbins.data, 1001u, 0u, 1000u);
  });
  expect_equal("bins", dbins.host(), bins);
  for (unsigned& x : in) x /= 400;
  for (int i = 0; i < n; ++i) {
    if (i == 0 || in[i] != in[i - 1]) values.push_back(in[i]), lengths.push_back(0);
    ++lengths.back();
  }
  DeviceVector<unsigned> dlong(in), dvalues(n), dlengths(n), dcount(1);
  with_storage([&](void* p, size_t& b) {
    return rocprim::run_length_encode(p, b, dlong.data, n, dvalues.data, dlengths.data, dcount.data);
  });
  expect_equal("runs", dcount.host(), {static_cast<unsigned>(values.size())});
  expect_equal("run values", dvalues.host(), values);
  expect_equal("run lengths", dlengths.host(), lengths);
}

int main(int argc, char** argv) {
  for (int n : sizes(argc, argv)) scan_and_reduce(n), sorts(n), partitions(n), runs_and_bins(n);
}
