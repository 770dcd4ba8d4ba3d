"""NVIDIA's CUDA compiler and headers, installed from the Python package index by uv.

uv honours the user's own index, proxy and certificate settings; ``cuda.lock`` pins versions and hashes. NVIDIA's
licence does not let anyone pass these files on, so they are never part of an image: each user fetches them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import ssl
import subprocess
import sys
from pathlib import Path

from sandbox.toolchain.errors import CudaInstallError

CUDA_LOCK_FILE = Path(__file__).with_name("cuda.lock")
CUDA_HOME = Path("nvidia/cu13")  # where the packages put bin/, include/, lib/ and nvvm/
INSTALLED_BYTES = 400 << 20
_SYSTEM_STORE = Path("/etc/ssl/certs/ca-certificates.crt")

# nvcc's profile looks for libraries in lib64, and the packages bring no unversioned names to link against.
_LINKS = {"lib64": "lib", "lib/libcudart.so": "libcudart.so.13"}


def cuda_digest(lock_file: Path = CUDA_LOCK_FILE) -> str:
    return hashlib.sha256(lock_file.read_bytes()).hexdigest()


def install_cuda(folder: Path, lock_file: Path = CUDA_LOCK_FILE) -> None:
    """Install into ``folder``, an existing empty folder. Raises CudaInstallError with what uv said."""
    command = [
        find_uv(),
        *("pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"),
        *("--python", sys.executable, "--target", str(folder), "--requirements", str(lock_file)),
    ]
    done = subprocess.run(
        command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise CudaInstallError(
            f"uv could not install the CUDA compiler:\n{done.stderr.strip()}",
            hint="check the network and, if you use one, your package index (UV_INDEX_URL)",
            exit_code=done.returncode,
        )
    for name, target in _LINKS.items():
        link = folder / CUDA_HOME / name
        if not link.exists():
            link.symlink_to(target)


def _environment() -> dict[str, str]:
    """Let uv trust whom the system trusts: networks with a certificate authority of their own are common."""
    has_store = ssl.get_default_verify_paths().cafile is not None or _SYSTEM_STORE.exists()
    return {"UV_SYSTEM_CERTS": "1", **os.environ} if has_store else dict(os.environ)


def find_uv() -> str:
    """uv from this Python's environment, else from PATH. Raises CudaInstallError."""
    try:
        from uv import find_uv_bin

        return os.fsdecode(find_uv_bin())
    except (ImportError, FileNotFoundError):
        found = shutil.which("uv")
    if found is None:
        raise CudaInstallError("uv is not installed", hint=f"{sys.executable} -m pip install uv")
    return found
