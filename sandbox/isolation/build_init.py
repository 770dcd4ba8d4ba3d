"""Compiles ``init.c`` into the committed ``init.elf``: ``python -m sandbox.isolation.build_init [CC]``."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("init.c")
PROGRAM = Path(__file__).with_name("init.elf")
MARKER = b"warp2wave-init-source="

_FLAGS = (
    *("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Os"),
    *("-static", "-nostdlib", "-ffreestanding", "-fno-pie", "-no-pie"),
    *("-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fcf-protection=none"),
    "-Wl,--build-id=none,-z,noseparate-code,-z,noexecstack,-s",
)


def source_digest() -> str:
    """Hex SHA-256 of the source; the compiled program carries it after ``MARKER``."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()


def build(compiler: str, output: Path) -> None:
    """Raises CalledProcessError if it does not compile."""
    define = f'-DSOURCE_SHA256="{source_digest()}"'
    subprocess.run([compiler, define, *_FLAGS, str(SOURCE), "-o", str(output)], check=True)


if __name__ == "__main__":
    build(sys.argv[1] if len(sys.argv) > 1 else "cc", PROGRAM)
