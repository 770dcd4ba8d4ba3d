// SPDX-License-Identifier: Apache-2.0
//
// CUDA's min and max for any two arithmetic types, on the host and on the device. HIP's host functions know int alone,
// to which other arguments convert without a word.
#pragma once

#include <hip/hip_runtime.h>

#include <type_traits>

namespace w2w {
namespace detail {

template <class A, class B, bool = std::is_arithmetic<A>::value && std::is_arithmetic<B>::value>
struct Common {
  using type = typename std::common_type<A, B>::type;
};
template <class A, class B>
struct Common<A, B, false> {
  using type = A;
};

}  // namespace detail

template <class A, class B>
__host__ __device__ inline typename detail::Common<A, B>::type min(const A& a, const B& b) {
  using T = typename detail::Common<A, B>::type;
  if constexpr (std::is_floating_point<T>::value) {
    return static_cast<T>(__builtin_fmin(static_cast<double>(a), static_cast<double>(b)));
  } else {
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
  }
}
template <class A, class B>
__host__ __device__ inline typename detail::Common<A, B>::type max(const A& a, const B& b) {
  using T = typename detail::Common<A, B>::type;
  if constexpr (std::is_floating_point<T>::value) {
    return static_cast<T>(__builtin_fmax(static_cast<double>(a), static_cast<double>(b)));
  } else {
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
  }
}

}  // namespace w2w
