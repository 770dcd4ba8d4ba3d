"""The parts that need no sandbox: reports, mount points, users, owners, hints, digests, choice."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest

from sandbox.errors import InputError, IsolationError, PlatformError
from sandbox.isolation import build_init, select
from sandbox.isolation.first_process import Report, first_process_program, parse_report, startup_error
from sandbox.isolation.image import root_digest
from sandbox.isolation.layout import Entry, root_entries
from sandbox.isolation.namespace_help import namespace_help
from sandbox.isolation.output import Output
from sandbox.isolation.owner import is_orphaned, owner_mark
from sandbox.isolation.protocol import Command
from sandbox.isolation.user import SandboxUser


def test_the_committed_first_process_is_built_from_its_source():
    program = first_process_program()
    assert build_init.MARKER + build_init.source_digest().encode() in program
    assert program[:4] == b"\x7fELF"


@pytest.mark.parametrize(
    ("text", "report"),
    [
        (b"", Report()),
        (b"rea", Report()),
        (b"ready\n", Report(ready=True)),
        (b"ready\nstarted\nended 25", Report(ready=True, started=True)),
        (b"ready\nstarted\nended 2560 1500000 2048\n", Report(True, True, 2560, 1.5, 2 << 20)),
        (b"ready\nfailed exec 2\n", Report(ready=True, failure=("exec", 2))),
        (b"ready\nstarted\nended -1 x y\nnonsense\n\xff\n", Report(ready=True, started=True)),
    ],
)
def test_reports(text, report):
    assert parse_report(text) == report


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (("exec", 2), "'p'.*No such file.*loader"),
        (("exec", 13), "'p'.*Permission"),
        (("chdir", 2), "directory /tmp"),
        (("seccomp", 22), "seccomp: Invalid"),
    ],
)
def test_failures_in_words(failure, words):
    with pytest.raises(IsolationError, match=words):
        raise startup_error(Command(argv=("p",), root=Path("/r")), failure)


@pytest.fixture
def root(tmp_path):
    for folder in ("usr/bin", "usr/share/doc", "opt/a", "tmp"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bin").symlink_to("usr/bin")
    (tmp_path / "opt/file").write_text("x")
    return tmp_path


def entries(root, *targets):
    return root_entries(root, map(PurePosixPath, targets))


def test_a_root_with_every_mount_point_is_mounted_whole(root):
    assert entries(root, "/usr/share", "/opt/file", "/tmp") == [Entry(PurePosixPath("/"), source=root)]


def test_a_missing_mount_point_at_the_top(root):
    assert entries(root, "/work/deep") == [
        Entry(PurePosixPath("/bin"), link="usr/bin"),
        *(Entry(PurePosixPath(f"/{name}"), source=root / name) for name in ("opt", "tmp", "usr")),
    ]


def test_a_missing_mount_point_below(root):
    found = entries(root, "/opt/cuda/x", "/usr/share/doc/y")
    assert [str(entry.target) for entry in found] == [
        *("/bin", "/opt", "/opt/a", "/opt/file", "/tmp", "/usr", "/usr/bin", "/usr/share", "/usr/share/doc"),
    ]
    new = [str(entry.target) for entry in found if entry.source is None and entry.link is None]
    assert new == ["/opt", "/usr", "/usr/share", "/usr/share/doc"]


def test_a_mount_point_through_a_link_is_refused(root):
    with pytest.raises(InputError, match="symlink /bin"):
        entries(root, "/bin/x")


def test_a_crowded_folder_is_not_rebuilt(root):
    for n in range(600):
        (root / f"usr/bin/{n}").touch()
    with pytest.raises(IsolationError, match="create it in"):
        entries(root, "/usr/bin/new")


@pytest.mark.parametrize(
    ("mode", "owner", "write", "may"),
    [
        (0o700, 7, False, False),
        (0o755, 7, False, True),
        (0o755, 7, True, False),
        (0o777, 7, True, True),
        (0o754, 7, False, False),
        (0o705, 7, False, True),
        (0o700, 65521, True, True),
        (0o077, 65521, False, False),
    ],
)
def test_reach_of_a_stand_in(tmp_path, mode, owner, write, may):
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    folder = tmp_path / "folder"
    folder.mkdir()
    os.chown(folder, owner, 7)
    folder.chmod(mode)
    assert SandboxUser(65521, 65521, stand_in=True).may_reach(folder, write=write) is may


def test_owners():
    namespace, pid, start = owner_mark().split("-")
    assert not is_orphaned(owner_mark())
    assert is_orphaned(f"{namespace}-{pid}-{int(start) + 1}")
    assert is_orphaned(f"{namespace}-4194303-1")
    assert not is_orphaned(f"{int(namespace) + 1}-4194303-1")
    assert not is_orphaned("nonsense")


def test_namespace_help_names_the_command(tmp_path):
    assert namespace_help(tmp_path) == ""
    setting = tmp_path / "kernel/apparmor_restrict_unprivileged_userns"
    setting.parent.mkdir()
    setting.write_text("0\n")
    assert namespace_help(tmp_path) == ""
    setting.write_text("1\n")
    assert namespace_help(tmp_path).endswith("sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0")


def test_output_is_cut_across_both_streams():
    seen = []
    output = Output(10, lambda stream, data: seen.append((stream, data)))
    assert output.add("stdout", b"12345")
    assert output.add("stderr", b"678")
    assert not output.add("stdout", b"90123")
    assert not output.add("stderr", b"x")
    assert (output.stdout(), output.stderr()) == (b"1234590", b"678")
    assert seen == [("stdout", b"12345"), ("stderr", b"678"), ("stdout", b"90")]


def test_a_root_digest_follows_its_files(root):
    first = root_digest(root)
    assert root_digest(root) == first
    (root / "opt/file").chmod(0o600)
    second = root_digest(root)
    (root / "opt/file").write_text("other")
    third = root_digest(root)
    (root / "bin").unlink()
    (root / "bin").symlink_to("usr/sbin")
    assert len({first, second, third, root_digest(root)}) == 4


def stub(name, reason):
    class Engine:
        def __init__(self, *arguments, **options):
            self.name = name

        def unavailable(self):
            return reason

    return Engine


@pytest.mark.parametrize(
    ("preference", "bubblewrap", "docker", "chosen"),
    [
        ("auto", None, None, "bubblewrap"),
        ("auto", "broken", None, "docker"),
        ("docker", None, None, "docker"),
        ("bubblewrap", None, None, "bubblewrap"),
    ],
)
def test_choice(monkeypatch, preference, bubblewrap, docker, chosen):
    monkeypatch.setattr(select, "BubblewrapSandbox", stub("bubblewrap", bubblewrap))
    monkeypatch.setattr(select, "DockerSandbox", stub("docker", docker))
    assert select.choose_sandbox(preference, Path("/nowhere")).name == chosen


@pytest.mark.parametrize("preference", ["auto", "bubblewrap"])
def test_no_choice_tells_the_reasons(monkeypatch, preference):
    monkeypatch.setattr(select, "BubblewrapSandbox", stub("bubblewrap", "no namespaces"))
    monkeypatch.setattr(select, "DockerSandbox", stub("docker", "no daemon"))
    with pytest.raises(PlatformError, match="bubblewrap: no namespaces") as error:
        select.choose_sandbox(preference, Path("/nowhere"))
    assert ("docker: no daemon" in str(error.value)) is (preference == "auto")


def test_the_bubblewrap_of_a_root_needs_nothing_of_the_host(root):
    assert select.bwrap_of(root)[0].endswith("bwrap")
    (root / "usr/bin/bwrap").touch()
    assert select.bwrap_of(root) == (
        f"{root}/usr/lib64/ld-linux-x86-64.so.2",
        "--library-path",
        f"{root}/usr/lib/x86_64-linux-gnu",
        f"{root}/usr/bin/bwrap",
    )
