"""The devices there are, by name."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from sandbox.errors import InputError
from sandbox.models import Device, Side

_TABLE = Path(__file__).with_name("devices.toml")


@cache
def load_devices() -> dict[str, Device]:
    """Every device by name and alias. Raises ValueError on a duplicate name."""
    devices: dict[str, Device] = {}
    for row in tomllib.loads(_TABLE.read_text())["device"]:
        aliases = row.pop("aliases")
        device = Device.model_validate(row)
        for name in (device.name, *aliases):
            if name in devices:
                raise ValueError(f"{_TABLE.name}: {name} stands twice")
            devices[name] = device
    return devices


def find_device(name: str) -> Device:
    """The device called ``name``. Raises InputError, naming the ones there are."""
    try:
        return load_devices()[name]
    except KeyError:
        known = ", ".join(sorted({d.name for d in load_devices().values()}))
        raise InputError(f"there is no device {name!r}", hint=f"known devices: {known}") from None


def hip_device(target: str) -> Device:
    """The virtual device for a compiler target such as gfx942. Raises InputError."""
    for device in load_devices().values():
        if device.side is Side.HIP and device.target == target:
            return device
    known = ", ".join(sorted({d.target for d in load_devices().values() if d.side is Side.HIP}))
    raise InputError(f"there is no target {target!r}", hint=f"known targets: {known}")
