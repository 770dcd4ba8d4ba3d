// PTX instructions of a warp's lanes and of a block, from whole, half-wave-divergent and partial callers.
// One line a form: its name and a hash of what all threads got. No lane reads one that is not in its mask.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned u32;
typedef unsigned long long u64;
constexpr int kSlots = 4;

// The warps of a block together; the even ones and the odd ones in two branches; lanes below 16 and the others.
enum Caller { kWhole, kHalfWave, kSubMask };

#define FORM(name)                                                \
  struct name {                                                   \
    __device__ static void run(u32 t, u32 v, u32 mask, u32* out); \
  };                                                              \
  __device__ __forceinline__ void name::run(u32 t, u32 v, u32 mask, u32* out)

FORM(shfl_bfly) { asm volatile("shfl.sync.bfly.b32 %0, %1, 5, 0x101f, %2;" : "=r"(out[0]) : "r"(v), "r"(mask)); }
FORM(shfl_up) { asm volatile("shfl.sync.up.b32 %0, %1, 3, 0x1000, %2;" : "=r"(out[0]) : "r"(v), "r"(mask)); }
FORM(shfl_down) { asm volatile("shfl.sync.down.b32 %0, %1, 3, 0x101f, %2;" : "=r"(out[0]) : "r"(v), "r"(mask)); }
FORM(shfl_idx) {
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x101f, %3;" : "=r"(out[0]) : "r"(v), "r"(t * 7), "r"(mask));
}
#define PREDICATED(mode, lane, packed)                                                                     \
  FORM(shfl_##mode##_pred) {                                                                               \
    asm volatile("{ .reg .pred p; shfl.sync." #mode ".b32 %0|p, %2, %3, %4, %5; selp.u32 %1, 1, 0, p; }"   \
                 : "=r"(out[0]), "=r"(out[1]) : "r"(v), "r"(lane), "n"(packed), "r"(mask));                \
  }
PREDICATED(up, 3, 0x1800)
PREDICATED(down, 2, 0x1807)
PREDICATED(bfly, 9, 0x1807)
PREDICATED(idx, 6, 0x1c03)
#define VOTE(mode, first, second)                                                                               \
  FORM(vote_##mode) {                                                                                           \
    asm volatile("{ .reg .pred p, q; setp." first ".u32 p, %1, 5; vote.sync." #mode ".pred q, p, %2; selp.u32 %0, 1, 0, q; }" \
                 : "=r"(out[0]) : "r"(t), "r"(mask));                                                           \
    asm volatile("{ .reg .pred p, q; setp." second ".u32 p, %1, 69; vote.sync." #mode ".pred q, !p, %2; selp.u32 %0, 1, 0, q; }" \
                 : "=r"(out[1]) : "r"(t), "r"(mask));                                                           \
  }
VOTE(all, "ne", "eq")
VOTE(any, "eq", "ge")
VOTE(uni, "lt", "gt")
FORM(vote_ballot) {
  asm volatile("{ .reg .pred p; and.b32 %0, %1, 5; setp.eq.u32 p, %0, 1; vote.sync.ballot.b32 %0, p, %2; }"
               : "=&r"(out[0]) : "r"(v), "r"(mask));
}
FORM(match_any_b32) { asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(out[0]) : "r"(v % 5), "r"(mask)); }
FORM(match_any_b64) {
  asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(out[0]) : "l"((u64)(v % 3) << 33), "r"(mask));
}
FORM(match_all_b32) {
  asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.u32 %1, 1, 0, p; }"
               : "=r"(out[0]), "=r"(out[1]) : "r"(t / 64), "r"(mask));
  asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.u32 %1, 1, 0, p; }"
               : "=r"(out[2]), "=r"(out[3]) : "r"(t / 40), "r"(mask));
}
FORM(match_all_b64) {
  asm volatile("match.all.sync.b64 %0, %1, %2;" : "=r"(out[0]) : "l"((u64)(t / 32) << 40), "r"(mask));
}
#define REDUX(op, type)                                                                                         \
  FORM(redux_##op##_##type) {                                                                                   \
    asm volatile("redux.sync." #op "." #type " %0, %1, %2;" : "=r"(out[0]) : "r"(v * 2654435761u), "r"(mask)); \
  }
REDUX(add, u32)
REDUX(add, s32)
REDUX(min, u32)
REDUX(min, s32)
REDUX(max, u32)
REDUX(max, s32)
REDUX(and, b32)
REDUX(or, b32)
REDUX(xor, b32)
FORM(elect_sync) {
  asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }" : "=r"(out[0]), "=r"(out[1]) : "r"(mask));
}
FORM(bar_warp_sync) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); out[0] = v; }
FORM(activemask) {
  u32 active;
  asm volatile("activemask.b32 %0;" : "=r"(active));
  out[0] = active & mask;
}
FORM(lane_registers) {
  u32 a, b, c, d, e;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(out[0]));
  asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(a));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(b));
  asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(c));
  asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(d));
  asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(e));
  out[1] = a ^ (b * 3) ^ (c * 5) ^ (d * 7) ^ (e * 11);
}
FORM(block_registers) {
  asm volatile("mov.u32 %0, %%tid.x; mov.u32 %1, %%ntid.x; mov.u32 %2, %%ctaid.x;" : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]));
  asm volatile("{ .reg .u32 r; mov.u32 r, %%tid.y; mov.u32 %0, %%ctaid.z; add.u32 %0, %0, r; mov.u32 r, %%nctaid.x;"
               " mad.lo.u32 %0, r, 16, %0; mov.u32 r, %%warpid; mad.lo.u32 %0, r, 256, %0; }" : "=&r"(out[3]));
}
FORM(clocks) {
  u32 low, sm, timer_low;
  u64 before, after, timer;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(low));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(before));
  asm volatile("nanosleep.u32 40;");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(after));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(timer_low));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  out[0] = after >= before;
  out[1] = timer != 0 || (low | sm | timer_low);
}

template <class F>
__global__ void run(u32* out, int caller) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, slots[kSlots] = {};
  u32 here = blockDim.x - threadIdx.x / 32 * 32, mask = here >= 32 ? ~0u : (1u << here) - 1;
  u32 v = t * 2654435761u >> 7;
  if (caller == kWhole) {
    F::run(t, v, mask, slots);
  } else if (caller == kHalfWave) {
    if (threadIdx.x / 32 % 2) {
      F::run(t, v, mask, slots);
    } else {
      F::run(t, v ^ 0x55, mask, slots);
    }
  } else {
    if (lane < 16) {
      F::run(t, v, mask & 0xffff, slots);
    } else {
      F::run(t, v + 1, mask & 0xffff0000, slots);
    }
  }
  for (int i = 0; i < kSlots; ++i) out[t * kSlots + i] = slots[i];
}

// Barrier 0 of a whole block, with and without a vote.
__global__ void barriers(u32* out, int) {
  u32 t = threadIdx.x, r[6];
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 21; bar.red.popc.u32 %0, 0, p; }" : "=r"(r[0]) : "r"(t));
  asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 96; bar.red.and.pred q, 0, p; selp.u32 %0, 1, 0, q; }" : "=r"(r[1]) : "r"(t));
  asm volatile("{ .reg .pred p, q; setp.eq.u32 p, %1, 33; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }" : "=r"(r[2]) : "r"(t));
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 21; barrier.cta.red.popc.aligned.u32 %0, 0, !p; }" : "=r"(r[3]) : "r"(t));
  __shared__ u32 box[128];
  box[t] = t * 747796405u + 2891336453u;
  asm volatile("bar.sync 0;" ::: "memory");
  r[4] = box[(t + 40) % blockDim.x];
  asm volatile("barrier.cta.sync.aligned 0;" ::: "memory");
  box[t] = r[4] + t;
  asm volatile("barrier.sync 0;" ::: "memory");
  r[5] = box[(t + 7) % blockDim.x];
  u32 at = (blockIdx.x * blockDim.x + t) * kSlots;
  out[at] = r[0] * 16 + r[1] * 2 + r[2];
  out[at + 1] = r[3];
  out[at + 2] = r[4];
  out[at + 3] = r[5];
}

typedef void (*Kernel)(u32*, int);
static void show(const char* name, Kernel kernel, int callers) {
  static const char* const kCallers[] = {"whole", "half-wave", "sub-mask"};
  static const int kSizes[] = {32, 64, 96, 80};
  const int words = 2 * 128 * kSlots;
  u32* out;
  if (cudaMalloc((void**)&out, words * 4) != cudaSuccess) return;
  std::vector<u32> host(words);
  for (int caller = 0; caller < callers; ++caller) {
    u64 hash = 0xcbf29ce484222325ull;
    for (int threads : kSizes) {
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
#define SHOW(name) show(#name, run<name>, 3);
int main() {
  SHOW(shfl_up) SHOW(shfl_down) SHOW(shfl_bfly) SHOW(shfl_idx)
  SHOW(shfl_up_pred) SHOW(shfl_down_pred) SHOW(shfl_bfly_pred) SHOW(shfl_idx_pred)
  SHOW(vote_all) SHOW(vote_any) SHOW(vote_uni) SHOW(vote_ballot)
  SHOW(match_any_b32) SHOW(match_any_b64) SHOW(match_all_b32) SHOW(match_all_b64)
  SHOW(redux_add_u32) SHOW(redux_add_s32) SHOW(redux_min_u32) SHOW(redux_min_s32)
  SHOW(redux_max_u32) SHOW(redux_max_s32) SHOW(redux_and_b32) SHOW(redux_or_b32) SHOW(redux_xor_b32)
  SHOW(elect_sync) SHOW(bar_warp_sync) SHOW(activemask) SHOW(lane_registers) SHOW(block_registers) SHOW(clocks)
  show("barriers", barriers, 1);
}
