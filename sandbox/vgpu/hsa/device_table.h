// Every fact about the parts that the virtual agents stand for: one row a target, and nothing else knows them.
#pragma once
#include <cstdint>

namespace w2w::hsa {

struct DeviceTraits {
  const char* target;   // "gfx942"; also the agent's name
  const char* product;  // marketing name, marked as virtual
  uint32_t pci_device_id;
  uint32_t elf_machine;          // EF_AMDGPU_MACH of the target's own code objects
  const char* generic_target;    // code objects for this family run too
  uint32_t generic_elf_machine;  // their EF_AMDGPU_MACH
  uint32_t generic_version;      // newest version of the generic target that this part implements

  uint32_t compute_units;
  uint32_t xccs;             // accelerator complex dies that share the work of one dispatch
  uint32_t shader_engines;   // of all XCCs
  uint32_t simds_per_cu;     //
  uint32_t waves_per_cu;     // wave slots
  uint32_t wavefront_lanes;  //
  uint32_t workgroup_items;  // most work-items of a work-group
  uint32_t lds_bytes;        // of a compute unit, and the most that one work-group may have

  uint64_t memory_bytes;
  uint32_t memory_bus_bits;
  uint32_t memory_clock_mhz;
  uint32_t engine_clock_mhz;
  uint32_t cacheline_bytes;
  uint32_t cache_bytes[4];  // L1 of a compute unit, L2 of an XCC, Infinity Cache, none

  uint64_t timestamp_hz;  // s_memrealtime
};

// The row of `target`, or null.
const DeviceTraits* find_device(const char* target);

// "gfx942, gfx950": for messages.
const char* known_targets();

}  // namespace w2w::hsa
