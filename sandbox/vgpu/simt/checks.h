// What the checks of memory accesses share.
#pragma once
#include <cstdint>

#include "simt/wave_state.h"

namespace w2w::simt {

// As the translator numbers them; see cdna/checked_access.py.
enum class AccessKind : uint32_t { kLoad = 0, kStore = 1, kAtomic = 2, kExchange = 3 };

// Beside the kind of an atomic operation: it tells what was there.
constexpr uint32_t kReturns = 4;

inline bool is_atomic(AccessKind kind) { return kind >= AccessKind::kAtomic; }

// Lanes whose address, or whose data for a store, depends on an undefined value; see cdna/undefined_values.py.
struct UndefinedLanes {
  uint64_t address, data;
};

// Report the lanes of `exec` among them.
void check_undefined(const w2w_wave& wave, uint64_t exec, const UndefinedLanes& lanes);

// Where undefined values came from lately: a load of unwritten memory or LDS, or a lane that was off.
enum class Origin : uint8_t { kNone, kMemory, kLds, kLane };
void note_origin(w2w_wave* wave, Origin origin);

// "load", "store", "atomic operation"
const char* name_of(AccessKind kind);

// High halves of flat addresses in LDS and in private memory; see helpers.h.
constexpr uint32_t kLdsAperture = 0x10000;
constexpr uint32_t kScratchAperture = 0x20000;

// The lanes of a mask, in ascending order: `for (unsigned lane : ActiveLanes(exec))`.
class ActiveLanes {
 public:
  struct Iterator {
    uint64_t rest;
    unsigned operator*() const { return static_cast<unsigned>(__builtin_ctzll(rest)); }
    void operator++() { rest &= rest - 1; }
    bool operator!=(const Iterator& other) const { return rest != other.rest; }
  };
  explicit ActiveLanes(uint64_t exec) : exec_(exec) {}
  Iterator begin() const { return {exec_}; }
  Iterator end() const { return {0}; }

 private:
  uint64_t exec_;
};

// The lanes of `exec` whose access to LDS is within bounds; the others are reported. `undefined`: one mask of lanes for
// each 32-bit word, as for global memory, or null. `data`: what a store brings, 64 words a register, or null.
uint64_t check_lds(w2w_wave* wave, uint64_t exec, const uint32_t* offsets, uint32_t bytes, AccessKind kind,
                   uint64_t* undefined, const uint32_t* data, bool returns);

// Report an access of LDS out of bounds that the wave's code noted.
void report_lds_outside(w2w_wave& wave);

// Atomic operations at these addresses order the waves of a work-group. `returns`: they tell what was there.
void note_atomic(w2w_wave* wave, uint64_t exec, const uint64_t* addresses, uint32_t bytes, bool returns);

}  // namespace w2w::simt
