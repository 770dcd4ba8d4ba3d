/* The cost functions of helpers_count.c for ctypes, and the rows of lds_phases.inc. */
#include <string.h>

#include "simt/helpers_count.c"

static const struct w2w_lds_phases kRows[] = {
#define PHASES(target, write, bytes, banks, ...) {#target, write, bytes, banks, {__VA_ARGS__}},
#include "simt/lds_phases.inc"
#undef PHASES
};

static struct w2w_touched touched;

static const struct w2w_lds_phases *find(const char *target, uint32_t write, uint32_t bytes) {
  const struct w2w_lds_phases *found = 0;
  for (unsigned n = 0; n < sizeof kRows / sizeof *kRows; n++) {
    if (strcmp(kRows[n].target, target) || kRows[n].write != write || kRows[n].bytes != bytes) continue;
    if (found) return 0; /* twice */
    found = &kRows[n];
  }
  return found;
}

/* banks, then the lanes of each phase; 0 if the row is missing or stands twice. */
int phases_of_row(const char *target, uint32_t write, uint32_t bytes, uint64_t out[1 + W2W_MAX_LDS_PHASES]) {
  const struct w2w_lds_phases *row = find(target, write, bytes);
  if (!row) return 0;
  out[0] = row->banks;
  memcpy(out + 1, row->lanes, sizeof row->lanes);
  return 1;
}

void global_cost(uint64_t exec, const uint64_t *addresses, uint32_t bytes, struct w2w_access_cost *cost) {
  w2w_global_cost(&touched, exec, addresses, bytes, cost);
}

void lds_cost(const char *target, int kind, uint64_t exec, const uint32_t *addresses, uint32_t bytes,
              struct w2w_access_cost *cost) {
  w2w_lds_cost(&touched, find(target, kind != kRead, bytes < 4 ? 4 : bytes), exec, addresses, bytes, kind == kAtomic, cost);
}
