"""A root filesystem with compilers, and a way to run things in it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

VGPU = Path(__file__).parents[3] / "sandbox" / "vgpu"


@dataclass(frozen=True)
class Root:
    """The unpacked toolchain. ``run`` executes a command in it, in ``folder``, which is writable at /tmp/w."""

    path: Path

    def run(
        self,
        folder: Path,
        *command: str,
        env: dict[str, str] | None = None,
        binds: tuple[tuple[str, str, str], ...] = (),
        timeout: float = 240,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        argv = [*self.enter(folder, env=env, binds=binds), *command]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout, check=False, errors="replace")
        if check and done.returncode != 0:
            raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done

    def enter(
        self, folder: Path, *, env: dict[str, str] | None = None, binds: tuple[tuple[str, str, str], ...] = ()
    ) -> list[str]:
        """The words before a command. ``binds``: (bubblewrap option, source, target)."""
        libraries = self.path / "usr/lib/x86_64-linux-gnu"
        loader = self.path / "usr/lib64/ld-linux-x86-64.so.2"
        words = [str(loader), "--library-path", str(libraries), str(self.path / "usr/bin/bwrap")]
        words += ["--unshare-user", "--unshare-pid", "--unshare-net", "--die-with-parent", "--clearenv"]
        words += ["--ro-bind", str(self.path), "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        words += ["--tmpfs", "/opt", "--ro-bind", str(VGPU), "/opt/w2w/vgpu"]
        words += ["--bind", str(folder), "/tmp/w", "--chdir", "/tmp/w"]
        for bind in binds:
            words += bind
        variables = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", **(env or {})}
        for name, value in variables.items():
            words += ["--setenv", name, value]
        return words
