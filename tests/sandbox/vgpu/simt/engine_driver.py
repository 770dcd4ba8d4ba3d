"""The engine without HSA and translator: a driver program and kernels written by hand, as shared objects."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vgpu_root import Root

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Outcome:
    returncode: int
    status: int
    words: list[int]
    pointers: dict[str, int]
    stdout: str
    stderr: str
    reports: list[dict[str, Any]]


@dataclass
class Engine:
    root: Root
    folder: Path

    def build(self) -> None:
        here = ("--ro-bind", str(HERE), "/opt/w2w/test")
        sources = "/opt/w2w/vgpu/simt/[!h]*.cpp /opt/w2w/vgpu/simt/helper_threads.cpp /opt/w2w/vgpu/common/*.cpp"
        self.root.run(
            self.folder,
            "bash",
            "-c",
            f"gcc -std=gnu17 -O1 -Wall -Wextra -Werror -I/opt/w2w/vgpu -c /opt/w2w/vgpu/simt/helpers_count.c &&"
            f" g++ -std=c++17 -O1 -Wall -Wextra -Werror -rdynamic -I/opt/w2w/vgpu /opt/w2w/test/driver.cpp"
            f" $(ls {sources} | sort -u) helpers_count.o -o driver",
            binds=(here,),
        )
        (self.folder / "image").write_bytes(b"not read by hand-written kernels")

    def add_kernel(self, name: str) -> None:
        image = hashlib.sha256((self.folder / "image").read_bytes()).hexdigest()
        unit = hashlib.sha256(name.encode()).hexdigest()[:32]
        for target in ("gfx942", "gfx950"):
            place = self.folder / "cache" / "cdna" / target / image
            if (place / f"{unit}.so").exists():
                return
            place.mkdir(parents=True, exist_ok=True)
            self.root.run(
                self.folder,
                *("gcc", "-O1", "-w", "-shared", "-fPIC", "-I/opt/w2w/vgpu", f"-DKERNEL={name}"),
                *("/opt/w2w/test/kernels.c", "-o", f"/tmp/w/{place.relative_to(self.folder)}/{unit}.so"),
                binds=(("--ro-bind", str(HERE), "/opt/w2w/test"),),
            )

    def run(self, kernel: str, *, env: dict[str, str] | None = None, **options: Any) -> Outcome:
        self.add_kernel(kernel)
        report = self.folder / "report.jsonl"
        report.unlink(missing_ok=True)
        words = [f"{name}={value}" for name, value in options.items()]
        done = self.root.run(
            self.folder,
            *("./driver", "image", kernel, *words),
            env={"W2W_CACHE": "/tmp/w/cache", "W2W_REPORT": "/tmp/w/report.jsonl", **(env or {})},
            check=False,
            timeout=60,
        )
        return self._outcome(done, report)

    @staticmethod
    def _outcome(done: subprocess.CompletedProcess[str], report: Path) -> Outcome:
        lines = done.stdout.splitlines()
        status = int(lines[0].split()[1], 16) if lines and lines[0].startswith("status") else -1
        pointers = dict(re.findall(r"(\w+) (0x[0-9a-f]+)", lines[1])) if len(lines) > 1 else {}
        return Outcome(
            returncode=done.returncode,
            status=status,
            words=[int(word, 16) for line in lines[2:] for word in line.split()],
            pointers={name: int(value, 16) for name, value in pointers.items()},
            stdout=done.stdout,
            stderr=done.stderr,
            reports=[json.loads(line) for line in report.read_text().splitlines()] if report.exists() else [],
        )
