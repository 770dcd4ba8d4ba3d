// SPDX-License-Identifier: Apache-2.0
//
// What a port answers where the CUDA source asks for its architecture or toolkit version.
#pragma once

// The CUDA architecture, times ten, whose branches the port takes: sm_80 unless the port says otherwise.
#ifndef W2W_CUDA_LEVEL
#define W2W_CUDA_LEVEL 800
#endif

// Stands for __CUDA_ARCH__: the level in device compilation, 0 in host compilation.
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define W2W_CUDA_ARCH W2W_CUDA_LEVEL
#else
#define W2W_CUDA_ARCH 0
#endif

// Stands for a device's compute capability in host code.
#define W2W_CAPABILITY_MAJOR (W2W_CUDA_LEVEL / 100)
#define W2W_CAPABILITY_MINOR (W2W_CUDA_LEVEL / 10 % 10)

// Stands for CUDART_VERSION, CUDA_VERSION and nvcc's own version.
#define W2W_CUDA_VERSION 13000
#define W2W_CUDACC_VER_MAJOR 13
#define W2W_CUDACC_VER_MINOR 0
