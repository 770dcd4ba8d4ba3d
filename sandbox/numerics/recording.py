"""Reads what ``sandbox/vgpu/recorder`` wrote inside a recorded program, which may have written anything there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox.models import Dim3

EVENTS, BYTES = "record.jsonl", "record.bin"
_MAX_EVENTS_BYTES = 64 << 20
_MAX_SIZE = 1 << 40


class RecordingError(Exception):
    """The files are not a recording; the message says what is wrong."""


@dataclass(frozen=True)
class Allocation:
    """Device memory: ``size`` bytes at ``address``. ``kind``: device, managed, host or symbol (then with a name)."""

    id: int
    address: int
    size: int
    kind: str
    name: str
    tracked: bool


@dataclass(frozen=True)
class Contents:
    """Bytes of an allocation from ``offset`` on; ``at`` is their place among the kept bytes, -1 if not kept."""

    id: int
    offset: int
    size: int
    at: int


@dataclass(frozen=True)
class RecordedLaunch:
    """``arguments``: offset in the block of parameters and bytes of each; none where the runtime does not tell their
    sizes. ``shared``: dynamic shared memory, bytes."""

    index: int
    kernel: str
    grid: Dim3
    block: Dim3
    shared: int
    arguments: tuple[tuple[int, bytes], ...]


@dataclass(frozen=True)
class Step:
    """A launch with what happened before it (since the launch before) and what it changed; the last step of a
    recording has no launch. ``freed``: before the launch."""

    launch: RecordedLaunch | None
    allocated: tuple[Allocation, ...]
    freed: tuple[int, ...]
    by_host: tuple[Contents, ...]
    by_launch: tuple[Contents, ...]
    reads: tuple[Contents, ...]


class Recording:
    """One side's recording. Raises RecordingError."""

    def __init__(self, folder: Path) -> None:
        self.stopped = "the program did not come to its end"
        try:
            if (folder / EVENTS).stat().st_size > _MAX_EVENTS_BYTES:
                raise RecordingError(f"{EVENTS} is larger than {_MAX_EVENTS_BYTES >> 20} MiB")
            self.steps = tuple(self._steps((folder / EVENTS).read_bytes()))
            self._bytes = (folder / BYTES).open("rb")
        except OSError as error:
            raise RecordingError(f"no recording: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise RecordingError(f"{EVENTS} is no recording: {type(error).__name__}: {error}") from error

    def close(self) -> None:
        self._bytes.close()

    @property
    def is_complete(self) -> bool:
        return self.stopped == "end"

    @property
    def launches(self) -> tuple[RecordedLaunch, ...]:
        return tuple(step.launch for step in self.steps if step.launch is not None)

    def bytes_of(self, contents: Contents) -> bytes | None:
        """None where they were not kept. Raises RecordingError if the file is shorter than it should be."""
        if contents.at < 0:
            return None
        self._bytes.seek(contents.at)
        data = self._bytes.read(contents.size)
        if len(data) != contents.size:
            raise RecordingError(f"{BYTES} ends too early")
        return data

    def _steps(self, text: bytes) -> Iterator[Step]:
        gathered = _Gathered()
        for line in text.splitlines():
            event = json.loads(line)
            if event["event"] == "stopped":
                self.stopped = str(event["reason"])
                break
            if gathered.launch is not None and not _belongs_to_launch(event):
                yield gathered.step()
                gathered = _Gathered()
            gathered.take(event)
        yield gathered.step()


def _belongs_to_launch(event: dict[str, object]) -> bool:
    return event["event"] == "change" and event["by"] == "launch"


class _Gathered:
    """Events of one step on their way: those before the launch, the launch, and its changes."""

    def __init__(self) -> None:
        self.launch: RecordedLaunch | None = None
        self._allocated: list[Allocation] = []
        self._freed: list[int] = []
        self._by_host: list[Contents] = []
        self._by_launch: list[Contents] = []
        self._reads: list[Contents] = []

    def take(self, event: dict[str, object]) -> None:
        match event["event"]:
            case "allocate":
                self._allocated.append(_allocation(event))
            case "free":
                self._freed.append(_whole(event["id"]))
            case "launch":
                self.launch = _launch(event)
            case "change":
                (self._by_launch if event["by"] == "launch" else self._by_host).append(_contents(event))
            case "read":
                self._reads.append(_contents(event))
            case other:
                raise ValueError(f"unknown event {other!r}")

    def step(self) -> Step:
        return Step(
            self.launch,
            tuple(self._allocated),
            tuple(self._freed),
            tuple(self._by_host),
            tuple(self._by_launch),
            tuple(self._reads),
        )


def _whole(value: object, lowest: int = 0) -> int:
    if type(value) is not int or not lowest <= value <= 1 << 64:
        raise ValueError(f"{value!r} is no whole number in range")
    return value


def _size(value: object) -> int:
    size = _whole(value)
    if size > _MAX_SIZE:
        raise ValueError(f"{size} bytes are too many")
    return size


def _allocation(event: dict[str, object]) -> Allocation:
    return Allocation(
        id=_whole(event["id"]),
        address=_whole(event["address"]),
        size=_size(event["size"]),
        kind=str(event["kind"]),
        name=str(event["name"]),
        tracked=bool(event["tracked"]),
    )


def _contents(event: dict[str, object]) -> Contents:
    return Contents(
        id=_whole(event["id"]),
        offset=_size(event["offset"]),
        size=_size(event["size"]),
        at=_whole(event["at"], lowest=-1),
    )


def _launch(event: dict[str, object]) -> RecordedLaunch:
    def extent(value: object) -> Dim3:
        if not isinstance(value, list) or len(value) != 3:
            raise ValueError("a size has three parts")
        x, y, z = map(_whole, value)
        return Dim3(x=x, y=y, z=z)

    arguments = event["arguments"]
    if not isinstance(arguments, list):
        raise ValueError("arguments are a list")
    return RecordedLaunch(
        index=_whole(event["index"]),
        kernel=str(event["kernel"]),
        grid=extent(event["grid"]),
        block=extent(event["block"]),
        shared=_size(event["shared"]),
        arguments=tuple((_size(offset), bytes.fromhex(value)) for offset, value in arguments),
    )
