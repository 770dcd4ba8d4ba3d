"""Nothing outlives its sandbox, and no sandbox its owner."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
import uuid
import warnings
from pathlib import Path

import pytest

from sandbox.errors import IsolationError
from sandbox.isolation import bubblewrap_launch
from sandbox.isolation.bubblewrap import BubblewrapSandbox
from sandbox.isolation.cgroup import make_groups, remove_orphans, usable_hierarchy
from sandbox.isolation.docker import DockerSandbox
from sandbox.isolation.owner import owner_mark

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print('daemon', flush=True)
        time.sleep(60)
    os._exit(0)
time.sleep(0.2)
sys.exit(9)
"""


def processes_with(marker: str) -> list[int]:
    """Processes of this machine with ``marker`` among their arguments, except this one."""
    found = []
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdecimal() and marker.encode() in (path / "cmdline").read_bytes():
                found.append(int(path.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the threads of this process hold no lock now
        return os.fork()


def wait_until(condition, seconds=10) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_daemons_die_with_the_command_and_do_not_delay_its_end(lab):
    marker = uuid.uuid4().hex
    result = lab.python(DAEMON, marker)
    assert (result.exit_code, result.stdout) == (9, b"daemon\n")
    assert result.usage.wall_seconds < 5
    assert processes_with(marker) == []


def test_cancel_leaves_nothing(lab):
    marker = uuid.uuid4().hex
    running = lab.start_python("import os, time\nfor _ in range(5): os.fork()\ntime.sleep(60)", marker)
    assert wait_until(lambda: len(processes_with(marker)) >= 32)
    running.cancel()
    running.wait(10)
    assert processes_with(marker) == []


def test_a_stopped_command_is_cancelled_too(lab):
    running = lab.start("sh", "-c", "echo x; kill -STOP $$")
    time.sleep(0.2)
    running.cancel()
    assert running.wait(10).exit_code is None


def test_a_closed_output_is_no_end(lab):
    result = lab.run("sh", "-c", "exec >&- 2>&-; sleep 0.5; exit 7")
    assert result.exit_code == 7
    assert result.usage.wall_seconds >= 0.5


def test_it_survives_the_thread_that_started_it(lab):
    started = []
    thread = threading.Thread(target=lambda: started.append(lab.start("sh", "-c", "sleep 0.5; exit 3")))
    thread.start()
    thread.join()
    time.sleep(0.1)
    assert started[0].wait(10).exit_code == 3


@pytest.mark.parametrize("moment", ["while it starts", "while it runs", "while a child of the owner lives on"])
def test_it_dies_with_its_owner(lab, moment):
    marker = uuid.uuid4().hex
    owner = fork()
    if owner == 0:
        try:
            running = lab.start_python("import os, time\nos.fork()\ntime.sleep(60)", marker)
            if moment == "while a child of the owner lives on" and fork() == 0:
                time.sleep(20)
                os._exit(0)
            running.wait()
        finally:
            os._exit(1)
    wanted = 1 if moment == "while it starts" else 2
    assert wait_until(lambda: len(processes_with(marker)) >= wanted)
    os.kill(owner, signal.SIGKILL)
    os.waitpid(owner, 0)
    assert wait_until(lambda: processes_with(marker) == [])


def test_a_start_that_fails_half_way_leaves_nothing(lab, monkeypatch):
    if not isinstance(lab.sandbox, BubblewrapSandbox) or os.geteuid() != 0:
        pytest.skip("users are mapped from outside only where root starts bubblewrap")

    def refuse(pid):
        raise PermissionError("no mapping")

    monkeypatch.setattr(bubblewrap_launch, "_map_all_users", refuse)
    marker = uuid.uuid4().hex
    with pytest.raises(IsolationError, match="no mapping"):
        lab.run("cat", marker)
    assert wait_until(lambda: processes_with(marker) == [])


def makes_groups(lab) -> bool:
    return isinstance(lab.sandbox, BubblewrapSandbox) and lab.sandbox.limits_held_by().startswith("cgroup")


def test_control_groups_are_removed(lab):
    hierarchy = usable_hierarchy()
    if not makes_groups(lab):
        pytest.skip("this engine makes no control groups here")

    def groups():
        return [path for parent in hierarchy.parents.values() for path in parent.glob(f"*{owner_mark()}*")]

    others = set(groups())  # of sandboxes that this process keeps elsewhere
    running = lab.start("sleep", "60")
    assert len(set(groups()) - others) == len(set(hierarchy.parents.values()))
    running.cancel()
    running.wait(10)
    lab.python("x = bytearray(10 ** 9)")
    with pytest.raises(IsolationError):
        lab.run("nothing-like-it")
    assert set(groups()) <= others


def test_control_groups_of_dead_owners_are_removed(lab):
    hierarchy = usable_hierarchy()
    if not makes_groups(lab):
        pytest.skip("this engine makes no control groups here")
    owner = fork()
    if owner == 0:
        try:
            make_groups(hierarchy)
        finally:
            os._exit(0)
    os.waitpid(owner, 0)
    orphans = [path for parent in hierarchy.parents.values() for path in parent.glob(f"warp2wave-*-{owner}-*")]
    assert orphans
    remove_orphans(hierarchy)
    assert not any(path.exists() for path in orphans)


def test_containers_of_dead_owners_are_reaped(lab):
    if not isinstance(lab.sandbox, DockerSandbox):
        pytest.skip("containers are Docker's")
    read_end, write_end = os.pipe()
    owner = fork()
    if owner == 0:
        try:
            lab.start("sleep", "60")
            os.write(write_end, b"x")
            time.sleep(60)
        finally:
            os._exit(1)
    os.read(read_end, 1)
    mine = lab.start("sleep", "60")
    os.kill(owner, signal.SIGKILL)
    os.waitpid(owner, 0)
    stages = list(Path(tempfile.gettempdir()).glob(f"warp2wave-stage-*-{owner}-*"))
    assert len(stages) == 1
    assert len(lab.sandbox.reap_orphans()) == 1
    assert lab.sandbox.reap_orphans() == []
    assert not stages[0].exists()
    mine.cancel()
    assert mine.wait(10).exit_code is None
    os.close(read_end)
    os.close(write_end)
