"""Which mirrors are tried, in which order."""

from __future__ import annotations

import pytest

from sandbox.toolchain.mirrors import host_mirrors, list_mirrors

DEB822 = """\
Types: deb deb-src
# a comment
URIs: http://one.example/debian
  https://two.example/mirror/debian/
Suites: stable

Types: deb
URIs: http://one.example/debian-security

Types: deb
Enabled: no
URIs: http://off.example/debian

Types: deb-src
URIs: http://sources.example/debian
"""


def test_host_sources_of_both_styles(tmp_path):
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text(
        "# deb http://commented.example/debian sid main\n"
        "deb [arch=amd64 signed-by=/x] http://options.example/debian sid main\n"
        "deb-src http://source.example/debian sid main\n"
        "deb http://archive.ubuntu.example/ubuntu noble main\n"
        "deb cdrom:[Debian]/ sid main\n"
    )
    (tmp_path / "sources.list.d/debian.sources").write_text(DEB822)
    (tmp_path / "sources.list.d/vendor.list").write_text("deb https://vendor.example/apt stable main\n")
    (tmp_path / "sources.list.d/debian.sources.bak").write_text("deb http://backup.example/debian sid main\n")
    assert host_mirrors(tmp_path) == [
        "http://options.example/debian",
        "http://one.example/debian",
        "https://two.example/mirror/debian/",
    ]


def test_order_and_duplicates(tmp_path):
    (tmp_path / "sources.list").write_text(
        "deb https://deb.debian.org/debian/ sid main\ndeb http://a/debian sid main\n"
    )
    assert list_mirrors(("http://mine/debian/", "http://a/debian"), "20260101T000000Z", tmp_path) == (
        "http://mine/debian",
        "http://a/debian",
        "https://deb.debian.org/debian",
        "https://snapshot.debian.org/archive/debian/20260101T000000Z",
    )


@pytest.mark.parametrize("content", [None, "", "garbage \x00 \x01\n\n\n:::"])
def test_no_usable_sources(tmp_path, content):
    if content is not None:
        (tmp_path / "sources.list").write_text(content)
    assert list_mirrors((), "20260101T000000Z", tmp_path) == (
        "https://deb.debian.org/debian",
        "https://snapshot.debian.org/archive/debian/20260101T000000Z",
    )
