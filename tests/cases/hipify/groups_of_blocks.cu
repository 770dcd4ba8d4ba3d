#include <cooperative_groups.h>
__global__ void k(int* x) {
  auto grid = cooperative_groups::this_grid();
  x[grid.thread_rank()] = 1;
  grid.sync();
}
// output
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
__global__ void k(int* x) {
  auto grid = cooperative_groups::this_grid();
  x[grid.thread_rank()] = 1;
  grid.sync();
}
