"""Runs the translator process on this machine's Python, with front ends and compilers that are scripts."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from vgpu_root import VGPU

# An image is a list of words: the kernels in it. What a kernel is called decides what its translation does.
FRONT_END = """
import os, sys, time
from pathlib import Path
from ..translator.frontend import SourceUnit, TranslationError

def list_units(image, target):
    words = image.decode().split()
    if words[0] == "whole":
        return [""]
    if words[0] == "broken":
        raise TranslationError("bad-image", "this is no image")
    return words

def translate(image, target, unit, *, flavour, workdir):
    print("noise on standard output")
    assert not list(workdir.iterdir())
    (workdir / "scratch").write_text("x")
    if unit.startswith("crash"):
        os._exit(9)
    if unit.startswith("slow"):
        time.sleep(0.4)
    if unit.startswith("hang"):
        time.sleep(60)
    if unit.startswith("raise"):
        raise ValueError("a mistake")
    if unit.startswith("unknown"):
        raise TranslationError("unknown-unit", "no such kernel")
    if flavour == "unknown":
        raise TranslationError("unknown-flavour", "no such flavour")
    flags = ("-DEXTRA",) if unit == "flags" else ()
    count = 100000 if unit in ("large", "long") else 12
    language = "c" if unit in ("in_c", "large") else "ir"
    return SourceUnit(language, f"text of {unit} for {target}" + (flavour and f" with {flavour}"), count, flags)
"""
# Appends its command line to calls.txt beside it and "compiles" by copying.
CLANG = """#!/bin/sh
echo "$0 $*" >> "$(dirname "$0")/calls.txt"
for last; do :; done
previous= source=
for word; do [ "$previous" = -c ] && source=$word; previous=$word; done
[ -n "$source" ] || source=unit.o
case $0 in */opt) source=$2 ;; esac
if grep -q text.of.bad_code "$source"; then echo "unit.ll:1:1: error: expected top-level entity" >&2; exit 1; fi
cp "$source" "$last"
"""


class Translator:
    def __init__(self, folder: Path, *, job_seconds: float = 20) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.socket = folder / "run" / "t.sock"
        self.job_seconds = job_seconds
        self._make_package()

    def _make_package(self) -> None:
        package = self.folder / "vgpu"
        shutil.copytree(VGPU / "translator", package / "translator", ignore=shutil.ignore_patterns("__pycache__"))
        (package / "__init__.py").touch()
        for kind in ("cdna", "ptx"):
            (package / kind).mkdir()
            (package / kind / "__init__.py").touch()
            (package / kind / "translate.py").write_text(FRONT_END)
        tools = self.folder / "llvm"
        tools.mkdir()
        for name in ("opt", "clang", "ld.lld"):
            (tools / name).write_text(CLANG)
            (tools / name).chmod(0o755)
        (self.folder / "helpers").mkdir()
        (self.folder / "helpers" / "cdna.bc").touch()
        self.socket.parent.mkdir()

    def __enter__(self) -> Translator:
        self.log = (self.folder / "log").open("wb")
        script = self.folder / "vgpu" / "translator" / "server.py"
        options = [f"--socket={self.socket}", f"--cache={self.cache}", f"--llvm={self.folder / 'llvm'}"]
        options += [f"--helpers={self.folder / 'helpers'}", f"--job-seconds={self.job_seconds}"]
        self.process = subprocess.Popen([sys.executable, str(script), *options], stderr=self.log)
        while not self.socket.exists():
            assert self.process.poll() is None, self.read_log()
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        assert self.process.wait(10) == 0
        self.log.close()

    def read_log(self) -> str:
        return (self.folder / "log").read_text()

    def calls(self) -> list[str]:
        path = self.folder / "llvm" / "calls.txt"
        return path.read_text().splitlines() if path.exists() else []

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(30)
        connection.connect(str(self.socket))
        return connection

    def send(self, data: bytes) -> dict[str, Any]:
        """Send ``data``, end the sending side, and return the reply."""
        with self.connect() as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # refused early; the reply says why
            reply: dict[str, Any] = json.loads(connection.makefile("rb").readline())
            return reply

    def ask(
        self, image: str, unit: str, *, kind: str = "cdna", target: str = "gfx942", flavour: str = ""
    ) -> dict[str, Any]:
        header = {"kind": kind, "target": target, "flavour": flavour, "unit": unit, "size": len(image)}
        return self.send(json.dumps(header).encode() + b"\n" + image.encode())

    def object_path(
        self, image: str, unit: str, *, kind: str = "cdna", target: str = "gfx942", flavour: str = ""
    ) -> str:
        digest = hashlib.sha256(image.encode()).hexdigest() + (flavour and f"/{flavour}")
        return f"{kind}/{target}/{digest}/{hashlib.sha256(unit.encode()).hexdigest()[:32]}.so"
