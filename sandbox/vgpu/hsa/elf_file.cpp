#include "hsa/elf_file.h"

#include <algorithm>

namespace w2w::hsa {
namespace {

constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint8_t kOsAbiHsa = 64;
constexpr uint8_t kAbiVersions[] = {2, 3, 4};            // code object versions 4, 5, 6
constexpr uint64_t kLargestImage = uint64_t{256} << 30;  // no part has more memory; keeps sums from overflowing

bool right_kind(const Elf64_Ehdr& header) {
  const unsigned char* ident = header.e_ident;
  return !std::memcmp(ident, ELFMAG, SELFMAG) && ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB &&
         ident[EI_OSABI] == kOsAbiHsa &&
         std::count(std::begin(kAbiVersions), std::end(kAbiVersions), ident[EI_ABIVERSION]) &&
         header.e_machine == kMachineAmdgpu && header.e_type == ET_DYN && header.e_phentsize == sizeof(Elf64_Phdr) &&
         header.e_phnum;
}

bool fits(const Elf64_Phdr& segment, const Span& file) {
  return file.holds(segment.p_offset, segment.p_filesz) && segment.p_filesz <= segment.p_memsz &&
         segment.p_vaddr <= kLargestImage && segment.p_memsz <= kLargestImage;
}

}  // namespace

bool Span::read_string(uint64_t offset, uint64_t end, std::string* out) const {
  end = std::min<uint64_t>(end, size_);
  if (offset >= end) return false;
  const void* stop = std::memchr(data_ + offset, 0, end - offset);
  if (!stop) return false;
  out->assign(data_ + offset, static_cast<const char*>(stop));
  return true;
}

bool ElfFile::parse(const Span& file) {
  Elf64_Ehdr header;
  if (!file.read(0, &header) || !right_kind(header)) return false;
  machine = header.e_flags & 0xff;
  xnack = header.e_flags >> 8 & 3;
  sramecc = header.e_flags >> 10 & 3;
  generic_version = header.e_flags >> 24;
  dynamic = {};
  image_size = 0;
  for (uint32_t i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    if (header.e_phoff > file.size() || !file.read(header.e_phoff + i * sizeof segment, &segment)) return false;
    if (segment.p_type == PT_DYNAMIC) dynamic = segment;
    if (segment.p_type != PT_LOAD) continue;
    if (!fits(segment, file)) return false;
    segments.push_back(segment);
    image_size = std::max<size_t>(image_size, segment.p_vaddr + segment.p_memsz);
  }
  return image_size != 0;
}

bool DynamicTables::parse(const Span& image, const Elf64_Phdr& dynamic, size_t file_size) {
  uint64_t strings_size = 0, relocations_size = 0, hash = 0;
  if (!image.holds(dynamic.p_vaddr, dynamic.p_memsz)) return false;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.p_memsz; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    if (!image.read(dynamic.p_vaddr + at, &entry) || entry.d_tag == DT_NULL) break;
    // clang-format off
    switch (entry.d_tag) {
      case DT_SYMTAB: symbols = entry.d_un.d_ptr; break;
      case DT_STRTAB: strings = entry.d_un.d_ptr; break;
      case DT_STRSZ: strings_size = entry.d_un.d_val; break;
      case DT_RELA: relocations = entry.d_un.d_ptr; break;
      case DT_RELASZ: relocations_size = entry.d_un.d_val; break;
      case DT_HASH: hash = entry.d_un.d_ptr; break;
    }
    // clang-format on
  }
  if (hash) {  // the only place that tells how many symbols there are: nbucket, nchain
    uint32_t counts[2];
    if (!image.read(hash, &counts)) return false;
    symbol_count = counts[1];
  }
  strings_end = strings + strings_size;
  relocation_count = relocations_size / sizeof(Elf64_Rela);
  const uint64_t symbols_size = symbol_count * sizeof(Elf64_Sym);
  return image.holds(symbols, symbols_size) && image.holds(strings, strings_size) &&
         image.holds(relocations, relocations_size) &&
         std::max({symbols_size, strings_size, relocations_size}) <= file_size;
}

}  // namespace w2w::hsa
