// Every kind of memory and launch that a recording tells apart. Compiled as CUDA and, renamed, as HIP.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int counter[4];

__global__ void add(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}

__global__ void count() { counter[threadIdx.x] += 10 + threadIdx.x; }

int main() {
  constexpr int n = 2048;
  constexpr size_t bytes = n * sizeof(int);
  int *device, *managed, *pinned, *pooled;
  cudaMalloc(&device, bytes);
  cudaMallocManaged(&managed, bytes);
  cudaMallocHost(reinterpret_cast<void**>(&pinned), bytes);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocAsync(reinterpret_cast<void**>(&pooled), bytes, stream);
  for (int i = 0; i < n; ++i) managed[i] = i, pinned[i] = -i;
  cudaMemcpy(device, pinned, bytes, cudaMemcpyHostToDevice);
  cudaMemsetAsync(pooled, 0, bytes, stream);
  cudaStreamSynchronize(stream);

  add<<<n / 256, 256>>>(device, n, 1);
  add<<<n / 256, 256, 0, stream>>>(pooled + 1024, 1024, 2);
  add<<<n / 256, 256>>>(managed, n, 3);
  cudaDeviceSynchronize();
  count<<<1, 4>>>();

  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<n / 256, 256, 0, stream>>>(device, n, 5);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  cudaGraphLaunch(instance, stream);
  cudaStreamSynchronize(stream);

  int result[4];
  cudaMemcpy(result, device + 7, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", result[0], managed[1]);
  cudaFreeAsync(pooled, stream);
  cudaFree(managed);
  cudaFreeHost(pinned);
  cudaFree(device);
  return 0;
}
