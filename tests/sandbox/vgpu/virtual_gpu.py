"""The whole virtual AMD GPU: the library as libraries.toml builds it, a translator, and programs made by hipcc."""

from __future__ import annotations

import json
import os
import subprocess
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vgpu_root import VGPU, Root

PROGRAMS = Path(__file__).parent / "programs"
TARGETS = ("gfx942", "gfx950")


@dataclass(frozen=True)
class Outcome:
    returncode: int
    stdout: str
    stderr: str
    reports: list[dict[str, Any]]


class VirtualGpu:
    """``folder`` holds lib/ (the library), cache/, run/ (the translator's socket) and work/ (programs)."""

    def __init__(self, root: Root, folder: Path, march: str) -> None:
        self.root = root
        self.folder = folder
        self.march = march
        for name in ("lib", "objects", "cache", "run", "work"):
            (folder / name).mkdir()
        self.work = folder / "work"
        self._log = (folder / "translator.log").open("wb")

    def build_libraries(self) -> None:
        tables = tomllib.loads((VGPU / "libraries.toml").read_text())
        table = tables["hsa"]
        sources = [path.relative_to(VGPU) for glob in table["sources"] for path in sorted(VGPU.glob(glob))]
        include = [f"-I/opt/w2w/vgpu/{folder}" for folder in table["include"]]
        flags = [*table["flags"], f"-march={self.march}", *include]
        objects = [f"objects/{str(source).replace('/', '-')}.o" for source in sources]

        def compile_one(source: Path, built: str) -> None:
            self.root.run(self.folder, table["compiler"], *flags, "-c", f"/opt/w2w/vgpu/{source}", "-o", built)

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(compile_one, sources, objects))
        soname = f"-Wl,-soname,{table['soname']}"
        script = f"-Wl,--version-script=/opt/w2w/vgpu/{table['version_script']}"
        library = f"lib/{table['output']}"
        self.root.run(self.folder, table["compiler"], *objects, soname, script, *table["link_flags"], "-o", library)

    def start_translator(self) -> None:
        binds = (
            ("--bind", str(self.folder / "cache"), "/tmp/cache"),
            ("--bind", str(self.folder / "run"), "/tmp/run"),
        )
        command = [
            "python3",
            "/opt/w2w/vgpu/translator/server.py",
            "--socket=/tmp/run/translator.sock",
            "--cache=/tmp/cache",
        ]
        words = [*self.root.enter(self.work, binds=binds), *command, f"--march={self.march}"]
        self._translator = subprocess.Popen(words, stderr=self._log)
        while not (self.folder / "run" / "translator.sock").exists():
            assert self._translator.poll() is None, self.translator_log()
            time.sleep(0.02)

    def stop_translator(self) -> None:
        self._translator.terminate()
        self._translator.wait(10)
        self._log.close()

    def translator_log(self) -> str:
        return (self.folder / "translator.log").read_text()

    def compile(self, name: str) -> None:
        """Build programs/<name>.hip for all targets at once, with stock hipcc."""
        source = ("--ro-bind", str(PROGRAMS), "/opt/programs")
        arches = [f"--offload-arch={target}" for target in TARGETS]
        self.root.run(
            self.work,
            *("hipcc", *arches, "-O2", "-Wno-unused-result", f"/opt/programs/{name}.hip", "-o", name),
            env={"HIP_PLATFORM": "amd"},
            binds=(source,),
        )

    def run(self, name: str, target: str, *args: str, env: dict[str, str] | None = None) -> Outcome:
        report = self.work / "report.jsonl"
        report.unlink(missing_ok=True)
        binds = (
            ("--ro-bind", str(self.folder / "lib"), "/opt/w2w/lib"),
            ("--ro-bind", str(self.folder / "cache"), "/tmp/cache"),
            ("--bind", str(self.folder / "run"), "/tmp/run"),
        )
        variables = {
            "LD_LIBRARY_PATH": "/opt/w2w/lib",
            "HIP_PLATFORM": "amd",
            "W2W_TARGET": target,
            "W2W_CACHE": "/tmp/cache",
            "W2W_TRANSLATOR": "/tmp/run/translator.sock",
            "W2W_REPORT": "/tmp/w/report.jsonl",
        }
        done = self.root.run(
            self.work, f"./{name}", *args, env={**variables, **(env or {})}, binds=binds, check=False, timeout=120
        )
        reports = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
        return Outcome(done.returncode, done.stdout, done.stderr, reports)
