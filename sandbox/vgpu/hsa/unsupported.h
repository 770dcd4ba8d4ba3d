// What this runtime does not know is said aloud: a report, and an error for the caller.
#pragma once
#include <hsa/hsa.h>

#include <cstdint>

namespace w2w::hsa {

// Report that `function` is not offered, once a function. Returns HSA_STATUS_ERROR_NOT_SUPPORTED.
hsa_status_t unsupported_function(const char* function);

// Report that `function` was asked for an attribute that is not in its table, once an attribute.
// Returns HSA_STATUS_ERROR_INVALID_ARGUMENT.
hsa_status_t unsupported_attribute(const char* function, uint32_t attribute);

}  // namespace w2w::hsa
