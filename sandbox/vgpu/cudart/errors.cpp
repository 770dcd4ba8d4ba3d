#include "cudart/errors.h"

#include <atomic>
#include <string>

#include "common/fault_report.h"

namespace w2w::cudart {
namespace {

thread_local cudaError_t last_error = cudaSuccess;
std::atomic<cudaError_t> device_error{cudaSuccess};

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
#define W2W_ERROR(name, value, text) {static_cast<cudaError_t>(value), #name, text},
#include "cudart/tables/errors.inc"
#undef W2W_ERROR
};

const ErrorText* find_text(cudaError_t error) {
  for (const ErrorText& entry : kErrors)
    if (entry.error == error) return &entry;
  return nullptr;
}

constexpr const char* kUnknown = "unrecognized error code";

}  // namespace

cudaError_t record_error(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

void set_sticky_error(cudaError_t error) {
  cudaError_t none = cudaSuccess;
  device_error.compare_exchange_strong(none, error);
}

void reset_device_errors() {
  last_error = cudaSuccess;
  if (device_error.load() != cudaSuccess) device_error = cudaErrorDevicesUnavailable;
}

cudaError_t sticky_error() { return device_error.load(std::memory_order_relaxed); }

cudaError_t unsupported_function(const char* name, const char* detail) {
  Fault fault;
  fault.kind = "unsupported-function";
  fault.instruction = name;
  fault.message = std::string("the program calls ") + name + (*detail ? std::string(" ") + detail : std::string()) +
                  ", which the virtual CUDA device does not have";
  report(fault);
  return record_error(cudaErrorNotSupported);
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

// Also an error of the device is forgotten here, and comes back with the next call.
W2W_API cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

W2W_API cudaError_t cudaPeekAtLastError() { return last_error; }

W2W_API const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* entry = find_text(error);
  return entry ? entry->name : kUnknown;
}

W2W_API const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* entry = find_text(error);
  return entry ? entry->text : kUnknown;
}
