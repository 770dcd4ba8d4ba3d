// Streams and events around real kernels: order, waits between streams, callbacks, values in memory, timing.
#include <atomic>

#include "check.h"

__global__ void add(int* data, int n, int x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += x;
}

__global__ void twice(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}

// Runs for a known time of the 100 MHz clock.
__global__ void wait(long long ticks) {
  const long long start = wall_clock64();
  while (wall_clock64() - start < ticks) __builtin_amdgcn_s_sleep(10);
}

constexpr int kCount = 1000;

void order(hipStream_t a, hipStream_t b) {
  DeviceVector<int> data(std::vector<int>(kCount, 1));
  hipEvent_t added, doubled;
  CHECK(hipEventCreateWithFlags(&added, hipEventDisableTiming));
  CHECK(hipEventCreateWithFlags(&doubled, hipEventDisableTiming));
  int expected = 1;
  for (int i = 0; i < 10; ++i) {
    wait<<<1, 64, 0, a>>>(100000);  // 1 ms: long enough for b to be first if nothing held it
    add<<<4, 256, 0, a>>>(data.data, kCount, i);
    CHECK(hipEventRecord(added, a));
    CHECK(hipStreamWaitEvent(b, added, 0));
    twice<<<4, 256, 0, b>>>(data.data, kCount);
    CHECK(hipEventRecord(doubled, b));
    CHECK(hipStreamWaitEvent(a, doubled, 0));
    expected = (expected + i) * 2;
  }
  CHECK(hipStreamSynchronize(a));
  expect_equal("streams wait for each other", data.host(), std::vector<int>(kCount, expected));
  CHECK(hipEventQuery(doubled));
  float milliseconds;
  expect_equal("no time without timing",
               std::vector<int>{hipEventElapsedTime(&milliseconds, added, doubled)}, {hipErrorInvalidHandle});
}

void legacy_stream(hipStream_t blocking) {
  DeviceVector<int> data(std::vector<int>(kCount, 3));
  wait<<<1, 64, 0, blocking>>>(100000);
  add<<<4, 256, 0, blocking>>>(data.data, kCount, 4);
  twice<<<4, 256>>>(data.data, kCount);  // the default stream waits for the blocking ones
  add<<<4, 256, 0, blocking>>>(data.data, kCount, 1);
  CHECK(hipDeviceSynchronize());
  expect_equal("default stream", data.host(), std::vector<int>(kCount, 15));
}

std::atomic<int> calls{0};

void called(hipStream_t, hipError_t status, void* data) {
  if (status == hipSuccess) calls += *static_cast<int*>(data);
}

void host_function(void* data) { calls = calls * *static_cast<int*>(data); }

void callbacks(hipStream_t stream) {
  int two = 2, three = 3;
  wait<<<1, 64, 0, stream>>>(100000);
  CHECK(hipStreamAddCallback(stream, called, &two, 0));
  CHECK(hipLaunchHostFunc(stream, host_function, &three));
  expect_equal("not ready", std::vector<int>{hipStreamQuery(stream)}, {hipErrorNotReady});
  CHECK(hipStreamSynchronize(stream));
  expect_equal("callbacks", std::vector<int>{calls}, {6});
}

void values(hipStream_t a, hipStream_t b) {
  unsigned long long* flag;
  CHECK(hipExtMallocWithFlags(reinterpret_cast<void**>(&flag), 8, hipMallocSignalMemory));
  *flag = 0;
  DeviceVector<int> data(std::vector<int>(kCount, 1));
  CHECK(hipStreamWaitValue64(b, flag, 5, hipStreamWaitValueGte));
  twice<<<4, 256, 0, b>>>(data.data, kCount);
  wait<<<1, 64, 0, a>>>(100000);
  add<<<4, 256, 0, a>>>(data.data, kCount, 9);
  CHECK(hipStreamWriteValue64(a, flag, 6, 0));
  CHECK(hipStreamSynchronize(b));
  expect_equal("waits for a value", data.host(), std::vector<int>(kCount, 20));
  CHECK(hipFree(flag));
}

void timing(hipStream_t stream) {
  hipEvent_t start, stop;
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreateWithFlags(&stop, hipEventBlockingSync));
  CHECK(hipEventRecord(start, stream));
  wait<<<1, 64, 0, stream>>>(3000000);
  CHECK(hipEventRecord(stop, stream));
  CHECK(hipEventSynchronize(stop));
  float milliseconds = 0;
  CHECK(hipEventElapsedTime(&milliseconds, start, stop));
  expect_equal("30 ms or more", std::vector<int>{milliseconds >= 29.9f && milliseconds < 3000}, {1});
}

int main() {
  int least, greatest, priority = 7;
  unsigned flags;
  CHECK(hipDeviceGetStreamPriorityRange(&least, &greatest));
  hipStream_t a, b, blocking;
  CHECK(hipStreamCreateWithPriority(&a, hipStreamNonBlocking, greatest));
  CHECK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  CHECK(hipStreamCreate(&blocking));
  CHECK(hipStreamGetPriority(a, &priority));
  CHECK(hipStreamGetFlags(a, &flags));
  expect_equal("priority", std::vector<int>{priority, static_cast<int>(flags)}, {greatest, hipStreamNonBlocking});
  order(a, b);
  legacy_stream(blocking);
  callbacks(a);
  values(a, b);
  timing(b);
  for (hipStream_t stream : {a, b, blocking}) CHECK(hipStreamDestroy(stream));
}
