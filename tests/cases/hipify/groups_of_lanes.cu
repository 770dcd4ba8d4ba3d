// findings: G03:3:fixed G01:6:fixed
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  x[0] = cg::reduce(tile, x[threadIdx.x], cg::plus<int>());
}
// output
#include <hip/hip_runtime.h>
#include "warp2wave/cooperative_groups.h"
namespace cg = w2w::cooperative_groups;
__global__ void k(int* x) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  x[0] = cg::reduce(tile, x[threadIdx.x], cg::plus<int>());
}
