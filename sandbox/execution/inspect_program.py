"""Runs inside a sandbox: prints, as JSON, the code objects for one target in a program that hipcc built.

The program is untrusted bytes; whatever this prints is read back as data. Stdlib and pyelftools only.

Formats: clang offload bundle (LLVM docs, ClangOffloadBundler), AMDGPU code object metadata in the
NT_AMDGPU_METADATA note (LLVM docs, AMDGPUUsage, "Code Object V3+ Metadata"), MessagePack.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import sys
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
NT_AMDGPU_METADATA = 32


def unpack(data: bytes, at: int = 0) -> tuple[Any, int]:
    """One MessagePack value at ``at`` and the offset behind it. Only the types that metadata uses."""
    tag = data[at]
    at += 1
    if tag < 0x80:
        return tag, at
    if tag >= 0xE0:
        return tag - 0x100, at
    if tag < 0x90:
        return unpack_map(data, at, tag & 0x0F)
    if tag < 0xA0:
        return unpack_array(data, at, tag & 0x0F)
    if tag < 0xC0:
        return data[at : at + (tag & 0x1F)].decode(), at + (tag & 0x1F)
    if tag in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[tag], at
    sized = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
    if tag in sized:
        return struct.unpack_from(sized[tag], data, at)[0], at + struct.calcsize(sized[tag])
    lengths = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}
    if tag not in lengths:
        raise ValueError(f"MessagePack tag {tag:#x}")
    (count,) = struct.unpack_from(lengths[tag], data, at)
    at += struct.calcsize(lengths[tag])
    if tag <= 0xDB:
        return data[at : at + count].decode(), at + count
    return unpack_array(data, at, count) if tag <= 0xDD else unpack_map(data, at, count)


def unpack_array(data: bytes, at: int, count: int) -> tuple[list[Any], int]:
    values = []
    for _ in range(count):
        value, at = unpack(data, at)
        values.append(value)
    return values, at


def unpack_map(data: bytes, at: int, count: int) -> tuple[dict[str, Any], int]:
    values: dict[str, Any] = {}
    for _ in range(count):
        key, at = unpack(data, at)
        values[str(key)], at = unpack(data, at)
    return values, at


def list_bundled(section: bytes, target: str) -> list[bytes]:
    """Code objects for ``target`` in the bundles of ``.hip_fatbin``, in order."""
    found = []
    start = section.find(MAGIC)
    while start >= 0:
        at = start + len(MAGIC)
        (count,) = struct.unpack_from("<Q", section, at)
        at += 8
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", section, at)
            triple = section[at + 24 : at + 24 + length].decode()
            at += 24 + length
            arch = triple.rsplit("-", 1)[-1].split(":")[0]
            if triple.startswith("hip") and arch == target and size:
                found.append(section[start + offset : start + offset + size])
        start = section.find(MAGIC, start + 1)
    return found


def list_kernels(code_object: bytes) -> list[dict[str, Any]]:
    elf = ELFFile(io.BytesIO(code_object))
    kernels = []
    for section in elf.iter_sections():
        if not isinstance(section, NoteSection):
            continue
        for note in section.iter_notes():
            if note["n_name"] == "AMDGPU" and note["n_type"] in (NT_AMDGPU_METADATA, "NT_AMDGPU_METADATA"):
                metadata, _ = unpack(bytes(note["n_descdata"]))
                kernels += [facts_of(kernel) for kernel in metadata.get("amdhsa.kernels", [])]
    return kernels


def facts_of(kernel: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": kernel[".name"],
        "vgprs": kernel.get(".vgpr_count", 0),
        "sgprs": kernel.get(".sgpr_count", 0),
        "agprs": kernel.get(".agpr_count", 0),
        "lds_bytes": kernel.get(".group_segment_fixed_size", 0),
        "scratch_bytes": kernel.get(".private_segment_fixed_size", 0),
        "vgpr_spills": kernel.get(".vgpr_spill_count", 0),
        "sgpr_spills": kernel.get(".sgpr_spill_count", 0),
        "kernarg_bytes": kernel.get(".kernarg_segment_size", 0),
        "wavefront_size": kernel.get(".wavefront_size", 64),
    }


def main(program: str, target: str, folder: str | None = None) -> None:
    """With ``folder``, the code objects are also written there, as files 0, 1...."""
    elf = ELFFile(io.BytesIO(Path(program).read_bytes()))
    section = elf.get_section_by_name(".hip_fatbin")
    objects = list_bundled(section.data(), target) if section else []
    digest = hashlib.sha256()
    kernels: list[dict[str, Any]] = []
    for number, code_object in enumerate(objects):
        if folder is not None:
            Path(folder, str(number)).write_bytes(code_object)
        digest.update(hashlib.sha256(code_object).digest())
        kernels += list_kernels(code_object)
    sha256 = digest.hexdigest() if objects else ""
    json.dump({"code_object_sha256": sha256, "kernels": kernels}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
