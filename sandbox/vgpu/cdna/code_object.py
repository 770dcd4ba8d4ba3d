"""Reads an AMDGPU code object (ELF64): kernels, functions, executable sections. The input is hostile."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from ..translator.frontend import TranslationError

# AMDGPU back end's user guide, "ELF Code Object".
_MACHINE_AMDGPU = 224
_MACHINE_OF_TARGET = {"gfx942": 0x4C, "gfx950": 0x4F}
_MACHINE_MASK = 0xFF
_SECTION_SYMBOLS, _SECTION_DYNAMIC_SYMBOLS = 2, 11
_SECTION_RELOCATIONS = 4
_FLAG_EXECUTABLE = 4
_RELATIVE64 = 13
_SYMBOL_FUNCTION = 2
_DESCRIPTOR_SIZE = 64
_MAX_SYMBOLS = 1 << 20


@dataclass(frozen=True)
class CodeRange:
    """A function or an executable section: ``address`` is the virtual address, that is, the offset from the load
    address; sizes in bytes."""

    name: str
    address: int
    size: int

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass(frozen=True)
class Kernel:
    """``float_mode`` is the initial MODE[7:0]: rounding (single, then double and half), denormals likewise.
    ``vgpr_count``: architected VGPRs."""

    name: str
    entry: int
    float_mode: int
    ieee_mode: bool
    dx10_clamp: bool
    vgpr_count: int


@dataclass(frozen=True)
class CodeObject:
    """``stored_addresses``: offsets that relocations put into data, among them those of functions in tables."""

    target: str
    kernels: dict[str, Kernel]
    functions: tuple[CodeRange, ...]
    sections: tuple[CodeRange, ...]
    stored_addresses: frozenset[int]

    def is_code(self, address: int) -> bool:
        return address % 4 == 0 and any(s.address <= address < s.end for s in self.sections)

    def range_at(self, address: int) -> CodeRange:
        """What to disassemble to learn the instruction at ``address``: its function, else the rest of its section."""
        for function in self.functions:
            if function.address <= address < function.end:
                return function
        section = next(s for s in self.sections if s.address <= address < s.end)
        return CodeRange("", address, section.end - address)


def parse_code_object(image: bytes, target: str) -> CodeObject:
    """Raises TranslationError ``bad-image`` or ``wrong-target``."""
    if target not in _MACHINE_OF_TARGET:
        raise TranslationError("wrong-target", f"no translator for target {target}")
    try:
        return _Reader(image).read(target)
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise TranslationError("bad-image", f"the code object is damaged: {error}") from error


@dataclass(frozen=True)
class _Section:
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


class _Reader:
    def __init__(self, image: bytes) -> None:
        self.image = image

    def unpack(self, layout: str, offset: int) -> tuple[Any, ...]:
        return struct.unpack_from("<" + layout, self.image, offset)

    def read(self, target: str) -> CodeObject:
        self.check_header(target)
        sections = self.read_sections()
        symbols = {name: entry for section in sections for name, entry in self.read_symbols(section, sections)}
        kernels = {
            name.removesuffix(".kd"): self.read_kernel(name.removesuffix(".kd"), entry.address, sections)
            for name, (entry, _) in symbols.items()
            if name.endswith(".kd")
        }
        functions = [entry for entry, kind in symbols.values() if kind == _SYMBOL_FUNCTION and entry.size]
        code = [CodeRange("", s.address, s.size) for s in sections if s.flags & _FLAG_EXECUTABLE and s.size]
        ordered = tuple(sorted(functions, key=lambda function: function.address))
        return CodeObject(target, kernels, ordered, tuple(code), frozenset(self.read_relocations(sections)))

    def read_relocations(self, sections: list[_Section]) -> set[int]:
        """What R_AMDGPU_RELATIVE64 relocations store."""
        stored = set()
        for section in sections:
            if section.kind == _SECTION_RELOCATIONS and section.offset + section.size <= len(self.image):
                for offset in range(section.offset, section.offset + section.size - 23, 24):
                    _, info, addend = self.unpack("QQQ", offset)
                    if info & 0xFFFFFFFF == _RELATIVE64:
                        stored.add(addend)
        return stored

    def check_header(self, target: str) -> None:
        if self.image[:6] != b"\x7fELF\x02\x01":
            raise TranslationError("bad-image", "not a 64-bit little-endian ELF file")
        (machine,) = self.unpack("H", 18)
        if machine != _MACHINE_AMDGPU:
            raise TranslationError("bad-image", f"ELF machine {machine} is not AMDGPU")
        (flags,) = self.unpack("I", 48)
        if flags & _MACHINE_MASK != _MACHINE_OF_TARGET[target]:
            raise TranslationError("wrong-target", f"the code object is not for {target} (ELF flags {flags:#x})")

    def read_sections(self) -> list[_Section]:
        (table,) = self.unpack("Q", 40)
        entry_size, count = self.unpack("HH", 58)
        if entry_size != 64:
            raise TranslationError("bad-image", f"section headers of {entry_size} bytes")
        sections = []
        for index in range(count):
            _, kind, flags, address, offset, size, link = self.unpack("IIQQQQI", table + 64 * index)
            sections.append(_Section(kind, flags, address, offset, size, link))
        return sections

    def read_symbols(self, table: _Section, sections: list[_Section]) -> list[tuple[str, tuple[CodeRange, int]]]:
        """Name, range and kind of each symbol that has a name and a section."""
        if table.kind not in (_SECTION_SYMBOLS, _SECTION_DYNAMIC_SYMBOLS):
            return []
        if table.offset + table.size > len(self.image) or table.size // 24 > _MAX_SYMBOLS:
            raise TranslationError("bad-image", "the symbol table lies outside of the file or is too large")
        names = sections[table.link].offset
        found = []
        for offset in range(table.offset, table.offset + table.size - 23, 24):
            name_offset, info, _, section, value, size = self.unpack("IBBHQQ", offset)
            if name_offset and section:
                name = self.read_name(names + name_offset)
                found.append((name, (CodeRange(name, value, size), info & 15)))
        return found

    def read_name(self, offset: int) -> str:
        return self.image[offset : self.image.index(b"\0", offset)].decode("utf-8", "surrogateescape")

    def read_kernel(self, name: str, address: int, sections: list[_Section]) -> Kernel:
        """From the kernel descriptor (user guide, "Kernel Descriptor")."""
        home = next((s for s in sections if s.address <= address < s.address + s.size and s.address), None)
        if home is None:
            raise TranslationError("bad-image", f"the descriptor of {name} lies in no section")
        descriptor = home.offset + address - home.address
        if descriptor + _DESCRIPTOR_SIZE > len(self.image):
            raise TranslationError("bad-image", f"the descriptor of {name} lies outside of the file")
        (entry_offset,) = self.unpack("q", descriptor + 16)
        resources3, resources = self.unpack("II", descriptor + 44)
        return Kernel(
            name=name,
            entry=address + entry_offset,
            float_mode=resources >> 12 & 0xFF,
            ieee_mode=bool(resources >> 23 & 1),
            dx10_clamp=bool(resources >> 21 & 1),
            vgpr_count=4 * ((resources3 & 63) + 1),
        )
