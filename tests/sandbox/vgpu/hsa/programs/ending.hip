// Ways to end, by argument: while a kernel runs (running), after hipDeviceReset (reset), more dynamic LDS than the
// part has (lds), more static and dynamic LDS together (both DYNAMIC), a kernel that fails (fail), touching freed
// device memory (freed), touching beyond an allocation (beyond). `hundred` asks for 100 GiB of each kind.
#include "check.h"

__global__ void fail(int*) {}
__global__ void nothing_with_lds(int* data) {
  __shared__ int tile[10 << 10];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[63 - threadIdx.x];
}

static void use_after_reset() {
  int *data, back;
  HIP(hipMalloc(&data, 4));
  HIP(hipDeviceReset());
  HIP(hipMalloc(&data, 4));
  HIP(hipMemset(data, 0, 4));
  increment<<<1, 1>>>(data, 1);
  HIP(hipMemcpy(&back, data, 4, hipMemcpyDeviceToHost));
  EXPECT(back == 1);
}

static void ask_for_100_gib() {
  constexpr size_t bytes = size_t{100} << 30;
  void* pointer;
  std::printf("device %s\n", hipGetErrorName(hipMalloc(&pointer, bytes)));
  std::printf("host %s\n", hipGetErrorName(hipHostMalloc(&pointer, bytes)));
  std::printf("managed %s\n", hipGetErrorName(hipMallocManaged(&pointer, bytes)));
}

int main(int, char** argv) {
  const char* way = argv[1];
  int* data;
  if (!std::strcmp(way, "hundred")) {
    ask_for_100_gib();
    return 0;
  }
  HIP(hipMalloc(&data, 4096));
  if (!std::strcmp(way, "running")) {
    spin<<<1, 64>>>(300);
    std::puts("PASS");
    return 0;
  }
  if (!std::strcmp(way, "reset")) use_after_reset();
  if (!std::strcmp(way, "lds")) nothing<<<1, 64, 200 << 10>>>(data);
  if (!std::strcmp(way, "fail")) fail<<<1, 64>>>(data);
  if (!std::strcmp(way, "both")) nothing_with_lds<<<1, 64, std::atoi(argv[2])>>>(data);
  if (!std::strcmp(way, "lds") || !std::strcmp(way, "both")) HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  if (!std::strcmp(way, "freed")) {
    HIP(hipFree(data));
    for (int i = 0; i < 100; i++) {
      void* other;
      HIP(hipMalloc(&other, 4096));
      EXPECT(other != data);
    }
    std::puts("touching");
    std::fflush(stdout);
    *static_cast<volatile int*>(data) = 1;
  }
  if (!std::strcmp(way, "beyond")) {
    std::puts("touching");
    std::fflush(stdout);
    static_cast<volatile int*>(data)[1024] = 1;
  }
  std::puts("PASS");
}
