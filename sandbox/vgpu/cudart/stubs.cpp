// Every function that NVIDIA's library exports exists: those that no other file defines report that they are missing.
// The definitions here are weak, so that a real one takes their place. cuda_runtime_api.h is not included: these
// functions take any arguments.
#include <cstdint>

namespace w2w::cudart {
int unsupported_function_by_name(const char* name);
}

#define W2W_FUNCTION(name)                                             \
  extern "C" __attribute__((weak, visibility("default"))) int name() { \
    return w2w::cudart::unsupported_function_by_name(#name);           \
  }
#include "cudart/tables/functions.inc"
#undef W2W_FUNCTION

// A jump keeps all arguments.
#define W2W_PER_THREAD(name, suffix)                                                                                  \
  asm(".text\n.globl " #name "_" #suffix "\n.type " #name "_" #suffix ",@function\n" #name "_" #suffix ": jmp " #name \
      "@PLT\n");
#include "cudart/tables/per_thread.inc"
#undef W2W_PER_THREAD
