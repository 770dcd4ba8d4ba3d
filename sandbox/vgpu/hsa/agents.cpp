#include "hsa/agents.h"

#include <unistd.h>

#include <algorithm>

namespace w2w::hsa {
namespace {

constexpr uint32_t kFine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
constexpr uint32_t kCoarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
constexpr uint32_t kKernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
constexpr uint32_t kExtendedFine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED;

size_t host_memory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

Agent* make_host() {
  auto* host = new Agent{nullptr, 0, 0, {}, {}};
  for (uint32_t flags : {kFine, kFine | kKernarg, kCoarse})
    host->pools.push_back({host, HSA_AMD_SEGMENT_GLOBAL, flags, host_memory()});
  return host;
}

Agent* make_gpu(uint32_t number, uint32_t node) {
  const DeviceTraits* device = settings().device;
  auto* gpu = new Agent{device, number, node, {}, {}};
  for (uint32_t flags : {kCoarse, kExtendedFine, kFine})
    gpu->pools.push_back({gpu, HSA_AMD_SEGMENT_GLOBAL, flags, device->memory_bytes});
  gpu->pools.push_back({gpu, HSA_AMD_SEGMENT_GROUP, 0, device->lds_bytes});
  const char* features = settings().xnack ? ":sramecc+:xnack+" : ":sramecc+:xnack-";
  for (const char* target : {device->target, device->generic_target})
    gpu->isas.push_back({std::string("amdgcn-amd-amdhsa--") + target + features});
  return gpu;
}

std::vector<Agent*> make_agents() {
  std::vector<Agent*> all{make_host()};
  for (uint32_t number : settings().visible) all.push_back(make_gpu(number, static_cast<uint32_t>(all.size())));
  return all;
}

}  // namespace

size_t MemoryPool::limit() const { return std::min<size_t>(size, settings().allocation_limit); }

size_t Agent::available() const { return memory() - std::min(memory(), used.load()); }

std::vector<Agent*>& agents() {
  static auto* all = new std::vector<Agent*>(make_agents());  // never destroyed: threads outlive exit()
  return *all;
}

Agent* host_agent() { return agents().front(); }

Agent* find_agent(hsa_agent_t handle) {
  for (Agent* agent : agents())
    if (agent->handle().handle == handle.handle) return agent;
  return nullptr;
}

MemoryPool* find_pool(hsa_amd_memory_pool_t handle) {
  for (Agent* agent : agents())
    for (MemoryPool& pool : agent->pools)
      if (pool.handle().handle == handle.handle) return &pool;
  return nullptr;
}

MemoryPool* device_pool(Agent* agent) { return &agent->pools.front(); }

MemoryPool* kernarg_pool() { return &host_agent()->pools[1]; }

}  // namespace w2w::hsa
