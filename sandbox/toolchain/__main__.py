"""``python -m sandbox.toolchain fetch|path``: fetch the toolchain, or say where it is."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sandbox.errors import SandboxLayerError
from sandbox.progress import ProgressEvent
from sandbox.toolchain import ToolchainConfig, ensure_root, ensure_toolchain, require_toolchain

EXIT_TOOLCHAIN = 6


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m sandbox.toolchain", description="Fetch or find the toolchain.")
    commands = parser.add_subparsers(dest="command", required=True)
    fetch = commands.add_parser("fetch", help="fetch what the cache lacks, and print where it is")
    fetch.add_argument("--without-cuda", action="store_true", help="only what an image may hold")
    commands.add_parser("path", help="print where it is; 6 if it is not there")
    options = parser.parse_args(arguments)
    try:
        for name, path in _run(options, ToolchainConfig.from_environment()).items():
            sys.stdout.write(f"{name}\t{path}\n")
    except SandboxLayerError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_TOOLCHAIN
    return 0


def _run(options: argparse.Namespace, config: ToolchainConfig) -> dict[str, Path]:
    if options.command == "path":
        toolchain = require_toolchain(config)
    elif options.without_cuda:
        return {"root": ensure_root(config, _Printer())}
    else:
        toolchain = ensure_toolchain(config, _Printer())
    return {"root": toolchain.root, "cuda": toolchain.cuda}


class _Printer:
    """Progress on stderr: one line that is redrawn on a terminal, else one line a tenth."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = ("", -1)

    def __call__(self, event: ProgressEvent, /) -> None:
        tenth = int((event.fraction or 0) * 10)
        final = event.status in ("finished", "failed")
        if not self._terminal and not final and (event.stage, tenth) == self._last:
            return
        self._last = (event.stage, tenth)
        percent = f"{event.fraction:4.0%} " if event.fraction is not None else ""
        seconds = f" {event.seconds:.0f} s" if final and event.seconds is not None else ""
        line = f"{event.stage}: {percent}{event.message}{seconds}"
        if self._terminal:
            sys.stderr.write(f"\r\033[K{line}" + ("\n" if final else ""))
        else:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
