/* One warp at once: a register is a vector of 32 lanes, a predicate 32 bits. */
typedef u8 V1 __attribute__((ext_vector_type(32)));
typedef u16 V2 __attribute__((ext_vector_type(32)));
typedef u32 V4 __attribute__((ext_vector_type(32)));
typedef u64 V8 __attribute__((ext_vector_type(32)));
typedef s8 S1 __attribute__((ext_vector_type(32)));
typedef s16 S2 __attribute__((ext_vector_type(32)));
typedef s32 S4 __attribute__((ext_vector_type(32)));
typedef s64 S8 __attribute__((ext_vector_type(32)));
typedef _Float16 F2 __attribute__((ext_vector_type(32)));
typedef float F4 __attribute__((ext_vector_type(32)));
typedef double F8 __attribute__((ext_vector_type(32)));
typedef _Bool VB __attribute__((ext_vector_type(32)));

#define NOINLINE static __attribute__((noinline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define LANES                                                                                                     \
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define LANE4 ((V4){LANES})
#define LANE8 ((V8){LANES})
/* Each half of a warp has its first lane's value. */
#define HALVES(v) \
  __builtin_shufflevector(v, v, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16, 16, \
                          16, 16, 16, 16, 16, 16, 16)

#define bools(mask) __builtin_bit_cast(VB, (u32)(mask))
/* The lanes where a comparison holds. */
#define mask_of(comparison) __builtin_bit_cast(u32, __builtin_convertvector(comparison, VB))
/* a in the lanes of the mask, b in the others. */
#define blend(mask, a, b) (bools(mask) ? (a) : (b))
#define convert(v, V) __builtin_convertvector(v, V)
#define first_lane(mask) ((u32)__builtin_ctz(mask))

#define VALID_GRANULE 256u
#define ALL 0xffffffffu

/* ---- the lanes of a warp --------------------------------------------------------------------------------------- */

/* The lane's own thread, as the functions for single threads want it. */
NOINLINE struct w2w_thread* lane_thread(struct w2w_thread* t, struct w2w_warp* w, u32 lane) {
  if (w->stride) return (struct w2w_thread*)((char*)t + lane * w->stride);
  t->lane = lane;
  t->linear = w->first + lane;
  t->tid[0] = w->tid[0][lane];
  t->tid[1] = w->tid[1][lane];
  t->tid[2] = w->tid[2][lane];
  return t;
}

/* The lanes of `group` stop here and go on at `place` when their turn comes. */
INLINE void park(struct w2w_warp* w, u32 group, u32 place) {
  V4* pc = (V4*)w->pc;
  *pc = blend(group, (V4)(place), *pc);
  w->ready |= group;
}
/* Lanes that part from the group that runs. */
NOINLINE void leave_behind(struct w2w_warp* w, u32 lanes, u32 place) {
  park(w, lanes, place);
  if (place < w->next) w->next = place;
}
/* As park, but it is for others to make the lanes ready. */
INLINE void park_waiting(struct w2w_warp* w, u32 group, u32 place) {
  V4* pc = (V4*)w->pc;
  *pc = blend(group, (V4)(place), *pc);
}

#define NOWHERE ALL
#define FUEL 65536u
#define PATIENCE 16u
#define PATIENCE_OF_SIBLINGS 256u

/* All lanes start together. */
INLINE u32 begin_warp(struct w2w_warp* w) {
  u32 group = w->ready;
  w->ready = 0;
  w->next = NOWHERE;
  w->fuel = FUEL;
  w->polls = 0;
  return w->group = group;
}
/* The lanes end. True if they are the last ones of a warp that nobody waits for. */
INLINE u32 end_lanes(struct w2w_thread* t, struct w2w_warp* w, u32 lanes) {
  if (w->stride) {
    w2w_warp_exit(t, w, lanes);
    return 0;
  }
  w->lanes &= ~lanes;
  return w->lanes == 0;
}

/* At a jump back: may the lanes that wait for this group have their turn? What it polls may be theirs to write. */
INLINE u32 is_tired(struct w2w_warp* w) {
  if (w->next == NOWHERE) return w->polls >= PATIENCE;
  return w->polls >= PATIENCE_OF_SIBLINGS || --w->fuel == 0;
}

/* Chooses the lanes to go on with, w->group: those that stand first in the program. Returns where they stand. */
NOINLINE u32 next_group(struct w2w_thread* t, struct w2w_warp* w) {
  for (;;) {
    u32 candidates = w->ready & ~w->deferred;
    if (candidates) {
      V4 places = blend(candidates, *(V4*)w->pc, (V4)(NOWHERE));
      u32 place = __builtin_reduce_min(places);
      u32 group = mask_of(places == (V4)(place)) & candidates, others = candidates & ~group;
      w->next = __builtin_reduce_min(blend(others, places, (V4)(NOWHERE)));
      w->ready &= ~group;
      w->group = group;
      w->fuel = FUEL;
      w->polls = 0;
      return place;
    }
    if (w->ready) {
      w->deferred = 0;
      if (w->polls >= PATIENCE) w2w_warp_yield(t, w);
    } else if (w->lanes) {
      w2w_warp_wait(t, w);
    } else {
      return NOWHERE;
    }
  }
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* All `bytes` bytes from `offset` in the heap's range on are valid. */
INLINE u32 is_valid_span(struct w2w_thread* t, u64 offset, u32 bytes) {
  if (UNLIKELY(offset >= t->heap_size)) return 0;
  const u16* valid = t->heap_valid + (offset >> 8);
  u32 end = (u32)(offset & 255) + bytes;
  for (; end > VALID_GRANULE; end -= VALID_GRANULE)
    if (*valid++ != VALID_GRANULE) return 0;
  return end <= *valid;
}
INLINE u32 is_shared_span(struct w2w_thread* t, u64 offset, u32 bytes) { return offset + bytes <= t->shared_size; }

/* Lanes of each half that lie side by side, or are all at one place, go together: `pattern` says how. */
enum { APART, SIDE_BY_SIDE, TOGETHER };

#define DEFINE_PATTERN(SPACE, A, T)                                                                                  \
  INLINE u32 SPACE##_pattern(struct w2w_thread* t, A address, u32 mask, u32 size, u64 base, u64* low, u64* high) {   \
    A first = HALVES(address);                                                                                       \
    u32 pattern = SIDE_BY_SIDE, bytes = 16 * size;                                                                   \
    if (UNLIKELY((mask_of(address == first + ((A){LANES16, LANES16}) * (A)(size)) | ~mask) != ALL)) {                   \
      if ((mask_of(address == first) | ~mask) != ALL) return APART;                                                  \
      pattern = TOGETHER, bytes = size;                                                                              \
    }                                                                                                                \
    u64 l = address[0], h = address[16];                                                                             \
    if (UNLIKELY(!(mask & 0xffff))) l = h;                                                                           \
    if (UNLIKELY(!(mask >> 16))) h = l;                                                                              \
    *low = l, *high = h;                                                                                             \
    if (UNLIKELY((l | h) & (size - 1))) return APART;                                                                \
    if (h == l + bytes) return is_##SPACE##_span(t, l - base, 2 * bytes) ? pattern : APART;                           \
    return is_##SPACE##_span(t, l - base, bytes) && is_##SPACE##_span(t, h - base, bytes) ? pattern : APART;          \
  }
#define LANES16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define is_global_span is_valid_span
DEFINE_PATTERN(global, V8, u64)
DEFINE_PATTERN(shared, V4, u32)

typedef u8 H1 __attribute__((ext_vector_type(16), aligned(1)));
typedef u16 H2 __attribute__((ext_vector_type(16), aligned(1)));
typedef u32 H4 __attribute__((ext_vector_type(16), aligned(1)));
typedef u64 H8 __attribute__((ext_vector_type(16), aligned(1)));
#define JOIN(a, b) __builtin_shufflevector(a, b, LANES)
#define LOW(v) __builtin_shufflevector(v, v, LANES16)
#define HIGH(v) \
  __builtin_shufflevector(v, v, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)

/* Vectors as arguments that fit into registers. */
typedef u8 R1 __attribute__((ext_vector_type(32)));
typedef u16 R2 __attribute__((ext_vector_type(32)));
typedef u32 R4 __attribute__((ext_vector_type(16)));
typedef u64 R8 __attribute__((ext_vector_type(8)));
#define ROWS_V1(x) R1 x
#define ROWS_V2(x) R2 x
#define ROWS_V4(x) R4 x##0, R4 x##1
#define ROWS_V8(x) R8 x##0, R8 x##1, R8 x##2, R8 x##3
#define SPLIT_V1(v) v
#define SPLIT_V2(v) v
#define SPLIT_V4(v) LOW(v), HIGH(v)
#define SPLIT_V8(v)                                                                                             \
  __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7), __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15), \
      __builtin_shufflevector(v, v, 16, 17, 18, 19, 20, 21, 22, 23),                                            \
      __builtin_shufflevector(v, v, 24, 25, 26, 27, 28, 29, 30, 31)
#define JOIN_V1(x) x
#define JOIN_V2(x) x
#define JOIN_V4(x) JOIN(x##0, x##1)
#define JOIN_V8(x) \
  JOIN(__builtin_shufflevector(x##0, x##1, LANES16), __builtin_shufflevector(x##2, x##3, LANES16))

/* An H200 was measured to store in parts of at most 128 bytes, one after the other, and to keep the first lane's value
 * where lanes of one part write to one place. `bytes`: of one lane. */
INLINE u32 next_storing_lane(u32 rest, u32 bytes) {
  u32 lanes = bytes > 4 ? 128 / bytes : 32;
  u32 part = first_lane(rest) & ~(lanes - 1);
  return part + 31 - (u32)__builtin_clz(rest >> part & ALL >> (32 - lanes));
}

/* Loads and stores of elements of N bytes at the addresses A of SPACE; `place` is where the base of its pointers is. */
#define DEFINE_VECTOR_ACCESS(SPACE, A, N, T, CHECK, ZERO, PLACE)                                                     \
  NOINLINE void SPACE##_gather##N(struct w2w_thread* t, struct w2w_warp* w, const A* address, u32 mask,              \
                                  const struct w2w_site* site, u32 stride, u32 count, V##N* result) {               \
    for (u32 rest = mask; rest; rest &= rest - 1) {                                                                  \
      u32 l = first_lane(rest);                                                                                      \
      char* p = CHECK(lane_thread(t, w, l), (*address)[l], site, stride, stride);                                    \
      for (u32 i = 0; i < count; ++i) ((T*)&result[i])[l] = load_##T(p + N * i);                                     \
    }                                                                                                                \
  }                                                                                                                  \
  NOINLINE void SPACE##_scatter##N(struct w2w_thread* t, struct w2w_warp* w, const A* address, u32 mask,             \
                                   const struct w2w_site* site, u32 stride, u32 count, const V##N* value) {         \
    for (u32 rest = mask, l; rest; rest &= ~(1u << l)) {                                                             \
      l = next_storing_lane(rest, stride);                                                                           \
      char* p = CHECK(lane_thread(t, w, l), (*address)[l], site, stride, stride);                                    \
      for (u32 i = 0; i < count; ++i) store_##T(p + N * i, ((const T*)&value[i])[l]);                                \
    }                                                                                                                \
  }                                                                                                                  \
  INLINE V##N SPACE##_load_here##N(struct w2w_thread* t, struct w2w_warp* w, A address, u32 mask,                    \
                                   const struct w2w_site* site) {                                                    \
    u64 low, high;                                                                                                   \
    u32 pattern = SPACE##_pattern(t, address, mask, N, ZERO, &low, &high);                                           \
    if (LIKELY(pattern == SIDE_BY_SIDE)) return JOIN(*(const H##N*)(PLACE low), *(const H##N*)(PLACE high));          \
    if (pattern == TOGETHER) return JOIN((H##N)(load_##T(PLACE low)), (H##N)(load_##T(PLACE high)));                  \
    V##N result = (V##N)(0);                                                                                         \
    SPACE##_gather##N(t, w, &address, mask, site, N, 1, &result);                                                    \
    return result;                                                                                                   \
  }                                                                                                                  \
  NOINLINE void SPACE##_load_several##N(struct w2w_thread* t, struct w2w_warp* w, const A* address, u32 mask,        \
                                        const struct w2w_site* site, u32 stride, u32 count, V##N* result) {         \
    if (LIKELY(mask == ALL && mask_of(*address == (A)((*address)[0]) + ((A){LANES}) * (A)(stride)) == ALL &&           \
               !((*address)[0] & (stride - 1)) && is_##SPACE##_span(t, (*address)[0] - ZERO, 32 * stride))) {        \
      const char* p = PLACE(u64)(*address)[0];                                                                       \
      for (u32 l = 0; l < 32; ++l, p += stride)                                                                      \
        for (u32 i = 0; i < count; ++i) ((T*)&result[i])[l] = load_##T(p + N * i);                                   \
    } else {                                                                                                         \
      SPACE##_gather##N(t, w, address, mask, site, stride, count, result);                                           \
    }                                                                                                                \
  }                                                                                                                  \
  NOINLINE V##N SPACE##_load_rows##N(struct w2w_thread* t, struct w2w_warp* w, ROWS_##A(a), u32 mask,                \
                                     const struct w2w_site* site) {                                                  \
    return SPACE##_load_here##N(t, w, JOIN_##A(a), mask, site);                                                      \
  }                                                                                                                  \
  INLINE V##N SPACE##_load##N(struct w2w_thread* t, struct w2w_warp* w, A address, u32 mask,                         \
                              const struct w2w_site* site) {                                                         \
    return SPACE##_load_rows##N(t, w, SPLIT_##A(address), mask, site);                                               \
  }                                                                                                                  \
  INLINE void SPACE##_store_here##N(struct w2w_thread* t, struct w2w_warp* w, A address, V##N value, u32 mask,       \
                                    const struct w2w_site* site) {                                                   \
    u64 low, high;                                                                                                   \
    if (LIKELY(mask == ALL && SPACE##_pattern(t, address, mask, N, ZERO, &low, &high) == SIDE_BY_SIDE)) {             \
      *(H##N*)(PLACE low) = LOW(value);                                                                              \
      *(H##N*)(PLACE high) = HIGH(value);                                                                            \
    } else {                                                                                                         \
      SPACE##_scatter##N(t, w, &address, mask, site, N, 1, &value);                                                  \
    }                                                                                                                \
  }                                                                                                                  \
  NOINLINE void SPACE##_store_rows##N(struct w2w_thread* t, struct w2w_warp* w, ROWS_##A(a), ROWS_V##N(v), u32 mask, \
                                      const struct w2w_site* site) {                                                 \
    SPACE##_store_here##N(t, w, JOIN_##A(a), JOIN_V##N(v), mask, site);                                              \
  }                                                                                                                  \
  INLINE void SPACE##_store##N(struct w2w_thread* t, struct w2w_warp* w, A address, V##N value, u32 mask,            \
                               const struct w2w_site* site) {                                                        \
    SPACE##_store_rows##N(t, w, SPLIT_##A(address), SPLIT_V##N(value), mask, site);                                  \
  }
#define DEFINE_GLOBAL_ACCESS(N, T) DEFINE_VECTOR_ACCESS(global, V8, N, T, global_pointer, t->heap_base, (char*))
#define DEFINE_SHARED_ACCESS(N, T) DEFINE_VECTOR_ACCESS(shared, V4, N, T, shared_pointer, 0, t->shared +)
DEFINE_GLOBAL_ACCESS(1, u8)
DEFINE_GLOBAL_ACCESS(2, u16)
DEFINE_GLOBAL_ACCESS(4, u32)
DEFINE_GLOBAL_ACCESS(8, u64)
DEFINE_SHARED_ACCESS(1, u8)
DEFINE_SHARED_ACCESS(2, u16)
DEFINE_SHARED_ACCESS(4, u32)
DEFINE_SHARED_ACCESS(8, u64)

/* ---- operations of the warp ------------------------------------------------------------------------------------ */

/* All lanes of the masks are here: they need not wait. */
INLINE u32 is_complete(struct w2w_warp* w, u32 group, V4 masks) {
  u32 mask = masks[first_lane(group)];
  return (mask_of(masks == (V4)(mask)) | ~group) == ALL && (mask & w->lanes) == group;
}
INLINE u32 is_complete_for(struct w2w_warp* w, u32 group, u32 mask) { return (mask & w->lanes) == group; }

/* Lanes that are not complete wait for the others. `what`: the place behind, shifted by 8, and the w2w_meeting. Each
 * for masks of the lanes and for one mask of all. */
#define WAITING struct w2w_thread *t, struct w2w_warp *w, const struct w2w_site *site, u32 group, u32 what
#define DEFINE_WAIT(NAME, ARGUMENTS, PREPARE, REQUEST)                             \
  INLINE void NAME##_any(WAITING, V4 masks, ARGUMENTS) {                           \
    PREPARE;                                                                       \
    struct w2w_lane_request request = {what & 255, (const u32*)&masks, REQUEST};   \
    park_waiting(w, group, what >> 8);                                             \
    w2w_warp_meet(t, w, site, group, &request);                                    \
  }
#define ARGUMENTS_OF_BITS u32 bits
#define ARGUMENTS_OF_VALUES V4 a, V4 b, V4 c
#define ARGUMENTS_OF_WIDE V8 a
DEFINE_WAIT(wait_with_bits, ARGUMENTS_OF_BITS, V4 a = (V4)(bits) >> LANE4 & 1u, (const u32*)&a)
#define ADDRESSES (const u32*)&a, (const u32*)&b, (const u32*)&c
DEFINE_WAIT(wait_with_values, ARGUMENTS_OF_VALUES, , ADDRESSES)
#define ADDRESS_OF_WIDE 0, 0, 0, (const u64*)&a
DEFINE_WAIT(wait_with_wide, ARGUMENTS_OF_WIDE, , ADDRESS_OF_WIDE)

NOINLINE void wait_with_bits(WAITING, ROWS_V4(m), u32 bits) { wait_with_bits_any(t, w, site, group, what, JOIN_V4(m), bits); }
NOINLINE void wait_with_bits_of(WAITING, u32 mask, u32 bits) {
  wait_with_bits_any(t, w, site, group, what, (V4)(mask), bits);
}
NOINLINE void wait_with_values(WAITING, ROWS_V4(m), ROWS_V4(a), ROWS_V4(b), ROWS_V4(c)) {
  wait_with_values_any(t, w, site, group, what, JOIN_V4(m), JOIN_V4(a), JOIN_V4(b), JOIN_V4(c));
}
NOINLINE void wait_with_values_of(WAITING, u32 mask, ROWS_V4(a), ROWS_V4(b), ROWS_V4(c)) {
  wait_with_values_any(t, w, site, group, what, (V4)(mask), JOIN_V4(a), JOIN_V4(b), JOIN_V4(c));
}
NOINLINE void wait_with_wide(WAITING, ROWS_V4(m), ROWS_V8(a)) {
  wait_with_wide_any(t, w, site, group, what, JOIN_V4(m), JOIN_V8(a));
}
NOINLINE void wait_with_wide_of(WAITING, u32 mask, ROWS_V8(a)) {
  wait_with_wide_any(t, w, site, group, what, (V4)(mask), JOIN_V8(a));
}
#define NOTHING (R4)(0), (R4)(0)
NOINLINE void wait_at_barrier(struct w2w_thread* t, struct w2w_warp* w, const struct w2w_site* site, u32 group, u32 place,
                              u32 id, u32 count, u32 operation, u32 values) {
  park_waiting(w, group, place);
  w2w_warp_arrive(t, w, site, group, id, count, operation, values);
}

/* v[from]; `from` is below 32. */
INLINE V4 permute_lanes(V4 v, V4 from) {
  V4 r;
#ifdef __AVX512F__
  typedef int Row __attribute__((vector_size(64)));
  const Row *values = (const Row*)&v, *indices = (const Row*)&from;
  Row* rows = (Row*)&r;
  rows[0] = __builtin_ia32_vpermi2vard512(values[0], indices[0], values[1]);
  rows[1] = __builtin_ia32_vpermi2vard512(values[0], indices[1], values[1]);
#else
  for (u32 l = 0; l < 32; ++l) ((u32*)&r)[l] = ((const u32*)&v)[((const u32*)&from)[l]];
#endif
  return r;
}

/* PTX ISA 9.7.9.6. What a lane outside the group holds is undefined; here it is the lane's own value. */
INLINE V4 shuffle_lanes(enum w2w_shuffle_mode mode, u32 group, V4 value, V4 lane, V4 clamp, u32* in_range) {
  S4 segment = (S4)(clamp >> 8 & 31), limit = (S4)(clamp & 31), here = (S4)LANE4, offset = (S4)(lane & 31);
  S4 lowest = here & segment, highest = lowest | (limit & ~segment);
  S4 from;
  u32 inside;
  if (mode == W2W_SHUFFLE_UP) {
    from = here - offset;
    inside = mask_of(from >= highest);
  } else {
    from = mode == W2W_SHUFFLE_DOWN ? here + offset
           : mode == W2W_SHUFFLE_BFLY ? here ^ offset : lowest | (offset & ~segment);
    inside = mask_of(from <= highest);
  }
  *in_range = inside;
  V4 source = blend(inside, (V4)from, LANE4);
  if (UNLIKELY(group != ALL)) {
    u32 active = mask_of(((V4)(group) >> source & 1) != 0);
    source = blend(active, source, LANE4);
  }
  return permute_lanes(value, source & 31);
}

INLINE u32 vote_lanes(enum w2w_vote_mode mode, u32 group, u32 value) {
  u32 ballot = value & group;
  switch (mode) {
    case W2W_VOTE_ALL:
      return ballot == group;
    case W2W_VOTE_ANY:
      return ballot != 0;
    case W2W_VOTE_UNI:
      return ballot == group || ballot == 0;
    default:
      return ballot;
  }
}

#define DEFINE_MATCH(N)                                                                                        \
  NOINLINE V4 match_lanes##N(enum w2w_match_mode mode, u32 group, V##N value, u32* all) {                      \
    V4 result = (V4)(0);                                                                                       \
    *all = 0;                                                                                                  \
    for (u32 rest = group; rest;) {                                                                            \
      u32 same = mask_of(value == (V##N)(value[first_lane(rest)])) & group;                                    \
      if (same == group) *all = ALL;                                                                           \
      if (mode == W2W_MATCH_ANY || same == group) result = blend(same, (V4)(same), result);                    \
      rest &= ~same;                                                                                           \
    }                                                                                                          \
    return result;                                                                                             \
  }
DEFINE_MATCH(4)
DEFINE_MATCH(8)

INLINE u32 reduce_lanes(enum w2w_reduce_mode mode, u32 group, V4 value) {
  switch (mode) {
    case W2W_REDUCE_ADD:
      return __builtin_reduce_add(blend(group, value, (V4)(0)));
    case W2W_REDUCE_MIN_U:
      return __builtin_reduce_min(blend(group, value, (V4)(ALL)));
    case W2W_REDUCE_MAX_U:
      return __builtin_reduce_max(blend(group, value, (V4)(0)));
    case W2W_REDUCE_MIN_S:
      return (u32)__builtin_reduce_min((S4)blend(group, value, (V4)(0x7fffffff)));
    case W2W_REDUCE_MAX_S:
      return (u32)__builtin_reduce_max((S4)blend(group, value, (V4)(0x80000000u)));
    case W2W_REDUCE_AND:
      return __builtin_reduce_and(blend(group, value, (V4)(ALL)));
    case W2W_REDUCE_OR:
      return __builtin_reduce_or(blend(group, value, (V4)(0)));
    default:
      return __builtin_reduce_xor(blend(group, value, (V4)(0)));
  }
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------ */

INLINE V4 canonical_f32(F4 f) { return blend(mask_of(f != f), (V4)(0x7fffffffu), (V4)f); }
INLINE F4 flush_lanes(F4 f) {
  V4 bits = (V4)f;
  return (F4)blend(mask_of((bits & 0x7fffffffu) < (V4)(0x00800000u)), bits & 0x80000000u, bits);
}
INLINE F4 saturate_lanes4(F4 f) {
  F4 low = blend(mask_of(f > 0.0f), f, (F4)(0.0f));
  return blend(mask_of(low < 1.0f), low, (F4)(1.0f));
}
INLINE V4 logic3_lanes(V4 a, V4 b, V4 c, u32 table) {
  V4 r = (V4)(0);
  if (table & 1) r |= ~a & ~b & ~c;
  if (table & 2) r |= ~a & ~b & c;
  if (table & 4) r |= ~a & b & ~c;
  if (table & 8) r |= ~a & b & c;
  if (table & 16) r |= a & ~b & ~c;
  if (table & 32) r |= a & ~b & c;
  if (table & 64) r |= a & b & ~c;
  if (table & 128) r |= a & b & c;
  return r;
}
