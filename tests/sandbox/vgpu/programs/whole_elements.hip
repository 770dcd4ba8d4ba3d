// Elements of 8 and 16 bytes are written and read at once: one group counts in all of their words, another one never sees
// words of two counts. Lanes alone, all lanes at one place, lanes side by side and scattered.
#include "check.h"

typedef unsigned two __attribute__((ext_vector_type(2)));
typedef unsigned four __attribute__((ext_vector_type(4)));

__device__ bool torn(two x) { return x[0] != x[1]; }
__device__ bool torn(four x) { return x[0] != x[1] || x[0] != x[2] || x[0] != x[3]; }

__device__ int place(int how, int lane) { return how == 2 ? lane : how == 3 ? lane * 5 % 64 * 3 : 0; }

template <typename T>
__global__ void count(volatile T* shared, int how, unsigned rounds, unsigned* torn_reads) {
  const int lane = threadIdx.x;
  if (how == 0 && lane != 7) return;
  volatile T* mine = shared + place(how, lane);
  if (blockIdx.x == 0) {
    for (unsigned i = 1; i <= rounds; ++i) {
      if (how != 1 || lane == 0) *mine = T(i);
    }
  } else {
    unsigned seen = 0, bad = 0;
    while (seen != rounds) {
      const T x = *mine;
      bad += torn(x);
      seen = x[0];
    }
    if (bad) atomicAdd(torn_reads, bad);
  }
}

template <typename T>
void run(const char* what) {
  for (int how = 0; how < 4; ++how) {
    DeviceVector<T> shared(64 * 3);
    CHECK(hipMemset(shared.data, 0, shared.size * sizeof(T)));
    DeviceVector<unsigned> torn_reads(std::vector<unsigned>{0});
    count<T><<<2, 64>>>(shared.data, how, 50000, torn_reads.data);
    expect_equal(what, torn_reads.host(), {0u});
  }
}

int main() {
  run<two>("8 bytes");
  run<four>("16 bytes");
}
