// One use of memory a run, named by the argument: wrong ones, and right ones that look alike.
#include <cstring>

#include "check.h"

constexpr int kCount = 1000;

__global__ void write_at(int* data, int index) { data[index] = 1; }
__global__ void read_at(const int* data, int index, int* out) { out[threadIdx.x] = data[index + threadIdx.x]; }
__global__ void write_half_word(short* data, int index) { data[index] = 1; }
__global__ void add_at(char* data, int offset) { atomicAdd(reinterpret_cast<unsigned*>(data + offset), 1u); }
__global__ void add_at_wide(char* data, int offset) {
  atomicAdd(reinterpret_cast<unsigned long long*>(data + offset), 1ull);
}
__global__ void write_shared(int index, int* out) {
  extern __shared__ int shared[];
  shared[index + threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = shared[threadIdx.x];
}

// Most of many work-groups are looked at less closely than the first and the last.
__global__ void one_of_many(int* data, int index) {
  if (blockIdx.x == 50) data[index] = 1;
}
__global__ void one_of_many_shared(int* out, int index) {
  extern __shared__ int shared[];
  shared[blockIdx.x == 50 ? index : 0] = 1;
  __syncthreads();
  out[blockIdx.x] = shared[0];
}

struct Buffers {
  DeviceVector<int> data{std::vector<int>(kCount, 7)}, out{std::vector<int>(kCount, 0)};
};

void use(const char* what, bool* known) {
  auto is = [&](const char* name) { return !strcmp(what, name) && (*known = true); };
  Buffers b;
  int* data = b.data.data;
  if (is("write_last")) write_at<<<1, 1>>>(data, kCount - 1);
  if (is("write_past_end")) write_at<<<1, 1>>>(data, kCount);
  if (is("write_before_begin")) write_at<<<1, 1>>>(data, -1);
  if (is("read_last")) read_at<<<1, 40>>>(data, kCount - 40, b.out.data);
  if (is("read_past_end")) read_at<<<1, 41>>>(data, kCount - 40, b.out.data);
  if (is("write_freed") || is("write_live")) {
    CHECK(hipFree(b.out.data));
    write_at<<<1, 1>>>(is("write_live") ? data : b.out.data, 3);
    CHECK(hipDeviceSynchronize());
    CHECK(hipMalloc(&b.out.data, 4));
  }
  if (is("write_null")) write_at<<<1, 1>>>(nullptr, 5);
  if (is("write_wild")) write_at<<<1, 1>>>(reinterpret_cast<int*>(0x123456789000), 0);
  if (is("write_not_canonical")) write_at<<<1, 1>>>(reinterpret_cast<int*>(0x8123456789000000), 0);
  if (is("write_odd_end") || is("write_past_odd_end")) {
    DeviceVector<char> odd(1002);
    write_half_word<<<1, 1>>>(reinterpret_cast<short*>(odd.data), is("write_odd_end") ? 500 : 501);
    CHECK(hipDeviceSynchronize());
  }
  if (is("add_word_over_odd_end") || is("add_word_past_odd_end")) {
    DeviceVector<char> odd(1002);
    add_at<<<1, 1>>>(odd.data, is("add_word_over_odd_end") ? 1000 : 1004);
    CHECK(hipDeviceSynchronize());
  }
  if (is("add_aligned")) add_at<<<1, 4>>>(reinterpret_cast<char*>(data), 8);
  if (is("add_misaligned")) add_at<<<1, 4>>>(reinterpret_cast<char*>(data), 6);
  if (is("add_wide_aligned")) add_at_wide<<<1, 4>>>(reinterpret_cast<char*>(data), 8);
  if (is("add_wide_misaligned")) add_at_wide<<<1, 4>>>(reinterpret_cast<char*>(data), 4);
  if (is("shared_within")) write_shared<<<2, 96, 96 * sizeof(int)>>>(0, b.out.data);
  if (is("shared_outside")) write_shared<<<2, 96, 96 * sizeof(int)>>>(1, b.out.data);
  if (is("one_of_many_within")) one_of_many<<<100, 64>>>(data, kCount - 1);
  if (is("one_of_many_past_end")) one_of_many<<<100, 64>>>(data, kCount);
  if (is("one_of_many_shared_within")) one_of_many_shared<<<100, 64, 64>>>(data, 15);
  if (is("one_of_many_shared_outside")) one_of_many_shared<<<100, 64, 64>>>(data, 16);
  if (is("pageable_host")) {
    std::vector<int> host(kCount);
    write_at<<<1, 1>>>(host.data(), 0);
    CHECK(hipDeviceSynchronize());
  }
  if (is("registered_host")) {
    std::vector<int> host(kCount);
    int* seen;
    CHECK(hipHostRegister(host.data(), kCount * sizeof(int), hipHostRegisterMapped));
    CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&seen), host.data(), 0));
    write_at<<<1, 1>>>(seen, kCount - 1);
    CHECK(hipDeviceSynchronize());
    CHECK(hipHostUnregister(host.data()));
  }
  if (is("pinned_host")) {
    int* host;
    CHECK(hipHostMalloc(&host, kCount * sizeof(int)));
    write_at<<<1, 1>>>(host, kCount - 1);
    CHECK(hipDeviceSynchronize());
    CHECK(hipHostFree(host));
  }
  if (is("managed") || is("past_managed")) {
    int* shared;
    CHECK(hipMallocManaged(&shared, kCount * sizeof(int)));
    write_at<<<1, 1>>>(shared, is("managed") ? kCount - 1 : kCount);
    CHECK(hipDeviceSynchronize());
    CHECK(hipFree(shared));
  }
  CHECK(hipDeviceSynchronize());
}

int main(int, char** argv) {
  bool known = false;
  use(argv[1], &known);
  puts(known ? "done" : "no such use");
  return known ? 0 : 3;
}
