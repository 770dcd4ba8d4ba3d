// Whether the waves of a work-group that wait for each other wait at the same barrier.
#pragma once
#include "simt/wave.h"

namespace w2w::simt {

// All waves of the group that have not ended wait. Ended ones count as arrived, as they do on the part.
void check_barrier(Workgroup& group);

}  // namespace w2w::simt
