"""The workshop that commands share, from the settings."""

from __future__ import annotations

from sandbox.execution.workshop import Workshop, WorkshopConfig
from service.settings import Settings


def open_workshop(settings: Settings) -> Workshop:
    return Workshop(workshop_config(settings))


def workshop_config(settings: Settings) -> WorkshopConfig:
    return WorkshopConfig(
        cache=settings.cache_dir,
        debian_mirror=settings.debian_mirror,
        engine=settings.sandbox_engine.value,
    )
