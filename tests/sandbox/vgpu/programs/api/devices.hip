// Several devices: kernels on each, peers' memory read by kernels and copied, a thread a device, other processes.
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>
#include <thread>

#include "check.h"

__global__ void add(const int* from, int* to, int n, int x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + x;
}

constexpr int kCount = 1000;

std::vector<int> iota(int start) {
  std::vector<int> out(kCount);
  std::iota(out.begin(), out.end(), start);
  return out;
}

// A child process opens this process's memory and event, and adds to what it finds.
int child(int in, int out) {
  hipIpcMemHandle_t memory;
  hipIpcEventHandle_t event_handle;
  if (read(in, &memory, sizeof memory) != sizeof memory) return 3;
  if (read(in, &event_handle, sizeof event_handle) != sizeof event_handle) return 3;
  int* data;
  hipEvent_t ready;
  CHECK(hipIpcOpenMemHandle(reinterpret_cast<void**>(&data), memory, hipIpcMemLazyEnablePeerAccess));
  CHECK(hipIpcOpenEventHandle(&ready, event_handle));
  CHECK(hipStreamWaitEvent(nullptr, ready, 0));
  add<<<4, 256>>>(data, data, kCount, 1000);
  CHECK(hipDeviceSynchronize());
  CHECK(hipIpcCloseMemHandle(data));
  const char done = 1;
  return write(out, &done, 1) == 1 ? 0 : 3;
}

void between_processes(int to_child, int from_child, pid_t pid) {
  CHECK(hipSetDevice(0));
  DeviceVector<int> data(iota(0));
  hipEvent_t ready;
  CHECK(hipEventCreateWithFlags(&ready, hipEventDisableTiming | hipEventInterprocess));
  add<<<4, 256>>>(data.data, data.data, kCount, 1);
  CHECK(hipEventRecord(ready, nullptr));
  hipIpcMemHandle_t memory;
  hipIpcEventHandle_t event_handle;
  CHECK(hipIpcGetMemHandle(&memory, data.data));
  CHECK(hipIpcGetEventHandle(&event_handle, ready));
  if (write(to_child, &memory, sizeof memory) != sizeof memory) exit(3);
  if (write(to_child, &event_handle, sizeof event_handle) != sizeof event_handle) exit(3);
  char done = 0;
  if (read(from_child, &done, 1) != 1) exit(3);
  expect_equal("another process adds", data.host(), iota(1001));
  int status = 1;
  waitpid(pid, &status, 0);
  expect_equal("its exit status", std::vector<int>{status}, {0});
}

void peers(int count) {
  std::vector<int*> data(count);
  for (int d = 0; d < count; ++d) {
    CHECK(hipSetDevice(d));
    CHECK(hipMalloc(&data[d], kCount * sizeof(int)));
    CHECK(hipMemcpy(data[d], iota(100 * d).data(), kCount * sizeof(int), hipMemcpyHostToDevice));
    for (int other = 0; other < count; ++other) {
      if (other != d) CHECK(hipDeviceEnablePeerAccess(other, 0));
    }
  }
  expect_equal("enabled before", std::vector<int>{hipDeviceEnablePeerAccess(0, 0)}, {hipErrorPeerAccessAlreadyEnabled});
  std::vector<int> host(kCount);
  for (int d = 0; d < count; ++d) {
    const int next = (d + 1) % count;
    CHECK(hipSetDevice(d));
    int* out;
    CHECK(hipMalloc(&out, kCount * sizeof(int)));
    add<<<4, 256>>>(data[next], out, kCount, 5);
    CHECK(hipMemcpy(host.data(), out, kCount * sizeof(int), hipMemcpyDeviceToHost));
    expect_equal("kernel reads a peer", host, iota(100 * next + 5));
    CHECK(hipMemcpyPeerAsync(out, d, data[next], next, kCount * sizeof(int), nullptr));
    CHECK(hipMemcpy(host.data(), out, kCount * sizeof(int), hipMemcpyDefault));
    expect_equal("copy from a peer", host, iota(100 * next));
    hipPointerAttribute_t attributes;
    CHECK(hipPointerGetAttributes(&attributes, data[next]));
    expect_equal("whose memory", std::vector<int>{attributes.device}, {next});
  }
}

void threads(int count) {
  std::vector<std::vector<int>> results(count);
  std::vector<std::thread> running;
  for (int d = 0; d < count; ++d) {
    running.emplace_back([&results, d] {
      CHECK(hipSetDevice(d));
      DeviceVector<int> data(iota(d));
      for (int i = 0; i < 50; ++i) add<<<4, 256>>>(data.data, data.data, kCount, d);
      results[d] = data.host();
    });
  }
  for (auto& thread : running) thread.join();
  for (int d = 0; d < count; ++d) expect_equal("a thread a device", results[d], iota(d + 50 * d));
}

int main() {
  // Before the runtime starts: it does not live through fork.
  int down[2], up[2];
  if (pipe(down) || pipe(up)) return 3;
  const pid_t pid = fork();
  if (pid == 0) return child(down[0], up[1]);
  int count = 0;
  CHECK(hipGetDeviceCount(&count));
  expect_equal("devices", std::vector<int>{count}, {3});
  peers(count);
  threads(count);
  between_processes(down[1], up[0], pid);
}
