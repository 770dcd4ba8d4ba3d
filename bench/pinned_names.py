"""Write down which names the headers of ROCm's libraries know, for tests that run without them.

    python bench/pinned_names.py INCLUDE_FOLDER > tests/cases/hipify_names/rocm-7.2.4.txt

INCLUDE_FOLDER is ``usr/include`` of the toolchain's layer ``libraries`` (``make`` does not unpack it by default).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NAME = re.compile(
    r"\b_?(?:(?:hip|roc)(?:blas|blaslt|fft|rand|sparse|solver)|(?:HIP|ROC)(?:BLAS|BLASLT|FFT|RAND|SPARSE|SOLVER)|nccl)"
    r"\w*|\b\w+Info_t\b|\b(?:bsr|csr|coo|prune)\w*Info\b|\b\w+_engine\b|\bskipahead\w*"
)
_FOLDERS = (
    "hipblas", "hipblas-common", "hipblaslt", "hipfft", "hiprand", "hipsparse", "hipsolver", "rccl",
    "rocblas", "rocrand", "rocsparse", "rocsolver",
)  # fmt: skip


def find_names(include: Path) -> tuple[set[str], set[str]]:
    """The names in the headers of the libraries, and the headers' paths."""
    names: set[str] = set()
    headers: set[str] = set()
    for folder in _FOLDERS:
        for file in sorted((include / folder).rglob("*.h*")):
            names |= set(_NAME.findall(_COMMENT.sub(" ", file.read_text(errors="replace"))))
            if file.parent == include / folder:
                headers.add(str(file.relative_to(include)))
    return {name for name in names if not name.endswith("_H")}, headers


def main() -> None:
    names, headers = find_names(Path(sys.argv[1]))
    sys.stdout.write("".join(f"{name}\n" for name in sorted(names) + sorted(headers)))


if __name__ == "__main__":
    main()
