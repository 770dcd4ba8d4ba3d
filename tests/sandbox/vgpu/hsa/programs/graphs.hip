// A captured graph, launched again and again, and an explicit one.
#include "check.h"

int main() {
  int *data, *host;
  hipStream_t stream;
  hipGraph_t graph;
  hipGraphExec_t executable;
  HIP(hipMalloc(&data, 4000));
  HIP(hipHostMalloc(&host, 4000));
  HIP(hipMemset(data, 0, 4000));
  HIP(hipDeviceSynchronize());
  HIP(hipStreamCreate(&stream));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  increment<<<4, 256, 0, stream>>>(data, 1000);
  increment<<<4, 256, 0, stream>>>(data, 1000);
  HIP(hipMemcpyAsync(host, data, 4000, hipMemcpyDeviceToHost, stream));
  HIP(hipStreamEndCapture(stream, &graph));
  size_t nodes;
  HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 3);
  HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 10; i++) HIP(hipGraphLaunch(executable, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(host[0] == 20 && host[999] == 20);
  HIP(hipGraphExecDestroy(executable));
  HIP(hipGraphDestroy(graph));

  hipGraphNode_t fill, kernel, copy;
  hipMemsetParams memset_parameters = {};
  memset_parameters.dst = data;
  memset_parameters.elementSize = 4;
  memset_parameters.width = 1000;
  memset_parameters.height = 1;
  memset_parameters.value = 5;
  int n = 1000;
  void* arguments[] = {&data, &n};
  hipKernelNodeParams kernel_parameters = {};
  kernel_parameters.func = reinterpret_cast<void*>(increment);
  kernel_parameters.gridDim = dim3(4);
  kernel_parameters.blockDim = dim3(256);
  kernel_parameters.kernelParams = arguments;
  HIP(hipGraphCreate(&graph, 0));
  HIP(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &memset_parameters));
  HIP(hipGraphAddKernelNode(&kernel, graph, &fill, 1, &kernel_parameters));
  HIP(hipGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, data, 4000, hipMemcpyDeviceToHost));
  HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(executable, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(host[0] == 6 && host[999] == 6);
  std::puts("PASS");
}
