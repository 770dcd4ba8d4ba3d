// Stands in for the engine: knows the kernels of the test programs by name and does their work natively, so that these
// tests exercise the HSA runtime alone. A kernel that it does not know ends the process.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "hsa/amd_hsa_signal.h"
#include "simt/dispatch.h"

namespace {

struct Launch {
  const char* arguments;
  uint64_t items;

  template <class T>
  T get(int offset) const {
    T value;
    std::memcpy(&value, arguments + offset, sizeof value);
    return value;
  }
};

void add_vectors(const Launch& l) {  // (const float* a, const float* b, float* c, int n)
  for (uint64_t i = 0; i < l.items && i < static_cast<uint64_t>(l.get<int>(24)); i++)
    l.get<float*>(16)[i] = l.get<float*>(0)[i] + l.get<float*>(8)[i];
}

void scale(const Launch& l) {  // (float* data, float factor, int n)
  for (uint64_t i = 0; i < l.items && i < static_cast<uint64_t>(l.get<int>(12)); i++)
    l.get<float*>(0)[i] *= l.get<float>(8);
}

void increment(const Launch& l) {  // (int* data, int n)
  for (uint64_t i = 0; i < l.items && i < static_cast<uint64_t>(l.get<int>(8)); i++) l.get<int*>(0)[i]++;
}

void last(const Launch& l) {  // (struct { char[3000]; int n; } by value, int* out)
  *l.get<int*>(3008) = l.get<int>(3000);
}

void spin(const Launch& l) { std::this_thread::sleep_for(std::chrono::milliseconds(l.get<int>(0))); }  // (int ms)

void nothing(const Launch&) {}

// The device side of hostcall, as device code does it (LLVM AMDGPU hostcall, version 2 buffers). The doorbell's mailbox
// is not used: signal_changed() stands for s_sendmsg.
struct PacketHeader {
  uint64_t next, active_mask;
  uint32_t service;
  std::atomic<uint32_t> control;
};

struct HostcallBuffer {
  PacketHeader* headers;
  uint64_t (*payloads)[64][8];
  uint64_t doorbell;
  std::atomic<uint64_t> free_stack, ready_stack;
  uint64_t index_mask;
};

using Slots = uint64_t[64][8];

void call_host(HostcallBuffer* buffer, uint64_t mask, Slots& slots) {
  constexpr uint32_t kPrintf = 2;
  uint64_t packet = buffer->free_stack.load();
  while (!buffer->free_stack.compare_exchange_weak(packet, buffer->headers[packet & buffer->index_mask].next)) {
  }
  PacketHeader& header = buffer->headers[packet & buffer->index_mask];
  std::memcpy(buffer->payloads[packet & buffer->index_mask], slots, sizeof slots);
  header.active_mask = mask;
  header.service = kPrintf;
  header.control = 1;
  uint64_t ready = buffer->ready_stack.load();
  do header.next = ready;
  while (!buffer->ready_stack.compare_exchange_weak(ready, packet));
  auto* signal = reinterpret_cast<amd_signal_t*>(buffer->doorbell);
  __atomic_fetch_add(&signal->value, 1, __ATOMIC_SEQ_CST);
  w2w::signal_changed();
  while (header.control.load() & 1) std::this_thread::yield();
  std::memcpy(slots, buffer->payloads[packet & buffer->index_mask], sizeof slots);
  uint64_t free = buffer->free_stack.load();
  do header.next = free;
  while (!buffer->free_stack.compare_exchange_weak(free, packet + buffer->index_mask + 1));
}

void print(const Launch& l) {          // (): printf("lane %d of %d\n", lane, 4) in four lanes
  constexpr int kHiddenHostcall = 80;  // offset in the implicit arguments, code object version 5
  constexpr uint64_t kLanes = 0xf, kBegin = 1, kEnd = 2, kFlags = 0xe3;
  const char format[] = "lane %d of %d\n";
  auto* buffer = l.get<HostcallBuffer*>(kHiddenHostcall);
  static Slots slots;
  std::memset(slots, 0, sizeof slots);
  for (int lane = 0; lane < 4; lane++) slots[lane][0] = kBegin | 1u << 5;
  call_host(buffer, kLanes, slots);
  for (int lane = 0; lane < 4; lane++) {
    slots[lane][0] = (slots[lane][0] & ~kFlags) | (sizeof format + 7) / 8 << 5;
    std::memcpy(&slots[lane][1], format, sizeof format);
  }
  call_host(buffer, kLanes, slots);
  for (int lane = 0; lane < 4; lane++) {
    slots[lane][0] = (slots[lane][0] & ~kFlags) | kEnd | 2u << 5;
    slots[lane][1] = static_cast<uint64_t>(lane);
    slots[lane][2] = 4;
  }
  call_host(buffer, kLanes, slots);
}

struct Kernel {
  const char* name;  // as it appears in the mangled name
  void (*run)(const Launch&);
};

constexpr Kernel kKernels[] = {
    {"add_vectors", add_vectors},
    {"scale", scale},
    {"increment", increment},
    {"last", last},
    {"spin", spin},
    {"print", print},
    {"nothing", nothing},
    {"__amd_rocclr_initHeap", nothing},
};

}  // namespace

namespace w2w {

void prepare(const Dispatch&) {}

int execute(const Dispatch& dispatch) {
  const auto& packet = *dispatch.packet;
  const Launch launch{static_cast<const char*>(packet.kernarg_address),
                      uint64_t{packet.grid_size_x} * packet.grid_size_y * packet.grid_size_z};
  for (const Kernel& kernel : kKernels) {
    if (!std::strstr(dispatch.kernel, kernel.name)) continue;
    kernel.run(launch);
    return HSA_STATUS_SUCCESS;
  }
  if (std::strstr(dispatch.kernel, "fail")) return HSA_STATUS_ERROR_EXCEPTION;
  std::fprintf(stderr, "the stub engine does not know kernel %s\n", dispatch.kernel);
  std::_Exit(99);
}

void code_object_loaded(const char*, const void*, size_t) {}

bool checks_enabled() { return false; }

}  // namespace w2w
