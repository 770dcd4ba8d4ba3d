"""The translator process: a unix socket in front, worker processes behind, the cache beside."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any

from . import protocol
from .cache import Cache, Key
from .frontend import TranslationError
from .jobs import Job, JobQueue, Priority
from .pool import JOB_SECONDS, WorkerProcess

MAX_CONNECTIONS = 64
MAX_AHEAD_UNITS = 64
"""Images with more kernels are libraries of templates, of which a program uses a few."""
QUICK_INSTRUCTIONS = 600
"""Smaller units are optimised at once, in less than half a second: most kernels are translated once only."""


class Tiers(Enum):
    """Which translations are made of a unit."""

    BOTH = "both"
    QUICK = "quick"
    OPTIMISED = "optimised"


class Service:
    """Answers requests until the process ends."""

    def __init__(self, cache: Cache, work: Path, worker_arguments: list[str], job_seconds: float, tiers: Tiers) -> None:
        self._cache = cache
        self._tiers = tiers
        self._work = work
        self._jobs = JobQueue()
        self._slots = threading.BoundedSemaphore(MAX_CONNECTIONS)
        # One worker never takes ahead-of-time jobs: a kernel which is needed now waits for none of them.
        for lowest in (Priority.NOW, Priority.BEHIND):
            worker = WorkerProcess(worker_arguments, job_seconds=job_seconds)
            worker.start()
            threading.Thread(target=self._work_off, args=(worker, lowest), daemon=True).start()

    def serve(self, listener: socket.socket) -> None:
        while True:
            self._slots.acquire()
            connection, _ = listener.accept()
            try:
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()
            except RuntimeError:  # no thread to be had: this client is turned away, the next one may be served
                connection.close()
                self._slots.release()

    def _talk(self, connection: socket.socket) -> None:
        try:
            with connection:
                protocol.reply(connection, self._answer(connection))
        finally:
            self._slots.release()

    def _answer(self, connection: socket.socket) -> dict[str, Any]:
        try:
            request = protocol.receive(connection, self._work)
        except TranslationError as error:
            return _failure(error)
        except OSError as error:
            return {"ok": False, "code": "bad-request", "message": f"the request could not be read: {error}"}
        image = SharedFile(request.image)
        try:
            return self._translate(request, image)
        except TranslationError as error:
            return _failure(error)
        finally:
            image.release()

    def _translate(self, request: protocol.Request, image: SharedFile) -> dict[str, Any]:
        header = request.header
        key = Key(header.kind, header.target, request.sha256, header.unit, header.flavour)
        if self._cache.holds(key):
            return {"ok": True, "object": str(key.path)}
        if header.unit:
            return self._translate_one(key, image)
        listing = self._submit("list", key, image, Priority.NOW)
        listing.done.wait()
        if not listing.answer["ok"]:
            return listing.answer
        units = listing.answer["units"]
        if units == [""]:
            return self._translate_one(key, image)
        return self._translate_all(key, units, image)

    def _translate_one(self, key: Key, image: SharedFile) -> dict[str, Any]:
        """The quick translation at once; the optimised one behind it."""
        first = replace(key, quick=self._tiers is not Tiers.OPTIMISED)
        if not self._cache.holds(first):
            job = self._submit("translate", first, image, Priority.NOW)
            job.done.wait()
            if not job.answer["ok"]:
                return job.answer
        if self._cache.holds(key):
            return {"ok": True, "object": str(key.path)}
        if self._tiers is Tiers.BOTH:
            self._submit("translate", key, image, Priority.BEHIND)
        return {"ok": True, "object": str(first.path)}

    def _translate_all(self, key: Key, units: list[str], image: SharedFile) -> dict[str, Any]:
        if len(units) > MAX_AHEAD_UNITS:
            self._cache.note_ahead_done(key)
            message = f"{len(units)} units are too many to translate ahead of use (at most {MAX_AHEAD_UNITS})"
            return {"ok": False, "code": "too-many-units", "message": message}
        keys = [replace(key, unit=unit) for unit in units]
        for quick, priority in ((True, Priority.AHEAD), (False, Priority.BEHIND)):
            if self._tiers is (Tiers.OPTIMISED if quick else Tiers.QUICK):
                continue
            failed = self._translate_missing([replace(key, quick=quick) for key in keys], image, priority)
            if failed:
                return failed
        self._cache.note_ahead_done(key)
        return {"ok": True, "object": str(key.image_folder)}

    def _translate_missing(self, keys: list[Key], image: SharedFile, priority: Priority) -> dict[str, Any] | None:
        """Translate what is in the cache neither so nor better. The first answer of one that failed, or None."""
        missing = [
            key for key in keys if not self._cache.holds(key) and not self._cache.holds(replace(key, quick=False))
        ]
        jobs = [self._submit("translate", key, image, priority) for key in missing]
        for job in jobs:
            job.done.wait()
        return next((job.answer for job in jobs if not job.answer["ok"]), None)

    def _submit(self, do: str, key: Key, image: SharedFile, priority: Priority) -> Job:
        work = {
            "do": do,
            "kind": key.kind,
            "target": key.target,
            "flavour": key.flavour,
            "unit": key.unit,
            "quick": key.quick,
            "quick_from": 0 if self._tiers is Tiers.QUICK else QUICK_INSTRUCTIONS,
            "image": str(image.path),
        }
        image.share()
        try:
            return self._jobs.submit(key, work, priority, image.release)
        except TranslationError:
            image.release()
            raise

    def _work_off(self, worker: WorkerProcess, lowest: Priority) -> None:
        while True:
            job = self._jobs.take(lowest)
            try:
                answer = self._run(worker, job)
            except TranslationError as error:
                answer = _failure(error)
            except Exception as error:  # e.g. a full disk; the thread must live on
                answer = {
                    "ok": False,
                    "code": "internal-error",
                    "message": f"{type(error).__name__}: {error}",
                }
            self._jobs.finish(job, answer)

    def _run(self, worker: WorkerProcess, job: Job) -> dict[str, Any]:
        do, key = job.identity
        if do == "list":
            return worker.ask(job.work)
        if self._cache.holds(key):  # written between the request and its turn
            return {"ok": True}
        started = time.monotonic()
        workdir = Path(tempfile.mkdtemp(dir=self._work, prefix="unit-"))
        try:
            answer = worker.ask({**job.work, "workdir": str(workdir)})
            if answer["ok"]:
                key = replace(key, quick=answer["quick"])
                self._cache.store(key, Path(answer["object"]))
            _log(key, answer, 1e3 * (time.monotonic() - started))
            return answer
        except TranslationError as error:
            _log(key, _failure(error), 1e3 * (time.monotonic() - started))
            raise
        finally:
            shutil.rmtree(workdir, ignore_errors=True)


class SharedFile:
    """A temporary file that goes when the last of its users releases it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._users = 1
        self._lock = threading.Lock()

    def share(self) -> None:
        with self._lock:
            self._users += 1

    def release(self) -> None:
        with self._lock:
            self._users -= 1
            last = self._users == 0
        if last:
            self.path.unlink(missing_ok=True)


def _failure(error: TranslationError) -> dict[str, Any]:
    return {"ok": False, "code": error.code, "message": error.message}


def _log(key: Key, answer: dict[str, Any], total: float) -> None:
    name = ascii(key.unit[:200])[1:-1] or "(whole image)"
    name += " (quick)" if key.quick else ""
    target = f"{key.target}+{key.flavour}" if key.flavour else key.target
    line = f"{key.kind} {target} {key.image_sha256[:12]} {name}: "
    if answer["ok"]:
        phases = ", ".join(f"{phase} {spent:.0f}" for phase, spent in answer["milliseconds"].items())
        line += f"{answer['instructions']} instructions, {total:.0f} ms ({phases})"
        line += "".join(f"\n  {ascii(note[:300])[1:-1]}" for note in answer["notes"])
    else:
        line += f"{answer['code']}: {ascii(str(answer['message'])[:500])[1:-1]} after {total:.0f} ms"
    print(line, file=sys.stderr, flush=True)


def _listen(path: Path) -> socket.socket:
    """A socket that accepts as soon as its file is there."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    early = path.with_name(path.name + ".new")
    for stale in (early, path):
        stale.unlink(missing_ok=True)
    listener.bind(str(early))
    early.chmod(0o666)  # who may reach it is decided by who has the folder mounted
    listener.listen(128)
    early.rename(path)
    return listener


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="translator", description="Translate device code for virtual devices.")
    parser.add_argument("--socket", type=Path, required=True, help="unix socket to listen on")
    parser.add_argument("--cache", type=Path, required=True, help="cache folder of this translator version")
    parser.add_argument("--llvm", type=Path, default=Path("/usr/lib/llvm-22/bin"), help="folder of clang and ld.lld")
    parser.add_argument("--march", default="x86-64-v3", choices=["x86-64-v2", "x86-64-v3", "x86-64-v4"])
    parser.add_argument("--helpers", type=Path, help="folder with <kind>.bc, linked into each unit")
    parser.add_argument("--job-seconds", type=float, default=JOB_SECONDS, help="limit for one translation")
    parser.add_argument("--tiers", default="both", choices=[tier.value for tier in Tiers], help="what to make")
    options = parser.parse_args(arguments)
    worker_arguments = ["--llvm", str(options.llvm), "--march", options.march]
    if options.helpers:
        worker_arguments += ["--helpers", str(options.helpers)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="translator-") as work, contextlib.suppress(KeyboardInterrupt):
        cache = Cache(options.cache)
        service = Service(cache, Path(work), worker_arguments, options.job_seconds, Tiers(options.tiers))
        service.serve(_listen(options.socket))
    return 0
