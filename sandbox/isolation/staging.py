"""Files that a container's first process needs, kept in a folder closed to other users."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from sandbox.isolation.docker_options import FILTER, INIT, STATUS, STDIN
from sandbox.isolation.first_process import first_process_program
from sandbox.isolation.owner import is_orphaned, owner_mark
from sandbox.isolation.seccomp import default_filter

_NAME = re.compile(r"warp2wave-stage-(?P<owner>\d+-\d+-\d+)-\w+")


def stage(stdin: Path | bytes | None) -> Path:
    """A new folder with them. ``stdin`` is copied, for the container's user may not reach the file itself."""
    folder = Path(tempfile.mkdtemp(prefix=f"warp2wave-stage-{owner_mark()}-"))
    contents = {INIT: first_process_program(), FILTER: default_filter(), STATUS: b""}
    contents[STDIN] = stdin if isinstance(stdin, bytes) else b""
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    if isinstance(stdin, Path):
        shutil.copyfile(stdin, folder / STDIN)
    modes = {INIT: 0o755, STATUS: 0o666}
    for name in contents:
        (folder / name).chmod(modes.get(name, 0o644))
    return folder


def remove_orphaned_stages() -> None:
    """Remove the folders of processes of ours that have ended."""
    for folder in Path(tempfile.gettempdir()).glob("warp2wave-stage-*"):
        name = _NAME.fullmatch(folder.name)
        if name is not None and is_orphaned(name["owner"]) and folder.lstat().st_uid == os.geteuid():
            shutil.rmtree(folder, ignore_errors=True)
