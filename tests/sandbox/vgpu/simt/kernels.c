/* Kernels as the CDNA translator would make them, by hand: -DKERNEL=name picks
 * the one that becomes w2w_kernel. */
#include "simt/wave_state.h"

struct arguments {
  volatile uint32_t* out;
  uint32_t n;
};

/* The descriptors of the tests ask for the kernarg pointer as first user SGPRs,
 * then the three group ids. */
static struct arguments* arguments(struct w2w_wave* w) {
  return (struct arguments*)(w->sgpr[0] | (uint64_t)w->sgpr[1] << 32);
}
static uint32_t group(struct w2w_wave* w) { return w->workgroup[0]; }
static int active(struct w2w_wave* w, int lane) { return w->exec >> lane & 1; }
static void loop_back(struct w2w_wave* w) {
  if (--w->fuel <= 0) w2w_yield(w);
}

static uint32_t shared_word(struct w2w_wave* w, uint32_t byte) { return *(volatile uint32_t*)(w->lds + byte); }

/* One word a work-item, in the order in which the work-items of a
 * one-dimensional grid of groups come. */
static int work_items(struct w2w_wave* w) {
  uint32_t wave = w->v0[0] & 1023;
  for (int l = 0; l < 64; ++l)
    if (active(w, l)) arguments(w)->out[group(w) * arguments(w)->n + wave + l] = w->v0[l] | 0x80000000;
  return 0;
}

static int registers(struct w2w_wave* w) {
  for (int i = 0; i < 24; ++i) arguments(w)->out[i] = w->sgpr[i];
  arguments(w)->out[24] = w->mode;
  arguments(w)->out[25] = (uint32_t)w->lds_size;
  arguments(w)->out[26] = (uint32_t)w->scratch_stride;
  arguments(w)->out[27] = w->scratch && !((uint64_t)w->scratch & 15);
  return 0;
}

/* Each wave stores to LDS; after the barrier the first one sums. Waves with an
 * odd number end before it. */
static int barrier(struct w2w_wave* w) {
  uint32_t wave = (w->v0[0] & 1023) / 64;
  ((volatile uint32_t*)w->lds)[wave] = wave + 1;
  if (wave & 1) return 0;
  w2w_barrier(w);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < arguments(w)->n; ++i) sum += ((volatile uint32_t*)w->lds)[i];
  arguments(w)->out[group(w) * arguments(w)->n + wave] = sum;
  return 0;
}

/* Every group arrives and waits for all the others. */
static int grid_wait(struct w2w_wave* w) {
  struct arguments* a = arguments(w);
  __atomic_fetch_add(&a->out[0], 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&a->out[0], __ATOMIC_SEQ_CST) != a->n) loop_back(w);
  __atomic_fetch_add(&a->out[1], 1, __ATOMIC_SEQ_CST);
  return 0;
}

/* The same with s_sleep in the loop. */
static int grid_wait_sleep(struct w2w_wave* w) {
  struct arguments* a = arguments(w);
  __atomic_fetch_add(&a->out[0], 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&a->out[0], __ATOMIC_SEQ_CST) != a->n) w2w_yield(w);
  __atomic_fetch_add(&a->out[1], 1, __ATOMIC_SEQ_CST);
  return 0;
}

/* The same with a barrier in the loop: its waves never spin alone. */
static int grid_wait_barrier(struct w2w_wave* w) {
  struct arguments* a = arguments(w);
  if ((w->v0[0] & 1023) == 0) __atomic_fetch_add(&a->out[0], 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&a->out[0], __ATOMIC_SEQ_CST) != a->n) {
    w2w_barrier(w);
    loop_back(w);
  }
  __atomic_fetch_add(&a->out[1], 1, __ATOMIC_SEQ_CST);
  return 0;
}

void w2w_gws_init(struct w2w_wave* w, uint32_t resource, uint32_t value);
void w2w_gws_barrier(struct w2w_wave* w, uint32_t resource, uint32_t value);
void w2w_gws_sema_v(struct w2w_wave* w, uint32_t resource, uint32_t value);
void w2w_gws_sema_p(struct w2w_wave* w, uint32_t resource, uint32_t value);
void w2w_gws_sema_br(struct w2w_wave* w, uint32_t resource, uint32_t value);
void w2w_gws_sema_release_all(struct w2w_wave* w, uint32_t resource, uint32_t value);

/* The first group sets a resource of global wave sync up, the others wait for that. */
static void set_up(struct w2w_wave* w, uint32_t resource, uint32_t value) {
  struct arguments* a = arguments(w);
  if (group(w) == 0) {
    w2w_gws_init(w, resource, value);
    __atomic_store_n(&a->out[1], 1, __ATOMIC_SEQ_CST);
  }
  while (!__atomic_load_n(&a->out[1], __ATOMIC_SEQ_CST)) loop_back(w);
}

/* All waves meet three times. */
static int sync_barrier(struct w2w_wave* w) {
  struct arguments* a = arguments(w);
  set_up(w, 3, a->n - 1);
  for (uint32_t round = 1; round <= 3; ++round) {
    __atomic_fetch_add(&a->out[0], 1, __ATOMIC_SEQ_CST);
    w2w_gws_barrier(w, 3, a->n - 1);
    if (__atomic_load_n(&a->out[0], __ATOMIC_SEQ_CST) < round * a->n) a->out[2] = round;
  }
  return 0;
}

/* One wave at a time is between P and V; it gives way there. */
static int sync_semaphore(struct w2w_wave* w) {
  struct arguments* a = arguments(w);
  set_up(w, 5, 1);
  w2w_gws_sema_p(w, 5, 0);
  uint32_t old = a->out[0];
  w2w_yield(w);
  a->out[0] = old + 1;
  w2w_gws_sema_v(w, 5, 0);
  return 0;
}

/* The first group lets half of the others through, then all. */
static int sync_release(struct w2w_wave* w) {
  struct arguments* a = arguments(w);
  set_up(w, 7, 0);
  if (group(w) != 0) {
    w2w_gws_sema_p(w, 7, 0);
    __atomic_fetch_add(&a->out[0], 1, __ATOMIC_SEQ_CST);
    return 0;
  }
  w2w_gws_sema_br(w, 7, a->n / 2);
  while (__atomic_load_n(&a->out[0], __ATOMIC_SEQ_CST) < a->n / 2) loop_back(w);
  while (__atomic_load_n(&a->out[0], __ATOMIC_SEQ_CST) < a->n - 1) {
    w2w_gws_sema_release_all(w, 7, 0);
    w2w_yield(w);
  }
  return 0;
}

/* What LDS holds before anything was stored to it; then something is. */
static int lds_start(struct w2w_wave* w) {
  arguments(w)->out[group(w)] = shared_word(w, 4);
  *(volatile uint32_t*)(w->lds + 4) = 1;
  return 0;
}

static int empty(struct w2w_wave* w) {
  (void)w;
  return 0;
}

static int order(struct w2w_wave* w) {
  uint32_t turn = __atomic_fetch_add(&arguments(w)->out[0], 1, __ATOMIC_SEQ_CST);
  arguments(w)->out[1 + turn] = (w->v0[0] & 1023) / 64;
  return 0;
}

/* Rounding is a wave's own: wave 0 rounds up and yields, wave 1 must not
 * notice. */
static int rounding(struct w2w_wave* w) {
  uint32_t wave = (w->v0[0] & 1023) / 64;
  uint32_t csr = __builtin_ia32_stmxcsr();
  if (wave == 0) __builtin_ia32_ldmxcsr(csr | 0x4000);
  w2w_yield(w);
  arguments(w)->out[wave] = __builtin_ia32_stmxcsr() & 0x6000;
  return 0;
}

static int lds_bounds(struct w2w_wave* w) {
  w->pc = 0x1a4;
  arguments(w)->out[0] = shared_word(w, arguments(w)->n);
  return 0;
}
static int past_end(struct w2w_wave* w) {
  w->pc = 0x1a8;
  arguments(w)->out[arguments(w)->n] = 1;
  return 0;
}
static int null_pointer(struct w2w_wave* w) {
  w->pc = 0x1ac;
  *(volatile uint32_t*)(uint64_t)(arguments(w)->n) = 1;
  return 0;
}
static int not_canonical(struct w2w_wave* w) {
  w->pc = 0x1b0;
  *(volatile uint32_t*)(0x8000000000000000ull | arguments(w)->n) = 1;
  return 0;
}
static int scratch_bounds(struct w2w_wave* w) {
  ((volatile char*)w->scratch)[w->scratch_stride * 64] = 1;
  return 0;
}
__attribute__((noinline)) static uint32_t recurse(uint32_t n) {
  volatile uint32_t frame[1024] = {n};
  return n ? recurse(n - 1) + frame[n & 1023] : 0;
}
static int stack_overflow(struct w2w_wave* w) {
  arguments(w)->out[0] = recurse(arguments(w)->n);
  return 0;
}
static int illegal(struct w2w_wave* w) {
  (void)w;
  __asm__ volatile("ud2");
  return 0;
}
static int trap(struct w2w_wave* w) {
  w->pc = 0x1b4;
  w2w_trap(w, 2);
  return 0;
}
static int unsupported(struct w2w_wave* w) {
  w2w_unsupported(w, "v_frobnicate_b32 v0, v1", 0x1b8);
  return 0;
}
static int forever(struct w2w_wave* w) {
  w->pc = 0x1bc;
  while (arguments(w)->out[0] == 0) loop_back(w);
  return 0;
}
/* Long, but not for ever: n million rounds of a sum that nothing else knows. */
static int compute(struct w2w_wave* w) {
  uint32_t sum = 1;
  for (uint32_t i = 0; i < arguments(w)->n * 1000000; ++i) {
    sum = sum * 1664525 + 1013904223;
    loop_back(w);
  }
  arguments(w)->out[0] = sum;
  return 0;
}

int32_t w2w_kernel(struct w2w_wave* w) { return KERNEL(w); }
