// The seam between the HSA runtime (packets, memory, signals) and the engine that executes kernels.
// The engine knows nothing of HSA queues; a direct front end may load a code object and call w2w::execute too.
#pragma once
#include <hsa/hsa.h>
#include <cstddef>
#include <cstdint>

namespace w2w {

struct Dispatch {
  const hsa_kernel_dispatch_packet_t* packet;  // the AQL packet, verbatim
  hsa_queue_t* queue;                          // is an amd_queue_v2_t
  const char* target;                          // "gfx942"
  const char* kernel;                          // mangled name, without ".kd"
  const void* descriptor;                      // loaded 64-byte kernel descriptor
  const void* entry;                           // first instruction
  uint32_t kernarg_size;
  const void* image;                           // loaded and relocated code object
  size_t image_size;
  const void* elf;                             // original bytes of the code object
  size_t elf_size;
};

// ---- implemented by the engine (simt/) --------------------------------------------------------------------

// Whether $W2W_CHECK asks for checks of accesses.
bool checks_enabled();

// Get the kernel's code, which may have to be translated first: what `execute` would do as well, but as part of the
// kernel's time. Thread-safe.
void prepare(const Dispatch& dispatch);

// Run all work-groups to completion. 0, or an hsa_status_t for the queue's error callback. Thread-safe: several
// queues may dispatch at once.
int execute(const Dispatch& dispatch);

// A code object became known: translate its kernels ahead of their first launch.
void code_object_loaded(const char* target, const void* elf, size_t elf_size);

// ---- implemented by the HSA runtime (hsa/) ----------------------------------------------------------------

// Device code stored to a signal behind the runtime's back (s_sendmsg): wake the waiters.
void signal_changed();

// The allocation whose pages hold `address`, with its size as asked for; false if none does.
bool find_allocation(const void* address, void** base, size_t* size);

// The same for checks of accesses. `initialised`: one bit a byte from `base` on, set where it has been written; null
// where that is not known.
struct AllocationView {
  char* base;
  size_t size;
  uint64_t* initialised;
};
bool view_allocation(const void* address, AllocationView* view);

// Changes whenever an allocation is added or freed.
uint64_t allocation_changes();

// Whether device code may use an address outside of all allocations: the runtime's own objects, and, on agents that
// reach pageable memory, all of the host's.
bool is_shared_with_host(const void* address);

// One that held `address` and was freed lately; false if none is remembered.
bool find_freed_allocation(const void* address, void** base, size_t* size);

}  // namespace w2w
