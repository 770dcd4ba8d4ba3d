"""The lock file: what is read, and what is refused with its line."""

from __future__ import annotations

import re
import tomllib

import pytest

from sandbox.toolchain.errors import LockError
from sandbox.toolchain.layout import read_layout
from sandbox.toolchain.lock import COLUMNS, parse_lock, read_lock
from sandbox.toolchain.lock_packages import LAYERS_FILE, format_lock

SHA_A, SHA_B = "a" * 64, "b" * 64


def line(**changes: str) -> str:
    fields = {
        "layer": "core",
        "name": "bash",
        "version": "5.3-4",
        "size": "100",
        "installed": "200",
        "sha256": SHA_A,
        "path": "pool/main/b/bash/bash_5.3-4_amd64.deb",
    }
    return "\t".join((fields | changes)[column] for column in COLUMNS)


SNAPSHOT = "snapshot\t20260101T000000Z"


def test_reads_packages_comments_and_snapshot():
    lock = parse_lock(f"# comment\n\n{SNAPSHOT}\n{line()}\n{line(layer='libraries', name='x', sha256=SHA_B)}\n")
    assert lock.snapshot == "20260101T000000Z"
    assert [package.name for package in lock.select(("core",))] == ["bash"]
    assert [package.name for package in lock.select(("core", "libraries"))] == ["bash", "x"]
    assert (lock.packages[0].size, lock.packages[0].installed, lock.packages[0].sha256) == (100, 200, SHA_A)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (line(), "no snapshot"),
        (SNAPSHOT, "no packages"),
        (f"{SNAPSHOT}\n{SNAPSHOT}\n{line()}", ":2: a second snapshot"),
        (f"snapshot\tyesterday\n{line()}", ":1: a snapshot reads"),
        (f"{SNAPSHOT}\n{line()}\n{line(sha256=SHA_B)}", ":3: package bash is listed twice"),
        (f"{SNAPSHOT}\n{line()}\n{line(name='dash')}", ":3: dash has the hash of bash"),
        (f"{SNAPSHOT}\n{line(sha256='a' * 63)}", ":2: bash: not a SHA-256"),
        (f"{SNAPSHOT}\n{line(sha256='A' * 64)}", "not a SHA-256"),
        (f"{SNAPSHOT}\n{line(sha256='')}", "not a SHA-256"),
        (f"{SNAPSHOT}\n{line(layer='extra')}", "unknown layer 'extra'"),
        (f"{SNAPSHOT}\n{line(size='-1')}", "not a number of bytes"),
        (f"{SNAPSHOT}\n{line(size='0')}", "not a number of bytes"),
        (f"{SNAPSHOT}\n{line(installed='1e3')}", "not a number of bytes"),
        (f"{SNAPSHOT}\n{line(name='')}", "empty name"),
        (f"{SNAPSHOT}\n{line(path='/etc/passwd.deb')}", "not a path in a Debian pool"),
        (f"{SNAPSHOT}\n{line(path='pool/../../x.deb')}", "not a path in a Debian pool"),
        (f"{SNAPSHOT}\n{line(path='pool/x.rpm')}", "not a path in a Debian pool"),
        (f"{SNAPSHOT}\n{line()}\textra", "8 columns where 7 belong"),
        (f"{SNAPSHOT}\nbash 5.3", "1 columns"),
    ],
)
def test_refuses(text, complaint):
    with pytest.raises(LockError, match=re.escape(complaint)):
        parse_lock(text)


def test_unreadable_file(tmp_path):
    with pytest.raises(LockError, match="cannot read"):
        read_lock(tmp_path / "absent.lock")
    (tmp_path / "binary.lock").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LockError, match="cannot read"):
        read_lock(tmp_path / "binary.lock")


def test_writing_and_reading_agree():
    lock = read_lock()
    assert parse_lock(format_lock(lock)) == lock


def test_the_lock_holds_what_the_layers_ask_for():
    wishes = tomllib.loads(LAYERS_FILE.read_text())
    lock = read_lock()
    layer_of = {package.name: package.layer for package in lock.packages}
    for layer, content in wishes["layers"].items():
        assert {layer_of.get(name) for name in content["packages"]} == {layer}
    assert not set(wishes["without"]) & set(layer_of)


@pytest.mark.parametrize("name", ["hipcc", "libamdhip64-7", "rocm-device-libs-22", "librocprim-dev", "librocblas5"])
def test_rocm_is_7_2_4(name):
    versions = {package.name: package.version for package in read_lock().packages}
    assert versions[name].startswith("7.2.4")


def test_layout_skips_documents_and_keeps_licences():
    layout = read_layout()
    assert layout.skips("usr/share/doc/bash/README")
    assert not layout.skips("usr/share/doc/bash/copyright")
    assert not layout.skips("usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.builtins-x86_64.a")
    assert not layout.skips("usr/lib/llvm-22/lib/clang/22/lib/linux/clang_rt.crtbegin-x86_64.o")
    assert layout.skips("usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.asan-x86_64.a")
    assert not layout.skips("usr/include/c++/16/vector")


EMPTY_LAYOUT = "[merged]\n[links]\n[files]\n[folders]\nnames = []\n[skip]\nkeep = []\npatterns = []\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not a layout"),
        ("not toml", "not a layout"),
        (EMPTY_LAYOUT.replace("[links]", '[links]\n"/etc/x" = "y"'), "'/etc/x' does not lie in the root"),
        (EMPTY_LAYOUT.replace("[merged]", '[merged]\n"lib" = "../x"'), "'../x' does not lie in the root"),
        (EMPTY_LAYOUT.replace("names = []", 'names = ["a/../.."]'), "'a/../..' does not lie in the root"),
        (f"[odd]\n{EMPTY_LAYOUT}", "unknown tables: odd"),
    ],
)
def test_bad_layouts(tmp_path, text, complaint):
    path = tmp_path / "layout.toml"
    path.write_text(text)
    with pytest.raises(LockError, match=re.escape(complaint)):
        read_layout(path)
