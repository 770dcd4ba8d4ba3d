// mma.sync, wmma and ldmatrix against the host, with small integers so that every order of adding is exact.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include "check.h"
using namespace nvcuda;

__global__ void half_16816(const __half* a, const __half* b, float* c) {
  __shared__ __align__(16) __half sa[256], sb[128];
  int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) sa[i] = a[i];
  for (int i = lane; i < 128; i += 32) sb[i] = b[i];  // k x n, row-major
  __syncwarp();
  unsigned ra[4], rb[2];
  float d[4] = {1, 1, 1, 1};
  unsigned pa = (unsigned)__cvta_generic_to_shared(sa + (lane % 16) * 16 + lane / 16 * 8);
  unsigned pb = (unsigned)__cvta_generic_to_shared(sb + (lane % 16) * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(pb));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
__global__ void int8_16832(const signed char* a, const signed char* b, int* c) {
  int lane = threadIdx.x, group = lane / 4, member = lane % 4;
  unsigned ra[4], rb[2];
  int d[4] = {0, 0, 0, 0};
  for (int r = 0; r < 4; ++r) ra[r] = *(const unsigned*)(a + (group + r % 2 * 8) * 32 + r / 2 * 16 + member * 4);
  for (int r = 0; r < 2; ++r) rb[r] = *(const unsigned*)(b + group * 32 + r * 16 + member * 4);  // column-major
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) c[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = d[i];
}
__global__ void tf32_1688(const float* a, const float* b, float* c) {
  int lane = threadIdx.x, group = lane / 4, member = lane % 4;
  unsigned ra[4], rb[2];
  float d[4] = {0, 0, 0, 0};
  for (int r = 0; r < 4; ++r) ra[r] = __float_as_uint(a[(group + r % 2 * 8) * 8 + member + r / 2 * 4]);
  for (int r = 0; r < 2; ++r) rb[r] = __float_as_uint(b[(member + r * 4) * 8 + group]);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) c[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = d[i];
}
__global__ void double_884(const double* a, const double* b, double* c) {
  int lane = threadIdx.x;
  double d[2] = {0.5, 0.5};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d[0]), "+d"(d[1]) : "d"(a[lane / 4 * 4 + lane % 4]), "d"(b[lane % 4 * 8 + lane / 4]));
  for (int i = 0; i < 2; ++i) c[lane / 4 * 8 + lane % 4 * 2 + i] = d[i];
}
template <class T, class Acc, int M, int N, int K>
__global__ void fragments(const T* a, const T* b, Acc* c) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Acc> fc;
  wmma::fill_fragment(fc, Acc(2));
  wmma::load_matrix_sync(fa, a, M);
  wmma::load_matrix_sync(fb, b, N);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] * Acc(2);
  wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
}
__global__ void transpose(unsigned short* out, const unsigned short* in) {
  unsigned v = *(const unsigned*)(in + threadIdx.x / 4 * 8 + threadIdx.x % 4 * 2), d;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(v));
  *(unsigned*)(out + threadIdx.x / 4 * 8 + threadIdx.x % 4 * 2) = d;
  __shared__ __align__(16) unsigned short s[64];
  unsigned p = (unsigned)__cvta_generic_to_shared(s + threadIdx.x % 8 * 8);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(p), "r"(d) : "memory");
  __syncwarp();
  for (int i = 0; i < 2; ++i) out[64 + threadIdx.x * 2 + i] = s[threadIdx.x * 2 + i];
}

static int small(int i) { return i * 7 % 11 - 5; }
template <class T> static std::vector<T> make(int n, int salt) {
  std::vector<T> v(n);
  for (int i = 0; i < n; ++i) v[i] = T(float(small(i + salt)));
  return v;
}
template <class Kernel, class T, class Acc>
static void compare(Kernel kernel, int m, int n, int k, T, Acc, bool a_column, bool b_column, double start, double factor) {
  auto ha = make<T>(m * k, 0), hb = make<T>(k * n, 3);
  Buffer<T> a(ha), b(hb);
  Buffer<Acc> c(m * n);
  kernel<<<1, 32>>>(a.data, b.data, c.data);
  auto got = c.get();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double want = start;
      for (int q = 0; q < k; ++q) want += double(small(a_column ? q * m + i : i * k + q)) * small((b_column ? j * k + q : q * n + j) + 3);
      CHECK(double(float(got[i * n + j])) == want * factor);
    }
}
int main() {
  compare(half_16816, 16, 8, 16, __half(), float(), false, false, 1, 1);
  compare(int8_16832, 16, 8, 32, (signed char)0, int(), false, true, 0, 1);
  compare(tf32_1688, 16, 8, 8, float(), float(), false, false, 0, 1);
  compare(double_884, 8, 8, 4, double(), double(), false, false, 0.5, 1);
  compare(fragments<__half, float, 16, 16, 16>, 16, 16, 16, __half(), float(), true, false, 2, 2);
  compare(fragments<__half, __half, 16, 16, 16>, 16, 16, 16, __half(), __half(), true, false, 2, 2);
  compare(fragments<__half, float, 32, 8, 16>, 32, 8, 16, __half(), float(), true, false, 2, 2);
  compare(fragments<__half, float, 8, 32, 16>, 8, 32, 16, __half(), float(), true, false, 2, 2);
  compare(fragments<__nv_bfloat16, float, 16, 16, 16>, 16, 16, 16, __nv_bfloat16(), float(), true, false, 2, 2);
  compare(fragments<signed char, int, 16, 16, 16>, 16, 16, 16, (signed char)0, int(), true, false, 2, 2);
  std::vector<unsigned short> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = i;
  Buffer<unsigned short> in(numbers), out(128);
  transpose<<<1, 32>>>(out.data, in.data);
  auto r = out.get();
  for (int i = 0; i < 64; ++i) CHECK(r[i] == i % 8 * 8 + i / 8 && r[64 + i] == i);
  return finish();
}
