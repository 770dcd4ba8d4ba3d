// SPDX-License-Identifier: Apache-2.0
//
// PTX's loads, stores, atomics, fences, asynchronous copies and mbarriers. PTX ISA 9.7.9, 9.7.13.
//
// A shared address is an offset in LDS, as CUDA's is in its shared window. Asynchronous copies are done when they are
// issued, by the thread that issues them, which CUDA permits.
#pragma once

#include "ptx_floats.h"

namespace w2w {
namespace ptx {

enum class Space { generic, global, shared };
enum class Order { weak, relaxed, acquire, release, acq_rel, sc, fresh };
enum class Scope { cta, gpu, sys };
enum class Cache { all, streaming };
enum class Atomic { add, min, max, land, lor, lxor, exch, inc, dec };

// Operands of an instruction that became nothing.
template <class... T>
__device__ inline void unused(T...) {}
__device__ inline void copies_are_done() {}

namespace detail {
template <Order kOrder>
inline constexpr int kMemoryOrder = kOrder == Order::acquire   ? __ATOMIC_ACQUIRE
                                    : kOrder == Order::release ? __ATOMIC_RELEASE
                                    : kOrder == Order::acq_rel ? __ATOMIC_ACQ_REL
                                    : kOrder == Order::sc      ? __ATOMIC_SEQ_CST
                                                               : __ATOMIC_RELAXED;
template <Scope kScope>
inline constexpr int kMemoryScope = kScope == Scope::cta   ? __HIP_MEMORY_SCOPE_WORKGROUP
                                    : kScope == Scope::gpu ? __HIP_MEMORY_SCOPE_AGENT
                                                           : __HIP_MEMORY_SCOPE_SYSTEM;
template <class T>
struct __attribute__((may_alias)) Aliased {
  T value;
};
template <class T>
using AnyAlias = T __attribute__((may_alias));

// Memory as PTX sees it between two statements: what came before has been done.
__device__ inline void keep_order() { asm volatile("" ::: "memory"); }

template <class T>
__device__ inline T of_shared(u32 offset) {
  return (T)(__attribute__((address_space(3))) char*)static_cast<size_t>(offset);
}
}  // namespace detail

template <class T, Space kSpace>
__device__ inline detail::AnyAlias<T>* pointer(u64 address) {
  using Pointer = detail::AnyAlias<T>*;
  if constexpr (kSpace == Space::shared) return detail::of_shared<Pointer>(static_cast<u32>(address));
  if constexpr (kSpace == Space::global) return (Pointer)(__attribute__((address_space(1))) char*)address;
  return reinterpret_cast<Pointer>(address);
}
template <class T>
__device__ inline T shared_of_generic(In<u64> address) {
  return static_cast<T>((size_t)(__attribute__((address_space(3))) char*)(char*)address.value);
}
template <class T>
__device__ inline T generic_of_shared(In<T> address) {
  return static_cast<T>(reinterpret_cast<u64>(detail::of_shared<char*>(static_cast<u32>(address.value))));
}
__device__ inline bool is_shared(In<u64> address) {
  return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void*)address.value);
}
__device__ inline bool is_local(In<u64> address) {
  return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void*)address.value);
}
__device__ inline bool is_global(In<u64> address) { return !is_shared(address.value) && !is_local(address.value); }

template <class T, int kCount>
struct Values {
  T at[kCount];
};
namespace detail {
// Elements are read at their own size where PTX may see another thread's write between two of them.
template <class T, Order kOrder, Scope kScope, Cache kCache>
__device__ inline T load_element(const AnyAlias<T>* place) {
  using Bits = AnyAlias<Raw<T>>;
  const Bits* bits = reinterpret_cast<const Bits*>(place);
  if constexpr (kOrder == Order::weak) {
    return cast_bits<T>(static_cast<Raw<T>>(kCache == Cache::streaming ? __builtin_nontemporal_load(bits) : *bits));
  } else if constexpr (kOrder == Order::fresh) {
    return cast_bits<T>(static_cast<Raw<T>>(*const_cast<const volatile Bits*>(bits)));
  } else {
    return cast_bits<T>(static_cast<Raw<T>>(__hip_atomic_load(bits, kMemoryOrder<kOrder>, kMemoryScope<kScope>)));
  }
}
template <class T, Order kOrder, Scope kScope, Cache kCache>
__device__ inline void store_element(AnyAlias<T>* place, T value) {
  using Bits = AnyAlias<Raw<T>>;
  Bits* bits = reinterpret_cast<Bits*>(place);
  if constexpr (kOrder == Order::weak) {
    if constexpr (kCache == Cache::streaming) {
      __builtin_nontemporal_store(raw(value), bits);
    } else {
      *bits = raw(value);
    }
  } else if constexpr (kOrder == Order::fresh) {
    *const_cast<volatile Bits*>(bits) = raw(value);
  } else {
    __hip_atomic_store(bits, raw(value), kMemoryOrder<kOrder>, kMemoryScope<kScope>);
  }
}
template <class T, int kCount>
struct Packed {
  typedef Raw<T> type __attribute__((ext_vector_type(kCount), may_alias));
};
}  // namespace detail

// `kKeep`: the statement is volatile, so the access is neither merged with another nor moved out of a loop.
template <class T, int kCount, Space kSpace, Order kOrder, Scope kScope, Cache kCache, bool kKeep>
__device__ inline Values<T, kCount> load(u64 address) {
  Values<T, kCount> values;
  if constexpr (kKeep) detail::keep_order();
  const auto* place = pointer<T, kSpace>(address);
  if constexpr (kCount > 1 && kOrder == Order::weak && kCount * sizeof(T) <= 16) {
    using Vector = typename detail::Packed<T, kCount>::type;
    const Vector* packed = reinterpret_cast<const Vector*>(place);
    const Vector all = kCache == Cache::streaming ? __builtin_nontemporal_load(packed) : *packed;
    for (int i = 0; i < kCount; ++i) values.at[i] = cast_bits<T>(static_cast<Raw<T>>(all[i]));
  } else {
    for (int i = 0; i < kCount; ++i) values.at[i] = detail::load_element<T, kOrder, kScope, kCache>(place + i);
  }
  if constexpr (kKeep) detail::keep_order();
  return values;
}
template <class T, int kCount, Space kSpace, Order kOrder, Scope kScope, Cache kCache, bool kKeep, class... V>
__device__ inline void store(u64 address, V... bits) {
  static_assert(sizeof...(V) == kCount, "one value an element");
  const T values[kCount] = {In<T>(bits).value...};
  if constexpr (kKeep) detail::keep_order();
  auto* place = pointer<T, kSpace>(address);
  if constexpr (kCount > 1 && kOrder == Order::weak && kCount * sizeof(T) <= 16) {
    using Vector = typename detail::Packed<T, kCount>::type;
    Vector all;
    for (int i = 0; i < kCount; ++i) all[i] = raw(values[i]);
    if constexpr (kCache == Cache::streaming) {
      __builtin_nontemporal_store(all, reinterpret_cast<Vector*>(place));
    } else {
      *reinterpret_cast<Vector*>(place) = all;
    }
  } else {
    for (int i = 0; i < kCount; ++i) detail::store_element<T, kOrder, kScope, kCache>(place + i, values[i]);
  }
  if constexpr (kKeep) detail::keep_order();
}

namespace detail {
template <Atomic kAtomic, class T>
__device__ inline T updated(T old, T value) {
  if constexpr (kAtomic == Atomic::inc) return old >= value ? T(0) : static_cast<T>(old + T(1));
  if constexpr (kAtomic == Atomic::dec) return old == T(0) || old > value ? value : static_cast<T>(old - T(1));
  return old;
}
template <class T>
struct IsBits {
  static constexpr bool value = false;
};
template <>
struct IsBits<f16> {
  static constexpr bool value = true;
};
template <>
struct IsBits<bf16> {
  static constexpr bool value = true;
};
template <>
struct IsBits<f16x2> {
  static constexpr bool value = true;
};
template <>
struct IsBits<bf16x2> {
  static constexpr bool value = true;
};
// By compare-and-swap.
template <class T, int kOrder, int kScope, class Update>
__device__ inline Raw<T> replace(AnyAlias<Raw<T>>* place, Update update) {
  Raw<T> seen = __hip_atomic_load(place, __ATOMIC_RELAXED, kScope);
  while (!__hip_atomic_compare_exchange_strong(place, &seen, update(seen), kOrder, __ATOMIC_RELAXED, kScope)) {
  }
  return seen;
}
}  // namespace detail

template <Atomic kAtomic, class T, Order kOrder, Scope kScope>
__device__ inline Raw<T> atomic(detail::AnyAlias<T>* place, In<T> operand) {
  constexpr int kWhen = detail::kMemoryOrder<kOrder>, kWhere = detail::kMemoryScope<kScope>;
  const T value = operand.value;
  if constexpr (detail::IsBits<T>::value) {
    static_assert(kAtomic == Atomic::add, "halves are added only");
    auto* bits = reinterpret_cast<detail::AnyAlias<Raw<T>>*>(place);
    return detail::replace<T, kWhen, kWhere>(bits, [=](Raw<T> old) { return hadd<T, false, false>(old, raw(value)); });
  } else if constexpr (kAtomic == Atomic::inc || kAtomic == Atomic::dec) {
    return detail::replace<T, kWhen, kWhere>(place, [=](T old) { return detail::updated<kAtomic>(old, value); });
  } else if constexpr (kAtomic == Atomic::add) {
    return raw(__hip_atomic_fetch_add(place, value, kWhen, kWhere));
  } else if constexpr (kAtomic == Atomic::min) {
    return raw(__hip_atomic_fetch_min(place, value, kWhen, kWhere));
  } else if constexpr (kAtomic == Atomic::max) {
    return raw(__hip_atomic_fetch_max(place, value, kWhen, kWhere));
  } else if constexpr (kAtomic == Atomic::land) {
    return raw(__hip_atomic_fetch_and(place, value, kWhen, kWhere));
  } else if constexpr (kAtomic == Atomic::lor) {
    return raw(__hip_atomic_fetch_or(place, value, kWhen, kWhere));
  } else if constexpr (kAtomic == Atomic::lxor) {
    return raw(__hip_atomic_fetch_xor(place, value, kWhen, kWhere));
  } else {
    return raw(__hip_atomic_exchange(place, value, kWhen, kWhere));
  }
}
template <class T, Order kOrder, Scope kScope>
__device__ inline Raw<T> atomic_cas(detail::AnyAlias<T>* place, In<T> compare, In<T> value) {
  constexpr int kFailure = kOrder == Order::acquire || kOrder == Order::acq_rel ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
  T seen = compare.value;
  __hip_atomic_compare_exchange_strong(place, &seen, value.value, detail::kMemoryOrder<kOrder>, kFailure,
                                       detail::kMemoryScope<kScope>);
  return raw(seen);
}
template <class T, int kCount, Order kOrder, Scope kScope, class... V>
__device__ inline void reduce_elements(detail::AnyAlias<T>* place, V... bits) {
  static_assert(sizeof...(V) == kCount, "one value an element");
  const T values[kCount] = {In<T>(bits).value...};
  for (int i = 0; i < kCount; ++i) atomic<Atomic::add, T, kOrder, kScope>(place + i, raw(values[i]));
}

#define W2W_FENCE(order)                                                                  \
  {                                                                                       \
    if constexpr (kScope == Scope::cta) __builtin_amdgcn_fence(order, "workgroup");       \
    if constexpr (kScope == Scope::gpu) __builtin_amdgcn_fence(order, "agent");           \
    if constexpr (kScope == Scope::sys) __builtin_amdgcn_fence(order, "");                \
  }
template <Order kOrder, Scope kScope>
__device__ inline void fence() {
  if constexpr (kOrder == Order::sc) W2W_FENCE(__ATOMIC_SEQ_CST)
  if constexpr (kOrder == Order::acq_rel) W2W_FENCE(__ATOMIC_ACQ_REL)
  if constexpr (kOrder == Order::acquire) W2W_FENCE(__ATOMIC_ACQUIRE)
  if constexpr (kOrder == Order::release) W2W_FENCE(__ATOMIC_RELEASE)
}
#undef W2W_FENCE

// cp.async: `have` bytes from the source, zeros behind them.
template <unsigned kBytes>
__device__ inline void copy_async(u64 to, u64 from, In<u32> have) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "cp.async copies 4, 8 or 16 bytes");
  using Words = typename detail::Packed<u32, kBytes / 4>::type;
  detail::keep_order();
  Words* target = reinterpret_cast<Words*>(pointer<char, Space::shared>(to));
  if (have.value >= kBytes) {
    *target = *reinterpret_cast<const Words*>(pointer<char, Space::global>(from));
  } else {
    u32 words[kBytes / 4] = {};
    const auto* bytes = pointer<u8, Space::global>(from);
    for (u32 i = 0; i < kBytes; ++i) {
      if (i < have.value) words[i / 4] |= static_cast<u32>(bytes[i]) << (8 * (i % 4));
    }
    __builtin_memcpy(target, words, kBytes);
  }
  detail::keep_order();
}
template <Space kTo, Space kFrom>
__device__ inline void copy_bulk(u64 to, u64 from, In<u32> bytes) {
  detail::keep_order();
  auto* target = pointer<u32, kTo>(to);
  const auto* source = pointer<u32, kFrom>(from);
  for (u32 i = 0; i < bytes.value / 4; ++i) target[i] = source[i];
  detail::keep_order();
}

// mbarrier: arrivals still to come in this phase (bits 0-19), arrivals of each phase (20-39), bytes still to come
// (40-62, with a sign), and the phase's parity (63).
namespace detail {
__device__ inline u64 barrier_word(u64 phase, s64 bytes, u32 expected, u32 pending) {
  return phase << 63 | (static_cast<u64>(bytes) & 0x7fffffull) << 40 | static_cast<u64>(expected & 0xfffffu) << 20 |
         (pending & 0xfffffu);
}
__device__ inline u32 barrier_pending(u64 word) { return static_cast<u32>(word) & 0xfffffu; }
__device__ inline u32 barrier_expected(u64 word) { return static_cast<u32>(word >> 20) & 0xfffffu; }
__device__ inline s64 barrier_bytes(u64 word) { return static_cast<s64>(word << 1) >> 41; }
// The word after arrivals and bytes; the phase is complete when nothing is still to come.
__device__ inline u64 barrier_next(u64 word, u32 arrivals, u32 dropped, s64 bytes) {
  const u32 expected = barrier_expected(word) - dropped, pending = barrier_pending(word) - arrivals;
  const s64 left = barrier_bytes(word) + bytes;
  if (pending == 0 && left == 0) return barrier_word((word >> 63) ^ 1ull, 0, expected, expected);
  return barrier_word(word >> 63, left, expected, pending);
}
__device__ inline u64 barrier_update(AnyAlias<u64>* barrier, u32 arrivals, u32 dropped, s64 bytes) {
  return replace<u64, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP>(
      barrier, [=](u64 word) { return barrier_next(word, arrivals, dropped, bytes); });
}
}  // namespace detail
__device__ inline void barrier_init(detail::AnyAlias<u64>* barrier, In<u32> count) {
  __hip_atomic_store(barrier, detail::barrier_word(0, 0, count.value, count.value), __ATOMIC_RELEASE,
                     __HIP_MEMORY_SCOPE_WORKGROUP);
}
// The bytes that are expected are added before the arrival counts. The state is the word before.
template <bool kDrop>
__device__ inline u64 barrier_arrive(detail::AnyAlias<u64>* barrier, In<u32> count, In<u32> bytes) {
  return detail::barrier_update(barrier, count.value, kDrop ? count.value : 0u, bytes.value);
}
__device__ inline void barrier_expect(detail::AnyAlias<u64>* barrier, In<u32> bytes) {
  detail::barrier_update(barrier, 0u, 0u, bytes.value);
}
__device__ inline void barrier_bytes(detail::AnyAlias<u64>* barrier, In<u32> bytes) {
  detail::barrier_update(barrier, 0u, 0u, -static_cast<s64>(bytes.value));
}
// The copies before it are done. Without .noinc it counts as one more arrival, which it makes itself.
template <bool kCounted>
__device__ inline void barrier_copies_done(detail::AnyAlias<u64>* barrier) {
  if constexpr (kCounted) detail::barrier_update(barrier, 1u, 0u, 0);
}
__device__ inline bool barrier_test(detail::AnyAlias<u64>* barrier, In<u64> state) {
  const u64 word = __hip_atomic_load(barrier, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP);
  return (word ^ state.value) >> 63;
}
__device__ inline bool barrier_test_parity(detail::AnyAlias<u64>* barrier, In<u32> parity) {
  const u64 word = __hip_atomic_load(barrier, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP);
  return (word >> 63) != (parity.value & 1u);
}
__device__ inline u32 barrier_pending(In<u64> state) { return detail::barrier_pending(state.value); }

}  // namespace ptx

// CUDA's address conversions: a shared address is an offset in LDS.
__device__ inline size_t cvta_generic_to_shared(const void* pointer) {
  return ptx::shared_of_generic<unsigned long long>(reinterpret_cast<unsigned long long>(pointer));
}
__device__ inline void* cvta_shared_to_generic(size_t offset) {
  return ptx::detail::of_shared<void*>(static_cast<unsigned>(offset));
}
__device__ inline size_t cvta_generic_to_global(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
__device__ inline void* cvta_global_to_generic(size_t address) { return reinterpret_cast<void*>(address); }

}  // namespace w2w
