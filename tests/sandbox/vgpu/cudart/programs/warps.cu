// Warp operations with full and partial masks, in divergent code, with lanes that have ended.
#include "check.h"

__global__ void shuffles(int* out) {
  int lane = threadIdx.x & 31;
  out[threadIdx.x] = __shfl_up_sync(~0u, lane, 3) + 100 * __shfl_down_sync(~0u, lane, 5, 16) +
                     10000 * __shfl_xor_sync(~0u, lane, 6) + 1000000 * __shfl_sync(~0u, lane, 9, 8);
}
__global__ void votes(unsigned* out) {
  int lane = threadIdx.x & 31;
  unsigned b = __ballot_sync(~0u, lane % 3 == 0);
  int all = __all_sync(~0u, lane < 32), any = __any_sync(~0u, lane == 40), uni = __all_sync(~0u, lane < 9);
  out[threadIdx.x] = b ^ (all << 1) ^ (any << 2) ^ (uni << 3);
}
__global__ void partial(int* out) {
  int lane = threadIdx.x;
  if (lane < 10) {
    out[lane] = __reduce_add_sync(0x3ff, lane);
  } else if (lane < 20) {
    unsigned mask = 0xffc00;
    int v = lane;
    for (int d = 8; d; d >>= 1) v = max(v, __shfl_xor_sync(mask, v, d));
    out[lane] = __popc(__match_any_sync(mask, lane & 1)) * 100 + __popc(__activemask());
  } else {
    if (lane > 25) return;  // the rest goes on without them
    out[lane] = __ballot_sync(~0u << 20, 1) != 0;
    __syncwarp(0x3f00000);
    out[lane] += __reduce_max_sync(0x3f00000, lane) + 1000;
  }
}
__global__ void matches(unsigned* out) {
  int pred;
  unsigned any = __match_any_sync(~0u, threadIdx.x / 8), all = __match_all_sync(~0u, 7, &pred);
  out[threadIdx.x] = any + (all == ~0u) + pred;
  int no;
  __match_all_sync(~0u, threadIdx.x, &no);
  out[threadIdx.x] += 4 * no;
}
__global__ void volatile_reduction(int* out, const int* in) {
  __shared__ volatile int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {  // counts on the lanes going in step
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) *out = s[0];
}
__global__ void lock_by_thread(int* lock, int* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int*)count += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
__global__ void elected(int* out) {
  unsigned leader, is;
  asm volatile("{.reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p;}" : "=r"(leader), "=r"(is) : "r"(~0u));
  out[threadIdx.x] = leader * 10 + is;
}

// Groups of a warp, each with a mask of its own, at one instruction.
__global__ void groups(int* out, int width) {
  const int lane = threadIdx.x, value = lane * 41 % 77 - 30;
  const unsigned mask = (width == 32 ? ~0u : (1u << width) - 1) << lane / width * width;
  int* mine = out + lane * 8;
  mine[0] = __reduce_max_sync(mask, value);
  mine[1] = __reduce_add_sync(mask, value);
  mine[2] = __reduce_or_sync(mask, unsigned(value));
  mine[3] = __ballot_sync(mask, value > 0);
  mine[4] = __any_sync(mask, value == 46);
  mine[5] = __all_sync(mask, value < 45);
  mine[6] = __match_any_sync(mask, value & 3);
  mine[7] = __shfl_xor_sync(mask, value, width / 2);
}

void check_groups(int width) {
  Buffer<int> out(256);
  groups<<<1, 32>>>(out.data, width);
  const auto r = out.get();
  for (int lane = 0; lane < 32; ++lane) {
    int most = -1000, sum = 0, bits = 0, positive = 0, any = 0, all = 1, same = 0;
    const auto value = [](int at) { return at * 41 % 77 - 30; };
    for (int at = lane / width * width; at < lane / width * width + width; ++at) {
      most = value(at) > most ? value(at) : most;
      sum += value(at), bits |= value(at), any |= value(at) == 46, all &= value(at) < 45;
      positive |= (value(at) > 0) << at;
      same |= ((value(at) & 3) == (value(lane) & 3)) << at;
    }
    const int* mine = r.data() + lane * 8;
    CHECK(mine[0] == most && mine[1] == sum && mine[2] == bits && mine[3] == positive);
    CHECK(mine[4] == any && mine[5] == all && mine[6] == same && mine[7] == value(lane ^ width / 2));
  }
}

int main() {
  for (int width : {32, 16, 8, 4, 2}) check_groups(width);
  Buffer<int> out(64);
  shuffles<<<1, 64>>>(out.data);
  auto r = out.get();
  for (int t = 0; t < 64; ++t) {
    int lane = t & 31, up = lane < 3 ? lane : lane - 3, down = (lane & 15) + 5 > 15 ? lane : lane + 5;
    CHECK(r[t] == up + 100 * down + 10000 * (lane ^ 6) + 1000000 * ((lane & ~7) | 1));
  }
  Buffer<unsigned> u(32);
  votes<<<1, 32>>>(u.data);
  CHECK(u.get()[4] == (0x49249249u ^ 2));
  partial<<<1, 32>>>(out.data);
  r = out.get();
  CHECK(r[3] == 45 && r[15] == 510 && r[22] == 1026);
  matches<<<1, 32>>>(u.data);
  CHECK(u.get()[9] == 0xff00 + 2);
  std::vector<int> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = i * i;
  Buffer<int> in(numbers);
  volatile_reduction<<<1, 64>>>(out.data, in.data);
  CHECK(out.get()[0] == 85344);
  Buffer<int> lock(2);
  lock_by_thread<<<3, 96>>>(lock.data, lock.data + 1);
  CHECK(lock.get()[1] == 288);
  elected<<<1, 32>>>(out.data);
  CHECK(out.get()[0] == 1 && out.get()[5] == 0);
  return finish();
}
