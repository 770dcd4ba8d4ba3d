// One fault a run, by name: prints what the runtime answers. The expected answers were recorded on an H200.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <cassert>

__global__ void trap() { asm volatile("trap;"); }
__global__ void breakpoint() { asm volatile("brkpt;"); }
__global__ void assertion(int* p) { assert(p[threadIdx.x] == 7); }
__global__ void store(int* p, int v) { *p = v; }
__global__ void store_misaligned(char* p) { *(int*)(p + 1) = 1; }
__global__ void shared_out(int i, int* p) { extern __shared__ int s[]; s[i] = 1; __syncthreads(); *p = s[0]; }
__global__ void shared_misaligned(int i, int* p) { extern __shared__ int s[]; *(int*)((char*)s + i) = 1; __syncthreads(); *p = s[0]; }
__device__ int deep(int n, int* p) { volatile int a[64]; a[n & 63] = n; if (n > 0) a[0] += deep(n - 1, p); return a[n & 63] + a[0]; }
__global__ void overflow(int n, int* p) { *p = deep(n, p); }
typedef int (*Function)(int);
__global__ void bad_call(unsigned long long f, int* p) { *p = ((Function)f)(1); }
__global__ void free_twice(int* p) { void* m = malloc(16); free(m); free(m); *p = 1; }
__global__ void free_wild(int* p) { free((char*)p + 64); }
__global__ void divergent_trap(int* p) { if (threadIdx.x == 5) asm volatile("trap;"); p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) bounded(int* p) { p[threadIdx.x] = 1; }
__global__ void plain(int* p) { p[threadIdx.x] = 1; }
__global__ void bad_barrier(int id) { asm volatile("bar.sync %0, 32;" ::"r"(id)); }
__global__ void print_loop() { printf("thread %d\n", threadIdx.x); }

static void answer(const char* what, cudaError_t e) { printf("%s: %s\n", what, cudaGetErrorName(e)); }
static void finish() {
  answer("launch", cudaGetLastError());
  answer("synchronize", cudaDeviceSynchronize());
  void* q = nullptr;
  answer("malloc after", cudaMalloc(&q, 16));
  answer("last", cudaGetLastError());
  answer("last again", cudaGetLastError());
  answer("reset", cudaDeviceReset());
  answer("malloc after reset", cudaMalloc(&q, 16));
}
#define CASE(name) if (!strcmp(argv[1], name))
int main(int argc, char** argv) {
  int* p;
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  CASE("trap") trap<<<1, 1>>>();
  CASE("brkpt") breakpoint<<<1, 1>>>();
  CASE("assert") assertion<<<1, 32>>>(p);
  CASE("null") store<<<1, 1>>>(nullptr, 1);
  CASE("small address") store<<<1, 1>>>((int*)4096, 1);
  CASE("wild") store<<<1, 1>>>((int*)0x123456789000, 1);
  CASE("host pointer") { static int host; store<<<1, 1>>>(&host, 1); }
  CASE("after free") { int* q; cudaMalloc(&q, 64 << 20); cudaFree(q); store<<<1, 1>>>(q, 1); }
  CASE("misaligned") store_misaligned<<<1, 1>>>((char*)p);
  CASE("shared beyond") shared_out<<<1, 1, 64>>>(64 << 10, p);
  CASE("shared far") shared_out<<<1, 1, 64>>>(1 << 20, p);
  CASE("shared misaligned") shared_misaligned<<<1, 1, 64>>>(2, p);
  CASE("overflow") overflow<<<1, 1>>>(100000, p);
  CASE("bad call") bad_call<<<1, 1>>>(0x1234560, p);
  CASE("null call") bad_call<<<1, 1>>>(0, p);
  CASE("free twice") free_twice<<<1, 1>>>(p);
  CASE("free wild") free_wild<<<1, 1>>>(p);
  CASE("divergent trap") divergent_trap<<<1, 32>>>(p);
  CASE("bad barrier") bad_barrier<<<1, 32>>>(17);
  CASE("block too large") plain<<<1, 1025>>>(p);
  CASE("block zero") plain<<<1, 0>>>(p);
  CASE("grid zero") plain<<<0, 1>>>(p);
  CASE("grid y too large") plain<<<dim3(1, 65536), 1>>>(p);
  CASE("block z too large") plain<<<1, dim3(1, 1, 65)>>>(p);
  CASE("over launch bounds") bounded<<<1, 128>>>(p);
  CASE("shared over default") shared_out<<<1, 1, 50 << 10>>>(0, p);
  CASE("shared over limit") shared_out<<<1, 1, 240 << 10>>>(0, p);
  CASE("bad stream") plain<<<1, 1, 0, (cudaStream_t)0x1230>>>(p);
  CASE("host calls") {
    static char h[64];
    cudaError_t e;
    void* q = nullptr;
    size_t n;
    int v;
    answer("memcpy past end", cudaMemcpy(h, (char*)p + 4090, 16, cudaMemcpyDeviceToHost));
    answer("memcpy null", cudaMemcpy(nullptr, p, 4, cudaMemcpyDeviceToHost));
    answer("memcpy zero null", cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost));
    answer("memcpy wrong kind h2d to host", cudaMemcpy(h, h + 32, 4, cudaMemcpyHostToDevice));
    answer("memcpy wrong kind d2h", cudaMemcpy(p, h, 4, cudaMemcpyDeviceToHost));
    answer("memcpy d2d host", cudaMemcpy(p, h, 4, cudaMemcpyDeviceToDevice));
    answer("memcpy h2h device", cudaMemcpy(p, h, 4, cudaMemcpyHostToHost));
    answer("memcpy default", cudaMemcpy(p, h, 4, cudaMemcpyDefault));
    answer("memcpy kind 9", cudaMemcpy(p, h, 4, (cudaMemcpyKind)9));
    answer("memset past end", cudaMemset(p, 0, 1 << 30));
    answer("memset host", cudaMemset(h, 0, 4));
    answer("memset null", cudaMemset(nullptr, 0, 4));
    answer("free inside", cudaFree((char*)p + 16));
    answer("free host", cudaFree(h));
    answer("free null", cudaFree(nullptr));
    answer("malloc zero", cudaMalloc(&q, 0));
    printf("malloc zero gives %s\n", q ? "a pointer" : "null");
    answer("malloc huge", cudaMalloc(&q, 1ull << 45));
    answer("last", cudaGetLastError());
    answer("last", cudaGetLastError());
    answer("memcpy2D pitch", cudaMemcpy2D(p, 4, h, 16, 8, 2, cudaMemcpyHostToDevice));
    answer("symbol", cudaGetSymbolAddress(&q, h));
    answer("symbol size", cudaGetSymbolSize(&n, h));
    answer("event unrecorded", [] { cudaEvent_t a, b; float ms; cudaEventCreate(&a); cudaEventCreate(&b); return cudaEventElapsedTime(&ms, a, b); }());
    answer("event no timing", [] { cudaEvent_t a, b; float ms; cudaEventCreateWithFlags(&a, cudaEventDisableTiming); cudaEventCreate(&b); cudaEventRecord(a); cudaEventRecord(b); cudaDeviceSynchronize(); return cudaEventElapsedTime(&ms, a, b); }());
    answer("event null", cudaEventRecord(nullptr));
    answer("query unrecorded", [] { cudaEvent_t a; cudaEventCreate(&a); return cudaEventQuery(a); }());
    answer("set device", cudaSetDevice(77));
    answer("attribute", cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
    answer("limit", cudaDeviceSetLimit((cudaLimit)99, 1));
    answer("func attributes", [] { cudaFuncAttributes a; static int x; return cudaFuncGetAttributes(&a, &x); }());
    answer("dynamic over optin", cudaFuncSetAttribute(shared_out, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10));
    answer("dynamic optin", cudaFuncSetAttribute(shared_out, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    answer("occupancy zero", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, plain, 0, 0));
    answer("register null", cudaHostRegister(nullptr, 4, 0));
    answer("unregister", cudaHostUnregister(h));
    answer("host pointer", cudaHostGetDevicePointer(&q, h, 0));
    answer("free host bad", cudaFreeHost(h));
    answer("managed zero", cudaMallocManaged(&q, 0));
    answer("stream null create", cudaStreamCreate(nullptr));
    e = cudaLaunchKernel((void*)h, dim3(1), dim3(1), nullptr, 0, 0);
    answer("launch unknown", e);
    answer("peek", cudaPeekAtLastError());
    answer("get device count null", cudaGetDeviceCount(nullptr));
    answer("enable peer", cudaDeviceEnablePeerAccess(0, 0));
    cudaPointerAttributes a;
    answer("pointer attributes host", cudaPointerGetAttributes(&a, h));
    printf("type %d device %d\n", a.type, a.device);
    answer("pointer attributes device", cudaPointerGetAttributes(&a, p));
    printf("type %d device %d host %s\n", a.type, a.device, a.hostPointer ? "set" : "null");
    answer("pointer attributes null", cudaPointerGetAttributes(&a, nullptr));
    answer("launch error then fine", (plain<<<1, 2000>>>(p), plain<<<1, 32>>>(p), cudaGetLastError()));
    printf("%s %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345));
  }
  CASE("print") { print_loop<<<2, 34>>>(); printf("after launch\n"); }
  CASE("print unsynchronised") { print_loop<<<1, 1>>>(); fflush(stdout); return 0; }
  finish();
}
