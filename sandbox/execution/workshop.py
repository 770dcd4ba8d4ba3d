"""Opens what building and running needs, once: toolchain, sandbox engine, virtual devices, translator."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.execution.code_objects import UNFINISHED
from sandbox.execution.files import sweep_leftovers
from sandbox.execution.runner import RUNS, Runner
from sandbox.execution.runtime import build_runtime
from sandbox.execution.translation import Translator
from sandbox.execution.workbench import Workbench
from sandbox.isolation.select import Preference, choose_sandbox
from sandbox.progress import Progress, ignore
from sandbox.toolchain import ToolchainConfig, ensure_toolchain


@dataclass(frozen=True)
class WorkshopConfig:
    """``cache`` holds everything that can be made again."""

    cache: Path
    debian_mirror: str = ""
    engine: Preference = "auto"

    @property
    def toolchain(self) -> ToolchainConfig:
        return ToolchainConfig(cache=self.cache, mirrors=tuple(self.debian_mirror.split()))


@dataclass
class Workshop:
    """Thread-safe. ``bench`` and ``runner`` open what is missing on first use and report progress meanwhile."""

    config: WorkshopConfig
    _bench: Workbench | None = field(default=None, init=False)
    _runner: Runner | None = field(default=None, init=False)
    _translator: Translator | None = field(default=None, init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)

    def bench(self, progress: Progress = ignore) -> Workbench:
        """Raises ToolchainError, PlatformError or IsolationError, with what mends it."""
        with self._lock:
            if self._bench is None:
                toolchain = ensure_toolchain(self.config.toolchain, progress)
                for folder in (RUNS, UNFINISHED):
                    sweep_leftovers(self.config.cache / folder, "")
                sandbox = choose_sandbox(self.config.engine, toolchain.root, digest=toolchain.digest)
                self._bench = Workbench(sandbox=sandbox, toolchain=toolchain, cache=self.config.cache)
            return self._bench

    def runner(self, progress: Progress = ignore) -> Runner:
        """Raises as ``bench`` does, and ToolchainError if the virtual devices do not build."""
        bench = self.bench(progress)
        with self._lock:
            if self._runner is None:
                runtime = build_runtime(bench, progress)
                self._translator = Translator(bench, runtime)
                self._translator.start()
                self._runner = Runner(bench, runtime, self._translator)
            return self._runner

    def close(self) -> None:
        with self._lock:
            if self._translator is not None:
                self._translator.stop()
            self._runner = self._translator = None

    def __enter__(self) -> Workshop:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
