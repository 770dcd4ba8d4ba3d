// How many blocks of a kernel a multiprocessor holds.
#pragma once
#include <cstddef>

#include "cudart/thread_state.h"

namespace w2w::cudart {

int blocks_per_multiprocessor(const w2w_kernel& kernel, int threads, size_t dynamic_shared);

}  // namespace w2w::cudart
