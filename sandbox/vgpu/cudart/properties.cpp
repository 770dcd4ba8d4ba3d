// cudaDeviceProp and device attributes.
#include <cstring>

#include "cudart/device.h"
#include "cudart/errors.h"
#include "cudart/heap.h"

namespace w2w::cudart {
namespace {

struct Attribute {
  int id;
  int value;
};

// What an H200 answers, but for the size of its memory.
constexpr Attribute kAttributes[] = {
#define W2W_ATTRIBUTE(id, value) {id, value},
#include "cudart/tables/device_attributes.inc"
#undef W2W_ATTRIBUTE
};

const Attribute* find_attribute(int id) {
  for (const Attribute& attribute : kAttributes)
    if (attribute.id == id) return &attribute;
  return nullptr;
}

int attribute(cudaDeviceAttr id) {
  const Attribute* found = find_attribute(id);
  return found ? found->value : 0;
}

void fill_limits(cudaDeviceProp& p) {
  using namespace device;  // NOLINT: figures
  p.totalGlobalMem = Heap::instance().capacity();
  p.sharedMemPerBlock = kSharedPerBlock;
  p.sharedMemPerBlockOptin = kSharedPerBlockOptin;
  p.sharedMemPerMultiprocessor = kSharedPerMultiprocessor;
  p.reservedSharedMemPerBlock = kReservedSharedPerBlock;
  p.regsPerBlock = kRegistersPerBlock;
  p.regsPerMultiprocessor = kRegistersPerMultiprocessor;
  p.warpSize = device::kWarpSize;
  p.maxThreadsPerBlock = kMaxThreadsPerBlock;
  p.maxThreadsDim[0] = kMaxBlockX;
  p.maxThreadsDim[1] = kMaxBlockY;
  p.maxThreadsDim[2] = kMaxBlockZ;
  p.maxGridSize[0] = kMaxGridX;
  p.maxGridSize[1] = kMaxGridY;
  p.maxGridSize[2] = kMaxGridZ;
  p.maxThreadsPerMultiProcessor = kMaxThreadsPerMultiprocessor;
  p.maxBlocksPerMultiProcessor = kMaxBlocksPerMultiprocessor;
  p.multiProcessorCount = kMultiprocessors;
  p.totalConstMem = kConstantMemory;
  p.l2CacheSize = attribute(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = attribute(cudaDevAttrMaxPersistingL2CacheSize);
  p.accessPolicyMaxWindowSize = attribute(cudaDevAttrMaxAccessPolicyWindowSize);
  p.memPitch = 2147483647;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.surfaceAlignment = 512;
}

void fill_features(cudaDeviceProp& p) {
  p.asyncEngineCount = attribute(cudaDevAttrAsyncEngineCount);
  p.canMapHostMemory = attribute(cudaDevAttrCanMapHostMemory);
  p.unifiedAddressing = attribute(cudaDevAttrUnifiedAddressing);
  p.managedMemory = attribute(cudaDevAttrManagedMemory);
  p.concurrentManagedAccess = attribute(cudaDevAttrConcurrentManagedAccess);
  p.concurrentKernels = attribute(cudaDevAttrConcurrentKernels);
  p.cooperativeLaunch = attribute(cudaDevAttrCooperativeLaunch);
  p.streamPrioritiesSupported = attribute(cudaDevAttrStreamPrioritiesSupported);
  p.globalL1CacheSupported = attribute(cudaDevAttrGlobalL1CacheSupported);
  p.localL1CacheSupported = attribute(cudaDevAttrLocalL1CacheSupported);
  p.hostNativeAtomicSupported = attribute(cudaDevAttrHostNativeAtomicSupported);
  p.memoryPoolsSupported = attribute(cudaDevAttrMemoryPoolsSupported);
  p.hostRegisterSupported = attribute(cudaDevAttrHostRegisterSupported);
  p.canUseHostPointerForRegisteredMem = attribute(cudaDevAttrCanUseHostPointerForRegisteredMem);
  p.directManagedMemAccessFromHost = attribute(cudaDevAttrDirectManagedMemAccessFromHost);
  p.ECCEnabled = attribute(cudaDevAttrEccEnabled);
  p.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
}

}  // namespace
}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api([&] {
    if (!properties) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "NVIDIA H200");
    properties->major = device::kMajor;
    properties->minor = device::kMinor;
    fill_limits(*properties);
    fill_features(*properties);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr id, int device) {
  return api([&] {
    if (!value) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const Attribute* found = find_attribute(id);
    if (!found) return cudaErrorInvalidValue;
    *value = found->value;
    return cudaSuccess;
  });
}
