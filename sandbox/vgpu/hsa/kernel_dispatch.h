// Kernel dispatch packets: checked against the part's limits, then run.
#pragma once
#include <hsa/hsa.h>

#include "hsa/queues.h"

namespace w2w::hsa {

// Runs the kernel to its end. HSA_STATUS_SUCCESS, or what the queue's error callback is to be told; a dispatch that
// the part would refuse is reported first. `started` is set to when the kernel began; translating it comes before.
int run_kernel(Queue* queue, const hsa_kernel_dispatch_packet_t& packet, uint64_t* started);

}  // namespace w2w::hsa
