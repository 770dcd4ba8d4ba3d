/* What one thread counts while it runs waves of one dispatch. The CDNA translator (cdna/counting.py) knows the offset
 * of `segments`; `w2w_wave.counters` points to the struct while a program is profiled. */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum w2w_counter {
#define COUNTER(name) name,
#include "counter_names.inc"
#undef COUNTER
  W2W_COUNTERS
};

enum { W2W_MAX_LDS_PHASES = 8, W2W_LDS_WIDTHS = 4 };

/* One row of lds_phases.inc; unused phases have no lanes. */
struct w2w_lds_phases {
  const char *target;
  uint32_t write, bytes, banks;
  uint64_t lanes[W2W_MAX_LDS_PHASES];
};

/* What one access costs: requests by size (32, 64, 128 bytes), the fewest there could be, lanes that share an address
 * with an earlier one; or LDS clocks, those of conflicts, and again shared addresses. */
struct w2w_access_cost {
  uint32_t requests[3], fewest, same_address, cycles, conflict_cycles;
};

/* The last access of one instruction, whose cost the next one has too if its lanes lie the same way: `times` accesses
 * of `exec` lanes are still to be added to the totals. Aligned: it is compared with vectors. */
struct w2w_site {
  uint64_t exec, times;
  uint32_t alignment, bytes, kind, is_lds;
  struct w2w_access_cost cost;
  union {
    uint32_t relative32[64] __attribute__((aligned(64)));
    uint64_t relative64[64];
  };
};

/* What one access touches, for helpers to look up: cache lines by a hash of their number, with a bit for each dword, and
 * words of LDS. What is left of earlier accesses has another epoch. Zeroed once. */
enum { W2W_LINE_SLOTS = 1024, W2W_LDS_WORDS = 40 << 10 };
struct w2w_touched {
  uint64_t tags[W2W_LINE_SLOTS];
  uint32_t words[W2W_LINE_SLOTS];
  uint16_t lds[W2W_LDS_WORDS];
  uint32_t line_epoch, lds_epoch;
};

struct w2w_segment {
  uint64_t entries, lanes;
};

struct w2w_counts {
  uint64_t totals[64];                                         /*   0  by enum w2w_counter */
  const struct w2w_lds_phases *lds[2][W2W_LDS_WIDTHS];         /* 512  [write][bytes a lane / 4 - 1] */
  struct w2w_site *sites;                                      /* 576  by number in the kernel */
  struct w2w_touched *touched;                                 /* 584 */
  uint64_t reserved[6];                                        /* 592 */
  struct w2w_segment segments[];                               /* 640  by number in the kernel */
};

/* How a translated kernel is counted: the symbol `w2w_counter_plan` of its object. */
struct w2w_counter_plan {
  uint32_t version, segments, sites, classes;
  const char *names;     /* of the classes, each zero-terminated */
  const uint8_t *lanes;  /* by class: 1 if it counts active lanes rather than waves */
  const uint16_t *mix;   /* for each segment: number of pairs, then pairs of class and weight */
};

enum { W2W_COUNTER_PLAN_VERSION = 1 };

/* What an access of `exec` lanes costs; `addresses` as the device sees them. Lanes outside of LDS cost nothing. */
void w2w_global_cost(struct w2w_touched *touched, uint64_t exec, const uint64_t *addresses, uint32_t bytes,
                     struct w2w_access_cost *cost);
void w2w_lds_cost(struct w2w_touched *touched, const struct w2w_lds_phases *phases, uint64_t exec,
                  const uint32_t *addresses, uint32_t bytes, int atomic, struct w2w_access_cost *cost);

/* Add to the totals what `sites` sites still hold. */
void w2w_add_sites(struct w2w_counts *counts, uint32_t sites);

#ifdef __cplusplus
}
static_assert(W2W_COUNTERS <= 64 && __builtin_offsetof(w2w_counts, segments) == 640,
              "generated code relies on this layout");
#endif
