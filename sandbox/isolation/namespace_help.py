"""Why this kernel may refuse namespaces to this user, and the one command that allows them."""

from __future__ import annotations

from pathlib import Path

# (setting, value that forbids, value that allows)
_SETTINGS = (
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
    ("user.max_user_namespaces", "0", "15000"),
)


def namespace_help(settings: Path = Path("/proc/sys")) -> str:
    """A sentence to append to a refusal; empty if no known setting explains it."""
    for name, forbids, allows in _SETTINGS:
        file = settings / name.replace(".", "/")
        if file.exists() and file.read_text().strip() == forbids:
            return f"; the setting {name} = {forbids} forbids it, allow it with: sudo sysctl -w {name}={allows}"
    return ""
