// Allocation, copies, fills, symbols, pools, managed and pinned memory.
#include "check.h"

__device__ int counter = 5;
__device__ int* pointer_to_counter = &counter;
__constant__ float factors[4] = {1.5f, 2.5f, 3.5f, 4.5f};
__managed__ int managed[3] = {7, 8, 9};
__device__ const char* text = "device text";

__global__ void scale(float* out, const float* in, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height) ((float*)((char*)out + y * pitch))[x] = ((const float*)((const char*)in + y * pitch))[x] * factors[x & 3];
}
__global__ void touch(int* p) { atomicAdd(p, 1); atomicAdd(pointer_to_counter, 10); managed[threadIdx.x] += 100; }
__global__ void length(int* n) { int i = 0; while (text[i]) ++i; *n = i; }
__global__ void inner_heap(int* out) {
  int* mine = (int*)malloc(sizeof(int) * 4);
  for (int i = 0; i < 4; ++i) mine[i] = threadIdx.x + i;
  __syncthreads();
  out[threadIdx.x] = mine[0] + mine[3];
  free(mine);
}

int main() {
  // pitched copies there and back
  const int width = 37, height = 5;
  std::vector<float> host(width * height), back(width * height);
  for (size_t i = 0; i < host.size(); ++i) host[i] = float(i);
  float *in, *out;
  size_t pitch, pitch2;
  OK(cudaMallocPitch((void**)&in, &pitch, width * 4, height));
  OK(cudaMallocPitch((void**)&out, &pitch2, width * 4, height));
  CHECK(pitch == 512 && pitch2 == pitch);
  OK(cudaMemcpy2D(in, pitch, host.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  scale<<<dim3(2, height), 32>>>(out, in, pitch, width, height);
  OK(cudaMemcpy2D(back.data(), width * 4, out, pitch, width * 4, height, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * height; ++i) CHECK(back[i] == host[i] * ((i % width & 3) + 1.5f));
  OK(cudaMemset2D(out, pitch, 0x11, width * 4, 2));
  OK(cudaMemcpy2D(back.data(), width * 4, out, pitch, width * 4, height, cudaMemcpyDeviceToHost));
  unsigned bits;
  memcpy(&bits, &back[width], 4);
  CHECK(bits == 0x11111111 && back[2 * width] == host[2 * width] * 1.5f);
  OK(cudaFree(in));
  OK(cudaFree(out));

  // three dimensions
  cudaPitchedPtr cube;
  OK(cudaMalloc3D(&cube, cudaExtent{16, 3, 2}));
  OK(cudaMemset3D(cube, 3, cudaExtent{16, 3, 2}));
  cudaMemcpy3DParms copy = {};
  std::vector<unsigned char> bytes(16 * 3 * 2, 0);
  copy.srcPtr = cube;
  copy.dstPtr = cudaPitchedPtr{bytes.data(), 16, 16, 3};
  copy.extent = cudaExtent{16, 3, 2};
  copy.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&copy));
  for (unsigned char b : bytes) CHECK(b == 3);

  // symbols
  float changed[2] = {20, 30};
  OK(cudaMemcpyToSymbol(factors, changed, sizeof changed, 4));
  float all[4];
  OK(cudaMemcpyFromSymbol(all, factors, sizeof all));
  CHECK(all[0] == 1.5f && all[1] == 20 && all[2] == 30 && all[3] == 4.5f);
  CHECK(cudaMemcpyToSymbol(factors, changed, 8, 12) == cudaErrorInvalidValue);
  size_t size;
  OK(cudaGetSymbolSize(&size, factors));
  CHECK(size == 16 && cudaGetLastError() == cudaErrorInvalidValue);
  int* address;
  OK(cudaGetSymbolAddress((void**)&address, counter));

  // managed, pinned and registered memory
  int *shared, *pinned;
  OK(cudaMallocManaged(&shared, 64));
  OK(cudaHostAlloc((void**)&pinned, 64, cudaHostAllocMapped));
  *shared = *pinned = 40;
  touch<<<1, 3>>>(shared);
  touch<<<1, 3>>>(pinned);
  static int own[4] = {1};
  OK(cudaHostRegister(own, sizeof own, 0));
  touch<<<1, 3>>>(own);
  OK(cudaDeviceSynchronize());
  CHECK(*shared == 43 && *pinned == 43 && own[0] == 4 && managed[0] == 307 && managed[2] == 309);
  OK(cudaHostUnregister(own));
  int value;
  OK(cudaMemcpy(&value, address, 4, cudaMemcpyDefault));
  CHECK(value == 95);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, shared));
  CHECK(attributes.type == cudaMemoryTypeManaged);
  OK(cudaPointerGetAttributes(&attributes, pinned + 2));
  CHECK(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned + 2);
  OK(cudaFreeHost(pinned));
  OK(cudaFree(shared));

  // strings and the device's own heap
  Buffer<int> results(64);
  length<<<1, 1>>>(results.data);
  CHECK(results.get()[0] == 11);
  inner_heap<<<1, 64>>>(results.data);
  CHECK(results.get()[63] == 129);

  // stream-ordered allocation
  cudaMemPool_t pool;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long used = 1;
  void* piece;
  OK(cudaMallocAsync(&piece, 1000, 0));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used >= 1000);
  OK(cudaFreeAsync(piece, 0));
  OK(cudaStreamSynchronize(0));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 0);

  // what does not fit
  size_t free_bytes, total;
  OK(cudaMemGetInfo(&free_bytes, &total));
  CHECK(free_bytes <= total);
  void* huge = nullptr;
  CHECK(cudaMalloc(&huge, total + 1) == cudaErrorMemoryAllocation && !huge);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess);
  return finish();
}
