// Unordered accesses of global memory within one dispatch; only with $W2W_CHECK=race.
//
// Two accesses of one word race if they are of different waves, one is a plain store of another value, and neither a
// barrier of their work-group nor atomic operations lie in between: the first one's group did one after it, and the
// second one's group did one after that. Loads and stores of a scope beyond the work-group (sc1) are atomic. Work-groups
// order as a whole, whichever of their waves did the atomic operation, and of several readers the last is kept: a race
// may be missed, none is made up.
#pragma once
#include <cstdint>

#include "simt/checks.h"
#include "simt/wave_state.h"

namespace w2w::simt {

// Beside the kind of a load or store: it is of a scope beyond the work-group.
constexpr uint32_t kScoped = 8;

void check_global_races(w2w_wave* wave, uint64_t lanes, const uint64_t* addresses, uint32_t bytes, AccessKind kind,
                        bool is_scoped, const uint32_t* data);

}  // namespace w2w::simt
