"""Checks a command before an engine sees it, and resolves what it names on the host."""

from __future__ import annotations

import re
import stat
from dataclasses import fields, replace
from pathlib import Path, PurePosixPath

from sandbox.errors import InputError, IsolationError
from sandbox.isolation.layout import nearest_folder
from sandbox.isolation.protocol import Command, Limits, Mount
from sandbox.isolation.user import SandboxUser

DEFAULT_PATH = "/usr/bin:/bin"

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# The kernel takes 2 MiB for arguments and environment on an 8 MiB stack, and 128 KiB for one of them.
_MAX_ARGUMENT_BYTES = 1 << 20
_MAX_TEXT_BYTES = 128 << 10
_ENGINE_OWNED = (PurePosixPath("/proc"), PurePosixPath("/sys"))


def prepare(command: Command, limits: Limits, user: SandboxUser) -> Command:
    """``command`` with resolved host paths, mounts ordered outermost first and PATH set.

    Raises InputError for a value that no engine can pass on, IsolationError for a path that is not there or that
    ``user`` may not reach.
    """
    _check_limits(limits)
    _check_texts(command)
    return replace(
        command,
        root=_resolve_root(command.root, user),
        cwd=_check_inside_path("working directory", command.cwd),
        env={"PATH": DEFAULT_PATH, **command.env},
        mounts=_prepare_mounts(command, user),
        stdin=_resolve_stdin(command.stdin),
    )


def _check_limits(limits: Limits) -> None:
    for field in fields(limits):
        value = getattr(limits, field.name)
        if not 0 < value < 1 << 62:
            raise InputError(f"limit {field.name} must be positive, got {value}")


def _check_texts(command: Command) -> None:
    if not command.argv or not command.argv[0]:
        raise InputError("a command needs a program to run")
    for name in command.env:
        if not _VARIABLE.fullmatch(name):
            raise InputError(f"{name!r} is no name of an environment variable")
    texts = [*command.argv, *(f"{name}={value}" for name, value in command.env.items())]
    for text in texts:
        _check_text(text)
    sizes = [len(text.encode()) + 1 for text in texts]
    if max(sizes) > _MAX_TEXT_BYTES or sum(sizes) > _MAX_ARGUMENT_BYTES:
        raise InputError(
            f"arguments and environment take {sum(sizes)} bytes, the longest {max(sizes)}; "
            f"{_MAX_ARGUMENT_BYTES} fit, {_MAX_TEXT_BYTES} in one"
        )


def _check_text(text: str) -> None:
    if "\0" in text:
        raise InputError(f"{text!r} holds a NUL byte")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{text!r} is not valid Unicode") from error


def _check_inside_path(what: str, path: PurePosixPath) -> PurePosixPath:
    _check_text(str(path))
    if not path.is_absolute() or ".." in path.parts or str(path).startswith("//"):
        raise InputError(f"{what} {str(path)!r} must be absolute, without '..'")
    return path


def _resolve(what: str, path: Path) -> Path:
    _check_text(str(path))
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise IsolationError(f"{what} {path} cannot be used: {error}") from error


def _resolve_root(root: Path, user: SandboxUser) -> Path:
    resolved = _resolve("root filesystem", root)
    if not resolved.is_dir():
        raise IsolationError(f"root filesystem {root} is not a directory")
    if resolved == Path("/"):
        raise IsolationError("the host's own root filesystem must not be a sandbox's")
    _check_reach("root filesystem", resolved, user, write=False)
    return resolved


def _prepare_mounts(command: Command, user: SandboxUser) -> tuple[Mount, ...]:
    prepared = sorted((_prepare_mount(mount, user) for mount in command.mounts), key=lambda m: len(m.target.parts))
    for mount in prepared:
        nearest_folder(command.root, mount.target)
    targets = [mount.target for mount in prepared]
    for target in targets:
        if targets.count(target) > 1:
            raise InputError(f"two mounts at {target}")
    return tuple(prepared)


def _prepare_mount(mount: Mount, user: SandboxUser) -> Mount:
    target = _check_inside_path("mount target", mount.target)
    if target == PurePosixPath("/") or any(target.is_relative_to(owned) for owned in _ENGINE_OWNED):
        raise InputError(f"nothing can be mounted at {target}")
    if target.is_relative_to("/dev") and (mount.kind != "device" or target == PurePosixPath("/dev")):
        raise InputError(f"only devices can be mounted under /dev, not at {target}")
    source = _resolve("mount source", mount.source)
    if source == Path("/"):
        raise IsolationError("the host's whole filesystem must not be mounted into a sandbox")
    mode = source.stat().st_mode
    if mount.kind == "device" and not stat.S_ISCHR(mode):
        raise IsolationError(f"mount source {source} is not a character device")
    if mount.kind == "bind" and not (stat.S_ISDIR(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        raise IsolationError(f"mount source {source} is not a file, directory or socket")
    _check_reach("mount source", source, user, write=mount.writable)
    return replace(mount, source=source, target=target)


def _check_reach(what: str, path: Path, user: SandboxUser, *, write: bool) -> None:
    if user.may_reach(path, write=write):
        return
    verb, permission = ("write to", "o+rwX") if write else ("read", "o+rX")
    raise IsolationError(
        f"the sandbox's user {user.uid} may not {verb} {what} {path}", hint=f"chmod {permission} {path}"
    )


def _resolve_stdin(stdin: Path | bytes | None) -> Path | bytes | None:
    if not isinstance(stdin, Path):
        return stdin
    resolved = _resolve("standard input", stdin)
    if not resolved.is_file():
        raise IsolationError(f"standard input {stdin} is not a regular file")
    return resolved
