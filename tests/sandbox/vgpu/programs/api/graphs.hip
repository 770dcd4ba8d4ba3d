// Graphs: captured with forks, built by hand, nested, changed after instantiation, with memory of their own.
#include "check.h"

__global__ void add(int* data, int n, int x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += x;
}

__global__ void sum(const int* a, const int* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

constexpr int kCount = 1000;

std::vector<int> all(int value) { return std::vector<int>(kCount, value); }

void captured() {
  DeviceVector<int> a(all(1)), b(all(2)), out(kCount);
  std::vector<int> host(kCount);
  hipStream_t first, second;
  CHECK(hipStreamCreate(&first));
  CHECK(hipStreamCreate(&second));
  hipEvent_t fork, join;
  CHECK(hipEventCreate(&fork));
  CHECK(hipEventCreate(&join));
  CHECK(hipStreamBeginCapture(first, hipStreamCaptureModeThreadLocal));
  CHECK(hipEventRecord(fork, first));
  CHECK(hipStreamWaitEvent(second, fork, 0));
  add<<<4, 256, 0, first>>>(a.data, kCount, 10);
  add<<<4, 256, 0, second>>>(b.data, kCount, 20);
  CHECK(hipEventRecord(join, second));
  CHECK(hipStreamWaitEvent(first, join, 0));
  sum<<<4, 256, 0, first>>>(a.data, b.data, out.data, kCount);
  CHECK(hipMemcpyAsync(host.data(), out.data, kCount * sizeof(int), hipMemcpyDeviceToHost, first));
  hipStreamCaptureStatus status;
  CHECK(hipStreamIsCapturing(second, &status));
  expect_equal("the fork captures", std::vector<int>{status}, {hipStreamCaptureStatusActive});
  hipGraph_t graph;
  CHECK(hipStreamEndCapture(first, &graph));
  expect_equal("nothing ran", a.host(), all(1));
  size_t nodes = 0, edges = 0;
  CHECK(hipGraphGetNodes(graph, nullptr, &nodes));
  CHECK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  expect_equal("nodes and edges", std::vector<size_t>{nodes, edges}, {4, 3});
  hipGraphExec_t executable;
  CHECK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int i = 1; i <= 3; ++i) {
    CHECK(hipGraphLaunch(executable, second));
    CHECK(hipStreamSynchronize(second));
    expect_equal("launch", host, all(3 + 30 * i));
  }
  CHECK(hipGraphExecDestroy(executable));
  CHECK(hipGraphDestroy(graph));
}

void on_host(void* data) { *static_cast<int*>(data) += 100; }

hipGraphNode_t add_kernel(hipGraph_t graph, hipGraphNode_t after, int** data, int* n, int* x) {
  void* arguments[] = {data, n, x};
  hipKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(4);
  kernel.blockDim = dim3(256);
  kernel.kernelParams = arguments;
  hipGraphNode_t node;
  CHECK(hipGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &kernel));
  return node;
}

void by_hand() {
  DeviceVector<int> data(kCount);
  int n = kCount, x = 5, counter = 0;
  std::vector<int> host(kCount);
  hipGraph_t graph, child;
  CHECK(hipGraphCreate(&graph, 0));
  hipMemsetParams fill{};
  fill.dst = data.data;
  fill.value = 7;
  fill.elementSize = sizeof(int);
  fill.width = kCount;
  fill.height = 1;
  hipGraphNode_t filled, nested, called, copied;
  CHECK(hipGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill));
  const hipGraphNode_t added = add_kernel(graph, filled, &data.data, &n, &x);
  int y = 1000;
  CHECK(hipGraphCreate(&child, 0));
  add_kernel(child, nullptr, &data.data, &n, &y);
  CHECK(hipGraphAddChildGraphNode(&nested, graph, &added, 1, child));
  hipHostNodeParams call{on_host, &counter};
  CHECK(hipGraphAddHostNode(&called, graph, &nested, 1, &call));
  CHECK(hipGraphAddMemcpyNode1D(&copied, graph, &called, 1, host.data(), data.data, kCount * sizeof(int),
                                hipMemcpyDeviceToHost));
  hipGraphExec_t executable;
  CHECK(hipGraphInstantiateWithFlags(&executable, graph, 0));
  CHECK(hipGraphLaunch(executable, nullptr));
  CHECK(hipDeviceSynchronize());
  expect_equal("by hand", host, all(1012));
  expect_equal("host node", std::vector<int>{counter}, {100});

  int z = -7;
  void* arguments[] = {&data.data, &n, &z};
  hipKernelNodeParams changed{};
  changed.func = reinterpret_cast<void*>(add);
  changed.gridDim = dim3(4);
  changed.blockDim = dim3(256);
  changed.kernelParams = arguments;
  CHECK(hipGraphExecKernelNodeSetParams(executable, added, &changed));
  CHECK(hipGraphLaunch(executable, nullptr));
  CHECK(hipDeviceSynchronize());
  expect_equal("changed", host, all(1000));

  hipGraph_t clone;
  CHECK(hipGraphClone(&clone, graph));
  hipGraphExec_t second;
  CHECK(hipGraphInstantiate(&second, clone, nullptr, nullptr, 0));
  CHECK(hipGraphLaunch(second, nullptr));
  CHECK(hipDeviceSynchronize());
  expect_equal("clone", host, all(1012));
  hipGraphExecUpdateResult result;
  hipGraphNode_t failed;
  CHECK(hipGraphExecUpdate(executable, graph, &failed, &result));
  expect_equal("update", std::vector<int>{result}, {hipGraphExecUpdateSuccess});
  CHECK(hipGraphLaunch(executable, nullptr));
  CHECK(hipDeviceSynchronize());
  expect_equal("updated", host, all(1012));
}

void own_memory() {
  hipGraph_t graph;
  CHECK(hipGraphCreate(&graph, 0));
  hipMemAllocNodeParams allocation{};
  allocation.poolProps.allocType = hipMemAllocationTypePinned;
  allocation.poolProps.location = {hipMemLocationTypeDevice, 0};
  allocation.bytesize = kCount * sizeof(int);
  hipGraphNode_t allocated, filled, copied, freed;
  CHECK(hipGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &allocation));
  hipMemsetParams fill{};
  fill.dst = allocation.dptr;
  fill.value = 3;
  fill.elementSize = sizeof(int);
  fill.width = kCount;
  fill.height = 1;
  CHECK(hipGraphAddMemsetNode(&filled, graph, &allocated, 1, &fill));
  int n = kCount, x = 4;
  int* data = static_cast<int*>(allocation.dptr);
  const hipGraphNode_t added = add_kernel(graph, filled, &data, &n, &x);
  std::vector<int> host(kCount);
  CHECK(hipGraphAddMemcpyNode1D(&copied, graph, &added, 1, host.data(), data, kCount * sizeof(int),
                                hipMemcpyDeviceToHost));
  CHECK(hipGraphAddMemFreeNode(&freed, graph, &copied, 1, data));
  hipGraphExec_t executable;
  CHECK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 2; ++i) {
    std::fill(host.begin(), host.end(), 0);
    CHECK(hipGraphLaunch(executable, nullptr));
    CHECK(hipDeviceSynchronize());
    expect_equal("own memory", host, all(7));
  }
}

int main() {
  captured();
  by_hand();
  own_memory();
}
