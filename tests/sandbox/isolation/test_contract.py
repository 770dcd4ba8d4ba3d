"""What every engine promises about running a command: input, output, files, environment, exit."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from sandbox.errors import InputError, IsolationError
from sandbox.isolation.protocol import LimitName, Mount


def test_output_of_both_streams_and_exit_code(lab):
    result = lab.run("sh", "-c", "echo out; echo err >&2; exit 3")
    assert (result.stdout, result.stderr) == (b"out\n", b"err\n")
    assert (result.exit_code, result.signal, result.limit) == (3, None, None)
    assert 0 < result.usage.wall_seconds < 5
    assert 0 < result.usage.cpu_seconds < 1
    assert result.usage.peak_memory_bytes > 100_000


@pytest.mark.parametrize("code", [0, 1, 125, 127, 128 + 9, 255])
def test_an_exit_code_is_never_taken_for_a_signal(lab, code):
    result = lab.run("sh", "-c", f"exit {code}")
    assert (result.exit_code, result.signal, result.limit) == (code, None, None)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGSTKFLT])
def test_a_signal_is_the_child_s_own(lab, number):
    result = lab.run("sh", "-c", f"kill -{int(number)} $$")
    assert (result.exit_code, result.signal, result.limit) == (None, number, None)


def test_output_arrives_while_the_command_runs(lab):
    seen = []
    heard = threading.Event()

    def hear(stream, data):
        seen.append((stream, data))
        heard.set()

    running = lab.start("sh", "-c", "echo first; sleep 30", on_output=hear)
    assert heard.wait(10)
    assert seen == [("stdout", b"first\n")]
    running.cancel()
    assert running.wait(10).stdout == b"first\n"


def test_an_error_of_the_listener_ends_the_command(lab):
    def refuse(stream, data):
        raise ValueError("no more")

    running = lab.start("sh", "-c", "echo x; sleep 30", on_output=refuse)
    with pytest.raises(ValueError, match="no more"):
        running.wait(10)


def test_stdin_is_empty_unless_given(lab):
    assert lab.run("cat").stdout == b""


def test_stdin_from_bytes(lab):
    data = bytes(range(256)) * 2000
    result = lab.run("cat", stdin=data)
    assert result.stdout == data
    assert result.exit_code == 0


def test_stdin_from_a_private_file(lab):
    path = lab.folder / "input"
    path.write_bytes(b"from a file")
    path.chmod(0o600)
    assert lab.run("cat", stdin=path).stdout == b"from a file"


def test_large_stdin_that_nobody_reads(lab):
    assert lab.run("sh", "-c", "exit 4", stdin=bytes(10 << 20)).exit_code == 4


def test_the_environment_is_exactly_what_was_given(lab, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    result = lab.run("env", env={"A": "b c=d\n", "_x1": "", "LD_LIBRARY_PATH": "/nowhere"})
    assert sorted(result.stdout.decode().split("\n")) == sorted(
        ["A=b c=d", "", "", "_x1=", "LD_LIBRARY_PATH=/nowhere", "PATH=/usr/bin:/bin"]
    )
    assert lab.run("env", env={"PATH": "/usr/bin"}).stdout == b"PATH=/usr/bin\n"


def test_arguments_arrive_as_they_are(lab):
    arguments = ["", " a  b ", "--", "-c", "ä€", "$(id)", "'\"\\", "x" * 100_000]
    result = lab.python("import sys; print(sys.argv[1:])", *arguments)
    assert result.stdout.decode() == f"{arguments}\n"


def test_working_directory(lab):
    code = "import os; print(os.getcwd())"
    assert lab.python(code).stdout == b"/tmp\n"
    assert lab.python(code, cwd=PurePosixPath("/usr/bin")).stdout == b"/usr/bin\n"


def test_mounts(lab):
    lab.share("out")
    lab.share("in", mode=0o755)
    (lab.folder / "in/file").write_text("given")
    (lab.folder / "link").symlink_to("in")
    result = lab.run(
        "sh",
        "-c",
        "cat /work/data/file /single; echo made > /work/made; echo no > /work/data/file; echo no > /single",
        mounts=(
            Mount(lab.folder / "link", PurePosixPath("/work/data")),
            lab.mount("out", "/work", writable=True),
            lab.mount("in/file", "/single"),
        ),
    )
    assert result.stdout == b"givengiven"
    assert (lab.folder / "out/made").read_text() == "made\n"
    assert (lab.folder / "in/file").read_text() == "given"
    assert result.stderr.count(b"file system") == 2


@pytest.mark.parametrize("target", ["/work", "/opt/cuda/nvidia", "/tmp/inner/deep", "/mnt", "/usr/share/x", "/run/w2w"])
def test_mount_points_that_the_root_lacks_are_made(lab, target):
    lab.share("in", mode=0o755)
    (lab.folder / "in/file").write_text("given")
    result = lab.run("sh", "-c", f"cat {target}/file /etc/marker /opt/tools/readme", mounts=(lab.mount("in", target),))
    assert result.stdout == b"giveninside\ntools\n"


def test_a_unix_socket_in_a_mounted_folder_connects(lab):
    """How programs reach the translator in its own sandbox."""
    lab.share("sockets")
    server = lab.start_python(
        "import socket; s = socket.socket(socket.AF_UNIX); s.bind('/run/x/s'); s.listen(); print('up', flush=True);"
        "c, _ = s.accept(); c.sendall(b'hello'); c.close()",
        mounts=(lab.mount("sockets", "/run/x", writable=True),),
    )
    while not (lab.folder / "sockets/s").exists():
        time.sleep(0.01)
    time.sleep(0.1)
    client = lab.python(
        "import socket; s = socket.socket(socket.AF_UNIX); s.connect('/run/x/s'); print(s.recv(9))",
        mounts=(lab.mount("sockets", "/run/x"),),
    )
    assert client.stdout == b"b'hello'\n"
    assert server.wait(10).exit_code == 0


def test_wait_times_out_and_the_command_runs_on(lab):
    running = lab.start("sh", "-c", "sleep 0.6; exit 5")
    with pytest.raises(TimeoutError):
        running.wait(0.05)
    assert running.wait(10).exit_code == 5
    assert running.wait().exit_code == 5


def test_cancel_ends_it_from_any_thread_any_number_of_times(lab):
    running = lab.start("sleep", "60")
    threads = [threading.Thread(target=running.cancel) for _ in range(5)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    result = running.wait(10)
    assert time.monotonic() - started < 5
    assert (result.exit_code, result.signal, result.limit) == (None, None, LimitName.CANCELLED)
    running.cancel()
    assert running.wait().limit is LimitName.CANCELLED


def test_cancel_after_the_end_changes_nothing(lab):
    running = lab.start("sh", "-c", "exit 6")
    assert running.wait(10).exit_code == 6
    running.cancel()
    assert running.wait().exit_code == 6


def test_sandboxes_side_by_side(lab):
    running = [lab.start("sh", "-c", f"sleep 0.{n}; echo {n}; exit {n}") for n in range(5)]
    results = [r.wait(20) for r in running]
    assert [(r.exit_code, r.stdout) for r in results] == [(n, f"{n}\n".encode()) for n in range(5)]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"argv": ()}, InputError, "program"),
        ({"argv": ("",)}, InputError, "program"),
        ({"argv": ("sh", "a\0b")}, InputError, "NUL"),
        ({"argv": ("sh", "\udcff")}, InputError, "Unicode"),
        ({"argv": ("sh", "x" * 200_000)}, InputError, "fit"),
        ({"env": {"A=B": "x"}}, InputError, "environment"),
        ({"env": {"": "x"}}, InputError, "environment"),
        ({"env": {"A\n": "x"}}, InputError, "environment"),
        ({"env": {"A": "x\0"}}, InputError, "NUL"),
        ({"cwd": PurePosixPath("tmp")}, InputError, "absolute"),
        ({"cwd": PurePosixPath("/tmp/../etc")}, InputError, r"\.\."),
        ({"cwd": PurePosixPath("/not/there")}, IsolationError, "/not/there"),
        ({"root": Path("/")}, IsolationError, "host"),
        ({"root": Path("/not/there")}, IsolationError, "/not/there"),
        ({"stdin": Path("/not/there")}, IsolationError, "/not/there"),
        ({"stdin": Path("/dev/zero")}, IsolationError, "regular"),
        ({"argv": ("nothing-like-it",)}, IsolationError, "nothing-like-it.*No such file"),
        ({"argv": ("/etc/marker",)}, IsolationError, "Permission denied"),
        ({"mounts": (Mount(Path("/usr"), PurePosixPath("usr")),)}, InputError, "absolute"),
        ({"mounts": (Mount(Path("/usr"), PurePosixPath("/x/../y")),)}, InputError, r"\.\."),
        ({"mounts": (Mount(Path("/usr"), PurePosixPath("/")),)}, InputError, "mounted at /"),
        ({"mounts": (Mount(Path("/usr"), PurePosixPath("/proc/sys")),)}, InputError, "/proc/sys"),
        ({"mounts": (Mount(Path("/usr"), PurePosixPath("/dev/shm")),)}, InputError, "devices"),
        ({"mounts": (Mount(Path("/usr"), PurePosixPath("/bin/x")),)}, InputError, "symlink"),
        ({"mounts": (Mount(Path("/usr"), PurePosixPath("/x")),) * 2}, InputError, "two mounts"),
        ({"mounts": (Mount(Path("/not/there"), PurePosixPath("/x")),)}, IsolationError, "/not/there"),
        ({"mounts": (Mount(Path("/"), PurePosixPath("/x")),)}, IsolationError, "whole"),
        ({"mounts": (Mount(Path("/dev/null"), PurePosixPath("/x")),)}, IsolationError, "not a file"),
        ({"mounts": (Mount(Path("/usr"), PurePosixPath("/dev/x"), kind="device"),)}, IsolationError, "device"),
        ({"mounts": (Mount(Path("/usr"), PurePosixPath("/x"), writable=True),)}, IsolationError, "write"),
    ],
)
def test_what_cannot_be_run_is_refused_with_a_reason(lab, change, error, words):
    command = replace(lab.command("sh", "-c", "exit 0"), **change)
    with pytest.raises(error, match=words):
        lab.sandbox.run(command, lab.limits)


@pytest.mark.parametrize("field", ["memory_bytes", "pids", "cpu_seconds", "wall_seconds", "output_bytes", "tmp_bytes"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_limits_must_be_positive(lab, field, value):
    with pytest.raises(InputError, match=field):
        lab.run("sh", "-c", "exit 0", limits=replace(lab.limits, **{field: value}))


def test_nothing_stays_open(lab):
    lab.run("sh", "-c", "exit 0")
    before = open_descriptors()
    for _ in range(3):
        lab.run("sh", "-c", "echo x")
        with pytest.raises(IsolationError):
            lab.run("nothing-like-it")
    assert open_descriptors() <= before


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
