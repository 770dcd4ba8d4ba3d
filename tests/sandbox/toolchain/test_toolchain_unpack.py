"""Unpacking packages, and refusing what tries to leave the root."""

from __future__ import annotations

import os
import re
import stat
import tarfile

import pytest
from deb_factory import Entry, folder, hard_link, link, make_ar, make_deb, write_deb

from sandbox.toolchain.errors import ArchiveError
from sandbox.toolchain.layout import read_layout
from sandbox.toolchain.unpack import unpack_package

LAYOUT = read_layout()


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    return path


@pytest.fixture
def unpack(tmp_path, root):
    def unpack_entries(*entries: Entry, compression: str = "xz"):
        unpack_package(write_deb(tmp_path, make_deb(*entries, compression=compression)), root, LAYOUT)

    return unpack_entries


@pytest.mark.parametrize("compression", ["xz", "gz", "bz2", ""])
def test_files_folders_links_and_modes(unpack, root, compression):
    unpack(
        folder("./"),
        folder("./usr/"),
        folder("./usr/bin/"),
        Entry("./usr/bin/tool", b"#!/bin/sh\n" * 9000, mode=0o755),
        Entry("./usr/share/data", b"data", mode=0o600),
        link("./usr/bin/alias", "tool"),
        link("./usr/share/absolute", "/etc/shadow"),
        hard_link("./usr/bin/twin", "./usr/bin/tool"),
        compression=compression,
    )
    tool = root / "usr/bin/tool"
    assert tool.read_bytes() == b"#!/bin/sh\n" * 9000
    assert stat.S_IMODE(tool.stat().st_mode) & 0o755 == 0o755
    assert (root / "usr/share/data").read_bytes() == b"data"
    assert stat.S_IMODE((root / "usr/share/data").stat().st_mode) & 0o044 == 0o044
    assert os.readlink(root / "usr/bin/alias") == "tool"  # noqa: PTH115
    assert os.readlink(root / "usr/share/absolute") == "/etc/shadow"  # noqa: PTH115
    assert (root / "usr/bin/twin").samefile(tool)


def test_set_id_bits_do_not_come_along(unpack, root):
    unpack(Entry("usr/bin/su", b"x", mode=0o6755), Entry("usr/bin/odd", b"x", mode=0o7777))
    for name in ("su", "odd"):
        assert stat.S_IMODE((root / "usr/bin" / name).stat().st_mode) & 0o7022 == 0


def test_merged_folders(unpack, root):
    unpack(folder("./bin/"), Entry("./bin/sh", b"x"), Entry("./lib64/ld.so", b"y"), link("./sbin", "usr/sbin"))
    assert (root / "usr/bin/sh").read_bytes() == b"x"
    assert (root / "usr/lib64/ld.so").read_bytes() == b"y"
    assert sorted(path.name for path in root.iterdir()) == ["usr"]


def test_left_out_and_kept(unpack, root):
    unpack(
        Entry("usr/share/doc/thing/README.gz", b"x"),
        Entry("usr/share/doc/thing/copyright", b"GPL"),
        Entry("usr/share/locale/de/thing.mo", b"x"),
    )
    assert [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()] == [
        "usr/share/doc/thing/copyright"
    ]


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        ([Entry("../escape", b"x")], "leaves the root"),
        ([Entry("usr/../../escape", b"x")], "leaves the root"),
        ([Entry("/etc/passwd", b"x")], "leaves the root"),
        ([folder("../up")], "leaves the root"),
        ([link("out", "../outside")], "links out of the root"),
        ([link("usr/out", "../../outside")], "links out of the root"),
        ([link("usr/bin/out", "/../outside")], "links out of the root"),
        ([link("way", "/tmp"), Entry("way/escape", b"x")], "is a folder here and something else"),
        ([link("way", "usr"), Entry("usr/x", b"x"), Entry("way/escape", b"x")], "is a folder here and something else"),
        ([Entry("file", b"x"), Entry("file/below", b"x")], "is a folder here and something else"),
        ([Entry("twice", b"x"), Entry("twice", b"y")], "is in another package too"),
        ([link("twice", "a"), Entry("twice", b"y")], "is in another package too"),
        ([link("twice", "a"), link("twice", "b")], "is in another package too"),
        ([Entry("twice", b"x"), link("twice", "b")], "is in another package too"),
        ([hard_link("passwd", "/etc/passwd")], "leaves the root"),
        ([hard_link("passwd", "../../etc/passwd")], "leaves the root"),
        ([hard_link("x", "never/there")], "which is not a file of this package"),
        ([link("way", "/etc/passwd"), hard_link("x", "way")], "which is not a file of this package"),
        ([link("way", "/etc"), hard_link("x", "way/passwd")], "which is not a file of this package"),
        ([Entry("a", b"x"), Entry("b", b"y"), hard_link("a", "b")], "is in another package too"),
        ([Entry("dev/sda", kind=tarfile.BLKTYPE)], "neither file, folder nor link"),
        ([Entry("dev/mem", kind=tarfile.CHRTYPE)], "neither file, folder nor link"),
        ([Entry("run/pipe", kind=tarfile.FIFOTYPE)], "neither file, folder nor link"),
    ],
)
def test_hostile_packages(unpack, root, tmp_path, entries, complaint):
    with pytest.raises(ArchiveError, match=re.escape(complaint)) as caught:
        unpack(*entries)
    assert caught.value.context["package"] == "thing.deb"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["root", "thing.deb"]


def test_hard_link_to_nothing(unpack):
    with pytest.raises(ArchiveError, match="not a file of this package"):
        unpack(folder("usr"), hard_link("usr/x", "usr/absent"))


def test_packages_may_share_folders_and_equal_links(unpack, root):
    for name in ("a", "b"):
        unpack(folder("usr"), folder("usr/lib"), link("usr/same", "lib"), Entry(f"usr/lib/{name}", b"x"))
    assert sorted(path.name for path in (root / "usr/lib").iterdir()) == ["a", "b"]


def test_a_link_that_an_earlier_package_left_is_not_followed(unpack, root, tmp_path):
    unpack(link("usr/way", "/tmp"))
    with pytest.raises(ArchiveError, match="something else"):
        unpack(Entry("usr/way/escape", b"x"))


GOOD = make_deb(Entry("usr/file", bytes(200_000)))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is not a Debian package"),
        (b"PK\x03\x04", "is not a Debian package"),
        (make_ar(("debian-binary", b"2.0\n")), "has no data.tar"),
        (make_ar(("data.tar.zst", b"x")), "not supported: data.tar.zst"),
        (make_ar(("data.tar.xz", b"not xz")), "is damaged"),
        (make_ar(("data.tar", b"short")), "is damaged"),
        (GOOD[: len(GOOD) // 2], "is damaged"),
        (GOOD[:100], "is damaged"),
        (GOOD.replace(b"`\n", b"xx"), "bad member header"),
        (b"!<arch>\n" + b" " * 60, "bad member header"),
    ],
)
def test_damaged_packages(tmp_path, root, content, complaint):
    with pytest.raises(ArchiveError, match=re.escape(complaint)):
        unpack_package(write_deb(tmp_path, content), root, LAYOUT)


def test_disk_errors_are_not_blamed_on_the_package(unpack, root):
    root.rmdir()
    with pytest.raises(FileNotFoundError):
        unpack(Entry("file", b"x"))
