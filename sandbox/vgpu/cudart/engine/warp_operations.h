// Operations that lanes of a warp do together: each brings a request, the last to come does the work for all.
#pragma once
#include "cudart/engine/block.h"

namespace w2w::cudart {

// Wait until all lanes of the mask have come, then return with the results in thread.request, whose inputs are set.
void meet(Thread& thread, const w2w_site* site, uint32_t kind, uint32_t mask);
// The same for lanes that run together: true if the operation is complete, so that they need not wait.
bool enter_meeting(Thread& thread, const w2w_site* site, uint32_t kind, uint32_t mask);

// ---- matrices.cpp: do the work for the lanes of a full warp
void multiply_matrices(Block& block, uint32_t warp);
void move_matrix(Block& block, uint32_t warp, uint32_t kind);

}  // namespace w2w::cudart
