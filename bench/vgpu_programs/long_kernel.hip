// Kernels of many instructions: -DSTEPS=n repeats a mix of arithmetic, memory, LDS and branches n times, unrolled.
// -DSALT=n makes it another kernel.
#include <hip/hip_runtime.h>

#ifndef SALT
#define SALT 0
#endif

template <int N>
struct Step {
  static __device__ void run(float (&v)[8], unsigned (&k)[4], const float* in, float* out, float* lds, int n) {
    Step<N - 1>::run(v, k, in, out, lds, n);
    constexpr int a = N % 8, b = (N * 3 + 1) % 8, c = N % 4, d = (N + 1) % 4;
    k[c] = k[c] * 1664525u + 1013904223u + N;
    v[a] = fmaf(v[a], v[b], in[k[c] % n]);
    if (k[d] & (1u << (N % 17))) {
      v[b] = v[b] / (1.5f + v[a] * v[a]);
      k[d] ^= k[c] >> (N % 11 + 1);
    }
    lds[threadIdx.x ^ (N & 63)] = v[a] + N;
    if constexpr (N % 4 == 0) __syncthreads();
    v[b] += lds[(threadIdx.x + N) & 255] * 0.25f;
    if constexpr (N % 8 == 0) out[(k[d] + N) % n] = v[a] - v[b];
    v[a] = fminf(fmaxf(v[a], -4.0f), sqrtf(fabsf(v[b])) + 1);
  }
};

template <>
struct Step<0> {
  static __device__ void run(float (&)[8], unsigned (&)[4], const float*, float*, float*, int) {}
};

__global__ void long_kernel(const float* in, float* out, int n) {
  __shared__ float lds[256];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[8];
  unsigned k[4];
  for (int j = 0; j < 8; ++j) v[j] = in[(i + j) % n];
  for (int j = 0; j < 4; ++j) k[j] = i * (2 * j + 1) + SALT;
  lds[threadIdx.x] = v[0];
  __syncthreads();
  Step<STEPS>::run(v, k, in, out, lds, n);
  out[i % n] = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
}

int main() {
  float *in, *out;
  if (hipMalloc(&in, 1024) || hipMalloc(&out, 1024) || hipMemset(in, 0, 1024)) return 2;
  long_kernel<<<1, 256>>>(in, out, 256);
  return hipDeviceSynchronize();
}
