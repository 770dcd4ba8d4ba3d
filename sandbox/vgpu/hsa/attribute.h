// Answering hsa_*_get_info: the attribute's type decides how many bytes are written.
//
// Trap: write exactly the type that the header names. ROCclr passes wider, zeroed variables for some (a uint32_t for
// the bool COOPERATIVE_QUEUES) and tight ones for others, so one byte too many corrupts and one too few is invisible.
#pragma once
#include <hsa/hsa.h>

#include <cstring>

namespace w2w::hsa {

template <class T>
hsa_status_t answer(void* out, const T& value) {
  std::memcpy(out, &value, sizeof value);
  return HSA_STATUS_SUCCESS;
}

// Fixed-size text fields are zero-filled.
inline hsa_status_t answer_text(void* out, const char* value, size_t capacity) {
  std::memset(out, 0, capacity);
  std::memcpy(out, value, strnlen(value, capacity - 1));
  return HSA_STATUS_SUCCESS;
}

inline hsa_status_t answer_zeros(void* out, size_t bytes) {
  std::memset(out, 0, bytes);
  return HSA_STATUS_SUCCESS;
}

}  // namespace w2w::hsa
