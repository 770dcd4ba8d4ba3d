// The copy engine.
#pragma once
#include <hsa/hsa.h>

#include <functional>

namespace w2w::hsa {

// Run `move` on the copy engine's thread when all signals are 0, then decrement `done` (which may be null).
hsa_status_t enqueue_copy(uint32_t dependencies, const hsa_signal_t* signals, hsa_signal_t done,
                          std::function<void()> move);

}  // namespace w2w::hsa
