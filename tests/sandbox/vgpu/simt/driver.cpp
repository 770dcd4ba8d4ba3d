// Runs one kernel through the engine without HSA and prints what it left in its
// buffer.
#include <hsa/amd_hsa_queue.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "simt/dispatch.h"
#include "simt/wave_state.h"

namespace {

char* g_buffer;
size_t g_buffer_size;

uint32_t number(const std::map<std::string, std::string>& options, const std::string& name, uint32_t otherwise) {
  auto place = options.find(name);
  return place == options.end() ? otherwise : static_cast<uint32_t>(strtoul(place->second.c_str(), nullptr, 0));
}

// A buffer that ends where inaccessible memory begins.
void make_buffer(size_t bytes) {
  size_t pages = (bytes + 4095) / 4096 * 4096;
  auto* memory =
      static_cast<char*>(mmap(nullptr, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + pages, 4096, PROT_NONE);
  g_buffer = memory + pages - bytes;
  g_buffer_size = bytes;
}

void on_signal(int) {
  if (write(1, "own handler\n", 12) < 0) abort();
  _exit(3);
}

}  // namespace

namespace w2w {

void signal_changed() {}

bool find_allocation(const void* address, void** base, size_t* size) {
  auto* p = static_cast<const char*>(address);
  if (p < g_buffer || p >= g_buffer + g_buffer_size) return false;
  *base = g_buffer;
  *size = g_buffer_size;
  return true;
}

bool find_freed_allocation(const void*, void**, size_t*) { return false; }

bool view_allocation(const void* address, AllocationView* view) {
  void* base;
  if (!find_allocation(address, &base, &view->size)) return false;
  view->base = static_cast<char*>(base);
  view->initialised = nullptr;
  return true;
}

uint64_t allocation_changes() { return 0; }

bool is_shared_with_host(const void*) { return false; }

}  // namespace w2w

// driver IMAGE KERNEL [name=value...]
int main(int argc, char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::map<std::string, std::string> options;
  for (int i = 3; i < argc; ++i) {
    std::string option = argv[i];
    size_t equals = option.find('=');
    options[option.substr(0, equals)] = option.substr(equals + 1);
  }
  uint32_t words = number(options, "words", 64);
  make_buffer(4 * words);
  if (number(options, "own_handler", 0)) signal(SIGSEGV, on_signal);

  struct {
    void* out;
    uint32_t n;
    uint32_t more[8] = {11, 12, 13, 14, 15, 16, 17, 18};
  } arguments{g_buffer, number(options, "n", 0)};
  unsigned char descriptor[64] = {};
  uint32_t rsrc1 = number(options, "rsrc1", 0), rsrc2 = number(options, "rsrc2", 2 << 1 | 7 << 7);
  uint32_t properties = number(options, "properties", 1 << 3), preload = number(options, "preload", 0);
  memcpy(descriptor + 48, &rsrc1, 4);
  memcpy(descriptor + 52, &rsrc2, 4);
  memcpy(descriptor + 56, &properties, 2);
  memcpy(descriptor + 58, &preload, 2);

  hsa_kernel_dispatch_packet_t packet{};
  packet.workgroup_size_x = static_cast<uint16_t>(number(options, "group", 64));
  packet.workgroup_size_y = static_cast<uint16_t>(number(options, "group_y", 1));
  packet.workgroup_size_z = static_cast<uint16_t>(number(options, "group_z", 1));
  packet.grid_size_x = number(options, "grid", 64);
  packet.grid_size_y = number(options, "grid_y", 1);
  packet.grid_size_z = number(options, "grid_z", 1);
  packet.group_segment_size = number(options, "lds", 0);
  packet.private_segment_size = number(options, "private", 0);
  packet.kernarg_address = &arguments;
  amd_queue_v2_t queue{};
  queue.read_dispatch_id = 77;

  const char* target = options.count("target") ? options["target"].c_str() : "gfx942";
  w2w::code_object_loaded(target, image.data(), image.size());
  w2w::Dispatch dispatch{&packet,          &queue.hsa_queue, target,       argv[2],      descriptor,  nullptr,
                         sizeof arguments, image.data(),     image.size(), image.data(), image.size()};
  uint32_t repeat = number(options, "repeat", 1);
  auto started = std::chrono::steady_clock::now();
  int status = 0;
  for (uint32_t i = 0; i < repeat; ++i) status = w2w::execute(dispatch);
  double micros = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - started).count();
  if (repeat > 1) fprintf(stderr, "%.2f us a launch\n", micros / repeat);
  if (number(options, "own_handler", 0)) *reinterpret_cast<volatile int*>(argc) = 1;
  printf("status %#x\n", status);
  printf("packet %p queue %p kernarg %p\n", static_cast<void*>(&packet), static_cast<void*>(&queue),
         static_cast<void*>(&arguments));
  for (uint32_t i = 0; i < words; ++i)
    printf("%#x%c", reinterpret_cast<uint32_t*>(g_buffer)[i], i % 16 == 15 ? '\n' : ' ');
  printf("\n");
  return 0;
}
