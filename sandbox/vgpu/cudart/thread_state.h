/* What code generated from PTX and the engine know of each other. The PTX translator puts this text in front of
 * what it generates, so it must stay plain C without includes.
 *
 * Generated code runs one CUDA thread at a time. A kernel is "independent" where no thread ever waits for another:
 * then `run` executes a whole block in a loop. Otherwise `run` executes one thread, on a fibre of its own. */
#ifndef W2W_CUDART_THREAD_STATE_H_
#define W2W_CUDART_THREAD_STATE_H_

#ifdef __cplusplus
extern "C" {
#endif

/* A place in the PTX that may report or wait. */
struct w2w_site {
  const char* kernel;      /* mangled name of the function that holds it */
  const char* instruction; /* opcode with modifiers */
  unsigned line;           /* of the PTX */
  unsigned source_line;    /* of the CUDA source, 0 if unknown */
  const char* source_file; /* null if unknown */
  unsigned short bytes;    /* of the access */
  unsigned char align;     /* of the access, in bytes */
  unsigned char access;    /* 0 read, 1 write, 2 atomic */
};

struct w2w_thread {
  unsigned tid[3], ntid[3], ctaid[3], nctaid[3];
  unsigned lane, warp;
  unsigned linear;         /* number of the thread in its block */
  unsigned shared_size;    /* bytes of shared memory of the block, static and dynamic */
  unsigned dynamic_shared; /* offset of the dynamic part */
  unsigned param_size;
  char* shared;                       /* base of the block's shared memory */
  const char* params;                 /* kernel parameters, laid out as the PTX says */
  unsigned long heap_base, heap_size; /* the device's address range */
  const unsigned short* heap_valid;   /* valid bytes of each 256-byte granule */
  char *stack_low, *stack_high;       /* the thread's stack, which holds its local memory */
  unsigned spins;                     /* polls since the last yield */
  unsigned long grid_workspace;       /* for cooperative launches, else 0 */
  unsigned long grid_id;
  void* block; /* the engine's */
};

/* A warp whose lanes run together, each register being a vector of its lanes' values. */
struct w2w_warp {
  unsigned pc[32] __attribute__((aligned(128))); /* the place in the kernel where each lane goes on */
  unsigned tid[3][32];
  unsigned result[32];                    /* of the operation that each lane has waited for */
  unsigned second_result;                 /* the same, a bit a lane */
  unsigned ready;                         /* lanes that may go on */
  unsigned deferred;                      /* those among them that let all others go first */
  unsigned all;                           /* lanes that exist */
  unsigned lanes;                         /* that have not ended */
  unsigned group;                         /* that run */
  unsigned next;                          /* the first place where ready lanes stand */
  unsigned fuel, polls;                   /* see is_tired() */
  unsigned first;                         /* number of lane 0 in the block */
  unsigned long stride;                   /* bytes from one lane's thread to the next one's; 0: all share one */
};

typedef void (*w2w_device_function)(struct w2w_thread*, unsigned char* result, unsigned char** arguments);

struct w2w_kernel {
  const char* name;
  void (*run)(struct w2w_thread*, const char* params);
  void (*run_warp)(struct w2w_thread*, struct w2w_warp*); /* instead of `run`: a whole warp */
  unsigned param_size, param_count;
  const unsigned *param_offsets, *param_sizes;
  unsigned static_shared;
  unsigned local_bytes; /* of .local variables on the deepest chain of calls */
  unsigned warp_bytes;  /* of stack that `run_warp` needs for them and for registers */
  unsigned registers;   /* estimate, 32-bit registers a thread */
  unsigned max_threads; /* 0: not limited */
  unsigned char independent, recursive;
};

/* A word of an initialiser that holds an address: of a variable (`slot`) or of a function. */
struct w2w_relocation {
  unsigned long offset;
  const unsigned long* slot;
  w2w_device_function function;
  long addend;
  int byte; /* -1: the whole 64-bit address, else this byte of it */
};

struct w2w_variable {
  const char* name;
  unsigned long size, align;
  unsigned long* address; /* set by the engine when the module is loaded */
  const void* initial;    /* `initial_size` bytes; the rest is zero */
  unsigned long initial_size;
  unsigned managed;
  unsigned relocation_count;
  const struct w2w_relocation* relocations;
};

#define W2W_MODULE_VERSION 2

/* The symbol w2w_ptx_module of every translated module. */
struct w2w_module {
  unsigned version;
  unsigned kernel_count, variable_count, function_count;
  const struct w2w_kernel* kernels;
  const struct w2w_variable* variables;
  const w2w_device_function* functions; /* what function pointers may point to */
};

/* What lanes of a warp do together; a mode is added to the kinds that have several. */
enum w2w_meeting {
  W2W_MEET_BARRIER,
  W2W_MEET_ELECT,
  W2W_MEET_SHUFFLE,
  W2W_MEET_VOTE = W2W_MEET_SHUFFLE + 4,
  W2W_MEET_MATCH = W2W_MEET_VOTE + 4,
  W2W_MEET_REDUCE = W2W_MEET_MATCH + 2,
  W2W_MEET_MATRIX_MULTIPLY = W2W_MEET_REDUCE + 8,
  W2W_MEET_LOAD_MATRIX,
  W2W_MEET_STORE_MATRIX,
  W2W_MEET_TRANSPOSE_MATRIX
};
enum w2w_shuffle_mode { W2W_SHUFFLE_UP, W2W_SHUFFLE_DOWN, W2W_SHUFFLE_BFLY, W2W_SHUFFLE_IDX };
enum w2w_vote_mode { W2W_VOTE_ALL, W2W_VOTE_ANY, W2W_VOTE_UNI, W2W_VOTE_BALLOT };
enum w2w_match_mode { W2W_MATCH_ANY, W2W_MATCH_ALL };
enum w2w_reduce_mode {
  W2W_REDUCE_ADD,
  W2W_REDUCE_MIN_U,
  W2W_REDUCE_MAX_U,
  W2W_REDUCE_MIN_S,
  W2W_REDUCE_MAX_S,
  W2W_REDUCE_AND,
  W2W_REDUCE_OR,
  W2W_REDUCE_XOR
};
enum w2w_barrier_reduction { W2W_BARRIER_POPC, W2W_BARRIER_AND, W2W_BARRIER_OR, W2W_BARRIER_SYNC };
enum w2w_rounding { W2W_ROUND_NEAREST, W2W_ROUND_ZERO, W2W_ROUND_DOWN, W2W_ROUND_UP, W2W_ROUND_AWAY };
enum w2w_element {
  W2W_F16,
  W2W_BF16,
  W2W_TF32,
  W2W_F32,
  W2W_F64,
  W2W_E4M3,
  W2W_E5M2,
  W2W_S8,
  W2W_U8,
  W2W_S4,
  W2W_U4,
  W2W_B1,
  W2W_S32
};

/* mma.sync and wmma.mma: D = A * B + C. Fragments are the lane's 32-bit registers (64-bit values take two). */
struct w2w_mma {
  unsigned short m, n, k;
  unsigned char a, b, c, d;      /* w2w_element */
  unsigned char a_column, b_row; /* layouts of m8n8k4 */
  unsigned char bit_and;         /* .b1: .and.popc, else .xor.popc */
  unsigned char saturate;        /* .satfinite of integer forms */
  unsigned char wmma;            /* fragments are laid out as wmma.load does */
};

/* wmma.load and wmma.store. `operand` is 'a', 'b' or 'c'. */
struct w2w_fragment {
  unsigned short m, n, k;
  unsigned char operand, element, column_major, registers;
};

/* ---- called by generated code, implemented by the engine -------------------------------------------------- */

/* The address is outside the device's valid memory, or misaligned: return if it is another legal place (the
 * thread's local memory, the block's shared memory, registered host memory), else end the kernel. */
void w2w_check_address(struct w2w_thread*, unsigned long address, const struct w2w_site*);
void w2w_shared_fault(struct w2w_thread*, unsigned offset, const struct w2w_site*) __attribute__((noreturn));
void w2w_unsupported(struct w2w_thread*, const struct w2w_site*) __attribute__((noreturn));
void w2w_missing_function(struct w2w_thread*, const char* name, const struct w2w_site*) __attribute__((noreturn));
void w2w_trap(struct w2w_thread*, const struct w2w_site*) __attribute__((noreturn));
void w2w_breakpoint(struct w2w_thread*, const struct w2w_site*) __attribute__((noreturn));
void w2w_exit(struct w2w_thread*) __attribute__((noreturn));
void w2w_yield(struct w2w_thread*);
void w2w_check_stack(struct w2w_thread*, const struct w2w_site*);
w2w_device_function w2w_call_target(struct w2w_thread*, unsigned long address, const struct w2w_site*);

void w2w_barrier_sync(struct w2w_thread*, const struct w2w_site*, unsigned id, unsigned count);
void w2w_barrier_arrive(struct w2w_thread*, const struct w2w_site*, unsigned id, unsigned count);
unsigned w2w_barrier_reduce(struct w2w_thread*, const struct w2w_site*, unsigned id, unsigned count,
                            enum w2w_barrier_reduction, unsigned value);
void w2w_warp_barrier(struct w2w_thread*, const struct w2w_site*, unsigned mask);
unsigned w2w_shuffle(struct w2w_thread*, const struct w2w_site*, enum w2w_shuffle_mode, unsigned mask, unsigned value,
                     unsigned lane, unsigned clamp, unsigned* in_range);
unsigned w2w_vote(struct w2w_thread*, const struct w2w_site*, enum w2w_vote_mode, unsigned mask, unsigned value);
unsigned w2w_match(struct w2w_thread*, const struct w2w_site*, enum w2w_match_mode, unsigned mask, unsigned long value,
                   unsigned* all);
unsigned w2w_reduce(struct w2w_thread*, const struct w2w_site*, enum w2w_reduce_mode, unsigned mask, unsigned value);
unsigned w2w_active_mask(struct w2w_thread*, const struct w2w_site*);
unsigned w2w_elect(struct w2w_thread*, const struct w2w_site*, unsigned mask, unsigned* elected);
void w2w_matrix_multiply(struct w2w_thread*, const struct w2w_site*, const struct w2w_mma*, unsigned* d,
                         const unsigned* a, const unsigned* b, const unsigned* c);
void w2w_load_matrix(struct w2w_thread*, const struct w2w_site*, unsigned count, unsigned transposed, char* row,
                     unsigned* values);
void w2w_store_matrix(struct w2w_thread*, const struct w2w_site*, unsigned count, unsigned transposed, char* row,
                      const unsigned* values);
void w2w_transpose_matrix(struct w2w_thread*, const struct w2w_site*, const unsigned* value, unsigned* result);
void w2w_load_fragment(struct w2w_thread*, const struct w2w_site*, const struct w2w_fragment*, unsigned long address,
                       unsigned stride, unsigned* values);
void w2w_store_fragment(struct w2w_thread*, const struct w2w_site*, const struct w2w_fragment*, unsigned long address,
                        unsigned stride, const unsigned* values);

int w2w_vprintf(struct w2w_thread*, const struct w2w_site*, unsigned long format, unsigned long arguments);
unsigned long w2w_device_malloc(struct w2w_thread*, unsigned long size);
void w2w_device_free(struct w2w_thread*, const struct w2w_site*, unsigned long address);
/* Returns only where the caller can leave the kernel at once (`in_kernel`), so that the next thread of an independent
 * kernel has its turn. */
void w2w_assert_fail(struct w2w_thread*, const struct w2w_site*, unsigned long message, unsigned long file,
                     unsigned line, unsigned long function, unsigned in_kernel);

/* ---- for kernels that run a whole warp at once. Lanes that must wait are parked: `ready` lacks them until others make
 * them so, and `result` holds what they have waited for. */
void w2w_warp_wait(struct w2w_thread*, struct w2w_warp*);  /* until a lane is ready */
void w2w_warp_yield(struct w2w_thread*, struct w2w_warp*); /* let the other warps run */
void w2w_warp_exit(struct w2w_thread*, struct w2w_warp*, unsigned lanes);
/* `operation` is a w2w_barrier_reduction of the bits in `values`. All lanes are parked, also the last to come. */
void w2w_warp_arrive(struct w2w_thread*, struct w2w_warp*, const struct w2w_site*, unsigned lanes, unsigned id,
                     unsigned count, unsigned operation, unsigned values);
/* What each of 32 lanes brings to a meeting; null: nothing. `masks`: the lanes that it wants to meet. */
struct w2w_lane_request {
  unsigned kind; /* w2w_meeting */
  const unsigned *masks, *a, *b, *c;
  const unsigned long* wide;
};
void w2w_warp_meet(struct w2w_thread*, struct w2w_warp*, const struct w2w_site*, unsigned lanes,
                   const struct w2w_lane_request*);
int w2w_warp_vprintf(struct w2w_thread*, unsigned long format, unsigned long arguments);
void w2w_warp_assert_fail(struct w2w_thread*, const struct w2w_site*, unsigned long message, unsigned long file,
                          unsigned line, unsigned long function, unsigned last);

void w2w_mbarrier_init(unsigned long* object, unsigned count);
unsigned long w2w_mbarrier_arrive(unsigned long* object, unsigned count, unsigned drop, unsigned expected_bytes);
void w2w_mbarrier_complete_bytes(unsigned long* object, unsigned bytes);
unsigned w2w_mbarrier_test(const unsigned long* object, unsigned long state);
unsigned w2w_mbarrier_test_parity(const unsigned long* object, unsigned parity);
unsigned w2w_mbarrier_pending(unsigned long state);

/* Single operations in a rounding direction; results are not yet canonical. */
float w2w_add_f32(float a, float b, enum w2w_rounding);
float w2w_mul_f32(float a, float b, enum w2w_rounding);
float w2w_fma_f32(float a, float b, float c, enum w2w_rounding);
float w2w_div_f32(float a, float b, enum w2w_rounding);
float w2w_sqrt_f32(float a, enum w2w_rounding);
double w2w_add_f64(double a, double b, enum w2w_rounding);
double w2w_mul_f64(double a, double b, enum w2w_rounding);
double w2w_fma_f64(double a, double b, double c, enum w2w_rounding);
double w2w_div_f64(double a, double b, enum w2w_rounding);
double w2w_sqrt_f64(double a, enum w2w_rounding);
float w2w_f64_to_f32(double a, enum w2w_rounding);
float w2w_s64_to_f32(long a, enum w2w_rounding);
float w2w_u64_to_f32(unsigned long a, enum w2w_rounding);
double w2w_s64_to_f64(long a, enum w2w_rounding);
double w2w_u64_to_f64(unsigned long a, enum w2w_rounding);
float w2w_ex2_f32(float a);
float w2w_lg2_f32(float a);
float w2w_sin_f32(float a);
float w2w_cos_f32(float a);
float w2w_tanh_f32(float a);
float w2w_rsqrt_f32(float a);
double w2w_rsqrt_f64(double a);
double w2w_rcp_ftz_f64(double a);

unsigned long w2w_clock(void);
unsigned long w2w_global_timer(void); /* nanoseconds */

#ifdef __cplusplus
}
#endif
#endif
