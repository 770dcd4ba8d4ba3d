// hsa_iterate_agents, hsa_agent_*, hsa_isa_*.
#include <hsa/hsa_ext_image.h>
#include <unistd.h>

#include "hsa/agents.h"
#include "hsa/attribute.h"
#include "hsa/signals.h"
#include "hsa/unsupported.h"

using w2w::hsa::Agent;
using w2w::hsa::answer;
using w2w::hsa::answer_text;
using w2w::hsa::answer_zeros;
using w2w::hsa::DeviceTraits;
using w2w::hsa::Isa;

namespace {

constexpr hsa_dim3_t kGridMax = {0x7fffffff, 0xffff, 0xffff};
constexpr hsa_status_t kUnknown = HSA_STATUS_ERROR_INVALID_ARGUMENT;

// clang-format off: one attribute a line

// Attributes that mean the same for every agent.
hsa_status_t common_info(Agent* agent, uint32_t attribute, void* out) {
  switch (attribute) {
    case HSA_AGENT_INFO_VERSION_MAJOR: return answer<uint16_t>(out, 1);
    case HSA_AGENT_INFO_VERSION_MINOR: return answer<uint16_t>(out, 1);
    case HSA_AGENT_INFO_MACHINE_MODEL: return answer<uint32_t>(out, HSA_MACHINE_MODEL_LARGE);
    case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
      return answer<uint32_t>(out, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    case HSA_AGENT_INFO_QUEUE_TYPE: return answer<uint32_t>(out, HSA_QUEUE_TYPE_MULTI);
    case HSA_AGENT_INFO_NODE:
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID: return answer<uint32_t>(out, agent->node);
    case HSA_AMD_AGENT_INFO_MEMORY_AVAIL: return answer<uint64_t>(out, agent->available());
    case HSA_AMD_AGENT_INFO_NEAREST_CPU: return answer(out, w2w::hsa::host_agent()->handle());
    case HSA_AMD_AGENT_INFO_DOMAIN:
    case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT: return answer<uint32_t>(out, 0);
    case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES:
    case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS: return answer<uint64_t>(out, 0);
    case HSA_AMD_AGENT_INFO_HDP_FLUSH: return answer<hsa_amd_hdp_flush_t>(out, {nullptr, nullptr});
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS: return answer<bool>(out, true);
    case HSA_AMD_AGENT_INFO_CLOCK_COUNTERS: {
      uint64_t now = w2w::hsa::timestamp();
      return answer<hsa_amd_clock_counters_t>(out, {now / 10, now, now, 1'000'000'000});
    }
  }
  return kUnknown;
}

hsa_status_t host_info(uint32_t attribute, void* out) {
  switch (attribute) {
    case HSA_AGENT_INFO_NAME: return answer_text(out, "host", 64);
    case HSA_AGENT_INFO_VENDOR_NAME: return answer_text(out, "CPU", 64);
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME: return answer_text(out, "host", 64);
    case HSA_AMD_AGENT_INFO_UUID: return answer_text(out, "CPU-XX", 21);
    case HSA_AGENT_INFO_DEVICE: return answer<uint32_t>(out, HSA_DEVICE_TYPE_CPU);
    case HSA_AGENT_INFO_PROFILE: return answer<uint32_t>(out, HSA_PROFILE_FULL);
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
      return answer<uint32_t>(out, static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE: return answer<uint32_t>(out, 64);
    case HSA_AGENT_INFO_FAST_F16_OPERATION:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES: return answer<bool>(out, false);
    case HSA_AGENT_INFO_ISA:
    case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY:
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT: return answer<uint64_t>(out, 0);
    case HSA_AGENT_INFO_EXTENSIONS: return answer_zeros(out, 128);
    case HSA_AGENT_INFO_CACHE_SIZE: return answer_zeros(out, 4 * sizeof(uint32_t));
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: return answer_zeros(out, 3 * sizeof(uint16_t));
    case HSA_AGENT_INFO_GRID_MAX_DIM: return answer_zeros(out, sizeof(hsa_dim3_t));
  }
  return answer<uint32_t>(out, 0);  // the host runs no kernels: all other counts and sizes are zero
}

// As on the real parts, the images extension is announced and every limit is 0.
// Trap: without the announcement ROCclr knows no pitch alignment and hipMallocPitch returns pitch 0.
hsa_status_t image_info(uint32_t attribute, void* out) {
  switch (attribute) {
    case HSA_AGENT_INFO_EXTENSIONS:
      answer_zeros(out, 128);
      static_cast<uint8_t*>(out)[HSA_EXTENSION_IMAGES / 8] |= 1 << (HSA_EXTENSION_IMAGES % 8);
      return HSA_STATUS_SUCCESS;
    case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS: return answer_zeros(out, 3 * sizeof(uint32_t));
    case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS: return answer_zeros(out, 2 * sizeof(uint32_t));
    case HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS:
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES:
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES:
    case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS: return answer<uint32_t>(out, 0);
    case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT: return answer<uint32_t>(out, 256);
  }
  return kUnknown;
}

hsa_status_t device_info(Agent* agent, uint32_t attribute, void* out) {
  const DeviceTraits& d = *agent->device;
  const auto side = static_cast<uint16_t>(d.workgroup_items);
  switch (attribute) {
    case HSA_AGENT_INFO_NAME: return answer_text(out, d.target, 64);
    case HSA_AGENT_INFO_VENDOR_NAME: return answer_text(out, "AMD", 64);
    case HSA_AGENT_INFO_FEATURE: return answer<uint32_t>(out, HSA_AGENT_FEATURE_KERNEL_DISPATCH);
    case HSA_AGENT_INFO_PROFILE: return answer<uint32_t>(out, HSA_PROFILE_BASE);
    case HSA_AGENT_INFO_DEVICE: return answer<uint32_t>(out, HSA_DEVICE_TYPE_GPU);
    case HSA_AGENT_INFO_FAST_F16_OPERATION: return answer<bool>(out, true);
    case HSA_AGENT_INFO_WAVEFRONT_SIZE: return answer<uint32_t>(out, d.wavefront_lanes);
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE: return answer<uint32_t>(out, d.workgroup_items);
    case HSA_AGENT_INFO_GRID_MAX_DIM: return answer(out, kGridMax);
    case HSA_AGENT_INFO_GRID_MAX_SIZE: return answer<uint32_t>(out, ~0u);
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE: return answer<uint32_t>(out, 32);
    case HSA_AGENT_INFO_QUEUES_MAX: return answer<uint32_t>(out, 128);
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE: return answer<uint32_t>(out, 64);
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE: return answer<uint32_t>(out, 131072);
    case HSA_AGENT_INFO_ISA: return answer(out, agent->isas.front().handle());
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: {
      const uint16_t sides[3] = {side, side, side};
      return answer(out, sides);
    }
    case HSA_AGENT_INFO_CACHE_SIZE: return answer(out, d.cache_bytes);
    case HSA_AMD_AGENT_INFO_CHIP_ID: return answer<uint32_t>(out, d.pci_device_id);
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE: return answer<uint32_t>(out, d.cacheline_bytes);
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT: return answer<uint32_t>(out, d.compute_units);
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY: return answer<uint32_t>(out, d.engine_clock_mhz);
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH: return answer<uint32_t>(out, d.memory_bus_bits);
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY: return answer<uint32_t>(out, d.memory_clock_mhz);
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME: return answer_text(out, d.product, 64);
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU: return answer<uint32_t>(out, d.waves_per_cu);
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU: return answer<uint32_t>(out, d.simds_per_cu);
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES: return answer<uint32_t>(out, d.shader_engines);
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE: return answer<uint32_t>(out, 1);
    case HSA_AMD_AGENT_INFO_NUM_XCC: return answer<uint32_t>(out, d.xccs);
    case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY: return answer<uint64_t>(out, d.timestamp_hz);
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES: return answer<bool>(out, true);
    case HSA_AMD_AGENT_INFO_UUID: return answer_text(out, w2w::hsa::device_uuid(agent->number).c_str(), 21);
    case HSA_AMD_AGENT_INFO_BDFID: return answer<uint32_t>(out, (5 + agent->number) << 8);
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS: return answer<uint32_t>(out, 4);
    // What the driver and firmware of an MI300X answer; ROCclr only compares them with minima.
    case HSA_AMD_AGENT_INFO_ASIC_REVISION: return answer<uint32_t>(out, 1);
    case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID: return answer<uint32_t>(out, 141);
    case HSA_AMD_AGENT_INFO_UCODE_VERSION: return answer<uint32_t>(out, 177);
    case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION: return answer<uint32_t>(out, 24);
    case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG: return answer<uint32_t>(out, 2);
    case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG: return answer<uint32_t>(out, 0);
    case HSA_AMD_AGENT_INFO_DRIVER_UID: return answer<uint32_t>(out, 0x1000 + agent->number);
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT: return answer<uint64_t>(out, 4ull << 30);
  }
  return image_info(attribute, out);
}

hsa_status_t isa_info(const Isa& isa, const DeviceTraits& d, uint32_t attribute, void* out) {
  const auto side = static_cast<uint16_t>(d.workgroup_items);
  switch (attribute) {
    case HSA_ISA_INFO_NAME_LENGTH: return answer<uint32_t>(out, static_cast<uint32_t>(isa.name.size() + 1));
    case HSA_ISA_INFO_NAME: return answer_text(out, isa.name.c_str(), isa.name.size() + 1);
    case HSA_ISA_INFO_MACHINE_MODELS: return answer<bool[2]>(out, {false, true});  // small, large
    case HSA_ISA_INFO_PROFILES: return answer<bool[2]>(out, {true, false});        // base, full
    case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
    case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
      return answer<bool[3]>(out, {false, false, true});  // default, zero, near
    case HSA_ISA_INFO_FAST_F16_OPERATION: return answer<bool>(out, true);
    case HSA_ISA_INFO_WORKGROUP_MAX_DIM: return answer<uint16_t[3]>(out, {side, side, side});
    case HSA_ISA_INFO_WORKGROUP_MAX_SIZE: return answer<uint32_t>(out, d.workgroup_items);
    case HSA_ISA_INFO_GRID_MAX_DIM: return answer(out, kGridMax);
    case HSA_ISA_INFO_GRID_MAX_SIZE: return answer<uint64_t>(out, ~0u);
    case HSA_ISA_INFO_FBARRIER_MAX_SIZE: return answer<uint32_t>(out, 32);
  }
  return w2w::hsa::unsupported_attribute("hsa_isa_get_info_alt", attribute);
}

// clang-format on

}  // namespace

extern "C" {

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void*), void* data) {
  if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (Agent* agent : w2w::hsa::agents())
    if (hsa_status_t status = callback(agent->handle(), data)) return status;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_get_info(hsa_agent_t handle, hsa_agent_info_t attribute, void* out) {
  Agent* agent = w2w::hsa::find_agent(handle);
  if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!out) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto number = static_cast<uint32_t>(attribute);
  if (common_info(agent, number, out) == HSA_STATUS_SUCCESS) return HSA_STATUS_SUCCESS;
  if (!agent->gpu()) return host_info(number, out);
  if (device_info(agent, number, out) == HSA_STATUS_SUCCESS) return HSA_STATUS_SUCCESS;
  return w2w::hsa::unsupported_attribute("hsa_agent_get_info", number);
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t handle, hsa_status_t (*callback)(hsa_isa_t, void*), void* data) {
  Agent* agent = w2w::hsa::find_agent(handle);
  if (!agent || !agent->gpu()) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (Isa& isa : agent->isas)
    if (hsa_status_t status = callback(isa.handle(), data)) return status;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t handle, hsa_isa_info_t attribute, void* out) {
  for (Agent* agent : w2w::hsa::agents())
    for (Isa& isa : agent->isas)
      if (isa.handle().handle == handle.handle)
        return isa_info(isa, *agent->device, static_cast<uint32_t>(attribute), out);
  return HSA_STATUS_ERROR_INVALID_ISA;
}

// Scratch comes from the engine and is not limited.
hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t, size_t) { return HSA_STATUS_SUCCESS; }

}  // extern "C"
