// Lanes of a warp that store to one place, as an H200 was measured to decide: a store goes in parts of 128 bytes, and of
// the lanes of one part the first one's value stays.
#include "check.h"

struct alignas(16) Wide { int a, b, c, d; };

template <class T>
__global__ void store(T* out, int share, unsigned mask) {
  __shared__ T scratch[32];
  const int lane = threadIdx.x;
  T value;
  memset(&value, 0, sizeof value);
  scratch[lane] = value;
  __syncwarp();
  const unsigned char number = lane + 1;
  memcpy(&value, &number, 1);
  if (mask >> lane & 1) {
    out[lane / share] = value;
    scratch[lane / share] = value;
  }
  __syncwarp();
  out[32 + lane] = scratch[lane];
}

template <class T>
void run() {
  const int part = sizeof(T) > 4 ? 128 / sizeof(T) : 32;
  for (int share : {1, 2, 4, 8, 16, 32}) {
    for (unsigned mask : {~0u, 0x0ff0fff0u, 0xaaaaaaaau, 0x7fffffffu}) {
      Buffer<T> out(64);
      store<<<1, 32>>>(out.data, share, mask);
      const auto got = out.get();
      for (int place = 0; place < 32 / share; ++place) {
        int first = 0, in_part = -1;  // of the last part
        for (int lane = place * share; lane < (place + 1) * share; ++lane) {
          if (!(mask >> lane & 1) || lane / part == in_part) continue;
          in_part = lane / part;
          first = lane + 1;
        }
        CHECK(*(const unsigned char*)&got[place] == first);
        CHECK(*(const unsigned char*)&got[32 + place] == first);
      }
    }
  }
}

int main() {
  run<unsigned char>();
  run<unsigned short>();
  run<unsigned>();
  run<unsigned long long>();
  run<Wide>();
  return finish();
}
