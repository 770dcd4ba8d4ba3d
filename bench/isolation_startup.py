"""What starting a sandbox costs: runs a program that does nothing, many times, in each engine.

python -m bench.isolation_startup ROOT [--runs N] [--docker-host unix:///path]
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from sandbox.isolation.bubblewrap import BubblewrapSandbox
from sandbox.isolation.docker import DockerSandbox
from sandbox.isolation.protocol import Command, Limits, Sandbox
from sandbox.isolation.select import bwrap_of


def measure(sandbox: Sandbox, root: Path, runs: int) -> list[float]:
    """Milliseconds of each run, after a first one that may import an image."""
    command = Command(argv=("true",), root=root)
    took = []
    for _ in range(runs + 1):
        started = time.perf_counter()
        result = sandbox.run(command, Limits())
        took.append((time.perf_counter() - started) * 1000)
        assert result.exit_code == 0, result
    print(f"  first run {took[0]:.0f} ms")
    return took[1:]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--docker-host")
    options = parser.parse_args()
    engines: list[tuple[str, Sandbox]] = [
        ("bubblewrap", BubblewrapSandbox(bwrap_of(options.root))),
        ("bubblewrap, watching processes", BubblewrapSandbox(bwrap_of(options.root), use_cgroups=False)),
        ("docker", DockerSandbox(host=options.docker_host)),
    ]
    for name, sandbox in engines:
        reason = sandbox.unavailable()
        if reason is not None:
            print(f"{name}: {reason}")
            continue
        took = sorted(measure(sandbox, options.root, options.runs))
        print(f"{name}: median {statistics.median(took):.1f} ms, fastest {took[0]:.1f}, slowest {took[-1]:.1f}")


if __name__ == "__main__":
    main()
