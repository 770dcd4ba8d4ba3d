// hsa_queue_*.
#include "hsa/queues.h"

using w2w::hsa::Agent;
using w2w::hsa::Queue;

namespace {

const amd_queue_v2_t& abi(const hsa_queue_t* queue) { return *reinterpret_cast<const amd_queue_v2_t*>(queue); }

}  // namespace

extern "C" {

hsa_status_t hsa_queue_create(hsa_agent_t handle, uint32_t packets, hsa_queue_type32_t type,
                              void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data, uint32_t, uint32_t,
                              hsa_queue_t** out) {
  Agent* agent = w2w::hsa::find_agent(handle);
  if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!agent->gpu()) return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
  if (!out || !packets || (packets & (packets - 1))) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Queue* queue = Queue::create(agent, packets, type, callback, data);
  if (!queue) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *out = queue->handle();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_queue_destroy(hsa_queue_t* queue) {
  if (!queue) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  delete Queue::of(queue);
  return HSA_STATUS_SUCCESS;
}

uint64_t hsa_queue_load_read_index_relaxed(const hsa_queue_t* queue) {
  return __atomic_load_n(&abi(queue).read_dispatch_id, __ATOMIC_RELAXED);
}

uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t* queue) {
  return __atomic_load_n(&abi(queue).read_dispatch_id, __ATOMIC_SEQ_CST);
}

uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t* queue) {
  return __atomic_load_n(&abi(queue).write_dispatch_id, __ATOMIC_RELAXED);
}

uint64_t hsa_queue_add_write_index_screlease(const hsa_queue_t* queue, uint64_t packets) {
  auto& index = const_cast<amd_queue_v2_t&>(abi(queue)).write_dispatch_id;
  return __atomic_fetch_add(&index, packets, __ATOMIC_SEQ_CST);
}

// A queue's order is all that priority and CU masks could change here, and they do not.
hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t*, hsa_amd_queue_priority_t) { return HSA_STATUS_SUCCESS; }

hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t*, uint32_t, const uint32_t*) { return HSA_STATUS_SUCCESS; }

}  // extern "C"
