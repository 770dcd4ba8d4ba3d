// Replays recorded launches on a device, from code objects alone: no host code of the recorded program is here.
//
//   w2w-replay PLAN BYTES CODE_OBJECT...
//
// PLAN is text, one command a line, words separated by blanks. BYTES holds what `write` takes.
//   allocate ID KIND SIZE NAME     KIND: device, managed, host, symbol (then NAME, else "-")
//   free ID
//   write ID OFFSET SIZE AT N (WHERE ID OFFSET)*      N words of 64 bits become addresses in allocations
//   launch GX GY GZ BX BY BZ SHARED KERNEL PARAMETERS N (WHERE ID OFFSET)*      PARAMETERS: hexadecimal, or "-"
// What device memory holds after each launch is recorded as for any program (see recorder/). A variable that the code
// objects do not have is left out, and so is what is written to it. Ends with 0, or with 3 and a line that says why.
#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kFailed = 3;

[[noreturn]] void fail(const std::string& message) {
  fprintf(stdout, "%s\n", message.c_str());
  exit(kFailed);
}

void check(hipError_t answer, const std::string& what) {
  if (answer != hipSuccess) fail(what + ": " + hipGetErrorString(answer));
}

class Replay {
 public:
  Replay(const char* bytes, int count, char** code_objects) : bytes_(bytes, std::ios::binary) {
    for (int i = 0; i < count; ++i) {
      modules_.emplace_back();
      check(hipModuleLoad(&modules_.back(), code_objects[i]), "a code object cannot be loaded");
    }
  }

  void follow(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "allocate") {
      allocate(words);
    } else if (command == "free") {
      release(words);
    } else if (command == "write") {
      write(words);
    } else if (command == "launch") {
      launch(words);
    } else {
      fail("unknown command " + command);
    }
    if (!words) fail("incomplete command " + line.substr(0, 200));
  }

 private:
  struct Memory {
    char* address;
    size_t size;
    std::string kind;
  };

  void allocate(std::istringstream& words) {
    unsigned id = 0;
    size_t size = 0;
    std::string kind, name;
    words >> id >> kind >> size >> name;
    void* address = nullptr;
    if (kind == "symbol") {
      address = find_variable(name, size);
      if (!address) return;
    } else if (kind == "managed") {
      check(hipMallocManaged(&address, size, hipMemAttachGlobal), "managed memory");
    } else if (kind == "host") {
      check(hipHostMalloc(&address, size, hipHostMallocDefault), "host memory");
    } else {
      check(hipMalloc(&address, size), "device memory");
    }
    memory_[id] = {static_cast<char*>(address), size, kind};
  }

  void* find_variable(const std::string& name, size_t size) {
    for (const hipModule_t module : modules_) {
      hipDeviceptr_t address = nullptr;
      size_t bytes = 0;
      if (hipModuleGetGlobal(&address, &bytes, module, name.c_str()) == hipSuccess && bytes == size) return address;
    }
    return nullptr;
  }

  void release(std::istringstream& words) {
    unsigned id = 0;
    words >> id;
    const auto found = memory_.find(id);
    if (found == memory_.end()) return;
    if (found->second.kind == "host") {
      check(hipHostFree(found->second.address), "free");
    } else if (found->second.kind != "symbol") {
      check(hipFree(found->second.address), "free");
    }
    memory_.erase(found);
  }

  void write(std::istringstream& words) {
    unsigned id = 0;
    size_t offset = 0, size = 0, at = 0;
    words >> id >> offset >> size >> at;
    std::vector<char> data(size);
    bytes_.seekg(static_cast<std::streamoff>(at));
    if (!bytes_.read(data.data(), static_cast<std::streamsize>(size))) fail("the bytes end too early");
    relocate(words, data);
    const auto found = memory_.find(id);
    if (found == memory_.end()) return;
    if (offset > found->second.size || size > found->second.size - offset) fail("a write outside of its allocation");
    check(hipMemcpy(found->second.address + offset, data.data(), size, hipMemcpyDefault), "write");
  }

  void launch(std::istringstream& words) {
    unsigned grid[3], block[3], shared = 0;
    std::string kernel, hexadecimal;
    for (unsigned& extent : grid) words >> extent;
    for (unsigned& extent : block) words >> extent;
    words >> shared >> kernel >> hexadecimal;
    std::vector<char> parameters;
    for (size_t i = 0; hexadecimal != "-" && i + 1 < hexadecimal.size(); i += 2)
      parameters.push_back(static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16)));
    relocate(words, parameters);
    size_t size = parameters.size();
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, parameters.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    check(hipModuleLaunchKernel(find_kernel(kernel), grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
                                nullptr, nullptr, extra),
          "launch of " + kernel);
    check(hipDeviceSynchronize(), "execution of " + kernel);
  }

  hipFunction_t find_kernel(const std::string& name) {
    for (const hipModule_t module : modules_) {
      hipFunction_t function = nullptr;
      if (hipModuleGetFunction(&function, module, name.c_str()) == hipSuccess) return function;
    }
    fail("no code object has the kernel " + name);
  }

  void relocate(std::istringstream& words, std::vector<char>& data) {
    size_t count = 0;
    words >> count;
    for (size_t i = 0; i < count && words; ++i) {
      size_t where = 0, offset = 0;
      unsigned id = 0;
      words >> where >> id >> offset;
      const auto found = memory_.find(id);
      if (where + sizeof(uint64_t) > data.size()) fail("a pointer outside of its data");
      const uint64_t address =
          found == memory_.end() ? 0 : reinterpret_cast<uint64_t>(found->second.address) + offset;
      memcpy(data.data() + where, &address, sizeof address);
    }
  }

  std::ifstream bytes_;
  std::vector<hipModule_t> modules_;
  std::map<unsigned, Memory> memory_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) fail("usage: w2w-replay PLAN BYTES CODE_OBJECT...");
  Replay replay(arguments[2], count - 3, arguments + 3);
  std::ifstream plan(arguments[1]);
  std::string line;
  while (std::getline(plan, line)) replay.follow(line);
  return 0;
}
