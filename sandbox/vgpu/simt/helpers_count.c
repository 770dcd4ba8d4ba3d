/* Counting of memory accesses: w2w_count_<space>(wave, exec, [addresses, offset,] what), called at the end of a block
 * while a program is profiled. `what`: a number of the access in its kernel (bits 31:0), bytes a lane (39:32), kind
 * (47:40), and how many accesses of the same cost the block has (63:48).
 *
 * Most instructions access memory in the same way each time they run: lanes lie the same way relative to the first and
 * to a cache line. Then the cost is that of the last time, and it is only noted that it happened again. */
#include "counts.h"
#include "helpers.h"

enum { kRead, kWrite, kAtomic };
enum { kLineBytes = 128, kLineBits = 7, kLineNumberBits = 48 };
#define ALL_LANES (~UINT64_C(0))

static inline uint32_t number_of(uint64_t what) { return (uint32_t)what; }
static inline uint32_t bytes_of(uint64_t what) { return what >> 32 & 0xff; }
static inline uint32_t kind_of(uint64_t what) { return what >> 40 & 0xff; }
static inline uint64_t times_of(uint64_t what) { return what >> 48; }

static inline uint64_t lanes_of(uint64_t exec) { return (uint64_t)__builtin_popcountll(exec); }

static inline int first_of(uint64_t exec) { return __builtin_ctzll(exec); }

static inline const struct w2w_lds_phases *phases_of(const struct w2w_counts *counts, uint32_t bytes, uint32_t kind) {
  return counts->lds[kind != kRead][bytes <= 4 ? 0 : bytes / 4 - 1];
}

/* ---- global memory: cache lines --------------------------------------------------------------------------------- */

/* Lines of one access, by their slots in the order of first touch. */
struct lines {
  struct w2w_touched *touched;
  uint64_t epoch; /* in the upper bits of tags */
  uint32_t count;
  uint16_t slots[2 * kLanes];
};

static inline void start_lines(struct lines *lines, struct w2w_touched *touched) {
  if (++touched->line_epoch >> (64 - kLineNumberBits)) {
    memset(touched->tags, 0, sizeof touched->tags);
    touched->line_epoch = 1;
  }
  lines->touched = touched;
  lines->epoch = (uint64_t)touched->line_epoch << kLineNumberBits;
  lines->count = 0;
}

/* Lines that follow each other take slots that do. */
static inline uint32_t slot_of(uint64_t number) { return (uint32_t)(number ^ number >> 10 ^ number >> 20) % W2W_LINE_SLOTS; }

/* Mark dwords of a line; whether all of them were marked before. */
static inline uint32_t mark(struct lines *lines, uint64_t number, uint32_t slot, uint32_t wanted) {
  struct w2w_touched *touched = lines->touched;
  uint64_t tag = number | lines->epoch;
  while (touched->tags[slot] != tag) {
    if (touched->tags[slot] >> kLineNumberBits != lines->epoch >> kLineNumberBits) {
      touched->tags[slot] = tag;
      touched->words[slot] = wanted;
      lines->slots[lines->count++] = (uint16_t)slot;
      return 0;
    }
    slot = (slot + 1) % W2W_LINE_SLOTS;
  }
  uint32_t known = (touched->words[slot] & wanted) == wanted;
  touched->words[slot] |= wanted;
  return known;
}

/* Bits `first` to `last`. */
static inline uint32_t bit_range(uint32_t first, uint32_t last) { return (~0u >> (31 - last)) & (~0u << first); }

/* Marks what lanes touch, each within one line. The number of lanes that touch only what earlier ones did. */
static inline uint32_t mark_lanes(struct lines *lines, uint64_t exec, const uint64_t *addresses, uint32_t bytes) {
  uint32_t slots[kLanes], wanted[kLanes], known = 0;
  W2W_EACH_LANE(lane) {
    uint32_t within = addresses[lane] % kLineBytes;
    slots[lane] = slot_of(addresses[lane] >> kLineBits);
    wanted[lane] = bit_range(within >> 2, ((within + bytes - 1) >> 2) & 31);
  }
  W2W_EACH_ACTIVE_LANE(lane, exec) known += mark(lines, addresses[lane] >> kLineBits, slots[lane], wanted[lane]);
  return known;
}

/* The same where lanes may touch two lines. */
static uint32_t mark_crossing_lanes(struct lines *lines, uint64_t exec, const uint64_t *addresses, uint32_t bytes) {
  uint32_t known = 0;
  W2W_EACH_ACTIVE_LANE(lane, exec) {
    uint64_t first = addresses[lane] >> 2, last = (addresses[lane] + bytes - 1) >> 2, line = first >> 5;
    uint32_t end = line == last >> 5 ? last & 31 : 31;
    uint32_t all_known = mark(lines, line, slot_of(line), bit_range(first & 31, end));
    if (line != last >> 5) all_known &= mark(lines, last >> 5, slot_of(last >> 5), bit_range(0, last & 31));
    known += all_known;
  }
  return known;
}

static inline int crosses_lines(uint64_t exec, const uint64_t *addresses, uint32_t bytes) {
  uint64_t crossing = 0;
  W2W_EACH_LANE(lane) crossing |= (uint64_t)(addresses[lane] % kLineBytes + bytes > kLineBytes) << lane;
  return (crossing & exec) != 0;
}

/* 0, 1, 2 for the smallest aligned part of a line, 32, 64 or 128 bytes, that holds the dwords. */
static inline int request_size(uint32_t words) {
  int lower_half = (words & 0xffff) != 0, upper_half = words >> 16 != 0;
  if (lower_half && upper_half) return 2;
  uint32_t half = lower_half ? words : words >> 16;
  return (half & 0xff) && (half & 0xff00);
}

void w2w_global_cost(struct w2w_touched *touched, uint64_t exec, const uint64_t *addresses, uint32_t bytes,
                     struct w2w_access_cost *cost) {
  struct lines lines;
  start_lines(&lines, touched);
  uint32_t same = crosses_lines(exec, addresses, bytes) ? mark_crossing_lanes(&lines, exec, addresses, bytes)
                                                         : mark_lanes(&lines, exec, addresses, bytes);
  uint32_t words = 0;
  uint64_t requests = 0; /* 16 bits a size: a chain of additions in a register */
  for (uint32_t n = 0; n < lines.count; n++) {
    uint32_t of_line = touched->words[lines.slots[n]];
    words += (uint32_t)__builtin_popcount(of_line);
    requests += UINT64_C(1) << (16 * request_size(of_line));
  }
  memset(cost, 0, sizeof *cost);
  for (int size = 0; size < 3; size++) cost->requests[size] = requests >> (16 * size) & 0xffff;
  cost->fewest = (4 * words + kLineBytes - 1) / kLineBytes;
  cost->same_address = same;
}

/* ---- LDS: banks ---------------------------------------------------------------------------------------------------- */

enum { kMaxBanks = 64 };

static inline uint32_t start_phase(struct w2w_touched *touched) {
  if (++touched->lds_epoch > UINT16_MAX) {
    memset(touched->lds, 0, sizeof touched->lds);
    touched->lds_epoch = 1;
  }
  return touched->lds_epoch;
}

static inline uint32_t largest(const uint8_t values[kMaxBanks]) {
  uint8_t most = 0;
  for (int n = 0; n < kMaxBanks; n++) most = values[n] > most ? values[n] : most;
  return most;
}

/* A bank gives one word a clock; lanes that read the same word share it, atomics on it come one after the other. */
void w2w_lds_cost(struct w2w_touched *touched, const struct w2w_lds_phases *phases, uint64_t exec,
                  const uint32_t *addresses, uint32_t bytes, int atomic, struct w2w_access_cost *cost) {
  uint32_t cycles = 0, conflicts = 0, same = 0;
  for (int phase = 0; phase < W2W_MAX_LDS_PHASES; phase++) {
    uint64_t lanes = exec & phases->lanes[phase];
    if (!lanes) continue;
    uint32_t epoch = start_phase(touched);
    uint8_t clocks[kMaxBanks] = {0};
    W2W_EACH_ACTIVE_LANE(lane, lanes) {
      uint32_t first = addresses[lane] >> 2, last = (uint32_t)((addresses[lane] + (uint64_t)bytes - 1) >> 2);
      if (last >= W2W_LDS_WORDS) continue;
      uint32_t all_known = 1;
      for (uint32_t word = first; word <= last; word++) {
        uint32_t is_known = touched->lds[word] == epoch;
        touched->lds[word] = (uint16_t)epoch;
        clocks[word & (phases->banks - 1)] += (uint8_t)(atomic | !is_known);
        all_known &= is_known;
      }
      same += all_known;
    }
    uint32_t longest = largest(clocks);
    cycles += longest;
    conflicts += longest > 1 ? longest - 1 : 0;
  }
  memset(cost, 0, sizeof *cost);
  cost->cycles = cycles;
  cost->conflict_cycles = conflicts;
  cost->same_address = same;
}

/* ---- totals --------------------------------------------------------------------------------------------------------- */

static void add_global(struct w2w_counts *counts, const struct w2w_access_cost *cost, uint64_t times, uint64_t exec,
                       uint32_t bytes, uint32_t kind) {
  uint64_t *totals = counts->totals + kind;
  totals[W2W_GLOBAL_READ_BYTES] += times * lanes_of(exec) * bytes;
  totals[W2W_GLOBAL_READ_REQ_32B] += times * cost->requests[0];
  totals[W2W_GLOBAL_READ_REQ_64B] += times * cost->requests[1];
  totals[W2W_GLOBAL_READ_REQ_128B] += times * cost->requests[2];
  totals[W2W_GLOBAL_READ_REQ_MIN] += times * cost->fewest;
  if (kind != kAtomic) return;
  counts->totals[W2W_GLOBAL_ATOMIC_LANES] += times * lanes_of(exec);
  counts->totals[W2W_GLOBAL_ATOMIC_SAME_ADDRESS] += times * cost->same_address;
}

static void add_lds(struct w2w_counts *counts, const struct w2w_access_cost *cost, uint64_t times, uint64_t exec,
                    uint32_t bytes, uint32_t kind) {
  uint64_t *totals = counts->totals + kind;
  totals[W2W_LDS_READ_BYTES] += times * lanes_of(exec) * bytes;
  totals[W2W_LDS_READ_CYCLES] += times * cost->cycles;
  totals[W2W_LDS_READ_CONFLICT_CYCLES] += times * cost->conflict_cycles;
  if (kind != kAtomic) return;
  counts->totals[W2W_LDS_ATOMIC_LANES] += times * lanes_of(exec);
  counts->totals[W2W_LDS_ATOMIC_SAME_ADDRESS] += times * cost->same_address;
}

static void add_site(struct w2w_counts *counts, struct w2w_site *site) {
  if (!site->times) return;
  (site->is_lds ? add_lds : add_global)(counts, &site->cost, site->times, site->exec, site->bytes, site->kind);
  site->times = 0;
}

void w2w_add_sites(struct w2w_counts *counts, uint32_t sites) {
  for (uint32_t n = 0; n < sites; n++) add_site(counts, &counts->sites[n]);
}

/* ---- the last access of a site ---------------------------------------------------------------------------------------- */

/* Whether the active lanes lie as they did. */
#define DEFINE_LIES_AS_BEFORE(bits)                                                                             \
  static inline int lies_as_before##bits(const struct w2w_site *site, uint64_t exec, const uint##bits##_t *addresses, \
                                         uint32_t alignment) {                                                  \
    if (!site->times || site->exec != exec || site->alignment != alignment) return 0;                           \
    uint##bits##_t first = addresses[first_of(exec)], different = 0;                                            \
    if (exec == ALL_LANES) {                                                                                    \
      W2W_EACH_LANE(lane) different |= (addresses[lane] - first) ^ site->relative##bits[lane];                  \
    } else {                                                                                                    \
      W2W_EACH_LANE(lane) different |= ((addresses[lane] - first) ^ site->relative##bits[lane]) &               \
                                       (0 - (uint##bits##_t)(exec >> lane & 1));                                \
    }                                                                                                           \
    return !different;                                                                                          \
  }                                                                                                             \
  static inline void remember##bits(struct w2w_site *site, uint64_t exec, const uint##bits##_t *addresses,      \
                                    uint32_t alignment, uint64_t what) {                                        \
    uint##bits##_t first = addresses[first_of(exec)];                                                           \
    site->exec = exec;                                                                                          \
    site->times = times_of(what);                                                                               \
    site->alignment = alignment;                                                                                \
    site->bytes = bytes_of(what);                                                                               \
    site->kind = kind_of(what);                                                                                 \
    W2W_EACH_LANE(lane) site->relative##bits[lane] = addresses[lane] - first;                                   \
  }
DEFINE_LIES_AS_BEFORE(32)
DEFINE_LIES_AS_BEFORE(64)

/* ---- what generated code calls ---------------------------------------------------------------------------------------- */

/* Offsets from a scalar base wrap at 32 bits nowhere: where all lanes lie as before, so do their addresses. */
#define DEFINE_COUNT_GLOBAL(space, bits)                                                                         \
  void w2w_count_##space(struct w2w_wave *wave, uint64_t exec, const uint##bits##_t *addresses, uint64_t offset, \
                         uint64_t what) {                                                                        \
    if (!exec) return;                                                                                           \
    struct w2w_site *site = &wave->counters->sites[number_of(what)];                                             \
    uint32_t alignment = (uint32_t)(addresses[first_of(exec)] + offset) % kLineBytes;                            \
    if (lies_as_before##bits(site, exec, addresses, alignment)) {                                                \
      site->times += times_of(what);                                                                             \
      return;                                                                                                    \
    }                                                                                                            \
    add_site(wave->counters, site);                                                                              \
    remember##bits(site, exec, addresses, alignment, what);                                                      \
    uint64_t places[kLanes];                                                                                     \
    W2W_EACH_LANE(lane) places[lane] = addresses[lane] + offset;                                                 \
    w2w_global_cost(wave->counters->touched, exec, places, bytes_of(what), &site->cost);                         \
  }
DEFINE_COUNT_GLOBAL(global, 64)
DEFINE_COUNT_GLOBAL(base, 32)

/* All banks are alike: where the first lane is matters only if it is not at the start of a word. */
void w2w_count_lds(struct w2w_wave *wave, uint64_t exec, const uint32_t *offsets, uint64_t offset, uint64_t what) {
  if (!exec) return;
  struct w2w_counts *counts = wave->counters;
  struct w2w_site *site = &counts->sites[number_of(what)];
  uint32_t alignment = (offsets[first_of(exec)] + (uint32_t)offset) % 4;
  if (lies_as_before32(site, exec, offsets, alignment)) {
    site->times += times_of(what);
    return;
  }
  add_site(counts, site);
  remember32(site, exec, offsets, alignment, what);
  site->is_lds = 1;
  uint32_t places[kLanes], bytes = site->bytes, kind = site->kind;
  W2W_EACH_LANE(lane) places[lane] = offsets[lane] + (uint32_t)offset;
  w2w_lds_cost(counts->touched, phases_of(counts, bytes, kind), exec, places, bytes, kind == kAtomic, &site->cost);
}

void w2w_count_scratch(struct w2w_wave *wave, uint64_t exec, uint64_t what) {
  uint64_t *totals = wave->counters->totals + kind_of(what);
  totals[W2W_SCRATCH_READ_BYTES] += times_of(what) * lanes_of(exec) * bytes_of(what);
}

/* An address may be of LDS or scratch, in each lane: nothing is remembered of them. */
void w2w_count_flat(struct w2w_wave *wave, uint64_t exec, const uint64_t *addresses, uint64_t offset, uint64_t what) {
  uint64_t in_lds = 0, in_scratch = 0, places[kLanes];
  uint32_t offsets[kLanes], bytes = bytes_of(what), kind = kind_of(what);
  W2W_EACH_LANE(lane) {
    uint64_t bit = (exec >> lane & 1) << lane;
    places[lane] = addresses[lane] + offset;
    offsets[lane] = (uint32_t)places[lane];
    if (places[lane] >> 32 == kSharedAperture) in_lds |= bit;
    if (places[lane] >> 32 == kPrivateAperture) in_scratch |= bit;
  }
  struct w2w_counts *counts = wave->counters;
  struct w2w_access_cost cost;
  uint64_t in_global = exec & ~in_lds & ~in_scratch;
  if (in_global) {
    w2w_global_cost(counts->touched, in_global, places, bytes, &cost);
    add_global(counts, &cost, times_of(what), in_global, bytes, kind);
  }
  if (in_lds) {
    w2w_lds_cost(counts->touched, phases_of(counts, bytes, kind), in_lds, offsets, bytes, kind == kAtomic, &cost);
    add_lds(counts, &cost, times_of(what), in_lds, bytes, kind);
  }
  w2w_count_scratch(wave, in_scratch, what);
}

/* ds_append and ds_consume: one word for the whole wave. */
void w2w_count_lds_word(struct w2w_wave *wave, uint64_t exec, uint64_t what) {
  if (!exec) return;
  uint64_t *totals = wave->counters->totals, times = times_of(what);
  totals[W2W_LDS_ATOMIC_BYTES] += 4 * times;
  totals[W2W_LDS_ATOMIC_CYCLES] += times;
  totals[W2W_LDS_ATOMIC_LANES] += times;
}
