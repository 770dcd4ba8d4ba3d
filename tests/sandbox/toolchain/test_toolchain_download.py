"""Fetching from mirrors that lack, cut, spoil or refuse what is asked for."""

from __future__ import annotations

import random

import pytest
from deb_factory import package_of

from sandbox.toolchain.download import Cancelled, Downloader
from sandbox.toolchain.errors import DownloadError, HashMismatchError

CONTENT = random.Random(1).randbytes(700_000)
PACKAGE = package_of(CONTENT)
PATH = "/debian/" + PACKAGE.path


class Counter:
    def __init__(self) -> None:
        self.total = 0

    def __call__(self, count: int) -> None:
        self.total += count


@pytest.fixture
def counted() -> Counter:
    return Counter()


@pytest.fixture
def download(tmp_path, counted):
    def fetch(*mirrors, package=PACKAGE):
        urls = tuple(getattr(each, "url", each) for each in mirrors)
        return Downloader(tmp_path, urls, counted, pause_seconds=0.001).fetch(package)

    return fetch


def test_fetches_and_counts_every_byte(download, mirror, counted):
    mirror.add(PACKAGE.path, CONTENT)
    assert download(mirror).read_bytes() == CONTENT
    assert counted.total == len(CONTENT)


def test_verified_archive_is_used_again(download, mirror, counted):
    mirror.add(PACKAGE.path, CONTENT)
    first = download(mirror)
    assert download(mirror) == first
    assert len(mirror.requests) == 1
    assert counted.total == 2 * len(CONTENT)


def test_spoiled_archive_is_fetched_again(download, mirror):
    mirror.add(PACKAGE.path, CONTENT)
    archive = download(mirror)
    archive.write_bytes(bytes(len(CONTENT)))
    assert download(mirror).read_bytes() == CONTENT


def test_path_is_quoted(download, mirror):
    package = package_of(CONTENT, name="g++~1")
    mirror.files["/debian/pool/main/t/g%2B%2B~1/g%2B%2B~1_1.0_amd64.deb"] = CONTENT
    assert download(mirror, package=package).read_bytes() == CONTENT


def test_gone_at_one_mirror_falls_through(download, mirror, second_mirror):
    second_mirror.add(PACKAGE.path, CONTENT)
    assert download(mirror, second_mirror).read_bytes() == CONTENT
    assert mirror.requests == [(PATH, None)]  # 404 is not tried twice


def test_dead_mirror_falls_through(download, mirror):
    mirror.add(PACKAGE.path, CONTENT)
    assert download("http://127.0.0.1:1/debian", mirror).read_bytes() == CONTENT


def test_folder_as_mirror(download, tmp_path):
    archive = tmp_path / "pool-of-mine" / PACKAGE.path
    archive.parent.mkdir(parents=True)
    archive.write_bytes(CONTENT)
    assert download(f"file://{tmp_path}/absent", f"file://{tmp_path}/pool-of-mine").read_bytes() == CONTENT


def test_cut_connection_is_continued(download, mirror, counted):
    mirror.add(PACKAGE.path, CONTENT)
    mirror.cut_after = [300_000]
    assert download(mirror).read_bytes() == CONTENT
    assert mirror.requests == [(PATH, None), (PATH, "bytes=300000-")]
    assert counted.total == len(CONTENT)


def test_next_run_continues_where_this_one_stopped(download, mirror, counted):
    mirror.add(PACKAGE.path, CONTENT)
    mirror.cut_after = [100_000] * 3
    with pytest.raises(DownloadError, match="ended early"):
        download(mirror)
    assert counted.total == 0
    assert download(mirror).read_bytes() == CONTENT
    assert mirror.requests[-1] == (PATH, "bytes=300000-")
    assert counted.total == len(CONTENT)


def test_another_mirror_continues(download, mirror, second_mirror):
    for each in (mirror, second_mirror):
        each.add(PACKAGE.path, CONTENT)
    mirror.cut_after = [100_000] * 3
    assert download(mirror, second_mirror).read_bytes() == CONTENT
    assert second_mirror.requests == [(PATH, "bytes=300000-")]


@pytest.mark.parametrize("fault", ["ignore_ranges", "wrong_range"])
def test_mirror_without_ranges(download, mirror, second_mirror, fault, counted):
    for each in (mirror, second_mirror):
        each.add(PACKAGE.path, CONTENT)
    mirror.cut_after = [100_000]
    setattr(mirror, fault, True)
    assert download(mirror, second_mirror).read_bytes() == CONTENT
    assert counted.total == len(CONTENT)


def test_partial_file_that_began_badly_is_dropped(download, mirror, tmp_path, counted):
    mirror.add(PACKAGE.path, CONTENT)
    (tmp_path / f"{PACKAGE.sha256}.part").write_bytes(b"<html>sign in here</html>")
    assert download(mirror).read_bytes() == CONTENT
    assert counted.total == len(CONTENT)


@pytest.mark.parametrize("extra", [0, 10])
def test_partial_file_that_is_complete_or_longer(download, mirror, tmp_path, extra):
    mirror.add(PACKAGE.path, CONTENT)
    (tmp_path / f"{PACKAGE.sha256}.part").write_bytes(CONTENT + bytes(extra))
    assert download(mirror).read_bytes() == CONTENT
    assert len(mirror.requests) == (1 if extra else 0)


def test_temporary_refusals_are_waited_out(download, mirror):
    mirror.add(PACKAGE.path, CONTENT)
    mirror.statuses = [503, 429]
    assert download(mirror).read_bytes() == CONTENT
    assert len(mirror.requests) == 3


def test_other_size_is_refused_before_it_is_fetched(download, mirror, second_mirror, tmp_path):
    mirror.add(PACKAGE.path, b"<html>sign in here</html>")
    with pytest.raises(DownloadError, match=f"25 bytes where the lock says {len(CONTENT)}"):
        download(mirror)
    assert list(tmp_path.iterdir()) == []
    second_mirror.add(PACKAGE.path, CONTENT)
    assert download(mirror, second_mirror).read_bytes() == CONTENT


def test_changed_package_is_never_accepted(download, mirror, second_mirror, tmp_path, counted):
    mirror.add(PACKAGE.path, CONTENT[:-1] + b"!")
    with pytest.raises(HashMismatchError, match="trust") as caught:
        download(mirror)
    assert PACKAGE.sha256 in caught.value.message
    assert list(tmp_path.iterdir()) == []
    assert counted.total == 0
    second_mirror.add(PACKAGE.path, CONTENT)
    assert download(mirror, second_mirror).read_bytes() == CONTENT


def test_error_names_every_mirror_and_what_to_do(download, mirror, second_mirror):
    second_mirror.statuses = [403]
    with pytest.raises(DownloadError) as caught:
        download(mirror, second_mirror)
    assert f"{mirror.url}/{PACKAGE.path}: 404" in caught.value.message
    assert f"{second_mirror.url}/{PACKAGE.path}: 403" in caught.value.message
    assert "WARP2WAVE_DEBIAN_MIRROR" in caught.value.hint
    assert caught.value.retryable


def test_cancelled(mirror, tmp_path):
    mirror.add(PACKAGE.path, CONTENT)
    downloader = Downloader(tmp_path, (mirror.url,), lambda count: downloader.cancel())
    with pytest.raises(Cancelled):
        downloader.fetch(PACKAGE)
    assert not (tmp_path / f"{PACKAGE.sha256}.deb").exists()
