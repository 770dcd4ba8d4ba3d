// Order within and between streams, events, host callbacks, many launches, stream memory operations, priorities.
#include "check.h"

static void time_a_kernel(hipStream_t stream) {
  hipEvent_t before, after;
  float milliseconds;
  HIP(hipEventCreate(&before));
  HIP(hipEventCreate(&after));
  HIP(hipEventRecord(before, stream));
  spin<<<1, 64, 0, stream>>>(50);
  HIP(hipEventRecord(after, stream));
  EXPECT(hipEventQuery(after) == hipErrorNotReady);
  EXPECT(hipStreamQuery(stream) == hipErrorNotReady);
  HIP(hipEventSynchronize(after));
  HIP(hipEventElapsedTime(&milliseconds, before, after));
  EXPECT(milliseconds > 49 && milliseconds < 500);
}

static void wait_for_other_stream(hipStream_t first, hipStream_t second, int* data) {
  hipEvent_t done;
  HIP(hipEventCreateWithFlags(&done, hipEventDisableTiming));
  spin<<<1, 64, 0, first>>>(30);
  increment<<<4, 256, 0, first>>>(data, 1000);
  HIP(hipEventRecord(done, first));
  HIP(hipStreamWaitEvent(second, done, 0));
  increment<<<4, 256, 0, second>>>(data, 1000);
  std::vector<int> back(1000);
  HIP(hipMemcpyAsync(back.data(), data, 4000, hipMemcpyDeviceToHost, second));
  HIP(hipStreamSynchronize(second));
  for (int value : back) EXPECT(value == 2);
}

static void launch_many(int* data) {
  hipStream_t streams[8];
  for (hipStream_t& stream : streams) HIP(hipStreamCreate(&stream));
  HIP(hipMemset(data, 0, 4000));
  HIP(hipDeviceSynchronize());
  auto start = std::chrono::steady_clock::now();
  constexpr int launches = 10000;
  for (int i = 0; i < launches; i++) increment<<<1, 64, 0, streams[0]>>>(data, 1);
  for (int i = 0; i < launches; i++) increment<<<1, 64, 0, streams[1 + i % 7]>>>(data + 1 + i % 7, 1);
  HIP(hipDeviceSynchronize());
  std::printf("launch: %.2f us\n", milliseconds_since(start) * 1e3 / (2 * launches));
  int back[8], others = 0;
  HIP(hipMemcpy(back, data, sizeof back, hipMemcpyDeviceToHost));
  for (int i = 1; i < 8; i++) others += back[i];
  EXPECT(back[0] == launches && others == launches);
  start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; i++) {
    increment<<<1, 64>>>(data, 1);
    HIP(hipDeviceSynchronize());
  }
  std::printf("launch and synchronise: %.2f us\n", milliseconds_since(start));
  for (hipStream_t stream : streams) HIP(hipStreamDestroy(stream));
}

static void memory_operations(hipStream_t writer, hipStream_t waiter, int* data) {
  uint32_t* word;
  HIP(hipExtMallocWithFlags(reinterpret_cast<void**>(&word), 8, hipMallocSignalMemory));
  *word = 0;
  HIP(hipStreamWaitValue32(waiter, word, 1, hipStreamWaitValueGte, 0xffffffff));
  increment<<<1, 64, 0, waiter>>>(data, 1);
  EXPECT(hipStreamQuery(waiter) == hipErrorNotReady);
  HIP(hipStreamWriteValue32(writer, word, 1, 0));
  HIP(hipStreamSynchronize(waiter));
  int* plain;  // waits on ordinary device memory are kernels
  HIP(hipMalloc(&plain, 8));
  HIP(hipMemset(plain, 0, 8));
  HIP(hipStreamWaitValue32(waiter, plain, 7, hipStreamWaitValueEq, 0xffffffff));
  HIP(hipStreamWriteValue32(writer, plain, 7, 0));
  HIP(hipStreamSynchronize(waiter));
}

int main() {
  hipStream_t first, second, urgent;
  HIP(hipStreamCreate(&first));
  HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  int *data, least, greatest, calls = 0;
  HIP(hipMalloc(&data, 4000));
  HIP(hipMemset(data, 0, 4000));
  time_a_kernel(first);
  wait_for_other_stream(first, second, data);
  HIP(hipStreamAddCallback(
      first, [](hipStream_t, hipError_t, void* counter) { *static_cast<int*>(counter) += 1; }, &calls, 0));
  HIP(hipLaunchHostFunc(first, [](void* counter) { *static_cast<int*>(counter) += 10; }, &calls));
  HIP(hipStreamSynchronize(first));
  EXPECT(calls == 11);
  launch_many(data);
  memory_operations(first, second, data);
  HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
  HIP(hipStreamCreateWithPriority(&urgent, 0, greatest));
  increment<<<1, 64, 0, urgent>>>(data, 1);
  HIP(hipStreamSynchronize(urgent));
  HIP(hipStreamDestroy(urgent));
  std::puts("PASS");
}
