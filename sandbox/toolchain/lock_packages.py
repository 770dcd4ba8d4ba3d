"""Write packages.lock anew: ask apt, on a private configuration, what the layers need today.

For maintainers, on Debian or Ubuntu (needs apt; no root):

    python -m sandbox.toolchain.lock_packages [--mirror URL] [--trusted] [--output FILE]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import tomllib
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from sandbox.toolchain.errors import LockError
from sandbox.toolchain.lock import COLUMNS, LOCK_FILE, Lock, Package, parse_lock

LAYERS_FILE = Path(__file__).with_name("layers.toml")
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

# snapshot.debian.org copies the archive within hours of each update, and answers a time with the copy before.
SNAPSHOT_DELAY = timedelta(hours=3)


class Apt:
    """apt with a configuration of its own under ``home``, which knows no host package and touches none."""

    def __init__(self, home: Path, mirror: str, wishes: dict[str, Any], *, trusted: bool) -> None:
        self.home = home
        for folder in ("lists/partial", "cache/archives/partial", "etc"):
            (home / folder).mkdir(parents=True)
        option = "trusted=yes" if trusted else f"signed-by={KEYRING}"
        sources = [f"deb [{option} arch=amd64] {mirror} {suite} main\n" for suite in wishes["suites"]]
        (home / "etc/sources.list").write_text("".join(sources))
        (home / "etc/preferences").write_text(
            "Package: *\nPin: release n=rc-buggy\nPin-Priority: 100\n\n"
            f"Package: {' '.join(wishes['from_experimental'])}\nPin: release n=rc-buggy\nPin-Priority: 990\n"
        )
        (home / "status").touch()
        (home / "apt.conf").write_text(
            f'Dir "{home}/";\nDir::State "{home}";\nDir::State::status "{home}/status";\n'
            f'Dir::Cache "{home}/cache";\nDir::Etc "{home}/etc";\nDir::Etc::sourceparts "/dev/null";\n'
            'Dir::Etc::preferencesparts "/dev/null";\nDir::Etc::parts "/dev/null";\n'
            'APT::Architecture "amd64";\nAPT::Architectures {"amd64";};\nAPT::Install-Recommends "false";\n'
            'Acquire::Languages "none";\nAcquire::Check-Valid-Until "false";\nAPT::Sandbox::User "";\n'
        )

    def run(self, *command: str) -> str:
        environment = os.environ | {"APT_CONFIG": str(self.home / "apt.conf"), "LC_ALL": "C"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0 or re.search(r"^(W|Err):", done.stdout + done.stderr, re.M):
            raise LockError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def update(self) -> None:
        self.run("apt-get", "update")

    def pretend_installed(self, names: list[str]) -> None:
        stanzas = self.run("apt-cache", "show", "--no-all-versions", *names).strip().split("\n\n")
        kept = [re.sub(r"^(Depends|Pre-Depends|Conflicts|Breaks): .*\n", "", each, flags=re.M) for each in stanzas]
        status = [re.sub(r"^(Package: .*)$", r"\1\nStatus: hold ok installed", each, flags=re.M) for each in kept]
        (self.home / "status").write_text("\n\n".join(status) + "\n")

    def resolve(self, names: list[str]) -> list[str]:
        """``names`` and all they depend on, as ``name=version``, in apt's order."""
        simulated = self.run("apt-get", "install", "--simulate", "--no-install-recommends", *names)
        return [f"{name}={version}" for name, version in re.findall(r"^Inst (\S+) \((\S+)", simulated, re.M)]

    def show(self, versions: list[str]) -> list[dict[str, str]]:
        stanzas = self.run("apt-cache", "show", *versions).strip().split("\n\n")
        return [dict(re.findall(r"^([\w-]+): (.*)$", stanza, re.M)) for stanza in stanzas]

    def snapshot(self) -> str:
        """When the archive was last updated, as snapshot.debian.org would name it."""
        releases = list((self.home / "lists").glob("*_InRelease"))
        dates = [re.search(r"^Date: (.*)$", release.read_text(), re.M) for release in releases]
        latest = max(parsedate_to_datetime(date[1]) for date in dates if date)
        return (latest.astimezone(UTC) + SNAPSHOT_DELAY).strftime("%Y%m%dT%H%M%SZ")


def resolve_lock(apt: Apt, wishes: dict[str, Any]) -> Lock:
    """A later layer holds only what the earlier ones lack."""
    packages: dict[str, Package] = {}
    wanted: list[str] = []
    for layer, content in wishes["layers"].items():
        wanted += content["packages"]
        for fields in apt.show(apt.resolve(wanted)):
            package = _package(layer, fields)
            earlier = packages.setdefault(package.name, package)
            if earlier.version != package.version:
                raise LockError(f"layer {layer} wants {package.name} {package.version}, not {earlier.version}")
    return Lock(apt.snapshot(), tuple(sorted(packages.values(), key=lambda each: (each.layer, each.name))))


def _package(layer: str, fields: dict[str, str]) -> Package:
    return Package(
        layer=layer,
        name=fields["Package"],
        version=fields["Version"],
        size=int(fields["Size"]),
        installed=max(1, int(fields.get("Installed-Size", "1"))) * 1024,
        sha256=fields["SHA256"],
        path=fields["Filename"],
    )


def format_lock(lock: Lock) -> str:
    head = [
        "# Every Debian package of the toolchain. Written by lock_packages.py from layers.toml: do not edit.",
        f"snapshot\t{lock.snapshot}",
        "# " + "\t".join(COLUMNS),
    ]
    return "\n".join([*head, *(package.row() for package in lock.packages)]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write packages.lock anew from layers.toml.")
    parser.add_argument("--mirror", default="https://deb.debian.org/debian")
    parser.add_argument("--trusted", action="store_true", help="do not check the archive's signature")
    parser.add_argument("--output", type=Path, default=LOCK_FILE)
    options = parser.parse_args()
    wishes = tomllib.loads(LAYERS_FILE.read_text(encoding="utf-8"))
    started = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as home:
        apt = Apt(Path(home), options.mirror, wishes, trusted=options.trusted)
        apt.update()
        apt.pretend_installed(list(wishes["without"]))
        text = format_lock(resolve_lock(apt, wishes))
    lock = parse_lock(text, str(options.output))
    options.output.write_text(text, encoding="utf-8")
    seconds = (datetime.now(UTC) - started).total_seconds()
    for layer in wishes["layers"]:
        chosen = lock.select((layer,))
        download, unpacked = sum(p.size for p in chosen) >> 20, sum(p.installed for p in chosen) >> 20
        print(f"{layer}: {len(chosen)} packages, {download} MiB to fetch, {unpacked} MiB unpacked")  # noqa: T201
    print(f"{options.output}: archive of {lock.snapshot}, {seconds:.0f} s")  # noqa: T201


if __name__ == "__main__":
    main()
