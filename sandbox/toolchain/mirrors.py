"""Where Debian packages can come from, in the order in which they are tried."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

DEFAULT_MIRROR = "https://deb.debian.org/debian"
SNAPSHOT_ARCHIVE = "https://snapshot.debian.org/archive/debian"
APT_FOLDER = Path("/etc/apt")

_ONE_LINE = re.compile(r"^\s*deb\s+(?:\[[^\]]*\]\s*)?(\S+)")


def list_mirrors(configured: tuple[str, ...], snapshot: str, apt_folder: Path = APT_FOLDER) -> tuple[str, ...]:
    """Base URLs without a trailing slash: configured ones, the host's own Debian mirrors, Debian's mirror network,
    and last the snapshot archive, which keeps every version."""
    found = [*configured, *host_mirrors(apt_folder), DEFAULT_MIRROR, f"{SNAPSHOT_ARCHIVE}/{snapshot}"]
    return tuple(dict.fromkeys(url.rstrip("/") for url in found))


def host_mirrors(apt_folder: Path = APT_FOLDER) -> list[str]:
    """HTTP mirrors of Debian's main archive in apt's sources of either style; unreadable files are skipped."""
    files = [apt_folder / "sources.list", *sorted((apt_folder / "sources.list.d").glob("*"))]
    urls: list[str] = []
    for file in files:
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if file.suffix == ".list":
            urls += _one_line_urls(text)
        elif file.suffix == ".sources":
            urls += _deb822_urls(text)
    return [url for url in urls if _is_debian_archive(url)]


def _is_debian_archive(url: str) -> bool:
    # Mirrors keep the archive's own folder name; anything else (Ubuntu, debian-security, a vendor) has other pools.
    return url.startswith(("http://", "https://")) and url.rstrip("/").endswith("/debian")


def _one_line_urls(text: str) -> list[str]:
    return [match[1] for line in text.splitlines() if (match := _ONE_LINE.match(line))]


def _deb822_urls(text: str) -> Iterator[str]:
    for stanza in re.split(r"\n\s*\n", text):
        lines = [line for line in stanza.splitlines() if not line.startswith("#")]
        fields = dict(_deb822_fields(lines))
        if "deb" in fields.get("types", "").split() and fields.get("enabled", "yes").strip().lower() != "no":
            yield from fields.get("uris", "").split()


def _deb822_fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    name, value = "", ""
    for line in lines:
        if line[:1].isspace():
            value += " " + line.strip()
            continue
        if name:
            yield name, value
        name, _, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
    if name:
        yield name, value
