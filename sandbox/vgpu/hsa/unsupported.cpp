// Entry points that libamdhip64 imports and a virtual device cannot serve: graphics interop, files and RDMA buffers.
#include "hsa/unsupported.h"

#include <hsa/hsa_ext_amd.h>

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "common/fault_report.h"

namespace w2w::hsa {
namespace {

void report_once(const std::string& message) {
  static std::mutex* mutex = new std::mutex;
  static std::set<std::string>* reported = new std::set<std::string>;
  {
    std::lock_guard<std::mutex> lock(*mutex);
    if (!reported->insert(message).second) return;
  }
  Fault fault;
  fault.kind = "unsupported-function";
  fault.message = message;
  report(fault);
}

}  // namespace

hsa_status_t unsupported_function(const char* function) {
  report_once(std::string(function) + " is not offered by the virtual device");
  return static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED);
}

hsa_status_t unsupported_attribute(const char* function, uint32_t attribute) {
  char number[16];
  std::snprintf(number, sizeof number, "%#x", attribute);
  report_once(std::string(function) + " does not know attribute " + number);
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

}  // namespace w2w::hsa

using w2w::hsa::unsupported_function;

extern "C" {

hsa_status_t hsa_amd_interop_map_buffer(uint32_t, hsa_agent_t*, hsa_handle_t, uint32_t, size_t*, void**, size_t*,
                                        const void**) {
  return unsupported_function(__func__);
}

hsa_status_t hsa_amd_interop_unmap_buffer(void*) { return unsupported_function(__func__); }

hsa_status_t hsa_amd_portable_export_dmabuf(const void*, size_t, int*, uint64_t*) {
  return unsupported_function(__func__);
}

hsa_status_t hsa_amd_ais_file_read(hsa_amd_ais_file_handle_t, void*, uint64_t, int64_t, uint64_t*, int32_t*) {
  return unsupported_function(__func__);
}

hsa_status_t hsa_amd_ais_file_write(hsa_amd_ais_file_handle_t, void*, uint64_t, int64_t, uint64_t*, int32_t*) {
  return unsupported_function(__func__);
}

}  // extern "C"
