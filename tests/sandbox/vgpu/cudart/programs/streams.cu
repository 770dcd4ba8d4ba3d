// Streams, events, host functions, graphs: captured, explicit, changed.
#include "check.h"

__global__ void add(int* p, int v) { p[threadIdx.x] += v; }
__global__ void multiply(int* p, int v) { p[threadIdx.x] *= v; }
static void CUDART_CB note(void* data) { ++*(int*)data; }
static void CUDART_CB callback(cudaStream_t, cudaError_t status, void* data) { if (status == cudaSuccess) *(int*)data += 10; }

static void streams_and_events() {
  cudaStream_t a, b;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, -1));
  unsigned flags;
  int priority, calls = 0;
  OK(cudaStreamGetFlags(b, &flags));
  OK(cudaStreamGetPriority(b, &priority));
  CHECK(flags == cudaStreamNonBlocking && priority == -1);
  Buffer<int> p(32);
  cudaEvent_t start, end;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&end));
  OK(cudaEventRecord(start, a));
  add<<<1, 32, 0, a>>>(p.data, 3);
  OK(cudaEventRecord(end, a));
  OK(cudaStreamWaitEvent(b, end));
  multiply<<<1, 32, 0, b>>>(p.data, 5);
  OK(cudaLaunchHostFunc(b, note, &calls));
  OK(cudaStreamAddCallback(b, callback, &calls, 0));
  OK(cudaStreamSynchronize(b));
  float milliseconds = -1;
  OK(cudaEventElapsedTime(&milliseconds, start, end));
  CHECK(calls == 11 && p.get()[7] == 15 && milliseconds >= 0);
  CHECK(cudaStreamQuery(a) == cudaSuccess && cudaEventQuery(end) == cudaSuccess);
  OK(cudaEventDestroy(start));
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
}

static void captured_graph() {
  cudaStream_t origin, other;
  OK(cudaStreamCreateWithFlags(&origin, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaEvent_t fork, join;
  OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  Buffer<int> p(32), q(32);
  int calls = 0;
  OK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, origin>>>(p.data, 1);
  OK(cudaEventRecord(fork, origin));
  OK(cudaStreamWaitEvent(other, fork));
  add<<<1, 32, 0, other>>>(q.data, 2);
  OK(cudaEventRecord(join, other));
  multiply<<<1, 32, 0, origin>>>(p.data, 2);
  OK(cudaStreamWaitEvent(origin, join));
  OK(cudaLaunchHostFunc(origin, note, &calls));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(other, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(origin, &graph));
  size_t nodes = 0, edges = 0, roots = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CHECK(nodes == 4 && roots == 1 && edges == 4 && calls == 0 && p.get()[0] == 0);
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i) OK(cudaGraphLaunch(executable, origin));
  OK(cudaStreamSynchronize(origin));
  CHECK(p.get()[31] == 14 && q.get()[31] == 6 && calls == 3);
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));

  // a branch that never comes back
  OK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(fork, origin));
  OK(cudaStreamWaitEvent(other, fork));
  add<<<1, 32, 0, other>>>(q.data, 2);
  CHECK(cudaStreamEndCapture(origin, &graph) == cudaErrorStreamCaptureUnjoined);
  cudaGetLastError();
}

static void explicit_graph() {
  Buffer<int> p(32);
  std::vector<int> host(32, -1);
  cudaGraph_t graph, child;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphCreate(&child, 0));
  cudaGraphNode_t fill, first, second, copy, nested, empty;
  cudaMemsetParams zero = {};
  zero.dst = p.data;
  zero.value = 3;
  zero.elementSize = 4;
  zero.width = 32;
  zero.height = 1;
  OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  int one = 1, two = 2;
  int* data = p.data;
  void* add_arguments[] = {&data, &one};
  void* multiply_arguments[] = {&data, &two};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)add;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = add_arguments;
  OK(cudaGraphAddKernelNode(&first, graph, &fill, 1, &kernel));
  kernel.func = (void*)multiply;
  kernel.kernelParams = multiply_arguments;
  OK(cudaGraphAddKernelNode(&second, child, nullptr, 0, &kernel));
  OK(cudaGraphAddChildGraphNode(&nested, graph, &first, 1, child));
  OK(cudaGraphAddEmptyNode(&empty, graph, &nested, 1));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &empty, 1, host.data(), p.data, 128, cudaMemcpyDeviceToHost));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(nested, &type));
  CHECK(type == cudaGraphNodeTypeGraph);
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph, 0));
  OK(cudaGraphLaunch(executable, 0));
  OK(cudaDeviceSynchronize());
  CHECK(host[0] == 8 && host[31] == 8);
  one = 11;
  kernel.func = (void*)add;
  kernel.kernelParams = add_arguments;
  OK(cudaGraphExecKernelNodeSetParams(executable, first, &kernel));
  OK(cudaGraphLaunch(executable, 0));
  OK(cudaDeviceSynchronize());
  CHECK(host[5] == 28);
  OK(cudaGraphNodeSetEnabled(executable, first, 0));
  OK(cudaGraphLaunch(executable, 0));
  OK(cudaDeviceSynchronize());
  CHECK(host[5] == 6);
  OK(cudaGraphAddDependencies(graph, &copy, &fill, nullptr, 1));
  CHECK(cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess);
  cudaGetLastError();
}

int main() {
  streams_and_events();
  captured_graph();
  explicit_graph();
  return finish();
}
