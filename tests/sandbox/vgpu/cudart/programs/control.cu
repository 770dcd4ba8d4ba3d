// Calls, recursion, function pointers, virtual functions, switches, local arrays, shared memory up to the limit.
#include "check.h"

__device__ __noinline__ long long factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ __noinline__ bool is_odd(int n);
__device__ __noinline__ bool is_even(int n) { return n == 0 || is_odd(n - 1); }
__device__ __noinline__ bool is_odd(int n) { return n != 0 && is_even(n - 1); }
typedef int (*Operation)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ Operation table[2] = {plus, times};
struct Shape { int side; __device__ Shape(int s) : side(s) {} __device__ virtual int area() const { return side; } };
struct Square : Shape { __device__ Square(int s) : Shape(s) {} __device__ int area() const override { return side * side; } };
struct Cube : Square { __device__ Cube(int s) : Square(s) {} __device__ int area() const override { return 6 * Square::area(); } };
struct Wide { int v[20]; };
__device__ __noinline__ Wide build(Wide w, int k) { for (int& x : w.v) x += k; return w; }

__global__ void calls(long long* out) {
  int t = threadIdx.x;
  out[t] = factorial(t) + is_even(t);
}
__global__ void pointers(int* out, Operation given) {
  int t = threadIdx.x;
  out[t] = table[t & 1](t, 3) + given(t, 2);
}
__global__ void objects(int* out) {
  int t = threadIdx.x;
  Shape* s = t % 3 == 0 ? new Shape(t) : t % 3 == 1 ? new Square(t) : new Cube(t);
  out[t] = s->area();
  delete s;
}
__global__ void structures(int* out) {
  Wide w;
  for (int i = 0; i < 20; ++i) w.v[i] = i * threadIdx.x;
  w = build(w, 5);
  int sum = 0;
  for (int i = 0; i < 20; ++i) sum += w.v[(i * 7) % 20];
  out[threadIdx.x] = sum;
}
__global__ void cases(int* out, int n) {
  int t = threadIdx.x, r = 0;
  for (int i = 0; i < n; ++i) {
    switch ((t + i) % 7) {
      case 0: r += 1; break;
      case 1: r ^= 5; break;
      case 2: r *= 3; break;
      case 3: r -= 7; [[fallthrough]];
      case 4: r += t; break;
      case 5: continue;
      default: r = -r;
    }
    if (r > 1000) break;
  }
  out[t] = r;
}
__global__ void big_shared(int* out) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < 56 * 1024; i += blockDim.x) s[i] = i;
  __syncthreads();
  out[threadIdx.x] = s[56 * 1024 - 1 - threadIdx.x];
}
__device__ Operation on_device = times;

int main() {
  Buffer<long long> l(21);
  calls<<<1, 21>>>(l.data);
  CHECK(l.get()[20] == 2432902008176640000ll + 1 && l.get()[5] == 120);
  Buffer<int> out(64);
  Operation from_device;
  OK(cudaMemcpyFromSymbol(&from_device, on_device, sizeof from_device));
  pointers<<<1, 8>>>(out.data, from_device);
  CHECK(out.get()[4] == 15 && out.get()[5] == 25);
  objects<<<1, 9>>>(out.data);
  auto r = out.get();
  CHECK(r[3] == 3 && r[4] == 16 && r[5] == 150);
  structures<<<1, 4>>>(out.data);
  CHECK(out.get()[3] == 190 * 3 + 100);
  cases<<<1, 32>>>(out.data, 40);
  r = out.get();
  for (int t = 0; t < 32; ++t) {
    int want = 0;
    for (int i = 0; i < 40; ++i) {
      int k = (t + i) % 7;
      if (k == 5) continue;
      want = k == 0 ? want + 1 : k == 1 ? want ^ 5 : k == 2 ? want * 3 : k == 3 ? want - 7 + t : k == 4 ? want + t : -want;
      if (want > 1000) break;
    }
    CHECK(r[t] == want);
  }
  CHECK((big_shared<<<1, 64, 224 << 10>>>(out.data), cudaGetLastError()) != cudaSuccess);
  OK(cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
  big_shared<<<1, 64, 224 << 10>>>(out.data);
  OK(cudaGetLastError());
  CHECK(out.get()[3] == 56 * 1024 - 4);
  return finish();
}
