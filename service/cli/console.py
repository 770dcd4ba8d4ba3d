"""Where the CLI writes: results to stdout, everything else to stderr."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from sandbox.progress import ProgressEvent

_MARKS = {"started": "·", "running": "·", "finished": "✓", "failed": "✗"}


def open_console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """A console that honours NO_COLOR and draws no live display where nobody watches."""
    return Console(stderr=stderr, quiet=quiet, highlight=False, file=sys.stderr if stderr else sys.stdout)


class ProgressLines:
    """Shows progress: one line a stage, redrawn in place on a terminal, printed when it ends elsewhere."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = open_console(stderr=True, quiet=quiet)
        self._live = self._console.is_terminal and not quiet
        self._open = False
        self._stages: set[str] = set()

    def __call__(self, event: ProgressEvent, /) -> None:
        ended = event.status in ("finished", "failed")
        if not ended and not self._live:
            if event.stage not in self._stages:
                self._stages.add(event.stage)
            return
        line = self._line(event)
        if self._live:
            self._console.file.write("\r\033[2K")
            self._console.print(line, end="\n" if ended else "", no_wrap=True, crop=True)
            self._console.file.flush()
            self._open = not ended
        else:
            self._console.print(line)

    def close(self) -> None:
        if self._open:
            self._console.file.write("\r\033[2K")
            self._open = False

    def _line(self, event: ProgressEvent) -> Text:
        style = {"finished": "green", "failed": "red"}.get(event.status, "cyan")
        text = Text(f"{_MARKS[event.status]} ", style=style).append(event.stage, style="bold")
        if event.message:
            text.append(f"  {event.message}", style="default")
        if event.fraction is not None and event.status == "running":
            filled = round(event.fraction * 20)
            text.append(f"  {'━' * filled}{'─' * (20 - filled)} {event.fraction:4.0%}")
        if event.seconds is not None:
            text.append(f"  {event.seconds:.1f} s", style="dim")
        return text
