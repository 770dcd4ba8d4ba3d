/* The state of one wavefront, as generated code sees it. The CDNA translator (cdna/) knows these offsets.
 * Generated code for a kernel is `int32_t w2w_kernel(struct w2w_wave *)`: one call runs one wave from the entry to
 * s_endpgm, switching fibres inside w2w_barrier() and w2w_yield(). VGPRs, AGPRs and temporaries live in the
 * function's frame as <64 x i32>; only what a wave starts with is in memory. */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct w2w_counts;

struct w2w_wave {
  uint32_t sgpr[128];       /*    0  initial SGPRs */
  uint64_t vcc;             /*  512 */
  uint64_t exec;            /*  520  initial EXEC; in w2w_yield() from a loop, the current one */
  uint32_t m0;              /*  528 */
  uint32_t scc;             /*  532 */
  char *lds;                /*  536  base of the work-group's LDS */
  char *scratch;            /*  544  base of the wave's scratch: lane l at scratch + l * scratch_stride */
  struct w2w_counts *counters; /* 552  null unless dispatches are counted */
  uint64_t scratch_stride;  /*  560  bytes a lane */
  uint64_t code_base;       /*  568  load address of the code object: s_getpc = code_base + offset */
  int64_t fuel;             /*  576  backward branches left before w2w_yield() */
  uint64_t lds_size;        /*  584  bytes allocated to the work-group */
  uint64_t pc;              /*  592  code-object offset of the last instruction that may fault */
  uint32_t mode;            /*  600  MODE register: rounding and denormal fields */
  uint32_t workgroup[3];    /*  604  work-group id, for reports */
  uint64_t lanes;           /*  616  lanes that have a work-item */
  uint64_t outside_offset;  /*  624  an access of LDS out of bounds, which had no effect: its offset, size (0: none) */
  uint64_t outside_bytes;   /*  632 */
  uint64_t outside_pc;      /*  640  and instruction */
  uint64_t reserved[47];    /*  648 */
  uint32_t v0[64];          /* 1024  packed work-item ids */
};

/* Called by generated code, implemented by the engine. `wave` is always the running one. */
void w2w_barrier(struct w2w_wave *wave);
void w2w_yield(struct w2w_wave *wave);
void w2w_sendmsg(struct w2w_wave *wave, uint32_t message);
void w2w_trap(struct w2w_wave *wave, uint32_t id);
/* An instruction that the translator does not know was reached. Does not return. */
void w2w_unsupported(struct w2w_wave *wave, const char *instruction, uint64_t pc);
uint64_t w2w_realtime(void); /* s_memrealtime, 100 MHz */

#ifdef __cplusplus
}
static_assert(__builtin_offsetof(w2w_wave, code_base) == 568 && __builtin_offsetof(w2w_wave, workgroup) == 604 &&
                  __builtin_offsetof(w2w_wave, v0) == 1024,
              "generated code relies on this layout");
#endif
