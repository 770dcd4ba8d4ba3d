from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agents.errors import DataError
from agents.faults.replacements import load_replacements
from agents.shims.library import list_shims, read_shim, shim_files
from sandbox.toolchain import Toolchain


def test_needs_are_followed() -> None:
    paths = [file.path for file in shim_files(["device.h", "cooperative_groups.h"], "w")]
    assert paths == ["w/arch.h", "w/cooperative_groups.h", "w/device.h", "w/warp32.h"]


def test_an_unknown_shim_is_refused() -> None:
    with pytest.raises(DataError):
        read_shim("nothing.h")


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_shims_compile_without_a_warning_and_have_what_is_called(
    toolchain: Toolchain, tmp_path: Path, target: str
) -> None:
    for file in shim_files(list_shims(), "warp2wave"):
        path = tmp_path / file.path
        path.parent.mkdir(exist_ok=True)
        path.write_text(file.text)
    lines = [f'#include "warp2wave/{shim}"' for shim in list_shims()]
    ports = {r.port for r in load_replacements().values() if r.port.startswith("w2w::")}
    lines += [f"namespace use{i} {{ using {port}; }}" for i, port in enumerate(sorted(ports))]
    (tmp_path / "all.hip").write_text("\n".join(lines) + "\n__global__ void k() {}\n")
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"--offload-arch={target}"]
    done = run_hipcc(toolchain, tmp_path, *flags, "-Wno-unused-command-line-argument", "all.hip")
    assert done.returncode == 0, done.stderr


def run_hipcc(toolchain: Toolchain, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    root = toolchain.root
    command = [str(root / "usr/lib64/ld-linux-x86-64.so.2"), "--library-path", str(root / "usr/lib/x86_64-linux-gnu")]
    command += [str(root / "usr/bin/bwrap"), "--unshare-user", "--unshare-pid", "--unshare-net", "--die-with-parent"]
    command += ["--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HIP_PLATFORM", "amd"]
    command += ["--ro-bind", str(root), "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    command += ["--bind", str(folder), "/tmp/w", "--chdir", "/tmp/w", "hipcc", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
