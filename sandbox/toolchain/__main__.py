"""``python -m sandbox.toolchain fetch|path``: fetch the toolchain, or say where it is."""

from __future__ import annotations

import argparse
import sys

from sandbox.errors import SandboxLayerError
from sandbox.progress import ProgressEvent
from sandbox.toolchain import ToolchainConfig, ensure_toolchain, require_toolchain

EXIT_TOOLCHAIN = 6


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m sandbox.toolchain", description=__doc__)
    parser.add_argument("command", choices=("fetch", "path"))
    options = parser.parse_args()
    try:
        config = ToolchainConfig.from_environment()
        toolchain = ensure_toolchain(config, _Printer()) if options.command == "fetch" else require_toolchain(config)
    except SandboxLayerError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_TOOLCHAIN
    sys.stdout.write(f"root\t{toolchain.root}\ncuda\t{toolchain.cuda}\n")
    return 0


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
