// cudaDeviceSetLimit and its like.
#pragma once
#include <cstddef>

namespace w2w::cudart {

size_t stack_limit();  // bytes of a thread's stack

}  // namespace w2w::cudart
