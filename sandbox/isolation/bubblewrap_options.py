"""The options with which bwrap builds one sandbox."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from sandbox.isolation.layout import root_entries
from sandbox.isolation.protocol import Command, Limits, Mount
from sandbox.isolation.user import SandboxUser

HOSTNAME = "sandbox"

# Not --die-with-parent: it follows the thread that started bwrap, and leaves a child behind that waits for ever if
# bwrap is killed before it has mapped users. The first process watches a lifeline instead.
_ISOLATION = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--hostname", HOSTNAME, "--new-session", "--as-pid-1", "--clearenv"),
)
# The first process needs these to become an unprivileged user, which takes them away.
_CAPABILITIES_TO_CHANGE_USER = (
    *("--cap-drop", "ALL"),
    *("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"),
)
_ENGINE_FOLDERS = tuple(map(PurePosixPath, ("/proc", "/dev", "/tmp")))


def bubblewrap_options(command: Command, limits: Limits, user: SandboxUser) -> list[str]:
    """For a prepared command. Raises InputError or IsolationError for a mount target that cannot be made."""
    options = [*_ISOLATION]
    if user.stand_in:
        options += _CAPABILITIES_TO_CHANGE_USER
    else:
        options += ("--uid", str(user.uid), "--gid", str(user.gid))
    options += _filesystem(command, limits)
    options += ("--chdir", "/")
    return options


def _filesystem(command: Command, limits: Limits) -> Iterator[str]:
    yield from _root(command)
    yield from ("--proc", "/proc", "--dev", "/dev")
    for folder in ("/tmp", "/dev/shm"):
        yield from ("--size", str(limits.tmp_bytes), "--perms", "1777", "--tmpfs", folder)
    for mount in command.mounts:
        yield from _folders(reversed(mount.target.parents[:-1]))
        yield from (_mount_option(mount), str(mount.source), str(mount.target))
    yield from ("--remount-ro", "/dev", "--remount-ro", "/")


def _root(command: Command) -> Iterator[str]:
    # What lies under an engine's folder or inside another mount is made there, not in the root filesystem.
    targets = [*_ENGINE_FOLDERS]
    for mount in command.mounts:
        if not any(mount.target.is_relative_to(outer) for outer in targets):
            targets.append(mount.target)
    for entry in root_entries(command.root, targets):
        if entry.source is not None:
            yield from ("--ro-bind", str(entry.source), str(entry.target))
        elif entry.link is not None:
            yield from ("--symlink", entry.link, str(entry.target))
        else:
            yield from _folders([entry.target])


def _folders(paths: Iterable[PurePosixPath]) -> Iterator[str]:
    # What bwrap makes by itself on the way to a mount point only its owner may enter.
    for path in paths:
        yield from ("--perms", "0755", "--dir", str(path))


def _mount_option(mount: Mount) -> str:
    if mount.kind == "device":
        return "--dev-bind"
    return "--bind" if mount.writable else "--ro-bind"
