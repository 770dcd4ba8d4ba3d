// hsa_amd_vmem_*: address ranges, physical memory, and the mapping of one onto the other. HIP's stream-ordered
// allocator (hipMallocAsync) lives on it too.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "hsa/address_space.h"
#include "hsa/heap.h"
#include "hsa/physical_memory.h"

namespace w2w::hsa {
namespace {

using Memory = std::shared_ptr<PhysicalMemory>;

struct Mapping {
  size_t size;
  Memory memory;
  std::map<uint64_t, hsa_access_permission_t> access;  // by agent handle
};

struct VirtualMemory {
  std::mutex mutex;
  std::map<char*, Mapping> mappings;

  std::map<char*, Mapping>::iterator find(char* address) {
    auto it = mappings.upper_bound(address);
    if (it == mappings.begin() || address >= std::prev(it)->first + std::prev(it)->second.size) return mappings.end();
    return std::prev(it);
  }
};

VirtualMemory& virtual_memory() {
  static VirtualMemory* v = new VirtualMemory;  // never destroyed: threads outlive exit()
  return *v;
}

Memory* memory_of(hsa_amd_vmem_alloc_handle_t handle) { return reinterpret_cast<Memory*>(handle.handle); }

hsa_amd_vmem_alloc_handle_t handle_of(Memory memory) {
  return {reinterpret_cast<uint64_t>(new Memory(std::move(memory)))};
}

// What the pages must allow so that every agent has its permission.
int protection_of(const Mapping& mapping) {
  int protection = PROT_NONE;
  for (auto& [agent, permission] : mapping.access) {
    if (permission & HSA_ACCESS_PERMISSION_RO) protection |= PROT_READ;
    if (permission & HSA_ACCESS_PERMISSION_WO) protection |= PROT_READ | PROT_WRITE;
  }
  return protection;
}

// Trap: hipMallocManaged reserves with NO_REGISTER, any size, and uses the range as memory at once: nothing is mapped
// onto it later.
hsa_status_t reserve(void** out, size_t size, size_t alignment, uint64_t flags) {
  const bool usable = flags & HSA_AMD_VMEM_ADDRESS_NO_REGISTER;
  if (!out || !size || (!usable && size % kPageBytes)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (alignment & (alignment - 1)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (usable && size > host_agent()->pools.front().limit()) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const size_t bytes = pages_for(size);
  char* base = address_space().reserve(bytes, std::max(alignment, usable ? kPageBytes : kLargePageBytes));
  if (base && usable && mprotect(base, bytes, PROT_READ | PROT_WRITE)) {
    address_space().release(base);
    base = nullptr;
  }
  if (!base) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  heap().adopt({base, size, nullptr, HSA_EXT_POINTER_TYPE_RESERVED_ADDR, nullptr});
  *out = base;
  return HSA_STATUS_SUCCESS;
}

bool reserved(char* base, size_t size) {
  Allocation found;
  return heap().find(base, &found) && found.type == HSA_EXT_POINTER_TYPE_RESERVED_ADDR &&
         base + size <= found.base + found.size;
}

}  // namespace
}  // namespace w2w::hsa

using namespace w2w::hsa;  // NOLINT: the rest of this file is the C interface to it

extern "C" {

// The wanted address is a wish, as in ROCr.
hsa_status_t hsa_amd_vmem_address_reserve(void** out, size_t size, uint64_t, uint64_t flags) {
  return reserve(out, size, 0, flags);
}

hsa_status_t hsa_amd_vmem_address_reserve_align(void** out, size_t size, uint64_t, uint64_t alignment, uint64_t flags) {
  return reserve(out, size, alignment, flags);
}

hsa_status_t hsa_amd_vmem_address_free(void* base, size_t size) {
  auto* address = static_cast<char*>(base);
  Allocation found;
  if (!heap().find(address, &found) || found.type != HSA_EXT_POINTER_TYPE_RESERVED_ADDR || found.base != address ||
      found.size != size)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  heap().forget(address);
  address_space().release(address);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool_handle, size_t size, hsa_amd_memory_type_t, uint64_t,
                                        hsa_amd_vmem_alloc_handle_t* handle) {
  MemoryPool* pool = find_pool(pool_handle);
  if (!pool) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  if (!size || size % kPageBytes || !handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Memory memory = PhysicalMemory::create(pool, size);
  if (!memory) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *handle = handle_of(std::move(memory));
  return HSA_STATUS_SUCCESS;
}

// The memory lives on while it is mapped.
hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t handle) {
  if (!handle.handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  delete memory_of(handle);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_map(void* base, size_t size, size_t offset, hsa_amd_vmem_alloc_handle_t handle, uint64_t) {
  auto* address = static_cast<char*>(base);
  if (!handle.handle || !size || size % kPageBytes || !reserved(address, size))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const Memory& memory = *memory_of(handle);
  std::lock_guard<std::mutex> lock(virtual_memory().mutex);
  if (!memory->map(address, size, offset, PROT_NONE)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  virtual_memory().mappings[address] = {size, memory, {}};
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_unmap(void* base, size_t size) {
  auto* address = static_cast<char*>(base);
  std::lock_guard<std::mutex> lock(virtual_memory().mutex);
  auto it = virtual_memory().mappings.find(address);
  if (it == virtual_memory().mappings.end() || it->second.size != size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!AddressSpace::clear(address, size)) return HSA_STATUS_ERROR;
  virtual_memory().mappings.erase(it);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_set_access(void* base, size_t size, const hsa_amd_memory_access_desc_t* descriptions,
                                     size_t count) {
  auto* address = static_cast<char*>(base);
  if (!descriptions && count) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::lock_guard<std::mutex> lock(virtual_memory().mutex);
  for (char* at = address; at < address + size;) {
    auto it = virtual_memory().find(at);
    if (it == virtual_memory().mappings.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    Mapping& mapping = it->second;
    for (size_t i = 0; i < count; i++)
      mapping.access[descriptions[i].agent_handle.handle] = descriptions[i].permissions;
    if (mprotect(it->first, mapping.size, protection_of(mapping))) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    at = it->first + mapping.size;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_get_access(void* base, hsa_access_permission_t* permission, hsa_agent_t agent) {
  std::lock_guard<std::mutex> lock(virtual_memory().mutex);
  auto it = virtual_memory().find(static_cast<char*>(base));
  if (it == virtual_memory().mappings.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  auto access = it->second.access.find(agent.handle);
  *permission = access == it->second.access.end() ? HSA_ACCESS_PERMISSION_NONE : access->second;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* handle, void* base) {
  if (!handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::lock_guard<std::mutex> lock(virtual_memory().mutex);
  auto it = virtual_memory().find(static_cast<char*>(base));
  if (it == virtual_memory().mappings.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  *handle = handle_of(it->second.memory);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_export_shareable_handle(int* file, hsa_amd_vmem_alloc_handle_t handle, uint64_t) {
  if (!handle.handle || !file) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const int own = (*memory_of(handle))->file();
  *file = own < 0 ? -1 : dup(own);
  return *file < 0 ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_import_shareable_handle(int file, hsa_amd_vmem_alloc_handle_t* handle) {
  if (!handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Memory memory = PhysicalMemory::import(device_pool(agents().back()), file);
  if (!memory) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *handle = handle_of(std::move(memory));
  return HSA_STATUS_SUCCESS;
}

}  // extern "C"
