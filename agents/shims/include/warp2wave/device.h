// SPDX-License-Identifier: Apache-2.0
//
// Device properties as a port's kernels see them: warps of 32 lanes, and the compute capability whose branches the
// port takes. All else is the device's own.
#pragma once

#include <hip/hip_runtime.h>

#include "arch.h"

namespace w2w {

inline constexpr int kDeviceWarpSize = 32;

inline hipError_t get_device_properties(hipDeviceProp_t* properties, int device) {
  const hipError_t error = hipGetDeviceProperties(properties, device);
  if (error == hipSuccess) {
    properties->warpSize = kDeviceWarpSize;
    properties->major = W2W_CAPABILITY_MAJOR;
    properties->minor = W2W_CAPABILITY_MINOR;
  }
  return error;
}

inline hipError_t device_get_attribute(int* value, hipDeviceAttribute_t attribute, int device) {
  const hipError_t error = hipDeviceGetAttribute(value, attribute, device);
  if (error != hipSuccess) return error;
  if (attribute == hipDeviceAttributeWarpSize) *value = kDeviceWarpSize;
  if (attribute == hipDeviceAttributeComputeCapabilityMajor) *value = W2W_CAPABILITY_MAJOR;
  if (attribute == hipDeviceAttributeComputeCapabilityMinor) *value = W2W_CAPABILITY_MINOR;
  return error;
}

inline hipError_t device_compute_capability(int* major, int* minor, int device) {
  const hipError_t error = hipDeviceComputeCapability(major, minor, device);
  if (error == hipSuccess) {
    *major = W2W_CAPABILITY_MAJOR;
    *minor = W2W_CAPABILITY_MINOR;
  }
  return error;
}

}  // namespace w2w
