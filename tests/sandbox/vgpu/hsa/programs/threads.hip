// Many host threads with streams and graphs of their own: lost wake-ups show as a hang, races as wrong counts.
#include "check.h"

static void launch_kernels() {
  hipStream_t stream;
  int *data, back;
  HIP(hipStreamCreate(&stream));
  HIP(hipMalloc(&data, 4));
  HIP(hipMemsetAsync(data, 0, 4, stream));
  for (int i = 0; i < 500; i++) increment<<<1, 64, 0, stream>>>(data, 1);
  HIP(hipMemcpyAsync(&back, data, 4, hipMemcpyDeviceToHost, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(back == 500);
  HIP(hipFree(data));
}

static void launch_graphs() {
  hipStream_t stream;
  hipGraph_t graph;
  hipGraphExec_t executable;
  hipEvent_t done;
  int *data, *host;
  HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  HIP(hipMalloc(&data, 4096));
  HIP(hipHostMalloc(&host, 4096));
  HIP(hipEventCreate(&done));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  HIP(hipMemsetAsync(data, 0, 4096, stream));
  for (int i = 0; i < 5; i++) increment<<<4, 256, 0, stream>>>(data, 1000);
  HIP(hipMemcpyAsync(host, data, 4096, hipMemcpyDeviceToHost, stream));
  HIP(hipStreamEndCapture(stream, &graph));
  HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 100; i++) {
    host[0] = 0;
    HIP(hipGraphLaunch(executable, stream));
    HIP(hipEventRecord(done, stream));
    if (i & 1)
      HIP(hipEventSynchronize(done));
    else
      HIP(hipStreamSynchronize(stream));
    EXPECT(host[0] == 5 && host[999] == 5);
    increment<<<1, 1, 0, stream>>>(data, 1);
    HIP(hipMemcpyAsync(host, data, 4, hipMemcpyDeviceToHost, stream));
    HIP(hipStreamSynchronize(stream));
    EXPECT(host[0] == 6);
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(launch_kernels);
  for (int i = 0; i < 4; i++) threads.emplace_back(launch_graphs);
  for (std::thread& thread : threads) thread.join();
  std::puts("PASS");
}
