// cudaMemcpy and cudaMemset in all their forms.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cudart/errors.h"
#include "cudart/heap.h"
#include "cudart/operations.h"
#include "cudart/streams.h"

namespace w2w::cudart {
namespace {

// Bytes from the first to the last that a pitched region touches; 0 on overflow of the address space.
size_t extent(size_t width, size_t height, size_t depth, size_t pitch, size_t slice) {
  if (!width || !height || !depth) return 0;
  unsigned __int128 size =
      static_cast<unsigned __int128>(depth - 1) * slice + static_cast<unsigned __int128>(height - 1) * pitch + width;
  return size > SIZE_MAX / 2 ? SIZE_MAX : static_cast<size_t>(size);
}

// A device side must lie inside one allocation, a host side outside of device-only memory.
bool valid_side(const void* address, size_t size, bool device, bool any) {
  if (!address) return false;
  Allocation allocation;
  if (Heap::instance().contains(address)) {
    if (!Heap::instance().find(address, &allocation)) return false;
    const size_t offset = reinterpret_cast<uint64_t>(address) - allocation.base;
    if (size > allocation.size - offset) return false;
    const bool only_device = allocation.kind == MemoryKind::kDevice || allocation.kind == MemoryKind::kVariable ||
                             allocation.kind == MemoryKind::kDeviceHeap;
    return any || device || !only_device;
  }
  return any || !device || Heap::instance().find_registered(address, &allocation);
}

bool reads_device(cudaMemcpyKind kind) { return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice; }
bool writes_device(cudaMemcpyKind kind) { return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice; }

CopyOperation plain_copy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
  CopyOperation copy;
  copy.to = to;
  copy.from = from;
  copy.width = size;
  copy.kind = kind;
  return copy;
}

CopyOperation pitched_copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                           cudaMemcpyKind kind) {
  CopyOperation copy = plain_copy(to, from, width, kind);
  copy.to_pitch = to_pitch;
  copy.from_pitch = from_pitch;
  copy.height = height;
  return copy;
}

FillOperation plain_fill(void* to, int value, size_t size) {
  FillOperation fill;
  fill.to = to;
  fill.value = static_cast<unsigned char>(value);
  fill.width = size;
  return fill;
}

// Calls that wait for the device print what kernels left.
cudaError_t copy_and_wait(cudaStream_t stream, CopyOperation copy) {
  return api([&] {
    flush_output();
    return submit(stream, std::move(copy));
  });
}

cudaError_t enqueue(cudaStream_t stream, Operation operation) {
  return api([&] { return submit(stream, std::move(operation)); });
}

// A copy between host memory and part of a symbol.
cudaError_t symbol_copy(const void* symbol, size_t offset, size_t size, CopyOperation* copy, bool to_symbol) {
  DeviceVariable variable;
  cudaError_t error = locate_symbol(symbol, &variable);
  if (error != cudaSuccess) return error;
  if (offset > variable.size || size > variable.size - offset) return cudaErrorInvalidValue;
  char* place = static_cast<char*>(variable.address) + offset;
  if (to_symbol)
    copy->to = place;
  else
    copy->from = place;
  return cudaSuccess;
}

cudaError_t submit_symbol_copy(cudaStream_t stream, const void* symbol, size_t offset, CopyOperation copy,
                               bool to_symbol) {
  return api([&] {
    const cudaMemcpyKind wrong = to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    if (copy.kind == wrong || copy.kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = symbol_copy(symbol, offset, copy.width, &copy, to_symbol);
    return error == cudaSuccess ? submit(stream, copy) : error;
  });
}

}  // namespace

cudaError_t check_copy(const CopyOperation& copy) {
  if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (copy.height > 1 && (copy.width > copy.to_pitch || copy.width > copy.from_pitch))
    return cudaErrorInvalidPitchValue;
  const size_t to_size = extent(copy.width, copy.height, copy.depth, copy.to_pitch, copy.to_slice);
  const size_t from_size = extent(copy.width, copy.height, copy.depth, copy.from_pitch, copy.from_slice);
  if (!to_size || !from_size) return cudaSuccess;
  // With unified addressing host-to-host copies reach everything, too.
  const bool any = copy.kind == cudaMemcpyDefault || copy.kind == cudaMemcpyHostToHost;
  if (!valid_side(copy.to, to_size, writes_device(copy.kind), any)) return cudaErrorInvalidValue;
  if (!valid_side(copy.from, from_size, reads_device(copy.kind), any)) return cudaErrorInvalidValue;
  return cudaSuccess;
}

void execute_copy(const CopyOperation& copy) {
  for (size_t z = 0; z < copy.depth; ++z) {
    auto to = static_cast<char*>(copy.to) + z * copy.to_slice;
    auto from = static_cast<const char*>(copy.from) + z * copy.from_slice;
    for (size_t y = 0; y < copy.height; ++y, to += copy.to_pitch, from += copy.from_pitch)
      if (copy.width) memmove(to, from, copy.width);
  }
}

cudaError_t check_fill(const FillOperation& fill) {
  if (fill.element != 1 && fill.element != 2 && fill.element != 4) return cudaErrorInvalidValue;
  const size_t size = extent(fill.width * fill.element, fill.height, fill.depth, fill.pitch, fill.slice);
  if (size && !valid_side(fill.to, size, true, false)) return cudaErrorInvalidValue;
  return cudaSuccess;
}

void execute_fill(const FillOperation& fill) {
  for (size_t z = 0; z < fill.depth; ++z) {
    for (size_t y = 0; y < fill.height; ++y) {
      char* row = static_cast<char*>(fill.to) + z * fill.slice + y * fill.pitch;
      if (fill.element == 1)
        memset(row, static_cast<int>(fill.value), fill.width);
      else if (fill.element == 2)
        std::fill_n(reinterpret_cast<uint16_t*>(row), fill.width, static_cast<uint16_t>(fill.value));
      else
        std::fill_n(reinterpret_cast<uint32_t*>(row), fill.width, fill.value);
    }
  }
}

cudaError_t operation_from(const cudaMemcpy3DParms& params, Operation* operation) {
  if (params.srcArray || params.dstArray) return unsupported_function("cudaMemcpy3D", "with CUDA arrays");
  auto offset = [](const cudaPitchedPtr& pointer, const cudaPos& position) {
    return static_cast<char*>(pointer.ptr) + position.z * pointer.pitch * pointer.ysize + position.y * pointer.pitch +
           position.x;
  };
  CopyOperation copy;
  copy.to = params.dstPtr.ptr ? offset(params.dstPtr, params.dstPos) : nullptr;
  copy.from = params.srcPtr.ptr ? offset(params.srcPtr, params.srcPos) : nullptr;
  copy.to_pitch = params.dstPtr.pitch;
  copy.from_pitch = params.srcPtr.pitch;
  copy.to_slice = params.dstPtr.pitch * params.dstPtr.ysize;
  copy.from_slice = params.srcPtr.pitch * params.srcPtr.ysize;
  copy.width = params.extent.width;
  copy.height = params.extent.height;
  copy.depth = params.extent.depth;
  copy.kind = params.kind;
  *operation = copy;
  return cudaSuccess;
}

cudaError_t operation_from(const cudaMemsetParams& params, Operation* operation) {
  FillOperation fill;
  fill.to = params.dst;
  fill.pitch = params.pitch;
  fill.value = params.value;
  fill.element = params.elementSize;
  fill.width = params.width;
  fill.height = params.height;
  *operation = fill;
  return cudaSuccess;
}

namespace {

cudaError_t submit_3d(const cudaMemcpy3DParms* params, cudaStream_t stream) {
  return api([&] {
    if (!params) return cudaErrorInvalidValue;
    Operation operation;
    cudaError_t error = operation_from(*params, &operation);
    return error == cudaSuccess ? submit(stream, std::move(operation)) : error;
  });
}

FillOperation fill_2d(void* to, size_t pitch, int value, size_t width, size_t height) {
  FillOperation fill = plain_fill(to, value, width);
  fill.pitch = pitch;
  fill.height = height;
  return fill;
}

FillOperation fill_3d(const cudaPitchedPtr& to, int value, const cudaExtent& size) {
  FillOperation fill = fill_2d(to.ptr, to.pitch, value, size.width, size.height);
  fill.slice = to.pitch * to.ysize;
  fill.depth = size.depth;
  return fill;
}

}  // namespace
}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
  return copy_and_wait(nullptr, plain_copy(to, from, size, kind));
}
W2W_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  return enqueue(stream, plain_copy(to, from, size, kind));
}
W2W_API cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                 size_t height, cudaMemcpyKind kind) {
  return copy_and_wait(nullptr, pitched_copy(to, to_pitch, from, from_pitch, width, height, kind));
}
W2W_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                      size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return enqueue(stream, pitched_copy(to, to_pitch, from, from_pitch, width, height, kind));
}
W2W_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* params) {
  flush_output();
  return submit_3d(params, nullptr);
}
W2W_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* params, cudaStream_t stream) {
  return submit_3d(params, stream);
}
W2W_API cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t size) {
  return copy_and_wait(nullptr, plain_copy(to, from, size, cudaMemcpyDeviceToDevice));
}
W2W_API cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t size, cudaStream_t stream) {
  return enqueue(stream, plain_copy(to, from, size, cudaMemcpyDeviceToDevice));
}
W2W_API cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* sizes, size_t count,
                                         cudaMemcpyAttributes*, size_t*, size_t, cudaStream_t stream) {
  if (!to || !from || !sizes) return record_error(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    cudaError_t error = enqueue(stream, plain_copy(to[i], from[i], sizes[i], cudaMemcpyDefault));
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
W2W_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t size, size_t offset,
                                       cudaMemcpyKind kind) {
  flush_output();
  return submit_symbol_copy(nullptr, symbol, offset, plain_copy(nullptr, from, size, kind), true);
}
W2W_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t size, size_t offset,
                                            cudaMemcpyKind kind, cudaStream_t stream) {
  return submit_symbol_copy(stream, symbol, offset, plain_copy(nullptr, from, size, kind), true);
}
W2W_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t size, size_t offset,
                                         cudaMemcpyKind kind) {
  flush_output();
  return submit_symbol_copy(nullptr, symbol, offset, plain_copy(to, nullptr, size, kind), false);
}
W2W_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t size, size_t offset,
                                              cudaMemcpyKind kind, cudaStream_t stream) {
  return submit_symbol_copy(stream, symbol, offset, plain_copy(to, nullptr, size, kind), false);
}

W2W_API cudaError_t cudaMemset(void* to, int value, size_t size) {
  return enqueue(nullptr, plain_fill(to, value, size));
}
W2W_API cudaError_t cudaMemsetAsync(void* to, int value, size_t size, cudaStream_t stream) {
  return enqueue(stream, plain_fill(to, value, size));
}
W2W_API cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return enqueue(nullptr, fill_2d(to, pitch, value, width, height));
}
W2W_API cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                      cudaStream_t stream) {
  return enqueue(stream, fill_2d(to, pitch, value, width, height));
}
W2W_API cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent size) {
  return enqueue(nullptr, fill_3d(to, value, size));
}
W2W_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent size, cudaStream_t stream) {
  return enqueue(stream, fill_3d(to, value, size));
}
