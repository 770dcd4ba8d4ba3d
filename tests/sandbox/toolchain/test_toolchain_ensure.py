"""A small toolchain, made from a mirror on this machine: whole or not at all, once for all who want it."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from deb_factory import Entry, link, make_deb, package_of

import sandbox.toolchain.toolchain as subject
from sandbox.errors import ToolchainError
from sandbox.toolchain import ToolchainConfig, ensure_root, ensure_toolchain, find_toolchain, require_toolchain
from sandbox.toolchain.cuda import CUDA_HOME
from sandbox.toolchain.errors import ArchiveError, CudaInstallError, DiskSpaceError, DownloadError, NotFetchedError
from sandbox.toolchain.lock import Lock
from sandbox.toolchain.lock_packages import format_lock

CORE = {
    "tool": make_deb(Entry("usr/bin/tool", b"tool\n", mode=0o755), link("usr/bin/alias", "tool")),
    "base": make_deb(Entry("etc/os-release", b"ID=debian\n")),
}
LIBRARIES = {"blas": make_deb(Entry("usr/lib/libblas.so", b"blas"))}


@pytest.fixture(autouse=True)
def fake_cuda(monkeypatch):
    def install(folder: Path) -> None:
        (folder / CUDA_HOME / "bin").mkdir(parents=True)

    monkeypatch.setattr(subject, "install_cuda", install)


@pytest.fixture
def make_config(tmp_path, mirror, monkeypatch):
    monkeypatch.setattr("sandbox.toolchain.root.list_mirrors", lambda configured, snapshot: configured)

    def make(core=CORE, libraries=LIBRARIES, **options) -> ToolchainConfig:
        packages = []
        for layer, contents in (("core", core), ("libraries", libraries)):
            for name, content in contents.items():
                packages.append(package_of(content, name, layer))
                mirror.add(packages[-1].path, content)
        lock_file = tmp_path / "packages.lock"
        lock_file.write_text(format_lock(Lock("20260101T000000Z", tuple(packages))))
        return ToolchainConfig(cache=tmp_path / "cache", mirrors=(mirror.url,), lock_file=lock_file, **options)

    return make


def test_makes_a_root_once(make_config, mirror):
    config, events = make_config(), []
    assert find_toolchain(config) is None
    toolchain = ensure_toolchain(config, events.append)
    assert (toolchain.root / "usr/bin/alias").read_bytes() == b"tool\n"
    assert (toolchain.root / "bin/sh").is_symlink()
    assert (toolchain.root / "lib").resolve() == toolchain.root / "usr/lib"
    for mount in ("opt/cuda", "opt/w2w", "work", "cache", "run/w2w", "run/report", "proc", "dev", "tmp"):
        assert (toolchain.root / mount).is_dir()
    assert toolchain.cuda.is_dir()
    assert [(event.stage, event.status) for event in events if event.status != "running"] == [
        ("toolchain-fetch", "started"),
        ("toolchain-fetch", "finished"),
        ("toolchain-unpack", "started"),
        ("toolchain-unpack", "finished"),
        ("toolchain-cuda", "started"),
        ("toolchain-cuda", "finished"),
    ]
    asked = len(mirror.requests)
    assert ensure_toolchain(config) == find_toolchain(config) == require_toolchain(config) == toolchain
    assert len(mirror.requests) == asked == 2
    assert list((config.store / "archives").iterdir()) == []


def test_archives_are_kept_on_request(make_config):
    config = make_config(keep_archives=True)
    ensure_toolchain(config)
    assert len(list((config.store / "archives").glob("*.deb"))) == 2


def test_more_layers_stand_on_the_core(make_config, mirror):
    core = ensure_toolchain(make_config())
    both = ensure_toolchain(make_config(layers=("core", "libraries")))
    assert both.digest != core.digest
    assert both.cuda == core.cuda
    assert (both.root / "usr/lib/libblas.so").read_bytes() == b"blas"
    assert (both.root / "usr/bin/tool").samefile(core.root / "usr/bin/tool")
    assert not (core.root / "usr/lib/libblas.so").exists()
    assert len(mirror.requests) == 3


def test_another_lock_is_another_toolchain(make_config):
    first = ensure_toolchain(make_config())
    second = ensure_toolchain(make_config(core=CORE | {"more": make_deb(Entry("usr/more", b"x"))}))
    assert first.root != second.root
    assert first.root.is_dir()


def test_require(make_config):
    with pytest.raises(NotFetchedError, match="fetch"):
        require_toolchain(make_config())


def test_root_without_cuda(make_config):
    config = make_config()
    assert (ensure_root(config) / "usr/bin/tool").exists()
    assert find_toolchain(config) is None


def test_failed_unpacking_leaves_nothing_and_can_be_repeated(make_config, mirror):
    broken = make_config(core=CORE | {"bad": make_deb(Entry("usr/bin/tool", b"mine"))})
    events = []
    with pytest.raises(ArchiveError, match="is in another package too"):
        ensure_toolchain(broken, events.append)
    assert events[-1].status == "failed"
    assert find_toolchain(broken) is None
    assert sorted(path.name for path in broken.store.iterdir()) == ["archives", "lock"]
    asked = len(mirror.requests)
    ensure_toolchain(make_config())
    assert len(mirror.requests) == asked  # what was verified is used again


def test_failed_download_leaves_nothing(make_config, mirror):
    config = make_config()
    mirror.files.clear()
    with pytest.raises(DownloadError, match="no mirror gave"):
        ensure_toolchain(config)
    assert find_toolchain(config) is None


def test_failed_cuda_keeps_the_root(make_config, mirror, monkeypatch):
    def fail(folder: Path) -> None:
        folder.mkdir()
        raise CudaInstallError("no index")

    config = make_config()
    with monkeypatch.context() as patch:
        patch.setattr(subject, "install_cuda", fail)
        with pytest.raises(CudaInstallError):
            ensure_toolchain(config)
    assert find_toolchain(config) is None
    ensure_toolchain(config)
    assert len(mirror.requests) == 2


def test_leftovers_of_a_dead_process_are_removed(make_config):
    config = make_config()
    leftover = config.store / "0123456789abcdef.partial"
    (leftover / "root/usr").mkdir(parents=True)
    ensure_toolchain(config)
    assert not leftover.exists()


def test_full_disk_is_told_before(make_config, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=100))
    with pytest.raises(DiskSpaceError, match=r"0\.0 GB are free") as caught:
        ensure_toolchain(make_config())
    assert "WARP2WAVE_CACHE_DIR" in caught.value.hint


@pytest.mark.parametrize(("number", "kind"), [(28, DiskSpaceError), (122, DiskSpaceError), (5, ToolchainError)])
def test_disk_errors_on_the_way(make_config, monkeypatch, number, kind):
    def fail(*arguments: object) -> None:
        raise OSError(number, "disk says no")

    monkeypatch.setattr("sandbox.toolchain.root.unpack_package", fail)
    with pytest.raises(ToolchainError, match="disk says no") as caught:
        ensure_toolchain(make_config())
    assert type(caught.value) is kind
    assert "WARP2WAVE_CACHE_DIR" in caught.value.hint


def test_cache_that_is_no_folder(make_config, tmp_path):
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(ToolchainError, match="WARP2WAVE_CACHE_DIR"):
        ensure_toolchain(make_config())


def test_many_at_once(make_config, mirror):
    config, events = make_config(), []
    with ThreadPoolExecutor(4) as pool:  # file locks are between open files, so threads stand for processes
        found = list(pool.map(lambda _: ensure_toolchain(config, events.append), range(4)))
    assert found == [find_toolchain(config)] * 4
    assert len(mirror.requests) == 2
    assert [event.stage for event in events if event.status == "started"] == [
        "toolchain-fetch", "toolchain-unpack", "toolchain-cuda"
    ]  # fmt: skip


@pytest.mark.parametrize("layers", [(), ("libraries",), ("core", "odd")])
def test_bad_layers(tmp_path, layers):
    with pytest.raises(ValueError, match="layers"):
        ToolchainConfig(cache=tmp_path, layers=layers)


@pytest.mark.parametrize(
    ("environment", "cache"),
    [
        ({"WARP2WAVE_CACHE_DIR": "/a/b", "XDG_CACHE_HOME": "/x"}, "/a/b"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/warp2wave"),
        ({"XDG_CACHE_HOME": "relative"}, str(Path.home() / ".cache/warp2wave")),
        ({}, str(Path.home() / ".cache/warp2wave")),
    ],
)
def test_cache_folder(environment, cache):
    assert str(ToolchainConfig.from_environment(environment).cache) == cache


def test_settings_from_the_environment():
    config = ToolchainConfig.from_environment(
        {
            "WARP2WAVE_DEBIAN_MIRROR": "http://a/debian  http://b/debian",
            "WARP2WAVE_TOOLCHAIN_LAYERS": "core, libraries",
            "WARP2WAVE_KEEP_ARCHIVES": "1",
        }
    )
    assert config.mirrors == ("http://a/debian", "http://b/debian")
    assert config.layers == ("core", "libraries")
    assert config.keep_archives
