// Right: variables of the device, and a structure with a pointer as a kernel's parameter.
// verdict: accepted
#include <cstdio>
#include <cuda_runtime.h>

struct View {
  int rows;
  float* data;
  int columns;
};

__constant__ float weights[4];
__device__ int calls;

__global__ void apply(View view, double bias) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.rows * view.columns) view.data[i] = view.data[i] * weights[i % 4] + bias;
  if (i == 0) atomicAdd(&calls, 1);
}

int main() {
  const float factors[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(weights, factors, sizeof factors);
  float values[60];
  for (int i = 0; i < 60; ++i) values[i] = i;
  View view{6, nullptr, 10};
  cudaMalloc(&view.data, sizeof values);
  cudaMemcpy(view.data, values, sizeof values, cudaMemcpyHostToDevice);
  for (int i = 0; i < 3; ++i) apply<<<2, 32>>>(view, 0.5);
  cudaMemcpy(values, view.data, sizeof values, cudaMemcpyDeviceToHost);
  int times = 0;
  cudaMemcpyFromSymbol(&times, calls, sizeof times);
  std::printf("%.3f %.3f %d\n", values[59], values[2], times);
  return 0;
}
