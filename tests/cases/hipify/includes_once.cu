#include <cuda.h>
#include <cuda_runtime.h>   // the same header on AMD
#include "cuda_runtime_api.h"
#include <cuda_fp16.h>
#include <device_launch_parameters.h>
#include <cub/cub.cuh>
#include <cub/block/block_scan.cuh>
__global__ void k(__half* h) { cub::BlockReduce<float, 64> unused(); }
// output
#include <hip/hip_runtime.h>
   // the same header on AMD
#include "hip/hip_runtime_api.h"
#include <hip/hip_fp16.h>
#include <hipcub/hipcub.hpp>
__global__ void k(__half* h) { hipcub::BlockReduce<float, 64> unused(); }
