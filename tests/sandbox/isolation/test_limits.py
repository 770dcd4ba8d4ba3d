"""Every limit, broken in several ways: the command ends soon, and the limit is named."""

from __future__ import annotations

import signal
import time
from dataclasses import replace

import pytest

from sandbox.isolation.protocol import LimitName

FORK_BOMB = "bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 30"
FORK_FOR_EVER = """
import os, time
while True:
    try:
        if os.fork() == 0: time.sleep(60)
    except OSError: pass
"""
THREADS = """
import threading, time
threading.stack_size(65536)
for _ in range(200): threading.Thread(target=time.sleep, args=(60,)).start()
"""
TOUCH = "memory = bytearray(b'x') * (600 << 20); print('survived')"
TOUCH_IN_CHILDREN = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        memory = bytearray(b'x') * (64 << 20)
        time.sleep(30)
os.wait()
"""
SHARED = """
import mmap, os, time
memory = mmap.mmap(-1, 100 << 20)
for offset in range(0, 100 << 20, 4096): memory[offset] = 1
for _ in range(6):
    if os.fork() == 0:
        sum(memory[offset] for offset in range(0, 100 << 20, 4096))
        time.sleep(1)
        os._exit(0)
for _ in range(6): os.wait()
print('fair')
"""
RESERVE = """
import mmap
size = 200 << 30
memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_NORESERVE)
for gigabyte in range(0, 200, 10): memory[gigabyte << 30] = 7
print(sum(memory[gigabyte << 30] for gigabyte in range(0, 200, 10)))
"""
FILL_TMP = """
import os
written = 0
try:
    for n in range(1000):
        with open(f'/tmp/{n}', 'wb') as f: written += f.write(bytes(1 << 20))
except OSError as error: print(error.errno)
print(written <= 64 << 20)
"""
BURN = "while True: pass"
BURN_IN_CHILDREN = """
import os
for _ in range(4):
    if os.fork() == 0:
        while True: pass
os.wait()
"""
BURN_AND_FORGET = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        end = time.process_time() + 0.2
        while time.process_time() < end: pass
        os._exit(0)
    time.sleep(0.21)
"""
IGNORE_SIGNALS = """
import signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
"""
THREADS_ALLOWED = """
import threading, time
for _ in range(40): threading.Thread(target=time.sleep, args=(0.3,)).start()
print('fine')
"""
WRITE_TO_BOTH = """
import os, time
for _ in range(300):
    os.write(1, bytes(4096))
    os.write(2, bytes(4096))
time.sleep(30)
"""
USE_BOTH = """
import time
memory = bytearray(b'x') * (100 << 20)
end = time.process_time() + 0.4
while time.process_time() < end: pass
"""


def ends_with(result, limit, seconds):
    assert (result.limit, result.exit_code, result.signal) == (limit, None, None), result
    assert result.usage.wall_seconds < seconds
    return True


@pytest.mark.parametrize("code", [FORK_FOR_EVER, THREADS], ids=["processes", "threads"])
def test_too_many_tasks(lab, code):
    assert ends_with(lab.python(code), LimitName.PIDS, 5)


def test_a_fork_bomb(lab):
    assert ends_with(lab.run("sh", "-c", FORK_BOMB), LimitName.PIDS, 5)


def test_as_many_tasks_as_allowed(lab):
    assert lab.python(THREADS_ALLOWED).stdout == b"fine\n"


@pytest.mark.parametrize("code", [TOUCH, TOUCH_IN_CHILDREN], ids=["one", "children"])
def test_too_much_memory(lab, code):
    result = lab.python(code)
    assert ends_with(result, LimitName.MEMORY, 5)
    assert result.stdout == b""
    assert result.usage.peak_memory_bytes > 200 << 20


def test_memory_in_files_counts(lab):
    code = "for n in range(1000): open(f'/dev/shm/{n}', 'wb').write(bytes(1 << 20))"
    limits = replace(lab.limits, memory_bytes=100 << 20, tmp_bytes=1 << 30)
    assert ends_with(lab.python(code, limits=limits), LimitName.MEMORY, 5)


def test_shared_memory_counts_once(lab):
    result = lab.python(SHARED)
    assert (result.stdout, result.limit, result.exit_code) == (b"fair\n", None, 0)


def test_a_device_may_reserve_what_it_does_not_touch(lab):
    result = lab.python(RESERVE)
    assert (result.stdout, result.exit_code) == (b"140\n", 0)


def test_tmp_has_a_size(lab):
    result = lab.python(FILL_TMP)
    assert result.stdout == b"28\nTrue\n"  # ENOSPC
    assert result.exit_code == 0


@pytest.mark.parametrize("code", [BURN, BURN_IN_CHILDREN, BURN_AND_FORGET, IGNORE_SIGNALS + BURN])
def test_too_much_cpu_time(lab, code):
    result = lab.python(code, limits=replace(lab.limits, cpu_seconds=0.4))
    assert ends_with(result, LimitName.CPU_TIME, 8)
    assert 0.4 <= result.usage.cpu_seconds < 3


@pytest.mark.parametrize("code", ["import time; time.sleep(60)", IGNORE_SIGNALS + "time.sleep(60)"])
def test_too_long(lab, code):
    result = lab.python(code, limits=replace(lab.limits, wall_seconds=0.5))
    assert ends_with(result, LimitName.WALL_TIME, 3)
    assert result.usage.wall_seconds >= 0.5


@pytest.mark.parametrize("target", ["", " >&2"])
def test_too_much_output(lab, target):
    result = lab.run("sh", "-c", f"while :; do echo 0123456789012345678901234567890123456789; done{target}")
    assert ends_with(result, LimitName.OUTPUT, 5)
    assert len(result.stdout) + len(result.stderr) == lab.limits.output_bytes


def test_output_limit_holds_for_both_streams_together(lab):
    result = lab.python(WRITE_TO_BOTH)
    assert ends_with(result, LimitName.OUTPUT, 5)
    assert len(result.stdout) + len(result.stderr) == lab.limits.output_bytes
    assert min(len(result.stdout), len(result.stderr)) > 0


def test_output_up_to_the_limit_is_no_flood(lab):
    size = lab.limits.output_bytes
    result = lab.run("head", "-c", str(size), "/dev/zero")
    assert (result.exit_code, len(result.stdout)) == (0, size)


def test_one_byte_too_many_after_which_it_ends(lab):
    result = lab.run("head", "-c", str(lab.limits.output_bytes + 1), "/dev/zero")
    assert ends_with(result, LimitName.OUTPUT, 5)
    assert len(result.stdout) == lab.limits.output_bytes


def test_a_file_too_large(lab):
    out = lab.share("out")
    script = "exec head -c 100000000 /dev/zero > /out/file"
    result = lab.run("sh", "-c", script, mounts=(lab.mount("out", "/out", writable=True),))
    assert ends_with(result, LimitName.FILE_SIZE, 5)
    assert (out / "file").stat().st_size == lab.limits.file_bytes


def test_a_program_that_handles_the_file_limit_itself(lab):
    """Python ignores the signal and sees EFBIG; the limit holds all the same."""
    code = "import os\nf = open('/tmp/x', 'wb')\ntry: f.write(bytes(20 << 20))\nexcept OSError as e: print(e.errno)\n"
    result = lab.python(code)
    assert (result.stdout, result.limit, result.exit_code) == (b"27\n", None, 0)


def test_no_core_is_dumped(lab):
    out = lab.share("out")
    result = lab.run(
        *("sh", "-c", "kill -SEGV $$"),
        cwd=lab.mount("out", "/out").target,
        mounts=(lab.mount("out", "/out", writable=True),),
    )
    assert result.signal == signal.SIGSEGV
    assert list(out.iterdir()) == []


def test_the_first_limit_is_the_one_named(lab):
    started = time.monotonic()
    running = lab.start("sleep", "60", limits=replace(lab.limits, wall_seconds=0.3))
    while time.monotonic() - started < 5:
        try:
            running.wait(0.01)
            break
        except TimeoutError:
            continue
    running.cancel()
    assert running.wait().limit is LimitName.WALL_TIME


def test_usage_tells_cpu_and_memory(lab):
    usage = lab.python(USE_BOTH).usage
    assert 0.4 <= usage.cpu_seconds < 2
    assert 100 << 20 <= usage.peak_memory_bytes < 200 << 20
