// How waves of one work-group follow each other on a thread, without going back to the scheduler where they need not.
#pragma once
#include "simt/wave.h"

namespace w2w::simt {

// Let a wave that has not begun begin at its next turn. Waves of a group begin in order.
void begin(Wave& wave);

// The running wave is at the barrier: the next one that can have a turn goes on, in the order of the group, or the
// scheduler if none can. The wave that completes the barrier releases all.
void arrive_at_barrier(Wave& wave);

// Waves that wait at the barrier can go on.
void release_barrier(Workgroup& group);

}  // namespace w2w::simt
