#include "hsa/blit.h"

#include <cstring>
#include <thread>

#include "hsa/initialised_memory.h"

namespace w2w::hsa {
namespace {

// Kernel arguments by byte offset. Trap: padding is not cleared, so read exactly the declared width.
class Arguments {
 public:
  explicit Arguments(const Dispatch& dispatch) : bytes_(static_cast<const char*>(dispatch.packet->kernarg_address)) {}

  uint64_t u64(int offset) const { return read<uint64_t>(offset); }
  uint32_t u32(int offset) const { return read<uint32_t>(offset); }
  char* pointer(int offset) const { return read<char*>(offset); }

 private:
  template <class T>
  T read(int offset) const {
    T value;
    std::memcpy(&value, bytes_ + offset, sizeof value);
    return value;
  }
  const char* bytes_;
};

// (src, dst, size, ...)
void copy_buffer(const Arguments& a) {
  std::memmove(a.pointer(8), a.pointer(0), a.u64(16));
  initialised_memory().mark(a.pointer(8), a.u64(16));
}

// (buffer, pattern, elements of the pattern, bytes of an element, end, ...)
void fill_buffer(const Arguments& a) {
  const size_t pattern_bytes = size_t{a.u32(16)} * a.u32(20);
  const char* pattern = a.pointer(8);
  const char* end = a.pointer(24);
  char* to = a.pointer(0);
  if (!pattern_bytes || to >= end) return;
  const bool uniform = !std::memcmp(pattern, pattern + 1, pattern_bytes - 1);
  const size_t bytes = (static_cast<size_t>(end - to) + pattern_bytes - 1) / pattern_bytes * pattern_bytes;
  initialised_memory().mark(to, bytes);
  if (uniform) {
    std::memset(to, pattern[0], bytes);
    return;
  }
  for (size_t at = 0; at < bytes; at += pattern_bytes) std::memcpy(to + at, pattern, pattern_bytes);
}

// (u8*, u16*, u32*, u64*: one is not null and gives the unit; pattern, units of it, origin, width, height, pitch)
void fill_buffer_2d(const Arguments& a) {
  for (int which = 0; which < 4; which++) {
    char* buffer = a.pointer(8 * which);
    if (!buffer) continue;
    const uint64_t unit = 1u << which, pattern_units = a.u32(40);
    const uint64_t origin = a.u64(48), width = a.u64(56), height = a.u64(64), pitch = a.u64(72);
    for (uint64_t y = 0; y < height; y++)
      for (uint64_t x = 0; x < width; x++) {
        char* to = buffer + (origin + y * pitch + x * pattern_units) * unit;
        std::memcpy(to, a.pointer(32), pattern_units * unit);
        initialised_memory().mark(to, pattern_units * unit);
      }
  }
}

// (src, dst, src rectangle {row pitch, slice pitch, start}, dst rectangle, size {x, y, z, bytes of a unit}); vectors of
// four 64-bit numbers, aligned to 32 bytes.
void copy_rectangle(const Arguments& a, bool aligned) {
  const uint64_t unit = aligned ? a.u64(96 + 24) : 1;
  const uint64_t width = a.u64(96), height = a.u64(104), depth = a.u64(112);
  auto row = [&](int rectangle, uint64_t y, uint64_t z) {
    return (a.u64(rectangle + 16) + y * a.u64(rectangle) + z * a.u64(rectangle + 8)) * unit;
  };
  for (uint64_t z = 0; z < depth; z++)
    for (uint64_t y = 0; y < height; y++) {
      std::memmove(a.pointer(8) + row(64, y, z), a.pointer(0) + row(32, y, z), width * unit);
      initialised_memory().mark(a.pointer(8) + row(64, y, z), width * unit);
    }
}

// (u32*, u64*: one is not null; value)
void write_value(const Arguments& a) {
  initialised_memory().mark(a.pointer(0), a.pointer(0) ? 4 : 0);
  initialised_memory().mark(a.pointer(8), a.pointer(8) ? 8 : 0);
  if (a.pointer(0))
    __atomic_store_n(reinterpret_cast<uint32_t*>(a.pointer(0)), static_cast<uint32_t>(a.u64(16)), __ATOMIC_SEQ_CST);
  else
    __atomic_store_n(reinterpret_cast<uint64_t*>(a.pointer(8)), a.u64(16), __ATOMIC_SEQ_CST);
  signal_changed();
}

// (u32*, u64*: one is not null; value, condition, mask)
void wait_value(const Arguments& a) {
  enum : uint64_t { kGreaterEqual = 0, kEqual = 1, kAnd = 2, kNor = 3 };
  const uint64_t value = a.u64(16), condition = a.u64(24), mask = a.u64(32);
  for (int round = 0;; round++) {
    uint64_t now = a.pointer(0) ? __atomic_load_n(reinterpret_cast<uint32_t*>(a.pointer(0)), __ATOMIC_SEQ_CST)
                                : __atomic_load_n(reinterpret_cast<uint64_t*>(a.pointer(8)), __ATOMIC_SEQ_CST);
    now &= mask;
    if (condition == kGreaterEqual ? now >= value
        : condition == kEqual      ? now == value
        : condition == kAnd        ? (now & value) != 0
                                   : ~(now | value) != 0)
      return;
    if (round < 1000)
      __builtin_ia32_pause();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));  // the host may store at any time, unnoticed
  }
}

struct BlitKernel {
  const char* name;
  void (*run)(const Arguments&);
};

constexpr BlitKernel kBlitKernels[] = {
    {"__amd_rocclr_copyBuffer", copy_buffer},
    {"__amd_rocclr_copyBufferRect", [](const Arguments& a) { copy_rectangle(a, false); }},
    {"__amd_rocclr_copyBufferRectAligned", [](const Arguments& a) { copy_rectangle(a, true); }},
    {"__amd_rocclr_fillBufferAligned", fill_buffer},
    {"__amd_rocclr_fillBufferAligned2D", fill_buffer_2d},
    {"__amd_rocclr_streamOpsWrite", write_value},
    {"__amd_rocclr_streamOpsWait", wait_value},
};

}  // namespace

bool is_blit_kernel(const std::string& name) { return name.compare(0, 13, "__amd_rocclr_") == 0; }

bool run_blit(const Dispatch& dispatch) {
  for (const BlitKernel& kernel : kBlitKernels) {
    if (std::strcmp(kernel.name, dispatch.kernel)) continue;
    kernel.run(Arguments(dispatch));
    return true;
  }
  return false;
}

}  // namespace w2w::hsa
