// The host agent and the virtual GPU agents, and their memory pools. Handles are addresses of these objects.
#pragma once
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <string>
#include <vector>

#include "hsa/settings.h"

namespace w2w::hsa {

struct Agent;

struct MemoryPool {
  Agent* agent;
  hsa_amd_segment_t segment;
  uint32_t flags;  // hsa_amd_memory_pool_global_flag_t
  size_t size;     // bytes

  hsa_amd_memory_pool_t handle() { return {reinterpret_cast<uint64_t>(this)}; }
  bool allocatable() const { return segment == HSA_AMD_SEGMENT_GLOBAL; }
  // The largest allocation.
  size_t limit() const;
};

struct Isa {
  std::string name;

  hsa_isa_t handle() { return {reinterpret_cast<uint64_t>(this)}; }
};

struct Agent {
  const DeviceTraits* device;  // null for the host
  uint32_t number;             // device number, before ROCR_VISIBLE_DEVICES
  uint32_t node;               // 0 is the host
  std::vector<MemoryPool> pools;
  std::vector<Isa> isas;        // its own first, then generic ones
  std::atomic<size_t> used{0};  // bytes allocated from its pools

  bool gpu() const { return device != nullptr; }
  size_t memory() const { return pools.front().size; }
  size_t available() const;
  hsa_agent_t handle() { return {reinterpret_cast<uint64_t>(this)}; }
};

// The host first.
std::vector<Agent*>& agents();
Agent* host_agent();

// Null if the handle is none of ours.
Agent* find_agent(hsa_agent_t handle);
MemoryPool* find_pool(hsa_amd_memory_pool_t handle);

// The pool that device memory of `agent`, and kernel arguments and queues on the host, come from.
MemoryPool* device_pool(Agent* agent);
MemoryPool* kernarg_pool();

}  // namespace w2w::hsa
