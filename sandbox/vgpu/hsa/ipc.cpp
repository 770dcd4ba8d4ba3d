// hsa_amd_ipc_memory_*: device memory for another process of the same user.
//
// An allocation becomes shared when it is first exported: its content moves to a memory file that takes the place of
// its pages, at the same address. The handle names this process, the file descriptor and a random number that is part
// of the file's name; the other process opens /proc/<pid>/fd/<n>. As with CUDA and ROCr, exporting memory that a
// kernel is writing at that moment is a mistake of the program.
#include <fcntl.h>
#include <hsa/hsa_ext_amd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "hsa/address_space.h"
#include "hsa/heap.h"
#include "hsa/physical_memory.h"

namespace w2w::hsa {

struct IpcHandle {
  uint32_t magic;
  int32_t pid;
  int32_t file;
  uint32_t reserved;
  uint64_t size;  // bytes, whole pages
  uint64_t nonce;
};
static_assert(sizeof(IpcHandle) == sizeof(hsa_amd_ipc_memory_t), "a handle is eight words");

// Lives as long as the allocation.
struct IpcExport {
  explicit IpcExport(const IpcHandle& h) : handle(h) {}
  ~IpcExport() { close(handle.file); }
  IpcExport(const IpcExport&) = delete;
  IpcExport& operator=(const IpcExport&) = delete;

  const IpcHandle handle;
};

namespace {

constexpr uint32_t kMagic = 0x49573257;  // "W2WI"

std::string file_name(uint64_t nonce) { return "w2w-ipc-" + std::to_string(nonce); }

bool copy_to_file(const Allocation& allocation, int file, size_t bytes) {
  void* view = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (view == MAP_FAILED) return false;
  std::memcpy(view, allocation.base, bytes);
  munmap(view, bytes);
  return true;
}

// Replace the allocation's pages by a memory file with the same content. Null if there can be none.
std::shared_ptr<IpcExport> share(const Allocation& allocation) {
  IpcHandle handle{};
  handle.magic = kMagic;
  handle.pid = getpid();
  handle.size = pages_for(allocation.size);
  if (getrandom(&handle.nonce, sizeof handle.nonce, 0) != sizeof handle.nonce) return nullptr;
  handle.file = create_memory_file(file_name(handle.nonce).c_str(), handle.size);
  if (handle.file < 0) return nullptr;
  auto exported = std::make_shared<IpcExport>(handle);
  if (!copy_to_file(allocation, handle.file, handle.size)) return nullptr;
  void* pages = mmap(allocation.base, handle.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, handle.file, 0);
  return pages == MAP_FAILED ? nullptr : exported;
}

// The exporter's file, or -1 if it is gone or another.
int open_file(const IpcHandle& handle) {
  const std::string path = "/proc/" + std::to_string(handle.pid) + "/fd/" + std::to_string(handle.file);
  char target[128];
  ssize_t length = readlink(path.c_str(), target, sizeof target);
  if (length < 0) return -1;
  const std::string expected = "/memfd:" + file_name(handle.nonce);
  if (std::string(target, static_cast<size_t>(length)).compare(0, expected.size(), expected)) return -1;
  return open(path.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace
}  // namespace w2w::hsa

using namespace w2w::hsa;  // NOLINT: the rest of this file is the C interface to it

extern "C" {

hsa_status_t hsa_amd_ipc_memory_create(void* base, size_t, hsa_amd_ipc_memory_t* out) {
  if (!base || !out) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const bool shared = heap().alter(base, [&](Allocation& allocation) {
    if (allocation.type != HSA_EXT_POINTER_TYPE_HSA) return false;
    if (!allocation.exported) allocation.exported = share(allocation);
    if (!allocation.exported) return false;
    std::memcpy(out, &allocation.exported->handle, sizeof *out);
    return true;
  });
  return shared ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* bytes, size_t, uint32_t, const hsa_agent_t*,
                                       void** out) {
  if (!bytes || !out) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  IpcHandle handle;
  std::memcpy(&handle, bytes, sizeof handle);
  if (handle.magic != kMagic) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  int file = open_file(handle);
  if (file < 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto memory = PhysicalMemory::import(device_pool(agents().back()), file);
  close(file);
  if (!memory || memory->size() != handle.size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  char* base = address_space().reserve(memory->size(), kLargePageBytes);
  if (!base || !memory->map(base, memory->size(), 0, PROT_READ | PROT_WRITE)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  heap().adopt({base, memory->size(), memory->pool(), HSA_EXT_POINTER_TYPE_IPC, nullptr});
  *out = base;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_ipc_memory_detach(void* base) {
  Allocation found;
  if (!heap().find(base, &found) || found.base != base || found.type != HSA_EXT_POINTER_TYPE_IPC)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  heap().forget(base);
  address_space().release(found.base);
  return HSA_STATUS_SUCCESS;
}

}  // extern "C"
