// A checked view of a code object's ELF file.
#pragma once
#include <elf.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace w2w::hsa {

// Bytes that are read only within their bounds.
class Span {
 public:
  Span(const char* data, size_t size) : data_(data), size_(size) {}

  const char* data() const { return data_; }
  size_t size() const { return size_; }
  bool holds(uint64_t offset, uint64_t bytes) const { return offset <= size_ && bytes <= size_ - offset; }

  template <class T>
  bool read(uint64_t offset, T* out) const {
    if (!holds(offset, sizeof *out)) return false;
    std::memcpy(out, data_ + offset, sizeof *out);
    return true;
  }
  // A string that ends before `end`.
  bool read_string(uint64_t offset, uint64_t end, std::string* out) const;

 private:
  const char* data_;
  size_t size_;
};

struct ElfFile {
  uint32_t machine;                  // EF_AMDGPU_MACH
  uint32_t xnack, sramecc;           // EF_AMDGPU_FEATURE_*_V4, as fields
  uint32_t generic_version;          // 0 unless for a generic target
  std::vector<Elf64_Phdr> segments;  // PT_LOAD only, each within the file and the image
  Elf64_Phdr dynamic;                // p_memsz 0 if there is none
  size_t image_size;

  // Headers and segments of `file`. False if it is no loadable AMDGPU code object.
  bool parse(const Span& file);
};

enum FeatureSetting : uint32_t { kFeatureUnsupported = 0, kFeatureAny = 1, kFeatureOff = 2, kFeatureOn = 3 };

// Tables of the dynamic section, as offsets into the loaded image.
struct DynamicTables {
  uint64_t symbols = 0, symbol_count = 0;
  uint64_t strings = 0, strings_end = 0;
  uint64_t relocations = 0, relocation_count = 0;

  // False if a table does not lie within `image`, or is larger than the file that it came from.
  bool parse(const Span& image, const Elf64_Phdr& dynamic, size_t file_size);
};

}  // namespace w2w::hsa
