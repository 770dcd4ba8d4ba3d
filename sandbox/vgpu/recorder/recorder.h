// Records what a program does with device memory, seen at the API of its runtime: allocations, launches, what each
// launch changed, and what the host read back. The same for HIP and CUDA, real devices and virtual ones: the library
// is loaded before the runtime (LD_PRELOAD) and stands in for the functions that it needs to see.
//
// Two files in the folder W2W_RECORD: `record.jsonl`, one event a line in the order of time, and `record.bin`, the
// bytes that events point at ("at" is an offset in it, or -1 where the bytes were not kept). See events in log.h.
// It runs inside the recorded program, so whoever reads the files must expect anything in them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace w2w::recorder {

// What the recorder needs of the runtime under it. `stream` is the runtime's own handle.
struct Runtime {
  bool (*is_idle)(void* stream);  // no work left on the stream
  void (*synchronize)();          // all streams of the device
  bool (*copy_to_host)(void* target, const void* source, size_t bytes);
  bool (*fill_zero)(void* target, size_t bytes);
  void* (*symbol_address)(const void* variable);  // null if the device has no such variable
};

struct Extent {
  unsigned x, y, z;
};

struct Argument {
  size_t offset;  // in the block of parameters
  std::string bytes;
};

struct LaunchFacts {
  std::string kernel;  // mangled name
  Extent grid, block;
  size_t shared_bytes;              // dynamic
  std::vector<Argument> arguments;  // empty where the runtime does not tell their sizes
};

enum class MemoryKind { kDevice, kManaged, kHost, kSymbol };

// All of it is safe to call from any thread and does nothing unless W2W_RECORD is set.
void start(const Runtime& runtime);
void allocated(const void* address, size_t bytes, MemoryKind kind, const char* name = "");
void released(const void* address);
void has_variable(const void* variable, const char* name, size_t bytes);
void capture_began();
void capture_ended();
// Around a launch, whose stream must be given.
void before_launch();
void after_launch(const LaunchFacts& facts, void* stream);
// The host has read `bytes` from device memory at `source`; they are now at `target`.
void host_read(const void* target, const void* source, size_t bytes);

}  // namespace w2w::recorder
