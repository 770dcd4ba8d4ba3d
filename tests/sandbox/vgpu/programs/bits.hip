// Prints a hash of the bits that many functions give for many bit patterns: the same on every host, in every schedule.
#include <hip/hip_fp16.h>

#include <cstdint>
#include <cstring>

#include "check.h"

constexpr int kItems = 4000;  // the last group is not full

__device__ uint64_t mix(uint64_t i) {
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return i ^ i >> 31;
}

template <typename T, typename U>
__device__ T as(U bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Nearly all payloads of NaN are up to the compiler.
__device__ uint64_t bits_of(float x) { return x != x ? 0x7fc00000 : as<uint32_t>(x); }
__device__ uint64_t bits_of(double x) { return x != x ? 0x7ff8000000000000 : as<uint64_t>(x); }

struct Singles {
  static __device__ uint64_t run(uint64_t r) {
    float a = as<float>(static_cast<uint32_t>(r)), b = as<float>(static_cast<uint32_t>(r >> 32));
    float c = static_cast<float>(static_cast<int32_t>(r)) * 1e-8f;
    uint64_t h = bits_of(a + b) ^ bits_of(a * b) << 1 ^ bits_of(fmaf(a, b, c)) << 2;
    h = h * 31 + bits_of(a / b);
    h = h * 31 + bits_of(sqrtf(fabsf(a)));
    h = h * 31 + bits_of(fminf(a, c)) + bits_of(floorf(c)) * 7 + bits_of(rintf(c * 10));
    h = h * 31 + bits_of(expf(c)) + bits_of(logf(fabsf(a))) * 3 + bits_of(sinf(c)) * 5 + bits_of(cosf(c)) * 7;
    h = h * 31 + bits_of(powf(fabsf(c), 1.7f)) + bits_of(tanhf(c)) * 3 + bits_of(rsqrtf(fabsf(b))) * 5;
    return h * 31 + static_cast<uint64_t>(static_cast<int64_t>(c)) + bits_of(ldexpf(c, static_cast<int>(r & 63) - 32));
  }
};

struct Doubles {
  static __device__ uint64_t run(uint64_t r) {
    double a = as<double>(r), b = static_cast<double>(static_cast<int64_t>(mix(r))) * 1e-18;
    uint64_t h = bits_of(a + b) ^ bits_of(a * b) << 1 ^ bits_of(fma(b, b, a)) << 2;
    h = h * 31 + bits_of(b / a) + bits_of(sqrt(fabs(a))) * 3 + bits_of(exp(b)) * 5 + bits_of(log(fabs(a))) * 7;
    return h * 31 + bits_of(static_cast<float>(b)) + static_cast<uint64_t>(static_cast<int64_t>(b * 1e6));
  }
};

struct Halves {
  static __device__ uint64_t run(uint64_t r) {
    __half2 a = as<__half2>(static_cast<uint32_t>(r) & 0xbfffbfff), b = as<__half2>(static_cast<uint32_t>(r >> 32) & 0xbfffbfff);
    __half2 sum = __hadd2(a, b), product = __hmul2(a, b), fused = __hfma2(a, b, sum);
    return bits_of(__low2float(sum)) + bits_of(__high2float(product)) * 31 + bits_of(__low2float(fused)) * 961;
  }
};

struct Integers {
  static __device__ uint64_t run(uint64_t r) {
    int32_t a = static_cast<int32_t>(r), b = static_cast<int32_t>(r >> 32) | 1;
    uint64_t h = static_cast<uint32_t>(a / b) + static_cast<uint64_t>(static_cast<uint32_t>(a) % static_cast<uint32_t>(b)) * 31;
    h = h * 31 + r / (mix(r) >> (r & 31) | 1) + __umulhi(a, b) + __popc(a) * 7 + __clzll(r) * 11 + __brev(b);
    int steps = 0;  // lanes leave one by one
    for (uint32_t n = (a & 1023) + 1; n != 1 && steps < 60; ++steps) n = n & 1 ? 3 * n + 1 : n / 2;
    return h * 31 + steps;
  }
};

struct Lanes {
  static __device__ uint64_t run(uint64_t r) {
    __shared__ uint32_t words[256];
    __shared__ uint8_t bytes[256];
    words[threadIdx.x] = static_cast<uint32_t>(r);
    bytes[255 - threadIdx.x] = static_cast<uint8_t>(r >> 8);
    __syncthreads();
    uint64_t h = words[r >> 20 & 255] + static_cast<uint64_t>(bytes[r >> 30 & 255]) * 31;
    h = h * 31 + __shfl_xor(static_cast<uint32_t>(r), 5) + __shfl(static_cast<uint32_t>(r >> 3), r & 63) * 3;
    h = h * 31 + __shfl_up(static_cast<uint32_t>(h), 1) + __ballot(r & 4);
    __syncthreads();
    return h;
  }
};

template <typename What>
__global__ void evaluate(uint64_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t h = What::run(mix(i));
  if (i < n) out[i] = h;
}

template <typename What>
void print_hash(const char* name) {
  DeviceVector<uint64_t> out(kItems);
  evaluate<What><<<(kItems + 255) / 256, 256>>>(out.data, kItems);
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint64_t word : out.host()) hash = (hash ^ word) * 0x100000001b3u;
  printf("%s %016llx PASS\n", name, static_cast<unsigned long long>(hash));
}

int main() {
  print_hash<Singles>("singles");
  print_hash<Doubles>("doubles");
  print_hash<Halves>("halves");
  print_hash<Integers>("integers");
  print_hash<Lanes>("lanes");
}
