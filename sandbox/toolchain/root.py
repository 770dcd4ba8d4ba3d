"""Make a root filesystem: fetch and unpack the packages side by side, then lay out what no package brings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TypeVar

from sandbox.progress import Progress
from sandbox.toolchain.bytecode import compile_library
from sandbox.toolchain.config import ToolchainConfig
from sandbox.toolchain.download import Downloader, archive_name
from sandbox.toolchain.layout import LAYOUT_FILE, Layout, read_layout
from sandbox.toolchain.lock import Package
from sandbox.toolchain.meter import Meter
from sandbox.toolchain.mirrors import list_mirrors
from sandbox.toolchain.unpack import unpack_package

# Raise when the same packages and layout are to give another root than before.
_FORMAT = "2"

_Result = TypeVar("_Result")


def digest_of(packages: Sequence[Package], layout_file: Path = LAYOUT_FILE) -> str:
    """SHA-256 that names the root filesystem these packages and this layout make."""
    digest = hashlib.sha256(_FORMAT.encode())
    for package in sorted(packages, key=lambda each: each.name):
        digest.update(f"{package.name}\t{package.sha256}\n".encode())
    digest.update(layout_file.read_bytes())
    return digest.hexdigest()


def build_root(
    root: Path, packages: Sequence[Package], config: ToolchainConfig, snapshot: str, progress: Progress
) -> None:
    """Make ``root``, or add to it if it is one already. Raises ToolchainError or OSError."""
    complete = root.exists()
    layout = read_layout()
    archives = config.store / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    lay_folders(root, layout)
    _fetch_and_unpack(root, layout, packages, archives, config, snapshot, progress)
    if not complete:
        lay_out(root, layout)
        compile_library(root)
    if not config.keep_archives:
        for package in packages:
            (archives / archive_name(package)).unlink(missing_ok=True)


def _fetch_and_unpack(
    root: Path,
    layout: Layout,
    packages: Sequence[Package],
    archives: Path,
    config: ToolchainConfig,
    snapshot: str,
    progress: Progress,
) -> None:
    fetched = Meter(progress, "toolchain-fetch", "bytes", sum(each.size for each in packages))
    unpacked = Meter(progress, "toolchain-unpack", "packages", len(packages))
    downloader = Downloader(archives, list_mirrors(config.mirrors, snapshot), fetched.add)
    with ThreadPoolExecutor(config.downloads) as fetchers, ThreadPoolExecutor(config.unpackers) as unpackers:

        def unpack(archive: Path) -> None:
            unpack_package(archive, root, layout)
            unpacked.add(1)

        def fetch(package: Package) -> Future[None]:
            return unpackers.submit(unpack, downloader.fetch(package))

        stage = fetched
        try:
            fetched.start()
            # The largest first, so that none is left over for the end.
            downloads = [fetchers.submit(fetch, each) for each in sorted(packages, key=lambda each: -each.size)]
            unpackings = _results(downloads)
            fetched.finish()
            stage = unpacked
            unpacked.start()
            _results(unpackings)
            unpacked.finish()
        except BaseException as error:
            stage.fail(str(error))
            downloader.cancel()
            fetchers.shutdown(wait=False, cancel_futures=True)
            unpackers.shutdown(wait=False, cancel_futures=True)
            raise


def _results(futures: list[Future[_Result]]) -> list[_Result]:
    """All results, or the first error as soon as there is one."""
    done, _ = wait(futures, return_when=FIRST_EXCEPTION)
    for future in done:
        future.result()
    return [future.result() for future in futures]


def lay_folders(root: Path, layout: Layout) -> None:
    for name in (*layout.merged.values(), *layout.folders):
        (root / name).mkdir(parents=True, exist_ok=True)


def lay_out(root: Path, layout: Layout) -> None:
    """The links and files that maintainer scripts would have made. Links that a package brought stay."""
    for name, target in {**layout.merged, **layout.links}.items():
        path = root / name
        if not path.is_symlink():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)
    for name, content in layout.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
