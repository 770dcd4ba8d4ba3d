"""The CUDA compiler's lock, and how uv is asked for it."""

from __future__ import annotations

import re
import sys

import pytest

from sandbox.toolchain.cuda import CUDA_HOME, CUDA_LOCK_FILE, find_uv, install_cuda
from sandbox.toolchain.errors import CudaInstallError

PINNED = re.compile(r"[a-z-]+==[\d.]+ --hash=sha256:[0-9a-f]{64}")


def test_every_line_pins_version_and_hash():
    lines = [line for line in CUDA_LOCK_FILE.read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if not PINNED.fullmatch(line)] == []
    versions = dict(line.split(" ")[0].split("==") for line in lines)
    assert set(versions) == {
        "nvidia-cuda-cccl", "nvidia-cuda-crt", "nvidia-cuda-nvcc", "nvidia-cuda-runtime", "nvidia-nvvm"
    }  # fmt: skip
    assert {versions[f"nvidia-{name}"] for name in ("cuda-crt", "cuda-nvcc", "cuda-runtime", "nvvm")} == {"13.5.37"}


def fake_uv(tmp_path, monkeypatch, script: str):
    program = tmp_path / "uv"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr("sandbox.toolchain.cuda.find_uv", lambda: str(program))


def test_links_that_nvcc_wants(tmp_path, monkeypatch):
    fake_uv(
        tmp_path,
        monkeypatch,
        f'echo "$@" > {tmp_path}/arguments; mkdir -p "{tmp_path}/out/{CUDA_HOME}/lib";'
        f' echo so > "{tmp_path}/out/{CUDA_HOME}/lib/libcudart.so.13"',
    )
    install_cuda(tmp_path / "out")
    home = tmp_path / "out" / CUDA_HOME
    assert (home / "lib64/libcudart.so").read_text() == "so\n"
    arguments = (tmp_path / "arguments").read_text()
    assert "--require-hashes" in arguments
    assert f"--python {sys.executable} --target {tmp_path}/out" in arguments


def test_failure_shows_what_uv_said(tmp_path, monkeypatch):
    fake_uv(tmp_path, monkeypatch, "echo 'hash mismatch for nvcc' >&2; exit 2")
    with pytest.raises(CudaInstallError, match="hash mismatch for nvcc") as caught:
        install_cuda(tmp_path / "out")
    assert caught.value.context["exit_code"] == 2


def test_uv_is_found():
    assert find_uv().endswith("uv")
