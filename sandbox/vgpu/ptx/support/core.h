/* Types, bit casts and memory access of code generated from PTX. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef unsigned __int128 u128;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long s64;
typedef __int128 s128;

#define INLINE static inline __attribute__((always_inline))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

INLINE float as_f32(u32 x) {
  float f;
  __builtin_memcpy(&f, &x, 4);
  return f;
}
INLINE double as_f64(u64 x) {
  double f;
  __builtin_memcpy(&f, &x, 8);
  return f;
}
INLINE u32 bits_f32(float f) {
  u32 x;
  __builtin_memcpy(&x, &f, 4);
  return x;
}
INLINE u64 bits_f64(double f) {
  u64 x;
  __builtin_memcpy(&x, &f, 8);
  return x;
}

/* Device memory may be aliased by anything. */
#define DEFINE_ACCESS(T)               \
  INLINE T load_##T(const void* p) {   \
    T v;                               \
    __builtin_memcpy(&v, p, sizeof v); \
    return v;                          \
  }                                    \
  INLINE void store_##T(void* p, T v) { __builtin_memcpy(p, &v, sizeof v); }
DEFINE_ACCESS(u8)
DEFINE_ACCESS(u16)
DEFINE_ACCESS(u32)
DEFINE_ACCESS(u64)
DEFINE_ACCESS(u128)
DEFINE_ACCESS(s8)
DEFINE_ACCESS(s16)
DEFINE_ACCESS(s32)
DEFINE_ACCESS(s64)
#undef DEFINE_ACCESS

/* Volatile and stronger: other host threads run other blocks. */
#define load_shared_order(T, p) __atomic_load_n((const T*)(p), __ATOMIC_ACQUIRE)
#define store_shared_order(T, p, v) __atomic_store_n((T*)(p), (v), __ATOMIC_RELEASE)

/* An access of `bytes` bytes never spans two granules of 256 where it is aligned. */
INLINE char* global_pointer(struct w2w_thread* t, u64 address, const struct w2w_site* site, u32 bytes, u32 align) {
  u64 offset = address - t->heap_base;
  if (UNLIKELY(offset >= t->heap_size) || UNLIKELY((offset & 255) + bytes > t->heap_valid[offset >> 8]) ||
      UNLIKELY(address & (align - 1)))
    w2w_check_address(t, address, site);
  return (char*)address;
}

INLINE char* shared_pointer(struct w2w_thread* t, u32 offset, const struct w2w_site* site, u32 bytes, u32 align) {
  if (UNLIKELY((u64)offset + bytes > t->shared_size) || UNLIKELY(offset & (align - 1)))
    w2w_shared_fault(t, offset, site);
  return t->shared + offset;
}

/* A poll in a loop: let the threads run that it may wait for. */
INLINE void poll(struct w2w_thread* t) {
  if (++t->spins >= 16) {
    t->spins = 0;
    w2w_yield(t);
  }
}

/* Recursion may not run over the end of the thread's stack. */
INLINE void w2w_check_stack_before_call(struct w2w_thread* t, const struct w2w_site* site) {
  if (UNLIKELY((char*)__builtin_frame_address(0) < t->stack_low + 16384)) w2w_check_stack(t, site);
}

INLINE u32 is_shared_address(struct w2w_thread* t, u64 a) { return a - (u64)t->shared < t->shared_size; }
INLINE u32 is_local_address(struct w2w_thread* t, u64 a) {
  return a - (u64)t->stack_low < (u64)(t->stack_high - t->stack_low);
}
INLINE u32 is_global_address(struct w2w_thread* t, u64 a) {
  return !is_shared_address(t, a) && !is_local_address(t, a);
}

/* Read-modify-write by comparison: `expression` sees the old value as `old`. */
#define ATOMIC_UPDATE(T, p, expression)                                                              \
  ({                                                                                                 \
    T* place_ = (T*)(p);                                                                             \
    T old = __atomic_load_n(place_, __ATOMIC_RELAXED), new_;                                         \
    do new_ = (T)(expression);                                                                       \
    while (!__atomic_compare_exchange_n(place_, &old, new_, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
    old;                                                                                             \
  })
/* In shared memory: all threads of a block run on one host thread. */
#define SHARED_UPDATE(T, p, expression) \
  ({                                    \
    T old = load_##T(p);                \
    store_##T(p, (T)(expression));      \
    old;                                \
  })

INLINE u128 exchange_b128(char* p, u128 value) {
  u128 old = load_u128(p), seen;
  while ((seen = __sync_val_compare_and_swap((u128*)p, old, value)) != old) old = seen;
  return old;
}
