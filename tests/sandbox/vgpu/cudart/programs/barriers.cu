// Barriers by number and count, with reductions, mbarriers, asynchronous copies, and the whole grid.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include "check.h"
namespace cg = cooperative_groups;

__global__ void producers_and_consumers(int* out) {
  __shared__ int box[32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int round = 0; round < 4; ++round) {
    if (warp == 0) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      box[lane] = round * 100 + lane;
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    } else {
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
      out[round * 32 + lane] = box[31 - lane];
    }
  }
}
__global__ void reductions(int* out) {
  int t = threadIdx.x;
  int n = __syncthreads_count(t % 3 == 0), a = __syncthreads_and(t < 100), o = __syncthreads_or(t == 70);
  out[t] = n * 100 + (a != 0) * 10 + (o != 0);
}
__global__ void early_exit(int* out) {
  __shared__ int s[64];
  if (threadIdx.x >= 48) return;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[47 - threadIdx.x];
}
__global__ void tokens(int* out, const int* in) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
  for (int phase = 0; phase < 3; ++phase) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(s + threadIdx.x)), "l"(in + phase * 128 + threadIdx.x));
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    ready.arrive_and_wait();
    out[phase * 128 + threadIdx.x] = s[127 - threadIdx.x];
    ready.arrive_and_wait();
  }
}
__global__ void partial_copy(int* out, const int* in) {
  __shared__ int s[4];
  unsigned to = (unsigned)__cvta_generic_to_shared(s);
  for (int i = 0; i < 4; ++i) s[i] = -1;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2; cp.async.wait_all;" ::"r"(to), "l"(in), "r"(8) : "memory");
  for (int i = 0; i < 4; ++i) out[i] = s[i];
}
__global__ void grid_wide(int* data, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int step = 0; step < 5; ++step) {
    int v = data[(i + 1) % n];
    grid.sync();
    data[i] = v + 1;
    grid.sync();
  }
}

int main() {
  Buffer<int> out(384);
  producers_and_consumers<<<1, 64>>>(out.data);
  auto r = out.get();
  for (int i = 0; i < 128; ++i) CHECK(r[i] == i / 32 * 100 + 31 - i % 32);
  reductions<<<2, 96>>>(out.data);
  CHECK(out.get()[95] == 3211);
  early_exit<<<1, 64>>>(out.data);
  CHECK(out.get()[0] == 47 && out.get()[47] == 0);
  std::vector<int> numbers(384);
  for (int i = 0; i < 384; ++i) numbers[i] = 3 * i;
  Buffer<int> in(numbers);
  tokens<<<1, 128>>>(out.data, in.data);
  r = out.get();
  for (int i = 0; i < 384; ++i) CHECK(r[i] == 3 * (i / 128 * 128 + 127 - i % 128));
  partial_copy<<<1, 1>>>(out.data, in.data);
  r = out.get();
  CHECK(r[0] == 0 && r[1] == 3 && r[2] == 0 && r[3] == 0);
  const int blocks = 24, threads = 96, n = blocks * threads;
  Buffer<int> ring(n);
  std::vector<int> start(n);
  for (int i = 0; i < n; ++i) start[i] = i;
  OK(cudaMemcpy(ring.data, start.data(), n * 4, cudaMemcpyHostToDevice));
  int* data = ring.data;
  int count = n;
  void* arguments[] = {&data, &count};
  OK(cudaLaunchCooperativeKernel((void*)grid_wide, dim3(blocks), dim3(threads), arguments, 0, 0));
  r = ring.get();
  for (int i = 0; i < n; ++i) CHECK(r[i] == (i + 5) % n + 5);
  CHECK(cudaLaunchCooperativeKernel((void*)grid_wide, dim3(100000), dim3(threads), arguments, 0, 0) == cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
  return finish();
}
