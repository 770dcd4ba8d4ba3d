// The one device: choosing it, synchronising with it, its versions.
#include <cstring>

#include "cudart/device.h"
#include "cudart/errors.h"
#include "cudart/modules.h"
#include "cudart/operations.h"
#include "cudart/streams.h"

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

namespace {

constexpr const char* kBusId = "0000:00:00.0";
unsigned device_flags = cudaDeviceScheduleAuto;

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

}  // namespace

W2W_API cudaError_t cudaGetDeviceCount(int* count) {
  return api([&] {
    if (!count) return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGetDevice(int* device) {
  return api([&] {
    if (!device) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaSetDevice(int device) {
  return api([&] {
    load_managed_variables();
    return check_device(device);
  });
}

W2W_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return api([&] { return check_device(device); });
}

W2W_API cudaError_t cudaSetValidDevices(int* devices, int count) {
  return api([&] {
    for (int i = 0; i < count; ++i)
      if (!devices || devices[i] != 0) return cudaErrorInvalidDevice;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }

W2W_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return api([&] {
    device_flags = flags;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api([&] {
    if (!flags) return cudaErrorInvalidValue;
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaDeviceSynchronize() {
  flush_output();
  return api([] { return check_unsafe_call(); });
}

W2W_API cudaError_t cudaDeviceReset() {
  flush_output();
  reset_device_errors();
  return cudaSuccess;
}

namespace {

cudaError_t return_version(int* place, int version) {
  return api([&] {
    if (!place) return cudaErrorInvalidValue;
    *place = version;
    return cudaSuccess;
  });
}

}  // namespace

W2W_API cudaError_t cudaDriverGetVersion(int* version) { return return_version(version, device::kDriverVersion); }
W2W_API cudaError_t cudaRuntimeGetVersion(int* version) { return return_version(version, device::kRuntimeVersion); }

W2W_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return api([] { return cudaSuccess; });
}

W2W_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api([&] {
    if (!config) return cudaErrorInvalidValue;
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return api([] { return cudaSuccess; });
}

W2W_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return api([&] {
    if (!config) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return api([&] { return find_function(function) ? cudaSuccess : cudaErrorInvalidDeviceFunction; });
}

W2W_API cudaError_t cudaCtxResetPersistingL2Cache() {
  return api([] { return cudaSuccess; });
}

W2W_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api([&] {
    if (!can) return cudaErrorInvalidValue;
    *can = 0;
    return device == 0 && peer == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

W2W_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return api([&] { return peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice; });
}

W2W_API cudaError_t cudaDeviceDisablePeerAccess(int) {
  return api([] { return cudaErrorInvalidDevice; });
}

W2W_API cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  return api([&] {
    if (!text || size < 13) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    strcpy(text, kBusId);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api([&] {
    if (!device || !text) return cudaErrorInvalidValue;
    if (strcmp(text, kBusId) != 0) return cudaErrorInvalidDevice;
    *device = 0;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaProfilerStart() { return cudaSuccess; }
W2W_API cudaError_t cudaProfilerStop() { return cudaSuccess; }
