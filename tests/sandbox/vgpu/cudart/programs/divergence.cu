// Lanes of a warp that part and meet again: loops, switches, calls, waiting for each other in different places.
#include "check.h"

__global__ void nested_loops(int* out) {
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < t % 7; ++i) {
    for (int j = i; j < t % 11; ++j) {
      if ((i ^ j) % 3 == 0) continue;
      if (j > 8) break;
      sum += i * 100 + j;
    }
    if (sum > 2000) break;
  }
  out[t] = sum;
}
static int nested_loops_of(int t) {
  int sum = 0;
  for (int i = 0; i < t % 7; ++i) {
    for (int j = i; j < t % 11; ++j) {
      if ((i ^ j) % 3 == 0) continue;
      if (j > 8) break;
      sum += i * 100 + j;
    }
    if (sum > 2000) break;
  }
  return sum;
}
// The lane that holds the lock has left the loop in which its siblings wait for it.
__global__ void lock_of_the_warp(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *(volatile int*)count = *(volatile int*)count + 1;
  __threadfence();
  atomicExch(lock, 0);
}
// Lane 0 waits for what lane 31 does behind a loop of its own.
__global__ void one_waits_for_another(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (flag[0] == 0) {
    }
    out[0] = flag[1];
  } else if (threadIdx.x == 31) {
    for (int i = 0; i < 1000; ++i) flag[2] = i;
    flag[1] = 77;
    __threadfence();
    flag[0] = 1;
  }
}
__device__ __noinline__ int twist(int x, int depth) {
  int local[6];
  for (int i = 0; i < 6; ++i) local[i] = x * (i + 1);
  for (int i = 0; i < depth; ++i) local[(x + i) % 6] += local[i % 6];
  return x & 1 ? local[x % 6] : -local[depth % 6];
}
__device__ __noinline__ int meet_in_call(unsigned mask, int v) { return __shfl_sync(mask, v, __ffs(mask) - 1); }
__global__ void calls(int* out) {
  int t = threadIdx.x;
  int v = t % 3 == 0 ? twist(t, t % 5) : t % 3 == 1 ? twist(t + 1, 3) : t;
  out[t] = v;
  unsigned lanes = __ballot_sync(~0u, t % 4 == 1);
  out[64 + t] = t % 4 == 1 ? meet_in_call(lanes, t * 10) : -1;
}
static int twist_of(int x, int depth) {
  int local[6];
  for (int i = 0; i < 6; ++i) local[i] = x * (i + 1);
  for (int i = 0; i < depth; ++i) local[(x + i) % 6] += local[i % 6];
  return x & 1 ? local[x % 6] : -local[depth % 6];
}
// Halves of a warp meet from different places in the program.
__global__ void meet_from_two_places(int* out) {
  int lane = threadIdx.x;
  int got;
  if (lane < 16) {
    out[64 + lane] = 1;
    got = __shfl_xor_sync(~0u, lane, 16);
  } else {
    out[64 + lane] = 2;
    got = __shfl_xor_sync(~0u, lane + 100, 16);
  }
  out[lane] = got;
}
__global__ void barrier_in_branches(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t & 1) {
    __syncthreads();
    out[t] = s[63 - t];
  } else {
    __syncthreads();
    out[t] = s[t ^ 2] + 1000;
  }
}
__global__ void patterns(int* out, const int4* wide, const double* doubles, const unsigned char* bytes) {
  int t = threadIdx.x;
  int4 v = wide[t], w = wide[31 - t];
  double d = doubles[t / 4] + doubles[t % 16] + doubles[0];
  int b = bytes[t] + bytes[3 * t] + bytes[t / 16];
  int x = 0;
  if (t % 5 != 2) {  // some lanes only
    int4 u = wide[t ^ 1];
    x = u.x + 2 * u.w;
    out[96 + t] = u.y;
  }
  out[t] = v.x + v.y * 3 + v.z * 5 + v.w * 7 + w.z + (int)d + b + x;
  ((int4*)(out + 128))[t] = make_int4(v.w, v.z, v.y, v.x);
}
__global__ void leave_early(int* out, int n) {
  int t = threadIdx.x;
  if (t % 2 == 0 && t < n) return;
  int v = __popc(__activemask());
  for (int i = 0; i < t; ++i) {
    if (i == 20) return;
    v += i;
  }
  out[t] = v;
}
__global__ void counters(unsigned* bins, unsigned* order) {
  unsigned mine = atomicAdd(&bins[threadIdx.x % 3], 1u);
  if (mine < 5) atomicMax(&bins[3], mine * 10);
  order[blockIdx.x * blockDim.x + threadIdx.x] = atomicInc(&bins[4], 1000);
}

int main() {
  Buffer<int> out(512);
  nested_loops<<<1, 64>>>(out.data);
  auto r = out.get();
  for (int t = 0; t < 64; ++t) CHECK(r[t] == nested_loops_of(t));
  Buffer<int> words(4);
  lock_of_the_warp<<<2, 64>>>(words.data, words.data + 1);
  CHECK(words.get()[1] == 128);
  Buffer<int> flags(4);
  one_waits_for_another<<<1, 32>>>(flags.data, out.data);
  CHECK(out.get()[0] == 77);
  calls<<<1, 32>>>(out.data);
  r = out.get();
  for (int t = 0; t < 32; ++t) {
    CHECK(r[t] == (t % 3 == 0 ? twist_of(t, t % 5) : t % 3 == 1 ? twist_of(t + 1, 3) : t));
    CHECK(r[64 + t] == (t % 4 == 1 ? 10 : -1));
  }
  meet_from_two_places<<<1, 32>>>(out.data);
  r = out.get();
  for (int t = 0; t < 32; ++t) CHECK(r[t] == (t < 16 ? t + 116 : t - 16) && r[64 + t] == 1 + t / 16);
  barrier_in_branches<<<1, 64>>>(out.data);
  r = out.get();
  for (int t = 0; t < 64; ++t) CHECK(r[t] == (t & 1 ? 63 - t : (t ^ 2) + 1000));
  std::vector<int> numbers(128);
  std::vector<double> fractions(16);
  std::vector<unsigned char> bytes(128);
  for (int i = 0; i < 128; ++i) numbers[i] = i * i, bytes[i] = (unsigned char)(i * 7);
  for (int i = 0; i < 16; ++i) fractions[i] = i * 1.5;
  Buffer<int> wide(numbers);
  Buffer<double> doubles(fractions);
  Buffer<unsigned char> small(bytes);
  patterns<<<1, 32>>>(out.data, (const int4*)wide.data, doubles.data, small.data);
  r = out.get();
  for (int t = 0; t < 32; ++t) {
    const int *v = &numbers[4 * t], *w = &numbers[4 * (31 - t)], *u = &numbers[4 * (t ^ 1)];
    int want = v[0] + v[1] * 3 + v[2] * 5 + v[3] * 7 + w[2] + (int)(fractions[t / 4] + fractions[t % 16] + fractions[0]);
    want += bytes[t] + bytes[3 * t] + bytes[t / 16] + (t % 5 != 2 ? u[0] + 2 * u[3] : 0);
    CHECK(r[t] == want && r[128 + 4 * t] == v[3] && r[128 + 4 * t + 3] == v[0]);
  }
  OK(cudaMemset(out.data, 0, 512));
  leave_early<<<1, 32>>>(out.data, 30);
  r = out.get();
  for (int t = 0; t < 32; ++t) CHECK(r[t] == ((t % 2 == 0 && t < 30) || t > 20 ? 0 : 17 + t * (t - 1) / 2));
  Buffer<unsigned> bins(5), order(192);
  counters<<<2, 96>>>(bins.data, order.data);
  auto n = bins.get();
  CHECK(n[0] == 64 && n[1] == 64 && n[2] == 64 && n[3] == 40 && n[4] == 192);
  auto all = order.get();
  std::vector<int> seen(192);
  for (unsigned place : all) CHECK(place < 192 && !seen[place]++);
  return finish();
}
