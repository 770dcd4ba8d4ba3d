// findings: L01:3:fixed L01:5:fixed
#include <cub/cub.cuh>
__global__ void k(int* x) {
  using Reduce = cub::WarpReduce<int>;
  using Halves = cub::WarpReduce<int, 16>;
  using Exchange = cub::WarpExchange<int, 4>;
  __shared__ Reduce::TempStorage s;
  x[0] = Reduce(s).Sum(x[threadIdx.x]);
}
// output
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>
__global__ void k(int* x) {
  using Reduce = hipcub::WarpReduce<int, 32>;
  using Halves = hipcub::WarpReduce<int, 16>;
  using Exchange = hipcub::WarpExchange<int, 4, 32>;
  __shared__ Reduce::TempStorage s;
  x[0] = Reduce(s).Sum(x[threadIdx.x]);
}
