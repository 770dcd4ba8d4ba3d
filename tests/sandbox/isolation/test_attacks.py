"""Attacks really tried from inside each engine's sandbox."""

from __future__ import annotations

import json
import os
import shutil
import socket
from pathlib import Path, PurePosixPath

import pytest

from sandbox.isolation.protocol import Mount

ATTACKS = Path(__file__).with_name("attacks.py").read_text()

# Where an attempt may end in other ways than EPERM. Docker's profile answers before ours with an errno of its own.
ENDS = {
    "clone3": {"ENOSYS"},
    "no_such_call_yet": {"ENOSYS"},
    "call number -1": {"ENOSYS"},
    "pidfd_getfd": {"EPERM", "ENOSYS"},
    "mount_setattr": {"EPERM", "ENOSYS"},
    "i386 system call": {"signal 31", "signal 11"},  # the latter on a kernel without i386
    "x32 system call": {"signal 31"},
    "connect out": {"ENETUNREACH"},
    "connect to the host": {"ECONNREFUSED"},
    "a file of the host": {"ENOENT"},
    "kernel log": {"ENOENT"},
    "physical memory": {"ENOENT"},
    "become root": {"EPERM", "EINVAL"},
    "become another": {"EPERM", "EINVAL"},
    "raise a limit": {"EPERM", "not allowed to raise maximum limit"},
    # Controls: what is near an attack and harmless does work. A signal to pid 1 may be sent, and changes nothing.
    "ioctl FIONREAD": {"ENOTTY", "allowed"},
    "socket unix": {"allowed"},
    "kill the first process": {"allowed"},
}
ENDS_BY_BEGINNING = {
    "socket ": {"EAFNOSUPPORT", "EPERM"},
    "write to ": {"EROFS", "EACCES", "ENOENT"},
    "memory of ": {"EACCES", "EPERM"},
    "root of ": {"EACCES", "EPERM"},
    "descriptors of ": {"EACCES", "EPERM"},
    "environment of ": {"EACCES", "EPERM"},
}


def expected_ends(name: str) -> set[str]:
    beginnings = [ends for beginning, ends in ENDS_BY_BEGINNING.items() if name.startswith(beginning)]
    return ENDS.get(name) or (beginnings[0] if beginnings else {"EPERM"})


@pytest.fixture
def listener():
    """A server on the host's loopback interface."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()


def test_every_attack_is_refused(lab, listener):
    secret = lab.folder / "secret"
    secret.write_text("hunter2")
    secret.chmod(0o644)
    result = lab.python(ATTACKS, listener[0], str(listener[1]), str(secret))
    assert (result.exit_code, result.stderr) == (0, b"")
    ends = json.loads(result.stdout)
    assert len(ends) > 80
    surprises = {name: end for name, end in ends.items() if end not in expected_ends(name)}
    assert surprises == {}


def status_of(lab) -> dict[str, str]:
    text = lab.run("cat", "/proc/self/status").stdout.decode()
    return dict(line.split(":\t", 1) for line in text.splitlines())


def test_no_capabilities_no_new_privileges_and_a_filter(lab):
    status = status_of(lab)
    assert {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"


def test_an_unprivileged_user_inside_and_outside(lab):
    status = status_of(lab)
    users = {*status["Uid"].split(), *status["Gid"].split()}
    assert users.isdisjoint({"0"})
    running = lab.start("sleep", "30")
    outside = [path.stat().st_uid for path in processes_of("sleep\x0030\0")]
    running.cancel()
    running.wait()
    assert outside
    assert 0 not in outside


def processes_of(command_line: str) -> list[Path]:
    found = []
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdecimal() and (path / "cmdline").read_text() == command_line:
                found.append(path)
        except OSError:
            continue
    return found


def test_namespaces_are_the_sandbox_s_own(lab):
    names = ["ipc", "mnt", "net", "pid", "uts"]
    if lab.sandbox.name == "bubblewrap":
        names.append("user")
    code = "import os, sys; print(*(os.readlink(f'/proc/self/ns/{n}') for n in sys.argv[1:]))"
    inside = lab.python(code, *names).stdout.decode().split()
    outside = [str(Path(f"/proc/self/ns/{name}").readlink()) for name in names]
    assert len(inside) == len(names)
    assert not set(inside) & set(outside)


def test_only_its_own_processes_are_in_sight(lab):
    pids = lab.python("import os; print(*(p for p in os.listdir('/proc') if p.isdecimal()))").stdout.split()
    assert len(pids) <= 2
    assert b"1" in pids


def test_a_session_of_its_own_without_a_terminal(lab):
    code = "import os; print(os.getsid(0) == os.getpid()); os.open('/dev/tty', os.O_RDWR)"
    result = lab.python(code)
    assert result.stdout == b"True\n"
    assert b"No such device or address" in result.stderr


def test_host_name_and_interfaces_of_the_host_are_hidden(lab):
    code = (
        "import socket\n"
        "table = open('/proc/net/dev').readlines()[2:]\n"
        "print(socket.gethostname(), *(line.split(':')[0].strip() for line in table))"
    )
    name, *interfaces = lab.python(code).stdout.decode().split()
    assert name == "sandbox"
    assert set(interfaces) <= {"lo", "sit0", "tunl0", "ip6tnl0", "gre0"}


def test_devices_are_the_harmless_ones(lab):
    code = "import os; print(*sorted(os.listdir('/dev')))"
    harmless = {
        *("core", "fd", "full", "mqueue", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout"),
        *("tty", "urandom", "zero"),
    }
    assert set(lab.python(code).stdout.decode().split()) <= harmless


def test_nothing_is_open_but_the_standard_streams(lab):
    # The last one is the listing itself.
    assert lab.python("import os; print(os.listdir('/proc/self/fd'))").stdout == b"['0', '1', '2', '3']\n"


def test_no_socket_of_the_host_is_in_sight(lab):
    code = (
        "import os, stat\n"
        "for folder, _, files in os.walk('/'):\n"
        "  if folder.startswith('/proc'): continue\n"
        "  for f in files:\n"
        "    p = os.path.join(folder, f)\n"
        "    if stat.S_ISSOCK(os.lstat(p).st_mode): print(p)\n"
        "print(open('/proc/net/unix').read().count('\\n'))\n"
    )
    assert lab.python(code).stdout == b"1\n"  # the table's heading


def test_only_the_scratch_folders_are_writable(lab):
    code = (
        "import os\n"
        "for folder, folders, _ in os.walk('/'):\n"
        "  if folder.startswith('/proc/'): folders.clear()\n"
        "  if os.access(folder, os.W_OK): print(folder)\n"
    )
    writable = lab.python(code).stdout.decode().split()
    # The kernel lets nobody make files in the last one.
    assert {"/tmp", "/dev/shm"} <= set(writable) <= {"/tmp", "/dev/shm", "/dev/mqueue", "/dev/pts"}


def test_a_set_user_id_program_gains_nothing(lab, small_root):
    if os.geteuid() != 0:
        pytest.skip("only root can make a program of root's")
    folder = lab.share("programs", mode=0o755)
    shutil.copy(small_root / "usr/bin/id", folder / "id")
    (folder / "id").chmod(0o6755)
    result = lab.run("/x/id", "-u", mounts=(Mount(folder, PurePosixPath("/x")),))
    assert result.exit_code == 0
    assert result.stdout != b"0\n"


def test_a_link_out_of_a_mount_leads_nowhere(lab):
    folder = lab.share("links", mode=0o755)
    (folder / "shadow").symlink_to("/etc/shadow")
    (folder / "up").symlink_to("../../../../../../etc/passwd")
    result = lab.run("cat", "/x/shadow", "/x/up", mounts=(Mount(folder, PurePosixPath("/x")),))
    assert result.stdout == b""
    assert result.stderr.count(b"No such file") == 2


def test_what_a_mount_source_names_is_what_is_mounted(lab):
    """A program that may write to one mount cannot make another one show something else."""
    out = lab.share("out")
    (lab.folder / "data").mkdir()
    (lab.folder / "data").chmod(0o755)
    (lab.folder / "data/file").write_text("data")
    script = "rm -rf /out/* 2>/dev/null; ln -s / /out/data 2>/dev/null; cat /data/file"
    result = lab.run(
        "sh", "-c", script, mounts=(Mount(out, PurePosixPath("/out"), writable=True), lab.mount("data", "/data"))
    )
    assert result.stdout == b"data"
