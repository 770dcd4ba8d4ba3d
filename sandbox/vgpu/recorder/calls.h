// How the library stands in for an API function: it has the function's name, and calls the next one of that name.
#pragma once
#include <dlfcn.h>

#include "recorder/recorder.h"

#define W2W_CALL extern "C" __attribute__((visibility("default")))

// The runtime's own function, of the given type or, where it is not overloaded, of its declared one.
#define W2W_NEXT_OF(name, ...)                                                          \
  ([] {                                                                                 \
    static const auto next = reinterpret_cast<__VA_ARGS__>(dlsym(RTLD_NEXT, #name));    \
    return next;                                                                        \
  }())
#define W2W_NEXT(name) W2W_NEXT_OF(name, decltype(&::name))

// Allocation and release, for functions whose first parameter is the pointer.
#define W2W_ALLOCATES(name, result, success, kind, bytes, parameters, arguments)   \
  W2W_CALL result name parameters {                                                \
    const result answer = W2W_NEXT_OF(name, result(*) parameters) arguments;       \
    if (answer == success) w2w::recorder::allocated(*memory, bytes, kind);         \
    return answer;                                                                 \
  }
#define W2W_RELEASES(name, result, parameters, arguments) \
  W2W_CALL result name parameters {                       \
    w2w::recorder::released(memory);                      \
    return W2W_NEXT_OF(name, result(*) parameters) arguments; \
  }
