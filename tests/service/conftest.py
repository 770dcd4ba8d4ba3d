from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from fake_stages import FakeStages

from service.settings import Settings
from service.worker.runtime import Runtime

_POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in os.environ:
        if name.startswith("WARP2WAVE_"):
            monkeypatch.delenv(name)
    return Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache")


@pytest.fixture
def stages(tmp_path: Path) -> FakeStages:
    return FakeStages(tmp_path / "calls")


@pytest.fixture
def runtime(settings: Settings, stages: FakeStages) -> Iterator[Runtime]:
    with Runtime(settings, stages) as runtime:
        yield runtime


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[str], str]]:
    """A PostgreSQL server of our own on a Unix socket: makes a database and returns its URL."""
    if not _POSTGRES:
        pytest.skip("no PostgreSQL server on this machine (apt-get install postgresql)")
    binaries = _POSTGRES[-1].parent
    # PostgreSQL refuses to run as root, and pytest's own folders are closed to other users.
    user = _unprivileged_user()
    folder = Path(tempfile.mkdtemp(prefix="w2w-pg-"))
    if user:
        shutil.chown(folder, user)

    def connect() -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(host=str(folder), user="w2w", dbname="postgres", autocommit=True)

    def create(name: str) -> str:
        with connect() as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return f"postgresql+psycopg://w2w@/{name}?host={folder}"

    initdb = [binaries / "initdb", "-D", folder / "data", "-U", "w2w", "-A", "trust", "-E", "UTF8", "--no-sync"]
    subprocess.run(initdb, user=user, cwd=folder, capture_output=True, check=True)
    options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "fsync=off"]
    with (folder / "log").open("wb") as log:
        argv = [binaries / "postgres", "-D", folder / "data", *options]
        server = subprocess.Popen(argv, user=user, cwd=folder, stdout=log, stderr=log)
    try:
        _wait_until_ready(connect)
        yield create
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
        shutil.rmtree(folder)


def _wait_until_ready(connect: Callable[[], psycopg.Connection[tuple[object, ...]]]) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            connect().close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _unprivileged_user() -> str | None:
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Each test on both databases."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'test.db'}"
    create = request.getfixturevalue("postgres")
    return create(f"t{abs(hash(request.node.nodeid)):x}")
