// hsa_init, hsa_system_*, hsa_status_string.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ven_amd_loader.h>

#include <algorithm>
#include <cstring>

#include "hsa/attribute.h"
#include "hsa/executables.h"
#include "hsa/signals.h"
#include "hsa/unsupported.h"

using w2w::hsa::answer;

namespace {

struct StatusName {
  uint32_t status;
  const char* text;
};

constexpr StatusName kStatusNames[] = {
    {HSA_STATUS_SUCCESS, "HSA_STATUS_SUCCESS"},
    {HSA_STATUS_INFO_BREAK, "HSA_STATUS_INFO_BREAK"},
    {HSA_STATUS_ERROR, "HSA_STATUS_ERROR"},
    {HSA_STATUS_ERROR_INVALID_ARGUMENT, "HSA_STATUS_ERROR_INVALID_ARGUMENT"},
    {HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, "HSA_STATUS_ERROR_INVALID_QUEUE_CREATION"},
    {HSA_STATUS_ERROR_INVALID_ALLOCATION, "HSA_STATUS_ERROR_INVALID_ALLOCATION"},
    {HSA_STATUS_ERROR_INVALID_AGENT, "HSA_STATUS_ERROR_INVALID_AGENT"},
    {HSA_STATUS_ERROR_INVALID_SIGNAL, "HSA_STATUS_ERROR_INVALID_SIGNAL"},
    {HSA_STATUS_ERROR_INVALID_QUEUE, "HSA_STATUS_ERROR_INVALID_QUEUE"},
    {HSA_STATUS_ERROR_OUT_OF_RESOURCES, "HSA_STATUS_ERROR_OUT_OF_RESOURCES"},
    {HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT"},
    {HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS"},
    {HSA_STATUS_ERROR_INVALID_ISA, "HSA_STATUS_ERROR_INVALID_ISA"},
    {HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT"},
    {HSA_STATUS_ERROR_INVALID_EXECUTABLE, "HSA_STATUS_ERROR_INVALID_EXECUTABLE"},
    {HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "HSA_STATUS_ERROR_INVALID_SYMBOL_NAME"},
    {HSA_STATUS_ERROR_VARIABLE_UNDEFINED, "HSA_STATUS_ERROR_VARIABLE_UNDEFINED"},
    {HSA_STATUS_ERROR_EXCEPTION, "HSA_STATUS_ERROR_EXCEPTION: a kernel raised an exception"},
    {HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER"},
    {HSA_STATUS_ERROR_INVALID_MEMORY_POOL, "HSA_STATUS_ERROR_INVALID_MEMORY_POOL"},
    {HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
     "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: a kernel accessed memory beyond the largest legal address"},
    {HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: a kernel executed an illegal opcode"},
    {HSA_STATUS_ERROR_MEMORY_FAULT, "HSA_STATUS_ERROR_MEMORY_FAULT: a kernel accessed an inaccessible address"},
    {HSA_STATUS_ERROR_NOT_SUPPORTED, "HSA_STATUS_ERROR_NOT_SUPPORTED"},
};

hsa_status_t same_address(const void* device_address, const void** host_address) {
  *host_address = device_address;  // host and device memory are one
  return HSA_STATUS_SUCCESS;
}

hsa_status_t no_segments(hsa_ven_amd_loader_segment_descriptor_t*, size_t* count) {
  *count = 0;
  return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

hsa_status_t hsa_init() {
  w2w::hsa::settings();  // a bad environment ends the process here
  return HSA_STATUS_SUCCESS;
}

// Queues of a program that ends may still run; the process's end takes them.
hsa_status_t hsa_shut_down() { return HSA_STATUS_SUCCESS; }

hsa_status_t hsa_status_string(hsa_status_t status, const char** out) {
  if (!out) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (const StatusName& known : kStatusNames) {
    if (known.status != static_cast<uint32_t>(status)) continue;
    *out = known.text;
    return HSA_STATUS_SUCCESS;
  }
  *out = "unknown HSA status";
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* out) {
  // clang-format off: one attribute a line
  switch (attribute) {
    case HSA_SYSTEM_INFO_VERSION_MAJOR: return answer<uint16_t>(out, 1);
    case HSA_SYSTEM_INFO_VERSION_MINOR: return answer<uint16_t>(out, 1);
    case HSA_SYSTEM_INFO_TIMESTAMP: return answer<uint64_t>(out, w2w::hsa::timestamp());
    case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY: return answer<uint64_t>(out, 1'000'000'000);
    case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT: return answer<uint64_t>(out, ~0ull);
    case HSA_SYSTEM_INFO_ENDIANNESS: return answer<uint32_t>(out, HSA_ENDIANNESS_LITTLE);
    case HSA_SYSTEM_INFO_MACHINE_MODEL: return answer<uint32_t>(out, HSA_MACHINE_MODEL_LARGE);
    case HSA_SYSTEM_INFO_EXTENSIONS: return w2w::hsa::answer_zeros(out, 128);
    case HSA_AMD_SYSTEM_INFO_BUILD_VERSION: return answer<const char*>(out, "warp2wave");
    case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED: return answer<bool>(out, true);
    case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
    case HSA_AMD_SYSTEM_INFO_XNACK_ENABLED: return answer<bool>(out, w2w::hsa::settings().xnack);
    case HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED: return answer<bool>(out, false);
    case HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED: return answer<bool>(out, false);
    case HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED: return answer<bool>(out, true);
    case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR: return answer<uint16_t>(out, HSA_AMD_INTERFACE_VERSION_MAJOR);
    case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR: return answer<uint16_t>(out, HSA_AMD_INTERFACE_VERSION_MINOR);
  }
  // clang-format on
  return w2w::hsa::unsupported_attribute(__func__, static_cast<uint32_t>(attribute));
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t, size_t bytes, void* table) {
  if (extension != HSA_EXTENSION_AMD_LOADER) return HSA_STATUS_ERROR;
  hsa_ven_amd_loader_1_03_pfn_t loader{};
  loader.hsa_ven_amd_loader_query_host_address = same_address;
  loader.hsa_ven_amd_loader_query_segment_descriptors = no_segments;
  loader.hsa_ven_amd_loader_query_executable = w2w::hsa::query_executable;
  std::memcpy(table, &loader, std::min(bytes, sizeof loader));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_enable_logging(uint8_t*, void*) { return HSA_STATUS_SUCCESS; }

// A kernel that faults ends the process with a report, before any handler could learn of it.
hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t, void*) {
  return HSA_STATUS_SUCCESS;
}

}  // extern "C"
