// Errors as the CUDA runtime keeps them: the last one of a host thread, and the sticky one of the device.
#pragma once
#include <cuda_runtime_api.h>

#include <utility>

#define W2W_API extern "C" __attribute__((visibility("default")))

namespace w2w::cudart {

// Remember `error` as the calling thread's last one (unless it is success or not-ready) and return it.
cudaError_t record_error(cudaError_t error);

// A kernel's failure: every later call returns it.
void set_sticky_error(cudaError_t error);
cudaError_t sticky_error();
// cudaDeviceReset: after a kernel's failure the process cannot use the device again.
void reset_device_errors();

// The body of an API function: not entered after a kernel failed.
template <class Body>
cudaError_t api(Body&& body) {
  cudaError_t sticky = sticky_error();
  return record_error(sticky != cudaSuccess ? sticky : std::forward<Body>(body)());
}

// A function, or a way of using one, that the virtual device lacks: reported, and the program goes on with the error.
cudaError_t unsupported_function(const char* name, const char* detail = "");

}  // namespace w2w::cudart
