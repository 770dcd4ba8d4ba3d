// PTX's loads, stores, atomics, copies and mbarriers. One line a form: its name and a hash of what all threads got.
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned u32;
typedef unsigned long long u64;
constexpr int kThreads = 96, kSlots = 8;

struct Args {
  u32 t;
  unsigned char* in;   // 16 bytes a thread, 64 behind
  unsigned char* out;  // 16 bytes a thread, zeros
  u32* cells;          // shared by all threads, with initial values
  u32* result;         // kSlots
};
#define FORM(name)                             \
  struct name {                                \
    __device__ static void run(const Args& a); \
  };                                           \
  __device__ __forceinline__ void name::run(const Args& a)

// ---- loads
#define LOAD32(name, instruction) \
  FORM(name) { asm volatile(instruction " %0, [%1+4];" : "=r"(a.result[0]) : "l"(a.in + 16 * a.t)); }
LOAD32(ld_u32, "ld.u32")
LOAD32(ld_global_u32, "ld.global.u32")
LOAD32(ld_global_nc, "ld.global.nc.u32")
LOAD32(ld_global_ca, "ld.global.ca.u32")
LOAD32(ld_global_cg, "ld.global.cg.u32")
LOAD32(ld_global_cs, "ld.global.cs.s32")
LOAD32(ld_global_cv, "ld.global.cv.b32")
LOAD32(ld_global_lu, "ld.global.lu.b32")
LOAD32(ld_volatile, "ld.volatile.global.u32")
LOAD32(ld_relaxed_gpu, "ld.relaxed.gpu.global.u32")
LOAD32(ld_acquire_sys, "ld.acquire.sys.global.u32")
LOAD32(ld_acquire_cta, "ld.acquire.cta.u32")
LOAD32(ld_weak, "ld.weak.global.u32")
LOAD32(ld_evict_first, "ld.global.L1::evict_first.u32")
LOAD32(ld_evict_last, "ld.global.L1::evict_last.L2::128B.u32")
LOAD32(ld_nc_no_allocate, "ld.global.nc.L1::no_allocate.L2::256B.b32")
LOAD32(ldu_global, "ldu.global.u32")
FORM(ld_narrow) {
  const unsigned char* p = a.in + 16 * a.t;
  asm volatile("ld.global.u8 %0, [%1];" : "=r"(a.result[0]) : "l"(p));
  asm volatile("ld.global.s8 %0, [%1+1];" : "=r"(a.result[1]) : "l"(p));
  asm volatile("ld.global.u16 %0, [%1+2];" : "=r"(a.result[2]) : "l"(p));
  asm volatile("ld.global.s16 %0, [%1+4];" : "=r"(a.result[3]) : "l"(p));
  long long wide;
  asm volatile("ld.global.s32 %0, [%1+8];" : "=l"(wide) : "l"(p));
  a.result[4] = (u32)wide;
  a.result[5] = (u32)(wide >> 32);
}
FORM(ld_v2_b64) {
  u64 x, y;
  asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(a.in + 16 * a.t));
  a.result[0] = (u32)x; a.result[1] = (u32)(x >> 32); a.result[2] = (u32)y; a.result[3] = (u32)(y >> 32);
}
FORM(ld_v4_f32) {
  float4 v;
  asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(a.in + 16 * a.t));
  memcpy(a.result, &v, 16);
}
FORM(ld_v2_u16) {
  unsigned short x, y;
  asm volatile("ld.global.v2.u16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(a.in + 16 * a.t));
  a.result[0] = x | y << 16;
}
FORM(ld_v4_u8) {
  u32 x, y, z, w;
  asm volatile("ld.global.v4.u8 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a.in + 16 * a.t));
  a.result[0] = x | y << 8 | z << 16 | w << 24;
}
FORM(ld_f64) {
  double d;
  asm volatile("ld.global.f64 %0, [%1];" : "=d"(d) : "l"(a.in + 16 * a.t));
  memcpy(a.result, &d, 8);
}
FORM(ld_cache_hint) {
  u64 policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;" : "=r"(a.result[0]), "=r"(a.result[1]) : "l"(a.in + 16 * a.t), "l"(policy));
  asm volatile("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(policy));
  asm volatile("st.global.L2::cache_hint.b32 [%0], %1, %2;" ::"l"(a.out + 16 * a.t), "r"(a.result[1]), "l"(policy) : "memory");
}
// ---- stores
#define STORE32(name, instruction) \
  FORM(name) { asm volatile(instruction " [%0+4], %1;" ::"l"(a.out + 16 * a.t), "r"(a.t * 77 + 5) : "memory"); }
STORE32(st_u32, "st.u32")
STORE32(st_global, "st.global.u32")
STORE32(st_wb, "st.global.wb.u32")
STORE32(st_cg, "st.global.cg.u32")
STORE32(st_cs, "st.global.cs.b32")
STORE32(st_wt, "st.global.wt.s32")
STORE32(st_volatile, "st.volatile.global.u32")
STORE32(st_relaxed, "st.relaxed.gpu.global.u32")
STORE32(st_release, "st.release.sys.global.u32")
STORE32(st_evict_first, "st.global.L1::evict_first.u32")
STORE32(st_no_allocate, "st.global.L1::no_allocate.b32")
FORM(st_narrow) {
  unsigned char* p = a.out + 16 * a.t;
  asm volatile("st.global.u8 [%0], %1;" ::"l"(p), "r"(a.t * 3 + 256) : "memory");
  asm volatile("st.global.u16 [%0+2], %1;" ::"l"(p), "h"((short)(a.t * 5)) : "memory");
  asm volatile("st.global.b64 [%0+8], %1;" ::"l"(p), "l"((u64)a.t << 33 | 1) : "memory");
}
FORM(st_v4_u32) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(a.out + 16 * a.t), "r"(a.t), "r"(a.t + 1), "n"(7), "r"(0) : "memory");
}
FORM(st_v2_f64) {
  asm volatile("st.global.v2.f64 [%0], {%1, %2};" ::"l"(a.out + 16 * a.t), "d"(a.t * 0.5), "d"(1.0) : "memory");
}
FORM(prefetches) {
  const unsigned char* p = a.in + 16 * a.t;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
  asm volatile("prefetch.global.L1 [%0+8];" ::"l"(p));
  asm volatile("prefetchu.L1 [%0];" ::"l"(p));
  a.result[0] = 1;
}
// ---- shared memory by 32-bit addresses
FORM(shared_access) {
  __shared__ __align__(16) u32 box[kThreads * 4];
  u32 address = (u32)__cvta_generic_to_shared(&box[4 * threadIdx.x]);
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(address), "r"(a.t), "r"(a.t * 3) : "memory");
  asm volatile("st.shared.f32 [%0+8], %1;" ::"r"(address), "f"(1.5f * a.t) : "memory");
  asm volatile("st.volatile.shared.u32 [%0+12], %1;" ::"r"(address), "r"(9) : "memory");
  __syncthreads();
  u32 other = address ^ 16;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a.result[0]), "=r"(a.result[1]), "=r"(a.result[2]), "=r"(a.result[3]) : "r"(other));
  asm volatile("{ .reg .u64 g; .reg .u32 s; cvta.to.shared.u64 g, %1; cvt.u32.u64 s, g; ld.shared.u32 %0, [s]; }" : "=r"(a.result[4]) : "l"(&box[4 * threadIdx.x + 1]));
  asm volatile("{ .reg .u64 g; cvt.u64.u32 g, %1; cvta.shared.u64 g, g; ld.u32 %0, [g+8]; }" : "=r"(a.result[5]) : "r"(address));
  asm volatile("{ .reg .pred p, q; isspacep.shared p, %1; isspacep.global q, %2; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }" : "=r"(a.result[6]) : "l"(&box[0]), "l"(a.in));
  __syncthreads();
}
FORM(cvta_global) {
  u64 g;
  asm volatile("cvta.to.global.u64 %0, %1;" : "=l"(g) : "l"(a.in + 16 * a.t));
  asm volatile("{ .reg .u64 p; cvta.global.u64 p, %1; ld.u32 %0, [p]; }" : "=r"(a.result[0]) : "l"(g));
}
// ---- atomics
#define ATOM(name, instruction, value)                                                                        \
  FORM(name) {                                                                                                \
    u32 old;                                                                                                  \
    asm volatile(instruction " %0, [%1], %2;" : "=r"(old) : "l"(&a.cells[a.t % 4]), "r"(value) : "memory");   \
  }
ATOM(atom_add_u32, "atom.global.add.u32", a.t)
ATOM(atom_add_s32, "atom.add.s32", a.t - 50)
ATOM(atom_min_s32, "atom.global.min.s32", a.t * 7 - 300)
ATOM(atom_min_u32, "atom.global.min.u32", a.t + 3)
ATOM(atom_max_s32, "atom.global.max.s32", a.t * 7 - 300)
ATOM(atom_max_u32, "atom.global.max.u32", a.t * 3)
ATOM(atom_and, "atom.global.and.b32", ~(1u << a.t % 32))
ATOM(atom_or, "atom.global.or.b32", 1u << a.t % 32)
ATOM(atom_xor, "atom.global.xor.b32", 1u << a.t % 31)
ATOM(atom_inc, "atom.global.inc.u32", 17)
ATOM(atom_dec, "atom.global.dec.u32", 23)
ATOM(atom_relaxed, "atom.relaxed.gpu.global.add.u32", 5)
ATOM(atom_acq_rel, "atom.acq_rel.sys.global.add.u32", a.t)
ATOM(atom_scope_late, "atom.add.release.gpu.u32", a.t)
FORM(atom_exch) {
  u32 old;
  asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(&a.cells[4 + a.t]), "r"(a.t) : "memory");
  a.result[0] = old;
}
FORM(atom_cas) {
  asm volatile("atom.acquire.cta.global.cas.b32 %0, [%1], %2, %3;" : "=r"(a.result[0]) : "l"(&a.cells[4 + a.t]), "r"(a.t % 2 ? 7u : a.t), "r"(a.t + 1) : "memory");
}
FORM(atom_cas_b64) {
  u64 old;
  asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "l"((u64*)a.cells + 60 + a.t), "l"(0ull), "l"((u64)a.t << 34) : "memory");
  a.result[0] = (u32)old;
}
FORM(atom_cas_b16) {
  unsigned short old;
  asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"((unsigned short*)a.cells + 300 + a.t), "h"((short)0), "h"((short)(a.t + 1)) : "memory");
  a.result[0] = old;
}
FORM(atom_u64) {
  u64 old;
  asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"((u64*)a.cells + 60), "l"((u64)a.t << 30) : "memory");
  asm volatile("atom.global.max.s64 %0, [%1], %2;" : "=l"(old) : "l"((u64*)a.cells + 61), "l"((u64)a.t * 3) : "memory");
  asm volatile("atom.global.or.b64 %0, [%1], %2;" : "=l"(old) : "l"((u64*)a.cells + 62), "l"(1ull << a.t % 64) : "memory");
}
FORM(atom_f32) {
  float old;
  asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(old) : "l"((float*)a.cells + 150), "f"(0.5f) : "memory");
}
FORM(atom_f64) {
  double old;
  asm volatile("atom.global.add.f64 %0, [%1], %2;" : "=d"(old) : "l"((double*)a.cells + 80), "d"(0.25 * a.t) : "memory");
}
FORM(atom_f16x2) {
  u32 old;
  asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(a.cells + 150), "r"(0x38004000) : "memory");
  asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(a.cells + 151), "r"(0x3f804000) : "memory");
  unsigned short half;
  asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(half) : "l"((unsigned short*)(a.cells + 152) + 1), "h"((short)0x3c00) : "memory");
}
FORM(atom_shared) {
  __shared__ u32 box[4];
  if (threadIdx.x < 4) box[threadIdx.x] = 0;
  __syncthreads();
  u32 address = (u32)__cvta_generic_to_shared(&box[a.t % 4]), old;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(address), "r"(a.t) : "memory");
  asm volatile("red.shared.or.b32 [%0], %1;" ::"r"((u32)__cvta_generic_to_shared(&box[3])), "r"(0x10000) : "memory");
  __syncthreads();
  a.result[0] = box[threadIdx.x % 4];
  __syncthreads();
}
#define RED(name, instruction, value) \
  FORM(name) { asm volatile(instruction " [%0], %1;" ::"l"(&a.cells[a.t % 4]), "r"(value) : "memory"); }
RED(red_add, "red.global.add.u32", a.t)
RED(red_release, "red.release.gpu.global.add.s32", a.t)
RED(red_min, "red.global.min.s32", a.t - 40)
RED(red_max, "red.global.max.u32", a.t)
RED(red_and, "red.global.and.b32", ~(2u << a.t % 16))
RED(red_or, "red.relaxed.sys.global.or.b32", 2u << a.t % 16)
RED(red_xor, "red.xor.b32", a.t)
RED(red_inc, "red.global.inc.u32", 11)
RED(red_dec, "red.global.dec.u32", 11)
FORM(red_f32) {
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"((float*)a.cells + 150), "f"(2.0f) : "memory");
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"((double*)a.cells + 80), "d"(2.0) : "memory");
}
FORM(red_v4_f32) {
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"((float*)a.cells + 160), "f"(1.0f), "f"(2.0f), "f"(0.5f), "f"(0.25f) : "memory");
}
// ---- order
FORM(fences) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(a.out + 16 * a.t), "r"(a.t) : "memory");
  asm volatile("membar.cta;" ::: "memory");
  asm volatile("membar.gl;" ::: "memory");
  asm volatile("membar.sys;" ::: "memory");
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("fence.sc.cta;" ::: "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(a.result[0]) : "l"(a.out + 16 * a.t) : "memory");
}
// ---- asynchronous copies
template <int kBytes>
__device__ __forceinline__ void copy(const Args& a, u32 address) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(a.in + 16 * a.t), "n"(kBytes) : "memory");
}
FORM(cp_async) {
  __shared__ __align__(16) u32 box[kThreads * 16];
  u32* mine = box + 16 * threadIdx.x;
  for (int i = 0; i < 16; ++i) mine[i] = 0x77777777;
  u32 address = (u32)__cvta_generic_to_shared(mine);
  copy<4>(a, address);
  copy<8>(a, address + 8);
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(address + 16), "l"(a.in + 16 * a.t) : "memory");
  asm volatile("cp.async.cg.shared::cta.global [%0], [%1], 16, %2;" ::"r"(address + 32), "l"(a.in + 16 * a.t), "r"(a.t % 17) : "memory");
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p; }" ::"r"(address + 48), "l"(a.in + 16 * a.t), "r"(a.t % 2) : "memory");
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  u32 hash = 0;
  const u32* next = box + 16 * ((threadIdx.x + 1) % blockDim.x);
  for (int i = 0; i < 16; ++i) hash = hash * 31 + next[i];
  a.result[0] = hash;
  __syncthreads();
}
FORM(cp_async_bulk) {
  __shared__ __align__(16) u32 box[64];
  __shared__ u64 barrier;
  u32 at = (u32)__cvta_generic_to_shared(&barrier), to = (u32)__cvta_generic_to_shared(box);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to), "l"(a.in), "r"(at) : "memory");
  }
  asm volatile("{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @p bra DONE; bra WAIT; DONE: }" ::"r"(at) : "memory");
  a.result[0] = box[threadIdx.x % 64];
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(a.out), "r"(to) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
  __syncthreads();
}
// ---- mbarrier
FORM(mbarrier_phases) {
  __shared__ u64 barrier;
  __shared__ u32 box[kThreads];
  u32 at = (u32)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
  __syncthreads();
  u32 sum = 0;
  for (u32 phase = 0; phase < 3; ++phase) {
    box[threadIdx.x] = a.t + phase;
    u64 state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    u32 done = 0;
    while (!done) {
      if (phase == 1) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "l"(state) : "memory");
      } else {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "r"(phase & 1) : "memory");
      }
    }
    sum += box[(threadIdx.x + 33) % blockDim.x] * (phase + 1);
    __syncthreads();
  }
  a.result[0] = sum;
  __syncthreads();
}
FORM(mbarrier_counts) {
  __shared__ u64 barriers[kThreads];
  u32 at = (u32)__cvta_generic_to_shared(&barriers[threadIdx.x]), done;
  u64 state;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 5;" ::"r"(at) : "memory");
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], 3;" : "=l"(state) : "r"(at) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(a.result[0]) : "l"(state));
  asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 32;" ::"r"(at) : "memory");
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
#define TEST(slot)                                                                                                   \
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"       \
               : "=r"(done) : "r"(at) : "memory");                                                                   \
  a.result[slot] = done;
  TEST(1)
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 32;" ::"r"(at) : "memory");
  TEST(2)
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], 4;" : "=l"(state) : "r"(at) : "memory");
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(a.result[3]) : "r"(at), "l"(state) : "memory");
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 3;" ::"r"(at) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at) : "memory");
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(at) : "memory");
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
  TEST(4)
  asm volatile("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0, [%1], 16;" : "=l"(state) : "r"(at) : "memory");
  TEST(5)
  asm volatile("mbarrier.complete_tx.shared::cta.b64 [%0], 16;" ::"r"(at) : "memory");
  TEST(6)
  __syncthreads();
}

template <class F>
__global__ void run(unsigned char* in, unsigned char* out, u32* cells, u32* results) {
  Args a;
  u32 result[kSlots] = {};
  a.t = threadIdx.x;
  a.in = in;
  a.out = out;
  a.cells = cells;
  a.result = result;
  F::run(a);
  for (int i = 0; i < kSlots; ++i) results[a.t * kSlots + i] = result[i];
}

typedef void (*Kernel)(unsigned char*, unsigned char*, u32*, u32*);
static void show(const char* name, Kernel kernel) {
  const int kBytes = 16 * kThreads + 64, kCells = 512, kWords = kThreads * kSlots;
  unsigned char* memory;
  const size_t size = 2 * kBytes + 4 * kCells + 4 * kWords;
  if (cudaMalloc((void**)&memory, size) != cudaSuccess) return;
  std::vector<unsigned char> host(size);
  for (int i = 0; i < kBytes; ++i) host[i] = (unsigned char)(i * 167 + 13 + i / 7);
  for (int i = 0; i < 4; ++i) host[2 * kBytes + 4 * i] = (unsigned char)(9 + i);
  cudaMemcpy(memory, host.data(), size, cudaMemcpyHostToDevice);
  kernel<<<1, kThreads>>>(memory, memory + kBytes, (u32*)(memory + 2 * kBytes), (u32*)(memory + 2 * kBytes + 4 * kCells));
  cudaError_t error = cudaMemcpy(host.data(), memory, size, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) printf("%s: %s\n", name, cudaGetErrorString(error));
  u64 hash = 0xcbf29ce484222325ull;
  for (unsigned char v : host) hash = (hash ^ v) * 0x100000001b3ull;
  printf("%s\t%016llx\n", name, hash);
  cudaFree(memory);
}
#define SHOW(name) show(#name, run<name>);
int main() {
  SHOW(ld_u32) SHOW(ld_global_u32) SHOW(ld_global_nc) SHOW(ld_global_ca) SHOW(ld_global_cg) SHOW(ld_global_cs)
  SHOW(ld_global_cv) SHOW(ld_global_lu) SHOW(ld_volatile) SHOW(ld_relaxed_gpu) SHOW(ld_acquire_sys) SHOW(ld_acquire_cta)
  SHOW(ld_weak) SHOW(ld_evict_first) SHOW(ld_evict_last) SHOW(ld_nc_no_allocate) SHOW(ldu_global) SHOW(ld_narrow)
  SHOW(ld_v2_b64) SHOW(ld_v4_f32) SHOW(ld_v2_u16) SHOW(ld_v4_u8) SHOW(ld_f64) SHOW(ld_cache_hint)
  SHOW(st_u32) SHOW(st_global) SHOW(st_wb) SHOW(st_cg) SHOW(st_cs) SHOW(st_wt) SHOW(st_volatile) SHOW(st_relaxed)
  SHOW(st_release) SHOW(st_evict_first) SHOW(st_no_allocate) SHOW(st_narrow) SHOW(st_v4_u32) SHOW(st_v2_f64)
  SHOW(prefetches) SHOW(shared_access) SHOW(cvta_global)
  SHOW(atom_add_u32) SHOW(atom_add_s32) SHOW(atom_min_s32) SHOW(atom_min_u32) SHOW(atom_max_s32) SHOW(atom_max_u32)
  SHOW(atom_and) SHOW(atom_or) SHOW(atom_xor) SHOW(atom_inc) SHOW(atom_dec) SHOW(atom_relaxed) SHOW(atom_acq_rel)
  SHOW(atom_scope_late) SHOW(atom_exch) SHOW(atom_cas) SHOW(atom_cas_b64) SHOW(atom_cas_b16) SHOW(atom_u64)
  SHOW(atom_f32) SHOW(atom_f64) SHOW(atom_f16x2) SHOW(atom_shared)
  SHOW(red_add) SHOW(red_release) SHOW(red_min) SHOW(red_max) SHOW(red_and) SHOW(red_or) SHOW(red_xor) SHOW(red_inc)
  SHOW(red_dec) SHOW(red_f32) SHOW(red_v4_f32) SHOW(fences) SHOW(cp_async) SHOW(cp_async_bulk)
  SHOW(mbarrier_phases) SHOW(mbarrier_counts)
}
