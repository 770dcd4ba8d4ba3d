// Addresses and sizes of __device__, __constant__ and __managed__ variables.
#include "cudart/errors.h"
#include "cudart/modules.h"

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return api([&] {
    if (!address) return cudaErrorInvalidValue;
    DeviceVariable variable;
    cudaError_t error = locate_symbol(symbol, &variable);
    if (error == cudaSuccess) *address = variable.address;
    return error;
  });
}

W2W_API cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return api([&] {
    if (!size) return cudaErrorInvalidValue;
    DeviceVariable variable;
    cudaError_t error = locate_symbol(symbol, &variable);
    if (error == cudaSuccess) *size = variable.size;
    return error;
  });
}
