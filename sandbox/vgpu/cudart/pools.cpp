// Stream-ordered allocation. Work is done in the order of the calls, so memory is given and taken back at once; pools
// count what passes through them.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "cudart/errors.h"
#include "cudart/heap.h"
#include "cudart/operations.h"
#include "cudart/streams.h"

namespace w2w::cudart {
namespace {

struct Pool {
  uint64_t release_threshold = 0;
  int reuse[3] = {1, 1, 1};  // event dependencies, opportunistic, internal dependencies
  uint64_t used = 0, used_high = 0;
};

std::mutex mutex;

Pool& default_pool() {
  static Pool* pool = new Pool;
  return *pool;
}

std::set<Pool*>& pools() {
  static auto* instance = new std::set<Pool*>{&default_pool()};
  return *instance;
}

Pool* current_pool = &default_pool();

Pool* find_pool(cudaMemPool_t handle) {
  auto* pool = reinterpret_cast<Pool*>(handle);
  std::lock_guard<std::mutex> lock(mutex);
  return pools().count(pool) ? pool : nullptr;
}

cudaMemPool_t handle_of(Pool* pool) { return reinterpret_cast<cudaMemPool_t>(pool); }

template <class Body>
cudaError_t with_pool(cudaMemPool_t handle, Body body) {
  return api([&] {
    Pool* pool = find_pool(handle);
    return pool ? body(*pool) : cudaErrorInvalidValue;
  });
}

cudaError_t allocate(void** address, size_t size, Pool& pool, cudaStream_t stream) {
  if (!address) return cudaErrorInvalidValue;
  Stream* found = find_stream(stream);
  if (!found) return cudaErrorInvalidResourceHandle;
  *address = nullptr;
  if (size == 0) return cudaSuccess;
  *address = Heap::instance().allocate(size, Heap::kGranule, MemoryKind::kDevice, 0, &pool);
  if (!*address) return cudaErrorMemoryAllocation;
  if (found->capture) return add_to_capture(*found, AllocateOperation{*address, size});
  std::lock_guard<std::mutex> lock(mutex);
  pool.used += size;
  pool.used_high = std::max(pool.used_high, pool.used);
  return cudaSuccess;
}

cudaError_t release(void* address, cudaStream_t stream) {
  Stream* found = find_stream(stream);
  if (!found) return cudaErrorInvalidResourceHandle;
  if (!address) return cudaSuccess;
  Allocation allocation;
  if (!Heap::instance().find(address, &allocation) || allocation.base != reinterpret_cast<uint64_t>(address) ||
      allocation.kind != MemoryKind::kDevice)
    return cudaErrorInvalidValue;
  if (found->capture) return add_to_capture(*found, FreeOperation{address});
  Heap::instance().release(address);
  std::lock_guard<std::mutex> lock(mutex);
  auto* pool = static_cast<Pool*>(const_cast<void*>(allocation.pool));
  if (pool && pools().count(pool)) pool->used -= allocation.size;
  return cudaSuccess;
}

// Where an attribute lives; the sizes in use are read-only but for resetting the high-water marks.
cudaError_t access(Pool& pool, cudaMemPoolAttr attribute, void* value, bool write) {
  if (!value) return cudaErrorInvalidValue;
  auto transfer = [&](auto& field) {
    auto* outside = static_cast<std::decay_t<decltype(field)>*>(value);
    if (write)
      field = *outside;
    else
      *outside = field;
    return cudaSuccess;
  };
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
      return transfer(pool.reuse[0]);
    case cudaMemPoolReuseAllowOpportunistic:
      return transfer(pool.reuse[1]);
    case cudaMemPoolReuseAllowInternalDependencies:
      return transfer(pool.reuse[2]);
    case cudaMemPoolAttrReleaseThreshold:
      return transfer(pool.release_threshold);
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return write ? cudaErrorInvalidValue : transfer(pool.used);
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      return transfer(pool.used_high);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace
}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t cudaMallocAsync(void** address, size_t size, cudaStream_t stream) {
  return api([&] { return allocate(address, size, *current_pool, stream); });
}

W2W_API cudaError_t cudaMallocFromPoolAsync(void** address, size_t size, cudaMemPool_t handle, cudaStream_t stream) {
  return with_pool(handle, [&](Pool& pool) { return allocate(address, size, pool, stream); });
}

W2W_API cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  return api([&] { return release(address, stream); });
}

W2W_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* handle, const cudaMemPoolProps* properties) {
  return api([&] {
    if (!handle || !properties) return cudaErrorInvalidValue;
    auto* pool = new Pool;
    std::lock_guard<std::mutex> lock(mutex);
    pools().insert(pool);
    *handle = handle_of(pool);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return with_pool(handle, [](Pool& pool) {
    if (&pool == &default_pool()) return cudaErrorInvalidValue;
    std::lock_guard<std::mutex> lock(mutex);
    pools().erase(&pool);
    if (current_pool == &pool) current_pool = &default_pool();
    delete &pool;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
  return with_pool(handle, [](Pool&) { return cudaSuccess; });
}

W2W_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool(handle, [&](Pool& pool) { return access(pool, attribute, value, true); });
}

W2W_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool(handle, [&](Pool& pool) { return access(pool, attribute, value, false); });
}

W2W_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* descriptions, size_t count) {
  return with_pool(handle, [&](Pool&) { return count && !descriptions ? cudaErrorInvalidValue : cudaSuccess; });
}

W2W_API cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle, cudaMemLocation*) {
  return with_pool(handle, [&](Pool&) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* handle, int device) {
  return api([&] {
    if (!handle) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *handle = handle_of(&default_pool());
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* handle, int device) {
  return api([&] {
    if (!handle) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *handle = handle_of(current_pool);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return with_pool(handle, [&](Pool& pool) {
    if (device != 0) return cudaErrorInvalidDevice;
    current_pool = &pool;
    return cudaSuccess;
  });
}
