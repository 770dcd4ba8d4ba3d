#include "hsa/code_object.h"

#include "hsa/elf_file.h"
#include "hsa/heap.h"
#include "hsa/initialised_memory.h"

namespace w2w::hsa {
namespace {

constexpr hsa_status_t kInvalid = HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
constexpr size_t kDescriptorBytes = 64;

enum Relocation : uint32_t {  // R_AMDGPU_*
  kAbs32Lo = 1,
  kAbs32Hi = 2,
  kAbs64 = 3,
  kRel64 = 5,
  kAbs32 = 6,
  kRelative64 = 13,
};

bool feature_fits(uint32_t compiled_for, bool on) { return compiled_for != (on ? kFeatureOff : kFeatureOn); }

// Whether code that was compiled for the file's target runs on the device, as ROCr decides it.
bool runs_on(const ElfFile& file, const DeviceTraits& device) {
  const bool own = file.machine == device.elf_machine;
  const bool family = file.machine == device.generic_elf_machine && file.generic_version >= 1 &&
                      file.generic_version <= device.generic_version;
  constexpr bool kSramecc = true;  // the parts' memory always has it on
  return (own || family) && feature_fits(file.xnack, settings().xnack) && feature_fits(file.sramecc, kSramecc);
}

// Everything that happens to one image on its way in.
class Loader {
 public:
  Loader(char* image, size_t size, const ElfFile& file) : base_(image), image_(image, size), file_(file) {}

  void copy_segments(const Bytes& elf) {
    for (const Elf64_Phdr& segment : file_.segments)
      std::memcpy(base_ + segment.p_vaddr, elf.data() + segment.p_offset, segment.p_filesz);
  }

  bool read_tables(size_t file_size) { return tables_.parse(image_, file_.dynamic, file_size); }

  hsa_status_t read_symbols(std::vector<CodeSymbol>* out) {
    for (uint64_t i = 1; i < tables_.symbol_count; i++) {
      Elf64_Sym entry;
      CodeSymbol symbol{};
      if (!read_symbol(i, &entry, &symbol.name)) return kInvalid;
      if (entry.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(entry.st_info) != STT_OBJECT) continue;
      if (!image_.holds(entry.st_value, entry.st_size)) return kInvalid;
      symbol.address = address(entry.st_value);
      symbol.size = entry.st_size;
      symbol.constant = !writable(entry.st_value);
      symbol.kernel = is_descriptor(symbol.name, entry.st_size);
      if (symbol.kernel && !read_descriptor(entry.st_value, &symbol.traits)) return kInvalid;
      out->push_back(std::move(symbol));
    }
    return HSA_STATUS_SUCCESS;
  }

  hsa_status_t relocate(const LoadedCode::Resolve& resolve) {
    for (uint64_t i = 0; i < tables_.relocation_count; i++) {
      Elf64_Rela relocation;
      if (!image_.read(tables_.relocations + i * sizeof relocation, &relocation)) return kInvalid;
      uint64_t target = 0;
      if (hsa_status_t status = find_target(ELF64_R_SYM(relocation.r_info), resolve, &target)) return status;
      if (!apply(relocation, target)) return kInvalid;
    }
    return HSA_STATUS_SUCCESS;
  }

 private:
  uint64_t address(uint64_t offset) const { return reinterpret_cast<uint64_t>(base_) + offset; }

  bool read_symbol(uint64_t index, Elf64_Sym* entry, std::string* name) const {
    return index < tables_.symbol_count && image_.read(tables_.symbols + index * sizeof *entry, entry) &&
           entry->st_name <= image_.size() &&
           image_.read_string(tables_.strings + entry->st_name, tables_.strings_end, name);
  }

  bool writable(uint64_t offset) const {
    for (const Elf64_Phdr& segment : file_.segments)
      if (offset >= segment.p_vaddr && offset - segment.p_vaddr < segment.p_memsz) return segment.p_flags & PF_W;
    return true;
  }

  static bool is_descriptor(const std::string& name, uint64_t size) {
    return size == kDescriptorBytes && name.size() > 3 && !name.compare(name.size() - 3, 3, ".kd");
  }

  bool read_descriptor(uint64_t offset, KernelTraits* traits) const {
    uint16_t properties = 0;
    image_.read(offset, &traits->lds_bytes);
    image_.read(offset + 4, &traits->scratch_bytes);
    image_.read(offset + 8, &traits->kernarg_bytes);
    image_.read(offset + 16, &traits->entry_offset);
    image_.read(offset + 56, &properties);
    traits->dynamic_stack = properties >> 11 & 1;
    return image_.holds(offset + static_cast<uint64_t>(traits->entry_offset), sizeof(uint32_t));
  }

  hsa_status_t find_target(uint64_t index, const LoadedCode::Resolve& resolve, uint64_t* target) const {
    if (!index) return HSA_STATUS_SUCCESS;
    Elf64_Sym entry;
    std::string name;
    if (!read_symbol(index, &entry, &name)) return kInvalid;
    if (entry.st_shndx != SHN_UNDEF) {
      *target = address(entry.st_value);
      return HSA_STATUS_SUCCESS;
    }
    *target = resolve(name);
    const bool weak = ELF64_ST_BIND(entry.st_info) == STB_WEAK;
    return *target || weak ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
  }

  bool apply(const Elf64_Rela& relocation, uint64_t target) {
    const uint64_t addend = static_cast<uint64_t>(relocation.r_addend);
    const uint64_t value = target + addend;
    // clang-format off
    switch (ELF64_R_TYPE(relocation.r_info)) {
      case kRelative64: return write(relocation.r_offset, address(0) + addend);
      case kAbs64: return write(relocation.r_offset, value);
      case kRel64: return write(relocation.r_offset, value - address(relocation.r_offset));
      case kAbs32:
      case kAbs32Lo: return write(relocation.r_offset, static_cast<uint32_t>(value));
      case kAbs32Hi: return write(relocation.r_offset, static_cast<uint32_t>(value >> 32));
    }
    // clang-format on
    return false;
  }

  template <class T>
  bool write(uint64_t offset, T value) {
    if (!image_.holds(offset, sizeof value)) return false;
    std::memcpy(base_ + offset, &value, sizeof value);
    return true;
  }

  char* base_;
  Span image_;
  const ElfFile& file_;
  DynamicTables tables_;
};

}  // namespace

LoadedCode::~LoadedCode() {
  if (image_) heap().release(image_);
}

hsa_status_t LoadedCode::load(const Resolve& resolve) {
  ElfFile file;
  if (!file.parse(Span(elf_->data(), elf_->size()))) return kInvalid;
  if (!runs_on(file, *agent_->device)) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  image_ = static_cast<char*>(heap().allocate(device_pool(agent_), file.image_size));
  if (!image_) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  image_size_ = file.image_size;
  Loader loader(image_, image_size_, file);
  loader.copy_segments(*elf_);
  initialised_memory().mark(image_, image_size_);  // what the file does not hold is zero
  if (!loader.read_tables(elf_->size())) return kInvalid;
  if (hsa_status_t status = loader.read_symbols(&symbols_)) return status;
  return loader.relocate(resolve);
}

}  // namespace w2w::hsa
