"""Builds the HSA runtime with the stub engine, and programs for it, and runs them in the toolchain root."""

from __future__ import annotations

import hashlib
import json
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from vgpu_root import VGPU, Root

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
LIBRARY = "libhsa-runtime64.so.1"
_INSIDE = "/opt/w2w/test"
_FOLDER = "/tmp/w"
"""Where Root shows the folder."""


@dataclass(frozen=True)
class Workshop:
    """What is built is kept in ``folder`` and reused while its inputs are the same."""

    root: Root
    folder: Path

    def library(self) -> Path:
        """The runtime as libraries.toml builds it, but with the stub instead of the engine."""
        table = tomllib.loads((VGPU / "libraries.toml").read_text())["hsa"]
        sources = [*sorted((VGPU / "hsa").glob("*.cpp")), *sorted((VGPU / "common").glob("*.cpp"))]
        headers = [p for name in ("hsa", "common", "simt") for p in sorted((VGPU / name).glob("*.h"))]
        stub = HERE / "stub_engine.cpp"
        output = self.folder / LIBRARY
        if self._fresh(output, [*sources, *headers, stub, VGPU / "libraries.toml", VGPU / table["version_script"]]):
            return output
        with ThreadPoolExecutor(2) as pool:
            objects = list(pool.map(lambda source: self._compile(table, source), [*sources, stub]))
        self.root.run(
            self.folder,
            *(table["compiler"], *objects, *table["link_flags"], "-Wl,--no-undefined"),
            *(f"-Wl,-soname,{table['soname']}", f"-Wl,--version-script=/opt/w2w/vgpu/{table['version_script']}"),
            *("-o", LIBRARY),
        )
        self._mark(output)
        return output

    def program(self, name: str) -> str:
        """A HIP program for both targets."""
        flags = ("--offload-arch=gfx942", "--offload-arch=gfx950", "-O1", "-pthread")
        source = PROGRAMS / f"{name}.hip"
        return self._build(name, [source, PROGRAMS / "check.h"], "hipcc", *flags, _inside(source), "-lhiprtc")

    def code_object(self, name: str, target: str) -> str:
        """The device code of a HIP program, for one target."""
        source = PROGRAMS / f"{name}.hip"
        flags = (f"--offload-arch={target}", "--offload-device-only", "--no-gpu-bundle-output", "-O1")
        inputs = [source, PROGRAMS / "check.h"]
        return self._build(f"{name}.{target}.co", inputs, "hipcc", *flags, _inside(source))

    def tool(self, name: str) -> str:
        """A C++ program that calls the HSA interface itself."""
        source = HERE / f"{name}.cpp"
        flags = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread")
        library = (f"-L{_FOLDER}", f"-l:{LIBRARY}")
        return self._build(name, [source], "clang++-22", *flags, _inside(source), *library)

    def run(
        self, *command: str, env: dict[str, str] | None = None, shell_limit: str = "", timeout: float = 120
    ) -> Finished:
        """Run in the root on the virtual device. ``shell_limit``: words for ulimit."""
        report = self.folder / "report.jsonl"
        report.unlink(missing_ok=True)
        variables = {
            "LD_LIBRARY_PATH": _FOLDER,
            "W2W_REPORT": f"{_FOLDER}/report.jsonl",
            "AMD_COMGR_CACHE_DIR": f"{_FOLDER}/comgr",
            **(env or {}),
        }
        words = ("bash", "-c", f'ulimit {shell_limit} && exec "$@"', "bash", *command) if shell_limit else command
        done = self.root.run(self.folder, *words, env=variables, binds=self._binds(), timeout=timeout, check=False)
        reports = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
        return Finished(done.returncode, done.stdout, done.stderr, reports)

    def _compile(self, table: dict[str, list[str]], source: Path) -> str:
        objects = self.folder / "objects"
        objects.mkdir(exist_ok=True)
        output = f"objects/{source.parent.name}-{source.stem}.o"
        include = [f"-I/opt/w2w/vgpu/{name}" for name in table["include"]]
        inside = _inside(source) if source.is_relative_to(HERE) else f"/opt/w2w/vgpu/{source.relative_to(VGPU)}"
        words = (str(table["compiler"]), *table["flags"], *include, "-c", inside, "-o", output)
        self.root.run(self.folder, *words, binds=self._binds())
        return output

    def _build(self, output: str, inputs: list[Path], *words: str) -> str:
        if not self._fresh(self.folder / output, inputs):
            self.root.run(self.folder, *words, "-o", output, binds=self._binds(), env={"HIP_PLATFORM": "amd"})
            self._mark(self.folder / output)
        return f"./{output}"

    def _binds(self) -> tuple[tuple[str, str, str], ...]:
        # rocminfo asks the kernel's driver, not HSA, whether there are devices.
        return (
            ("--ro-bind", str(HERE), _INSIDE),
            ("--ro-bind", str(HERE / "sysfs"), "/sys"),
            ("--dev-bind", "/dev/null", "/dev/kfd"),
        )

    def _fresh(self, output: Path, inputs: list[Path]) -> bool:
        digest = hashlib.sha256(str(self.root.path).encode())
        for path in inputs:
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
        stamp = output.with_name(output.name + ".inputs")
        if output.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
            return True
        output.unlink(missing_ok=True)
        stamp.with_suffix(".pending").write_text(digest.hexdigest())
        return False

    def _mark(self, output: Path) -> None:
        stamp = output.with_name(output.name + ".inputs")
        stamp.with_suffix(".pending").rename(stamp)


@dataclass(frozen=True)
class Finished:
    exit_code: int
    stdout: str
    stderr: str
    reports: list[dict[str, str]] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.exit_code == 0 and self.stdout.endswith("PASS\n")

    def __str__(self) -> str:
        return f"exit code {self.exit_code}\n{self.stdout}{self.stderr}"


def _inside(path: Path) -> str:
    return f"{_INSIDE}/{path.relative_to(HERE)}"
