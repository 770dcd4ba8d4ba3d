"""Fibres, SHA-256, reports and JSON lines, through a small C++ program."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from vgpu_root import Root

pytestmark = pytest.mark.toolchain
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def folder(root: Root, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("common")
    command = (
        "g++ -std=c++17 -O1 -Wall -Wextra -Werror -rdynamic -I/opt/w2w/vgpu /opt/w2w/test/driver.cpp"
        " /opt/w2w/vgpu/common/*.cpp -o driver"
    )
    root.run(made, "bash", "-c", command, binds=(("--ro-bind", str(HERE), "/opt/w2w/test"),))
    return made


@pytest.mark.parametrize("size", [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000])
def test_sha256(root: Root, folder: Path, size: int) -> None:
    data = bytes(i * 7 % 256 for i in range(size))
    (folder / "data").write_bytes(data)
    assert root.run(folder, "./driver", "sha256", "data").stdout.strip() == hashlib.sha256(data).hexdigest()


def test_fibres_keep_registers_and_rounding_apart(root: Root, folder: Path) -> None:
    lines = root.run(folder, "./driver", "fibres").stdout.splitlines()
    assert lines == ["turns 3000", "integer state kept", "rounding kept", "guard found"]


NAMES = ["plain", 'quote " and \\', "line\nend\t\x01", "\udcff\udc80", "k" * 100_000]


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_one_line_of_json(root: Root, folder: Path, name: str) -> None:
    (folder / "name").write_bytes(name.encode(errors="surrogateescape"))
    report = folder / "report.jsonl"
    report.unlink(missing_ok=True)
    done = root.run(
        folder, "./driver", "report", "name", env={"W2W_REPORT": "/tmp/w/report.jsonl", "W2W_TRACE": "1"}, check=False
    )
    fault, launch = (json.loads(line) for line in report.read_text().splitlines())
    expected = name.encode(errors="surrogateescape").decode("latin-1")
    assert fault["kernel"] == expected[: len(fault["kernel"])]
    assert len(fault["kernel"]) >= min(len(expected), 10_000)
    assert (fault["kind"], fault["pc"]) == ("trap", "0x10")
    assert launch["launch"]["grid"] == [1, 2, 4294967295]
    assert launch["launch"]["milliseconds"] == 1.235
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("warp2wave: trap: it stopped; kernel ")


def test_without_a_report_file_only_the_sentence_comes(root: Root, folder: Path) -> None:
    (folder / "name").write_text("k")
    done = root.run(folder, "./driver", "report", "name")
    assert done.stderr == "warp2wave: trap: it stopped; kernel k, pc 0x10\n"


@pytest.mark.parametrize(
    ("kind", "status"),
    [("unsupported-instruction", 125), ("unsupported-function", 125), ("translation-failed", 125), ("trap", 134)],
)
def test_our_own_failures_have_a_status_of_their_own(root: Root, folder: Path, kind: str, status: int) -> None:
    done = root.run(folder, "./driver", "die", kind, check=False)
    assert done.returncode == status
    assert done.stdout == "printed before\n"  # what the program printed is not lost


REPLIES = [
    ('{"ok": true, "object": "a/b.so"}', "ok", "true"),
    ('{"ok": false, "code": "bad-image", "message": "a \\"b\\" \\u0041"}', "message", 'a "b" A'),
    ('{"ok": false, "code": "bad-image", "message": "\\"ok\\": true"}', "ok", "false"),
    ('{"message": "\\"code\\": \\"x\\"", "code": "y"}', "code", "y"),
    ("{}", "ok", ""),
    ("", "ok", ""),
    ('{"ok', "ok", ""),
    ('{"ok": ', "ok", ""),
    ('{"message": "\\u00', "message", "?"),
]


@pytest.mark.parametrize(("line", "member", "value"), REPLIES)
def test_members_of_replies(root: Root, folder: Path, line: str, member: str, value: str) -> None:
    (folder / "line").write_text(line)
    found = root.run(folder, "./driver", "member", "line", member).stdout
    assert found == value or (value == "?" and len(found) <= 1)
