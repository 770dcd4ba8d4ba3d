// hipCUB selection, partition, unique, run lengths and histograms of the sizes given, against the host.
#include <algorithm>
#include <hipcub/hipcub.hpp>

#include "check.h"

struct Small {
  __host__ __device__ bool operator()(int x) const { return x < 300; }
};

std::vector<int> numbers(int n) {
  const auto bits = random_bits(n, 3);
  std::vector<int> out(n);
  for (int i = 0; i < n; ++i) out[i] = bits[i] % 1000;
  return out;
}

std::vector<int> with_runs(int n) {
  const auto bits = random_bits(n, 5);
  std::vector<int> out(n);
  for (int i = 1; i < n; ++i) out[i] = bits[i] % 3 ? out[i - 1] : bits[i] % 7;
  return out;
}

void select(int n) {
  const auto in = numbers(n);
  std::vector<char> flags(n);
  std::vector<int> small, large, flagged;
  for (int i = 0; i < n; ++i) {
    flags[i] = in[i] % 3 == 0;
    (Small()(in[i]) ? small : large).push_back(in[i]);
    if (flags[i]) flagged.push_back(in[i]);
  }
  DeviceVector<int> din(in), dout(n), dcount(1);
  DeviceVector<char> dflags(flags);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceSelect::If(p, b, din.data, dout.data, dcount.data, n, Small());
  });
  expect_equal("selected", dout.host(), small);
  expect_equal("selected count", dcount.host(), {static_cast<int>(small.size())});
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceSelect::Flagged(p, b, din.data, dflags.data, dout.data, dcount.data, n);
  });
  expect_equal("flagged", dout.host(), flagged);
  expect_equal("flagged count", dcount.host(), {static_cast<int>(flagged.size())});
  with_storage([&](void* p, size_t& b) {
    return hipcub::DevicePartition::If(p, b, din.data, dout.data, dcount.data, n, Small());
  });
  auto expected = small;
  expected.insert(expected.end(), large.rbegin(), large.rend());  // the rest is written from the back
  expect_equal("partition", dout.host(), expected);
  expect_equal("partition count", dcount.host(), {static_cast<int>(small.size())});
}

void runs(int n) {
  const auto in = with_runs(n);
  std::vector<int> unique, lengths;
  for (int i = 0; i < n; ++i) {
    if (i == 0 || in[i] != in[i - 1]) unique.push_back(in[i]), lengths.push_back(0);
    ++lengths.back();
  }
  DeviceVector<int> din(in), dout(n), dlengths(n), dcount(1);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceSelect::Unique(p, b, din.data, dout.data, dcount.data, n);
  });
  expect_equal("unique", dout.host(), unique);
  expect_equal("unique count", dcount.host(), {static_cast<int>(unique.size())});
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceRunLengthEncode::Encode(p, b, din.data, dout.data, dlengths.data, dcount.data, n);
  });
  expect_equal("run values", dout.host(), unique);
  expect_equal("run lengths", dlengths.host(), lengths);
}

void histogram(int n) {
  const auto in = numbers(n);
  std::vector<int> even(10), ranged(3);
  const std::vector<int> levels{0, 10, 500, 1000};
  for (int x : in) {
    ++even[x / 100];
    ++ranged[x < 10 ? 0 : x < 500 ? 1 : 2];
  }
  DeviceVector<int> din(in), deven(10), dranged(3), dlevels(levels);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceHistogram::HistogramEven(p, b, din.data, deven.data, 11, 0, 1000, n);
  });
  expect_equal("even", deven.host(), even);
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceHistogram::HistogramRange(p, b, din.data, dranged.data, 4, dlevels.data, n);
  });
  expect_equal("range", dranged.host(), ranged);
}

void pixels(int n) {
  const auto bits = random_bits(n, 9);
  std::vector<int> expected[3] = {std::vector<int>(256), std::vector<int>(256), std::vector<int>(256)};
  for (unsigned pixel : bits) {
    for (int c = 0; c < 3; ++c) ++expected[c][pixel >> 8 * c & 255];
  }
  DeviceVector<unsigned> din(bits);
  DeviceVector<int> red(256), green(256), blue(256);
  int* bins[3] = {red.data, green.data, blue.data};
  int levels[3] = {257, 257, 257}, low[3] = {}, high[3] = {256, 256, 256};
  with_storage([&](void* p, size_t& b) {
    return hipcub::DeviceHistogram::MultiHistogramEven<4, 3>(p, b, reinterpret_cast<unsigned char*>(din.data), bins,
                                                             levels, low, high, n);
  });
  expect_equal("first channel", red.host(), expected[0]);
  expect_equal("second channel", green.host(), expected[1]);
  expect_equal("third channel", blue.host(), expected[2]);
}

int main(int argc, char** argv) {
  for (int n : sizes(argc, argv)) select(n), runs(n), histogram(n), pixels(n);
}
