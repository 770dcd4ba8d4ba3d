"""The library as a library: what it exports, hostile code objects, many threads."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerNeedSection
from hsa_workshop import LIBRARY, Workshop

pytestmark = pytest.mark.toolchain

NODE = "ROCR_1"


def imports(path: Path) -> set[str]:
    """Symbols that ``path`` wants from the node ROCR_1."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        needed = next(s for s in elf.iter_sections() if isinstance(s, GNUVerNeedSection))
        wanted = {
            auxiliary["vna_other"]
            for _, auxiliaries in needed.iter_versions()
            for auxiliary in auxiliaries
            if auxiliary.name == NODE
        }
        return _symbols_of(elf, wanted, defined=False)


def exports(path: Path) -> set[str]:
    """Symbols that ``path`` defines in the node ROCR_1."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        definitions = next(s for s in elf.iter_sections() if isinstance(s, GNUVerDefSection))
        indices = {
            definition["vd_ndx"]
            for definition, auxiliaries in definitions.iter_versions()
            if next(iter(auxiliaries)).name == NODE
        }
        return _symbols_of(elf, indices, defined=True)


def _symbols_of(elf: ELFFile, indices: set[int], *, defined: bool) -> set[str]:
    versions = elf.get_section_by_name(".gnu.version")
    symbols = elf.get_section_by_name(".dynsym")
    found = set()
    for number, symbol in enumerate(symbols.iter_symbols()):
        index = versions.get_symbol(number)["ndx"]
        if isinstance(index, int) and index & 0x7FFF in indices and (symbol["st_shndx"] != "SHN_UNDEF") == defined:
            found.add(symbol.name)
    return found - {NODE}


@pytest.mark.parametrize("client", ["usr/lib/x86_64-linux-gnu/libamdhip64.so.7", "usr/bin/rocminfo"])
def test_everything_that_clients_import_is_exported(workshop: Workshop, client: str) -> None:
    wanted = imports(workshop.root.path / client)
    assert len(wanted) >= 10
    assert wanted - exports(workshop.folder / LIBRARY) == set()


def test_nothing_else_is_exported(workshop: Workshop) -> None:
    assert all(name.startswith("hsa_") for name in exports(workshop.folder / LIBRARY))


@pytest.mark.parametrize("name", ["symbols", "occupancy"])
def test_mutated_code_objects_are_refused(workshop: Workshop, name: str) -> None:
    code = workshop.code_object(name, "gfx942")
    finished = workshop.run(workshop.tool("mutate_code_objects"), code, "10000")
    assert finished.exit_code == 0, finished
    counts = {int(status, 16): int(count) for status, count in map(str.split, finished.stdout.splitlines())}
    invalid, incompatible = 0x1010, 0x100D
    assert set(counts) <= {0, invalid, incompatible, 0x1008, 0x1015}
    assert counts[invalid] > 2000
    assert sum(counts.values()) == 10000


@pytest.mark.parametrize("devices", ["1", "4"])
def test_signals_wake_those_who_wait(workshop: Workshop, devices: str) -> None:
    finished = workshop.run(workshop.tool("stress_signals"), "1500", env={"W2W_DEVICES": devices}, timeout=60)
    assert finished.passed, finished
