// Loads mutated copies of a code object through the HSA interface: each must give one of the documented statuses.
// Arguments: file, number of mutants. Prints how often each status came.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <vector>

namespace {

using Bytes = std::vector<char>;
using Random = std::mt19937_64;

hsa_agent_t gpu() {
  hsa_agent_t found{};
  hsa_iterate_agents(
      [](hsa_agent_t agent, void* out) {
        hsa_device_type_t type;
        hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
        if (type == HSA_DEVICE_TYPE_GPU) *static_cast<hsa_agent_t*>(out) = agent;
        return HSA_STATUS_SUCCESS;
      },
      &found);
  return found;
}

hsa_status_t load(hsa_agent_t agent, const Bytes& bytes) {
  hsa_executable_t executable;
  hsa_code_object_reader_t reader;
  hsa_status_t status = hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader);
  if (status) return status;
  hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable);
  status = hsa_executable_load_agent_code_object(executable, agent, reader, nullptr, nullptr);
  hsa_executable_destroy(executable);
  hsa_code_object_reader_destroy(reader);
  return status;
}

// Where mutations are likely to be read: the ELF and program headers, the tables, anywhere.
size_t choose_offset(const Bytes& bytes, Random& random) {
  const size_t windows[] = {64, 64 + 56 * 12, 4096, bytes.size()};
  size_t window = windows[random() % 4];
  return random() % (window < bytes.size() ? window : bytes.size());
}

void mutate(Bytes& bytes, Random& random) {
  const uint64_t interesting[] = {0,          1,          63,         64,    4096,      0x7fffffff,
                                  0xffffffff, 1ull << 40, 1ull << 63, ~0ull, ~0ull - 63};
  switch (random() % 4) {
    case 0:  // truncate
      bytes.resize(random() % bytes.size() + 1);
      break;
    case 1:  // flip bits
      for (int i = 0; i < 4; i++) bytes[choose_offset(bytes, random)] ^= static_cast<char>(1 << random() % 8);
      break;
    case 2:  // random byte
      bytes[choose_offset(bytes, random)] = static_cast<char>(random());
      break;
    default: {  // a word with an interesting value, aligned
      uint64_t value = interesting[random() % (sizeof interesting / sizeof *interesting)];
      size_t offset = choose_offset(bytes, random) / 8 * 8;
      if (offset + sizeof value <= bytes.size()) std::memcpy(&bytes[offset], &value, sizeof value);
    }
  }
}

}  // namespace

int main(int, char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  const Bytes original((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  hsa_init();
  hsa_agent_t agent = gpu();
  if (load(agent, original) != HSA_STATUS_SUCCESS) {
    std::puts("the original does not load");
    return 1;
  }
  Random random(1);
  std::map<int, int> statuses;
  for (int i = std::atoi(argv[2]); i > 0; i--) {
    Bytes bytes = original;
    mutate(bytes, random);
    statuses[load(agent, bytes)]++;
  }
  for (auto& [status, count] : statuses) std::printf("%#x %d\n", static_cast<unsigned>(status), count);
  return load(agent, original) == HSA_STATUS_SUCCESS ? 0 : 1;
}
