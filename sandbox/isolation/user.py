"""The user that sandboxed programs run as, and what that user may reach."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

# Programs never run as the host's root. This uid belongs to no one: Debian reserves 65000-65533, and systemd's
# dynamic users end at 65519.
_STAND_IN_FOR_ROOT = 65521


@dataclass(frozen=True)
class SandboxUser:
    """``stand_in``: the caller is root, so the sandbox changes to another user before the program starts."""

    uid: int
    gid: int
    stand_in: bool

    def may_reach(self, path: Path, *, write: bool) -> bool:
        """Whether mode bits let this user read (and search, and write) ``path`` itself, whatever its parents say."""
        status = path.stat()
        needed = 4 | (1 if stat.S_ISDIR(status.st_mode) else 0) | (2 if write else 0)
        if not self.stand_in:
            wanted = os.R_OK | (os.X_OK if needed & 1 else 0) | (os.W_OK if write else 0)
            return os.access(path, wanted)
        if status.st_uid == self.uid:
            granted = status.st_mode >> 6
        elif status.st_gid == self.gid:
            granted = status.st_mode >> 3
        else:
            granted = status.st_mode
        return granted & needed == needed


def sandbox_user() -> SandboxUser:
    """The caller's own user, or a stand-in where the caller is root."""
    if os.geteuid() == 0:
        return SandboxUser(_STAND_IN_FOR_ROOT, _STAND_IN_FOR_ROOT, stand_in=True)
    return SandboxUser(os.geteuid(), os.getegid(), stand_in=False)
