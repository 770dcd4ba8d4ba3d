// PTX's matrix instructions, from whole, half-wave-divergent and partial callers.
// One line a form: its name and a hash of what all lanes got; `near` lines hold values that are compared within a bound.
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned u32;
typedef unsigned long long u64;
constexpr int kSlots = 8;

__device__ __forceinline__ u32 mix(u32 x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}
// Small integers, so that sums are exact in every order.
__device__ __forceinline__ u32 halves(u32 t, u32 i) {  // -4 to 3 as f16
  u32 low = mix(t * 8 + i) % 8, high = mix(t * 8 + i + 1000) % 8;
  const u32 table[8] = {0xc400, 0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200};
  return table[low] | table[high] << 16;
}
__device__ __forceinline__ u32 brains(u32 t, u32 i) {  // -4 to 3 as bf16
  u32 low = mix(t * 8 + i) % 8, high = mix(t * 8 + i + 1000) % 8;
  const u32 table[8] = {0xc080, 0xc040, 0xc000, 0xbf80, 0, 0x3f80, 0x4000, 0x4040};
  return table[low] | table[high] << 16;
}
__device__ __forceinline__ u32 single(u32 t, u32 i) {
  float f = (float)(int)(mix(t * 8 + i) % 8) - 4;
  u32 r;
  memcpy(&r, &f, 4);
  return r;
}
__device__ __forceinline__ double twice(u32 t, u32 i) { return (double)(int)(mix(t * 8 + i) % 64) - 30; }
__device__ __forceinline__ u32 bytes(u32 t, u32 i) { return mix(t * 8 + i); }

#define FORM(name)                                 \
  struct name {                                    \
    __device__ static void run(u32 t, u32* out);   \
  };                                               \
  __device__ __forceinline__ void name::run(u32 t, u32* out)

#define MMA_F32(name, instruction, fill)                                                                             \
  FORM(name) {                                                                                                       \
    float c[4] = {(float)(t % 5), 1, -2, 0.5f};                                                                      \
    asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                    \
                 : "r"(fill(t, 0)), "r"(fill(t, 1)), "r"(fill(t, 2)), "r"(fill(t, 3)), "r"(fill(t, 4)), "r"(fill(t, 5))); \
    memcpy(out, c, 16);                                                                                              \
  }
MMA_F32(mma_m16n8k16_f32_f16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", halves)
MMA_F32(mma_m16n8k16_f32_bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", brains)
MMA_F32(mma_m16n8k8_f32_tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", single)
#define MMA_SHORT(name, instruction, fill)                                                               \
  FORM(name) {                                                                                           \
    float c[4];                                                                                          \
    asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                            \
                 : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])                                        \
                 : "r"(fill(t, 0)), "r"(fill(t, 1)), "r"(fill(t, 4)), "f"(1.f), "f"(2.f), "f"(0.f), "f"(-1.f)); \
    memcpy(out, c, 16);                                                                                  \
  }
MMA_SHORT(mma_m16n8k8_f32_f16, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", halves)
MMA_SHORT(mma_m16n8k8_f32_bf16, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", brains)
MMA_SHORT(mma_m16n8k4_f32_tf32, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", single)
FORM(mma_m16n8k16_f16) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
               : "=r"(out[0]), "=r"(out[1])
               : "r"(halves(t, 0)), "r"(halves(t, 1)), "r"(halves(t, 2)), "r"(halves(t, 3)), "r"(halves(t, 4)), "r"(halves(t, 5)), "r"(0x3c00c000), "r"(0));
}
#define MMA_S32(name, instruction)                                                                                    \
  FORM(name) {                                                                                                        \
    int c[4] = {(int)t, -7, 1 << 20, 0};                                                                              \
    asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                 \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                                     \
                 : "r"(bytes(t, 0)), "r"(bytes(t, 1)), "r"(bytes(t, 2)), "r"(bytes(t, 3)), "r"(bytes(t, 4)), "r"(bytes(t, 5))); \
    memcpy(out, c, 16);                                                                                               \
  }
MMA_S32(mma_m16n8k32_s8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32")
MMA_S32(mma_m16n8k32_u8_s8, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32")
FORM(mma_m16n8k16_s8) {
  int c[4];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
               : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
               : "r"(bytes(t, 0)), "r"(bytes(t, 1)), "r"(bytes(t, 4)), "r"(0x7fffff00), "r"(0x80000100), "r"(5), "r"(0));
  memcpy(out, c, 16);
}
FORM(mma_m8n8k16_s8) {
  int c[2];
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%4,%5};"
               : "=r"(c[0]), "=r"(c[1]) : "r"(bytes(t, 0)), "r"(bytes(t, 4)), "r"(3), "r"(-3));
  memcpy(out, c, 8);
}
FORM(mma_m8n8k4_f64) {
  double c[2];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
               : "=d"(c[0]), "=d"(c[1]) : "d"(twice(t, 0)), "d"(twice(t, 4)), "d"(0.5), "d"(-1.0));
  memcpy(out, c, 16);
}
FORM(mma_m16n8k8_f64) {
  double c[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
               : "=d"(c[0]), "=d"(c[1]), "=d"(c[2]), "=d"(c[3])
               : "d"(twice(t, 0)), "d"(twice(t, 1)), "d"(twice(t, 2)), "d"(twice(t, 3)), "d"(twice(t, 4)), "d"(twice(t, 5)), "d"(0.25));
  memcpy(out, c, 32);
}
// Eight rows of eight 16-bit elements a matrix; the lanes' rows are in no order.
#define LOAD_MATRIX(name, count, trans)                                                                              \
  FORM(name) {                                                                                                       \
    __shared__ __align__(16) unsigned short box[4][32 * 8];                                                          \
    u32 lane = t % 32, warp = threadIdx.x / 32;                                                                      \
    for (int i = 0; i < 8; ++i) box[warp][lane * 8 + i] = (unsigned short)mix(t * 8 + i);                            \
    __syncwarp();                                                                                                    \
    u32 address = (u32)__cvta_generic_to_shared(&box[warp][(lane * 5 % 32) * 8]);                                    \
    LOAD_##count(trans);                                                                                             \
    __syncwarp();                                                                                                    \
  }
#define LOAD_x1(trans) asm volatile("ldmatrix.sync.aligned.m8n8.x1" trans ".shared.b16 {%0}, [%1];" : "=r"(out[0]) : "r"(address) : "memory")
#define LOAD_x2(trans) asm volatile("ldmatrix.sync.aligned.m8n8.x2" trans ".shared.b16 {%0, %1}, [%2];" : "=r"(out[0]), "=r"(out[1]) : "r"(address) : "memory")
#define LOAD_x4(trans) asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared::cta.b16 {%0, %1, %2, %3}, [%4];" : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3]) : "r"(address) : "memory")
LOAD_MATRIX(ldmatrix_x1, x1, "")
LOAD_MATRIX(ldmatrix_x2, x2, "")
LOAD_MATRIX(ldmatrix_x4, x4, "")
LOAD_MATRIX(ldmatrix_x1_trans, x1, ".trans")
LOAD_MATRIX(ldmatrix_x2_trans, x2, ".trans")
LOAD_MATRIX(ldmatrix_x4_trans, x4, ".trans")
#define STORE_MATRIX(name, trans)                                                                                     \
  FORM(name) {                                                                                                        \
    __shared__ __align__(16) u32 box[4][32 * 4];                                                                      \
    u32 lane = t % 32, warp = threadIdx.x / 32;                                                                       \
    u32 address = (u32)__cvta_generic_to_shared(&box[warp][(lane * 5 % 32) * 4]);                                     \
    asm volatile("stmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),          \
                 "r"(mix(t)), "r"(mix(t + 1000)), "r"(mix(t + 2000)), "r"(mix(t + 3000)) : "memory");                 \
    __syncwarp();                                                                                                     \
    for (int i = 0; i < 4; ++i) out[i] = box[warp][lane * 4 + i];                                                     \
    __syncwarp();                                                                                                     \
  }
STORE_MATRIX(stmatrix_x4, "")
STORE_MATRIX(stmatrix_x4_trans, ".trans")
FORM(movmatrix) { asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out[0]) : "r"(mix(t))); }

// Caller 0: all warps together; 1: even and odd warps in two branches; 2: only the first warp of each pair.
template <class F>
__global__ void run(u32* out, int caller) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, slots[kSlots] = {};
  bool odd = threadIdx.x / 32 % 2;
  if (caller == 0) {
    F::run(t, slots);
  } else if (odd) {
    if (caller == 1) F::run(t + 4096, slots);
  } else {
    F::run(t, slots);
  }
  for (int i = 0; i < kSlots; ++i) out[t * kSlots + i] = slots[i];
}

typedef void (*Kernel)(u32*, int);
static void show(const char* name, Kernel kernel) {
  static const char* const kCallers[] = {"whole", "half-wave", "one-half"};
  const int words = 2 * 128 * kSlots;
  u32* out;
  if (cudaMalloc((void**)&out, words * 4) != cudaSuccess) return;
  std::vector<u32> host(words);
  for (int caller = 0; caller < 3; ++caller) {
    u64 hash = 0xcbf29ce484222325ull;
    for (int threads : {32, 64, 96, 128}) {
      cudaMemset(out, 0, words * 4);
      kernel<<<2, threads>>>(out, caller);
      cudaError_t error = cudaMemcpy(host.data(), out, words * 4, cudaMemcpyDeviceToHost);
      if (error != cudaSuccess) printf("%s: %s\n", name, cudaGetErrorString(error));
      for (u32 v : host)
        for (int j = 0; j < 4; ++j) hash = (hash ^ (v >> 8 * j & 255)) * 0x100000001b3ull;
    }
    printf("%s.%s\t%016llx\n", name, kCallers[caller], hash);
  }
  cudaFree(out);
}

// Ordinary numbers: sums are rounded, in another order.
template <int kKind>
__global__ void near(float* out) {
  u32 t = threadIdx.x, a[6];
  for (int i = 0; i < 6; ++i) {
    u32 x = mix(t * 8 + i), y = mix(t * 8 + i + 500);
    if (kKind == 0) a[i] = (x & 0x83ff | (12 + x / 0x10000 % 6) << 10) | (y & 0x83ff | (12 + y / 0x10000 % 6) << 10) << 16;
    if (kKind == 1) a[i] = (x & 0x807f | (123 + x / 0x10000 % 8) << 7) | (y & 0x807f | (123 + y / 0x10000 % 8) << 7) << 16;
    if (kKind == 2) a[i] = (x & 0x807fe000) | (123 + y % 8) << 23;
  }
  float c[4] = {0.f, 1.f, -3.f, 100.f};
#define NEAR(instruction)                                                                           \
  asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                 \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                     \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]))
  if (kKind == 0) NEAR("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  if (kKind == 1) NEAR("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
  if (kKind == 2) NEAR("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
  for (int i = 0; i < 4; ++i) out[t * 4 + i] = c[i];
}
static void show_near(const char* name, void (*kernel)(float*)) {
  float* out;
  if (cudaMalloc((void**)&out, 4 * 4 * 64) != cudaSuccess) return;
  kernel<<<1, 64>>>(out);
  std::vector<float> host(4 * 64);
  cudaMemcpy(host.data(), out, 4 * 4 * 64, cudaMemcpyDeviceToHost);
  printf("near.%s", name);
  for (float v : host) printf("\t%.9g", v);
  printf("\n");
  cudaFree(out);
}
#define SHOW(name) show(#name, run<name>);
int main() {
  SHOW(mma_m16n8k16_f32_f16) SHOW(mma_m16n8k16_f32_bf16) SHOW(mma_m16n8k8_f32_tf32) SHOW(mma_m16n8k8_f32_f16)
  SHOW(mma_m16n8k8_f32_bf16) SHOW(mma_m16n8k4_f32_tf32) SHOW(mma_m16n8k16_f16) SHOW(mma_m16n8k32_s8)
  SHOW(mma_m16n8k32_u8_s8) SHOW(mma_m16n8k16_s8) SHOW(mma_m8n8k16_s8) SHOW(mma_m8n8k4_f64) SHOW(mma_m16n8k8_f64)
  SHOW(ldmatrix_x1) SHOW(ldmatrix_x2) SHOW(ldmatrix_x4) SHOW(ldmatrix_x1_trans) SHOW(ldmatrix_x2_trans)
  SHOW(ldmatrix_x4_trans) SHOW(stmatrix_x4) SHOW(stmatrix_x4_trans) SHOW(movmatrix)
  show_near("f16", near<0>);
  show_near("bf16", near<1>);
  show_near("tf32", near<2>);
}
