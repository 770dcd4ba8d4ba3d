#include <cub/cub.cuh>
typedef ::cub::BlockReduce<float, 64> R;
using cudaFree_t = decltype(&::cudaFree);
struct S : public ::cub::BaseTraits<int> { mine::cudaFree x; };
// output
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>
typedef ::hipcub::BlockReduce<float, 64> R;
using cudaFree_t = decltype(&::hipFree);
struct S : public ::hipcub::BaseTraits<int> { mine::cudaFree x; };
