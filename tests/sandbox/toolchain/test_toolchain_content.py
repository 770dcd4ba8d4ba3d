"""What the product's own, unpacked toolchain holds."""

from __future__ import annotations

import os
import stat
import subprocess

import pytest

pytestmark = pytest.mark.toolchain

PROGRAMS = (
    "usr/bin/hipcc", "usr/bin/rocminfo", "usr/bin/bwrap", "usr/bin/g++", "usr/bin/c++", "usr/bin/ld", "usr/bin/sh",
    "usr/bin/bash", "usr/bin/python3", "usr/lib/llvm-22/bin/clang", "usr/lib/llvm-22/bin/ld.lld",
    "usr/lib/llvm-22/bin/llvm-objdump", "usr/lib/llvm-22/bin/clang-offload-bundler", "usr/lib/llvm-22/bin/opt",
)  # fmt: skip
HEADERS = (
    "hip/hip_runtime.h", "hsa/hsa.h", "hipcub/hipcub.hpp", "rocprim/rocprim.hpp", "thrust/sort.h", "c++/16/vector"
)  # fmt: skip


def inside(toolchain, path):
    """Whether ``path`` is there, as seen from inside the root, where absolute links start at it."""
    for _ in range(10):
        found = toolchain.root / str(path).lstrip("/")
        if not found.is_symlink():
            return found.exists()
        path = os.path.normpath(found.parent.relative_to(toolchain.root) / found.readlink())
    return False


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(toolchain, program):
    assert inside(toolchain, program)


@pytest.mark.parametrize("header", HEADERS)
def test_headers(toolchain, header):
    assert (toolchain.root / "usr/include" / header).is_file()


def test_cuda(toolchain):
    for name in ("bin/nvcc", "bin/ptxas", "nvvm/bin/cicc", "include/cuda_runtime.h", "lib64/libcudart.so"):
        assert (toolchain.cuda / name).exists()


def test_nothing_of_nvidia_in_the_root(toolchain):
    """The root becomes an image, and NVIDIA's licence forbids passing its files on."""
    names = {path.name for path in toolchain.root.rglob("*") if path.is_file()}
    assert not names & {"nvcc", "ptxas", "cicc", "libcudart.so", "cuda_runtime.h", "libdevice.10.bc"}


def test_no_special_files_and_licences_kept(toolchain):
    size, odd, licences = 0, [], 0
    for folder, _, files in os.walk(toolchain.root):
        for name in files:
            path = os.path.join(folder, name)  # noqa: PTH118
            status = os.lstat(path)
            size += status.st_size
            licences += name == "copyright"
            if status.st_mode & 0o6000 or not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
                odd.append(path)
    assert odd == []
    assert licences > 100
    assert size < 800e6


def test_its_python_runs_with_its_bytecode(toolchain):
    usr = toolchain.root / "usr"
    python = [usr / "lib64/ld-linux-x86-64.so.2", "--library-path", usr / "lib/x86_64-linux-gnu", usr / "bin/python3"]
    code = (
        f"import sys; sys.path.append('{usr}/lib/python3/dist-packages');"
        "import json, elftools.elf.elffile as e; print(json.__cached__, e.__cached__)"
    )
    environment = {"PYTHONHOME": str(usr)}
    done = subprocess.run([*python, "-S", "-c", code], env=environment, capture_output=True, text=True, check=True)
    for cached in done.stdout.split():
        assert os.path.exists(cached)  # noqa: PTH110
