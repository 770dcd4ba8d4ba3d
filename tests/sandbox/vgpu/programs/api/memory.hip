// Pools, managed, pinned and registered memory, seen by kernels and by the host.
#include <thread>

#include "check.h"

__managed__ int managed_counter = 5;
__managed__ int managed_table[100];

__global__ void count_up(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += i;
  if (i == 0) managed_counter += 1;
  if (i < 100) managed_table[i] = i * i;
}

__global__ void answer(int* flags) {
  while (__hip_atomic_load(&flags[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != 1) __builtin_amdgcn_s_sleep(1);
  __hip_atomic_store(&flags[1], 42, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

constexpr int kCount = 1000;

std::vector<int> counted(int start, int times) {
  std::vector<int> out(kCount);
  for (int i = 0; i < kCount; ++i) out[i] = start + i * times;
  return out;
}

std::vector<int> copy_of(const int* data) { return std::vector<int>(data, data + kCount); }

void managed() {
  int* data;
  CHECK(hipMallocManaged(&data, kCount * sizeof(int)));
  for (int i = 0; i < kCount; ++i) data[i] = 10;
  CHECK(hipMemAdvise(data, kCount * sizeof(int), hipMemAdviseSetPreferredLocation, 0));
  CHECK(hipMemPrefetchAsync(data, kCount * sizeof(int), 0, nullptr));
  count_up<<<4, 256>>>(data, kCount);
  CHECK(hipMemPrefetchAsync(data, kCount * sizeof(int), hipCpuDeviceId, nullptr));
  CHECK(hipDeviceSynchronize());
  expect_equal("managed", copy_of(data), counted(10, 1));
  expect_equal("__managed__", std::vector<int>{managed_counter, managed_table[99]}, {6, 9801});
  int preferred = -5;
  CHECK(hipMemRangeGetAttribute(&preferred, sizeof preferred, hipMemRangeAttributePreferredLocation, data,
                                kCount * sizeof(int)));
  expect_equal("preferred location", std::vector<int>{preferred}, {0});
  hipPointerAttribute_t attributes;
  CHECK(hipPointerGetAttributes(&attributes, data));
  expect_equal("type", std::vector<int>{attributes.type}, {hipMemoryTypeManaged});
  CHECK(hipFree(data));
}

void pinned() {
  int *data, *seen;
  CHECK(hipHostMalloc(&data, kCount * sizeof(int), hipHostMallocMapped));
  for (int i = 0; i < kCount; ++i) data[i] = 3;
  CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&seen), data, 0));
  count_up<<<4, 256>>>(seen, kCount);
  CHECK(hipDeviceSynchronize());
  expect_equal("mapped", copy_of(data), counted(3, 1));
  CHECK(hipHostFree(data));

  std::vector<int> ordinary(kCount, 8);
  CHECK(hipHostRegister(ordinary.data(), kCount * sizeof(int), hipHostRegisterMapped));
  CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&seen), ordinary.data(), 0));
  count_up<<<4, 256>>>(seen, kCount);
  CHECK(hipDeviceSynchronize());
  CHECK(hipHostUnregister(ordinary.data()));
  expect_equal("registered", ordinary, counted(8, 1));
}

void while_running() {
  int* flags;
  CHECK(hipHostMalloc(&flags, 2 * sizeof(int), hipHostMallocCoherent));
  flags[0] = flags[1] = 0;
  answer<<<1, 1>>>(flags);
  __atomic_store_n(&flags[0], 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&flags[1], __ATOMIC_ACQUIRE) != 42) std::this_thread::yield();
  CHECK(hipDeviceSynchronize());
  expect_equal("host and kernel talk", std::vector<int>{flags[1]}, {42});
  CHECK(hipHostFree(flags));
}

void pools() {
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location = {hipMemLocationTypeDevice, 0};
  hipMemPool_t pool;
  CHECK(hipMemPoolCreate(&pool, &properties));
  uint64_t threshold = 64 << 20, used = 1, reserved = 0;
  CHECK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  int* data;
  for (int round = 0; round < 3; ++round) {
    CHECK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&data), kCount * sizeof(int), pool, stream));
    CHECK(hipMemsetAsync(data, 0, kCount * sizeof(int), stream));
    count_up<<<4, 256, 0, stream>>>(data, kCount);
    count_up<<<4, 256, 0, stream>>>(data, kCount);
    std::vector<int> host(kCount);
    CHECK(hipMemcpyAsync(host.data(), data, kCount * sizeof(int), hipMemcpyDeviceToHost, stream));
    CHECK(hipFreeAsync(data, stream));
    CHECK(hipStreamSynchronize(stream));
    expect_equal("pool", host, counted(0, 2));
  }
  CHECK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  CHECK(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &reserved));
  expect_equal("kept", std::vector<int>{used == 0, reserved > 0}, {1, 1});
  CHECK(hipMemPoolTrimTo(pool, 0));
  CHECK(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &reserved));
  expect_equal("trimmed", std::vector<int>{reserved == 0}, {1});
  CHECK(hipMemPoolDestroy(pool));
  hipMemPool_t fallback;
  CHECK(hipDeviceGetDefaultMemPool(&fallback, 0));
  CHECK(hipMallocAsync(reinterpret_cast<void**>(&data), 1 << 20, stream));
  CHECK(hipMemPoolGetAttribute(fallback, hipMemPoolAttrUsedMemCurrent, &used));
  expect_equal("default pool", std::vector<int>{used >= 1 << 20}, {1});
  CHECK(hipFreeAsync(data, stream));
  CHECK(hipStreamSynchronize(stream));
}

int main() {
  managed();
  pinned();
  while_running();
  pools();
}
