"""Entry script of the translator process. Needs ``sandbox/vgpu`` (mounted read-only) and Python alone.

python3 -I /opt/w2w/vgpu/translator/server.py --socket /run/w2w/translator.sock --cache /cache
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main() -> int:
    vgpu = Path(__file__).resolve().parents[1]
    # Not this folder, whose modules may be called like ones of the standard library.
    sys.path[:] = [str(vgpu.parent), *(entry for entry in sys.path if Path(entry) != vgpu / "translator")]
    role = "worker" if sys.argv[1:2] == ["--worker"] else "service"
    module = importlib.import_module(f"{vgpu.name}.translator.{role}")
    status: int = module.main(sys.argv[1:])
    return status


if __name__ == "__main__":
    sys.exit(main())
