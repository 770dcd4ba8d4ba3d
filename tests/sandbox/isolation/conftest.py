"""The engines under test, each with a root filesystem made for the session."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from isolation_lab import PLAIN_UID, DockerDaemon, Lab, build_root, run_as_plain_user

from sandbox.isolation.bubblewrap import BubblewrapSandbox
from sandbox.isolation.docker import DockerSandbox
from sandbox.isolation.select import bwrap_of

ENGINES = ("bubblewrap", "bubblewrap-watching", "bubblewrap-plain-user", "docker")


@pytest.fixture(scope="session")
def big_root() -> Path:
    path = os.environ.get("WARP2WAVE_TEST_ROOT")
    if not path:
        pytest.skip("WARP2WAVE_TEST_ROOT names no toolchain root")
    return Path(path)


@pytest.fixture(scope="session")
def open_folder():
    """A folder that every user may enter, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="isolation-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def small_root(big_root, open_folder) -> Path:
    root = open_folder / "root"
    root.mkdir()
    build_root(big_root, root)
    return root


@pytest.fixture(scope="session")
def docker_host():
    """The address of a daemon that works: a private one where we may start it, else the machine's own."""
    if shutil.which("dockerd") is None or os.geteuid() != 0:
        reason = DockerSandbox().unavailable()
        if reason is not None:
            pytest.skip(f"no Docker daemon answers and none can be started here: {reason}")
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="dockerd-") as folder:
        daemon = DockerDaemon(Path(folder))
        try:
            reason = daemon.why_not_ready() or DockerSandbox(host=daemon.host).unavailable()
            if reason is not None:
                pytest.skip(reason)
            yield daemon.host
        finally:
            daemon.stop()


@pytest.fixture
def lab(request, small_root, open_folder):
    name = request.param
    folder = Path(tempfile.mkdtemp(dir=open_folder))
    if name == "docker":
        sandbox = DockerSandbox(host=request.getfixturevalue("docker_host"))
    else:
        sandbox = BubblewrapSandbox(bwrap_of(small_root), use_cgroups=name != "bubblewrap-watching")
        reason = sandbox.unavailable()
        if reason is not None:
            pytest.skip(reason)
    as_plain_user = name.endswith("plain-user")
    if as_plain_user:
        if os.geteuid() != 0:
            pytest.skip("the caller is a plain user already")
        os.chown(folder, PLAIN_UID, PLAIN_UID)
    return Lab(sandbox, small_root, folder, as_plain_user)


def pytest_generate_tests(metafunc):
    if "lab" in metafunc.fixturenames:
        metafunc.parametrize("lab", ENGINES, indirect=True)


def pytest_collection_modifyitems(items):
    for item in items:
        if "lab" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.toolchain)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    lab = pyfuncitem.funcargs.get("lab")
    if not isinstance(lab, Lab) or not lab.as_plain_user:
        return None
    names = pyfuncitem._fixtureinfo.argnames
    run_as_plain_user(lambda: pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
