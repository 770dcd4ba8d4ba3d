// hsa_amd_memory_pool_*, pointer information, locking of host memory.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "hsa/address_space.h"
#include "hsa/attribute.h"
#include "hsa/heap.h"
#include "hsa/initialised_memory.h"
#include "hsa/unsupported.h"

using w2w::hsa::Agent;
using w2w::hsa::Allocation;
using w2w::hsa::answer;
using w2w::hsa::heap;
using w2w::hsa::MemoryPool;

namespace {

// Trap: without atomic_support ROCclr says "Pcie atomics not enabled, hostcall not supported" and printf is lost.
constexpr hsa_amd_memory_pool_link_info_t kLink = [] {
  hsa_amd_memory_pool_link_info_t link{};
  link.max_bandwidth = 64000;  // MB/s, of PCIe 5 x16
  link.link_type = HSA_AMD_LINK_INFO_TYPE_PCIE;
  link.numa_distance = 20;
  link.atomic_support_32bit = link.atomic_support_64bit = link.coherent_support = true;
  return link;
}();

hsa_status_t access_of(const MemoryPool& pool, const Agent* agent, void* out) {
  if (pool.agent == agent) return answer<uint32_t>(out, HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
  return answer<uint32_t>(out, pool.allocatable() ? HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT
                                                  : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
}

// Whether all pages of the range are there: MS_ASYNC does nothing but look.
bool is_mapped(void* base, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(base) / w2w::hsa::kPageBytes * w2w::hsa::kPageBytes;
  const auto end = reinterpret_cast<uintptr_t>(base) + size;
  return end > begin && !msync(reinterpret_cast<void*>(begin), end - begin, MS_ASYNC);
}

// Every agent reaches every allocation.
hsa_status_t list_agents(void* (*allocate)(size_t), uint32_t* count, hsa_agent_t** list) {
  auto& agents = w2w::hsa::agents();
  *list = static_cast<hsa_agent_t*>(allocate(agents.size() * sizeof(hsa_agent_t)));
  if (!*list) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  for (size_t i = 0; i < agents.size(); i++) (*list)[i] = agents[i]->handle();
  *count = static_cast<uint32_t>(agents.size());
  return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

hsa_status_t hsa_amd_agent_iterate_memory_pools(hsa_agent_t handle,
                                                hsa_status_t (*callback)(hsa_amd_memory_pool_t, void*), void* data) {
  Agent* agent = w2w::hsa::find_agent(handle);
  if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (MemoryPool& pool : agent->pools)
    if (hsa_status_t status = callback(pool.handle(), data)) return status;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t handle, hsa_amd_memory_pool_info_t attribute,
                                          void* out) {
  MemoryPool* pool = w2w::hsa::find_pool(handle);
  if (!pool) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  const bool gpu = pool->agent->gpu();
  const size_t page = pool->allocatable() ? w2w::hsa::kPageBytes : 0;
  // clang-format off: one attribute a line
  switch (attribute) {
    case HSA_AMD_MEMORY_POOL_INFO_SEGMENT: return answer<uint32_t>(out, pool->segment);
    case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS: return answer<uint32_t>(out, pool->flags);
    case HSA_AMD_MEMORY_POOL_INFO_SIZE: return answer<size_t>(out, pool->size);
    case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE: return answer<size_t>(out, pool->limit());
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED: return answer<bool>(out, pool->allocatable());
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT: return answer<size_t>(out, page);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE:
      return answer<size_t>(out, page && gpu ? w2w::hsa::kLargePageBytes : page);
    case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL: return answer<bool>(out, !gpu);
    case HSA_AMD_MEMORY_POOL_INFO_LOCATION:
      return answer<uint32_t>(out, gpu ? HSA_AMD_MEMORY_POOL_LOCATION_GPU : HSA_AMD_MEMORY_POOL_LOCATION_CPU);
  }
  // clang-format on
  return w2w::hsa::unsupported_attribute(__func__, static_cast<uint32_t>(attribute));
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent_handle, hsa_amd_memory_pool_t pool_handle,
                                                hsa_amd_agent_memory_pool_info_t attribute, void* out) {
  Agent* agent = w2w::hsa::find_agent(agent_handle);
  MemoryPool* pool = w2w::hsa::find_pool(pool_handle);
  if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!pool) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  const uint32_t hops = pool->agent == agent ? 0 : 1;
  switch (attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
      return access_of(*pool, agent, out);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
      return answer<uint32_t>(out, hops);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:  // one element a hop
      return hops ? answer(out, kLink) : HSA_STATUS_SUCCESS;
  }
  return w2w::hsa::unsupported_attribute(__func__, static_cast<uint32_t>(attribute));
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t handle, size_t size, uint32_t, void** out) {
  MemoryPool* pool = w2w::hsa::find_pool(handle);
  if (!pool) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  if (!size || !out) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!pool->allocatable()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  *out = heap().allocate(pool, size);
  return *out ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_amd_memory_pool_free(void* base) {
  return !base || heap().release(base) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t hsa_amd_agents_allow_access(uint32_t, const hsa_agent_t*, const uint32_t*, const void*) {
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t, hsa_amd_coherency_type_t) { return HSA_STATUS_SUCCESS; }

hsa_status_t hsa_memory_copy(void* to, const void* from, size_t size) {
  if (size && (!to || !from)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::memmove(to, from, size);
  w2w::hsa::initialised_memory().mark(to, size);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_register(void*, size_t) { return HSA_STATUS_SUCCESS; }

hsa_status_t hsa_memory_deregister(void*, size_t) { return HSA_STATUS_SUCCESS; }

// One address space: the device's address of host memory is the host's.
hsa_status_t hsa_amd_memory_lock_to_pool(void* base, size_t size, hsa_agent_t*, int, hsa_amd_memory_pool_t handle,
                                         uint32_t, void** device_address) {
  MemoryPool* pool = w2w::hsa::find_pool(handle);
  if (!pool) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  if (!base || !size || !device_address) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!is_mapped(base, size)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  heap().lock(static_cast<char*>(base), size, pool);
  *device_address = base;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_unlock(void* base) {
  heap().unlock(static_cast<char*>(base));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_pointer_info(const void* address, hsa_amd_pointer_info_t* out, void* (*allocate)(size_t),
                                  uint32_t* accessible_count, hsa_agent_t** accessible) {
  if (!address || !out || !out->size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_amd_pointer_info_t info{};
  info.size = std::min<uint32_t>(out->size, sizeof info);
  Allocation found;
  const bool known = heap().find(address, &found);
  if (known) {
    info.type = found.type;
    info.agentBaseAddress = info.hostBaseAddress = found.base;
    info.sizeInBytes = found.size;
    info.agentOwner = (found.pool ? found.pool->agent : w2w::hsa::host_agent())->handle();
    info.global_flags = found.pool ? found.pool->flags : 0;
    info.registered = true;
  }
  std::memcpy(static_cast<void*>(out), &info, info.size);
  if (!known || !allocate || !accessible_count || !accessible) return HSA_STATUS_SUCCESS;
  return list_agents(allocate, accessible_count, accessible);
}

}  // extern "C"
