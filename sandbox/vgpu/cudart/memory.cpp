// Allocation of device, managed and pinned host memory.
#include <algorithm>
#include <cstring>

#include "cudart/device.h"
#include "cudart/errors.h"
#include "cudart/heap.h"
#include "cudart/modules.h"
#include "cudart/operations.h"
#include "cudart/streams.h"

using namespace w2w::cudart;  // NOLINT: API functions have C linkage
using w2w::Allocation;
using w2w::Heap;
using w2w::MemoryKind;

namespace {

cudaError_t allocate(void** address, size_t size, MemoryKind kind, unsigned flags = 0) {
  if (!address) return cudaErrorInvalidValue;
  cudaError_t error = check_unsafe_call();
  if (error != cudaSuccess) return error;
  *address = nullptr;
  if (size == 0) return cudaSuccess;
  *address = Heap::instance().allocate(size, Heap::kGranule, kind, flags);
  return *address ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool is_host(const Allocation& allocation) { return allocation.kind == MemoryKind::kHost; }

// The allocation or registered range that holds a host address.
bool find_host(const void* address, Allocation* found) {
  if (Heap::instance().find(address, found)) return is_host(*found);
  return Heap::instance().find_registered(address, found);
}

cudaMemoryType memory_type(MemoryKind kind) {
  if (kind == MemoryKind::kHost) return cudaMemoryTypeHost;
  return kind == MemoryKind::kManaged ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
}

}  // namespace

W2W_API cudaError_t cudaMalloc(void** address, size_t size) {
  return api([&] { return allocate(address, size, MemoryKind::kDevice); });
}

W2W_API cudaError_t cudaMallocManaged(void** address, size_t size, unsigned flags) {
  return api([&] {
    if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return cudaErrorInvalidValue;
    return allocate(address, size, MemoryKind::kManaged);
  });
}

W2W_API cudaError_t cudaMallocPitch(void** address, size_t* pitch, size_t width, size_t height) {
  return api([&] {
    if (!address || !pitch) return cudaErrorInvalidValue;
    *pitch = (width + device::kPitchAlignment - 1) / device::kPitchAlignment * device::kPitchAlignment;
    if (height && *pitch > SIZE_MAX / 2 / height) return cudaErrorMemoryAllocation;
    return allocate(address, *pitch * height, MemoryKind::kDevice);
  });
}

W2W_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent size) {
  if (!pointer) return record_error(cudaErrorInvalidValue);
  void* address;
  size_t pitch;
  cudaError_t error = cudaMallocPitch(&address, &pitch, size.width, size.height * size.depth);
  if (error == cudaSuccess) *pointer = cudaPitchedPtr{address, pitch, size.width, size.height};
  return error;
}

W2W_API cudaError_t cudaFree(void* address) {
  return api([&] {
    cudaError_t error = check_unsafe_call();
    if (error != cudaSuccess) return error;
    flush_output();
    Allocation allocation;
    if (!address) return cudaSuccess;
    if (!Heap::instance().find(address, &allocation) || is_host(allocation) ||
        allocation.kind == MemoryKind::kVariable || allocation.kind == MemoryKind::kDeviceHeap)
      return cudaErrorInvalidValue;
    return Heap::instance().release(address) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

W2W_API cudaError_t cudaHostAlloc(void** address, size_t size, unsigned flags) {
  return api([&] { return allocate(address, size, MemoryKind::kHost, flags); });
}

W2W_API cudaError_t cudaMallocHost(void** address, size_t size) { return cudaHostAlloc(address, size, 0); }

W2W_API cudaError_t cudaFreeHost(void* address) {
  return api([&] {
    Allocation allocation;
    if (!address) return cudaSuccess;
    if (!Heap::instance().find(address, &allocation) || !is_host(allocation)) return cudaErrorInvalidValue;
    return Heap::instance().release(address) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

W2W_API cudaError_t cudaHostRegister(void* address, size_t size, unsigned flags) {
  return api([&] {
    if (!address || !size || Heap::instance().contains(address)) return cudaErrorInvalidValue;
    return Heap::instance().add_registered(address, size, flags) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

W2W_API cudaError_t cudaHostUnregister(void* address) {
  return api(
      [&] { return Heap::instance().remove_registered(address) ? cudaSuccess : cudaErrorHostMemoryNotRegistered; });
}

W2W_API cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host, unsigned flags) {
  return api([&] {
    Allocation allocation;
    if (!device_pointer || flags != 0 || !find_host(host, &allocation)) return cudaErrorInvalidValue;
    *device_pointer = host;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return api([&] {
    Allocation allocation;
    if (!flags || !find_host(host, &allocation)) return cudaErrorInvalidValue;
    *flags = allocation.flags | cudaHostAllocMapped;  // with unified addressing everything is mapped
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api([&] {
    if (free) *free = Heap::instance().free_bytes();
    if (total) *total = Heap::instance().capacity();
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  return api([&] {
    if (!attributes) return cudaErrorInvalidValue;
    memset(attributes, 0, sizeof *attributes);
    attributes->device = -2;  // what NVIDIA's runtime gives for memory that it does not know
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->hostPointer = const_cast<void*>(address);
    Allocation allocation;
    if (!Heap::instance().find(address, &allocation) && !Heap::instance().find_registered(address, &allocation))
      return cudaSuccess;
    attributes->type = memory_type(allocation.kind);
    attributes->device = 0;
    attributes->devicePointer = const_cast<void*>(address);
    if (attributes->type == cudaMemoryTypeDevice) attributes->hostPointer = nullptr;
    return cudaSuccess;
  });
}

namespace {

cudaError_t check_managed(const void* address, size_t size) {
  Allocation allocation;
  if (!address || !size || !Heap::instance().find(address, &allocation) || allocation.kind != MemoryKind::kManaged)
    return cudaErrorInvalidValue;
  return size > allocation.base + allocation.size - reinterpret_cast<uint64_t>(address) ? cudaErrorInvalidValue
                                                                                        : cudaSuccess;
}

}  // namespace

// Managed memory is the host's own here: nothing moves.
W2W_API cudaError_t cudaMemPrefetchAsync(const void* address, size_t size, cudaMemLocation, unsigned, cudaStream_t) {
  return api([&] { return check_managed(address, size); });
}

W2W_API cudaError_t cudaMemAdvise(const void* address, size_t size, cudaMemoryAdvise, cudaMemLocation) {
  return api([&] { return check_managed(address, size); });
}

W2W_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* address, size_t, unsigned) {
  return api([&] { return check_managed(address, 1); });
}
