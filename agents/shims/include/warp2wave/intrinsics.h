// SPDX-License-Identifier: Apache-2.0
//
// Device intrinsics that CUDA has and HIP lacks.
#pragma once

#include <hip/hip_runtime.h>

namespace w2w {

// Loads and stores with a cache operator. The operator is advice; the access is not.
template <class T>
__device__ inline T ldcg(const T* address) {
  return *address;
}
template <class T>
__device__ inline T ldca(const T* address) {
  return *address;
}
template <class T>
__device__ inline T ldcs(const T* address) {
  return *address;
}
template <class T>
__device__ inline T ldlu(const T* address) {
  return *address;
}
// Don't cache: fetched anew on each call.
template <class T>
__device__ inline T ldcv(const T* address) {
  constexpr bool kWords = sizeof(T) % 4 == 0 && alignof(T) >= 4;
  T value;
  if constexpr (kWords) {
    unsigned words[sizeof(T) / 4];
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) words[i] = reinterpret_cast<const volatile unsigned*>(address)[i];
    __builtin_memcpy(&value, words, sizeof(T));
  } else {
    unsigned char bytes[sizeof(T)];
    for (unsigned i = 0; i < sizeof(T); ++i) bytes[i] = reinterpret_cast<const volatile unsigned char*>(address)[i];
    __builtin_memcpy(&value, bytes, sizeof(T));
  }
  return value;
}
template <class T, class V>
__device__ inline void stwb(T* address, V value) {
  *address = static_cast<T>(value);
}
template <class T, class V>
__device__ inline void stcg(T* address, V value) {
  *address = static_cast<T>(value);
}
template <class T, class V>
__device__ inline void stcs(T* address, V value) {
  *address = static_cast<T>(value);
}
template <class T, class V>
__device__ inline void stwt(T* address, V value) {
  *address = static_cast<T>(value);
}

// One unit of s_sleep is 64 cycles, about 30 ns.
__device__ inline void nanosleep(unsigned nanoseconds) {
  for (unsigned slept = 0; slept < nanoseconds; slept += 30u) __builtin_amdgcn_s_sleep(1);
}
__device__ inline void trap() { __builtin_trap(); }
__device__ inline void brkpt() { __builtin_trap(); }
__device__ inline float tanhf(float x) { return ::tanhf(x); }

// |x - y| + z, where the difference may need 32 bits.
__device__ inline unsigned sad(int x, int y, unsigned z) {
  const unsigned a = static_cast<unsigned>(x), b = static_cast<unsigned>(y);
  return (x < y ? b - a : a - b) + z;
}
// NaN becomes zero.
__device__ inline float saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

__device__ inline unsigned is_shared(const void* pointer) {
  return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void*)pointer);
}
__device__ inline unsigned is_local(const void* pointer) {
  return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void*)pointer);
}
__device__ inline unsigned is_global(const void* pointer) { return !is_shared(pointer) && !is_local(pointer); }

namespace detail {
template <class A, class B, class R>
__device__ inline R dot4(A a, B b, R sum) {
  using Byte = unsigned char;
  for (int i = 0; i < 4; ++i) {
    const R x = static_cast<A>(-1) < A(0) ? R(static_cast<signed char>(a >> (8 * i))) : R(static_cast<Byte>(a >> (8 * i)));
    const R y = static_cast<B>(-1) < B(0) ? R(static_cast<signed char>(b >> (8 * i))) : R(static_cast<Byte>(b >> (8 * i)));
    sum += x * y;
  }
  return sum;
}
__device__ inline int part16(int word, int i) { return static_cast<short>(word >> (16 * i)); }
__device__ inline unsigned part16(unsigned word, int i) { return (word >> (16 * i)) & 0xffffu; }
__device__ inline int part8(int word, int i) { return static_cast<signed char>(word >> (8 * i)); }
__device__ inline unsigned part8(unsigned word, int i) { return (word >> (8 * i)) & 0xffu; }
template <class T>
__device__ inline T dot2(T a, T b, T sum, int first) {
  return sum + part16(a, 0) * part8(b, first) + part16(a, 1) * part8(b, first + 1);
}
}  // namespace detail
__device__ inline int dp4a(int a, int b, int c) { return detail::dot4(a, b, c); }
__device__ inline unsigned dp4a(unsigned a, unsigned b, unsigned c) { return detail::dot4(a, b, c); }
__device__ inline int dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ inline unsigned dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__device__ inline int dp2a_lo(int a, int b, int c) { return detail::dot2(a, b, c, 0); }
__device__ inline unsigned dp2a_lo(unsigned a, unsigned b, unsigned c) { return detail::dot2(a, b, c, 0); }
__device__ inline int dp2a_hi(int a, int b, int c) { return detail::dot2(a, b, c, 2); }
__device__ inline unsigned dp2a_hi(unsigned a, unsigned b, unsigned c) { return detail::dot2(a, b, c, 2); }

}  // namespace w2w
