"""Everything that a user may set, in one place. Library code below takes typed values and never reads the
environment."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from service.errors import SettingsError

LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
_MINIMUM_KEY_LENGTH = 16
_KEY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class SandboxEngine(StrEnum):
    """Which isolation engine runs untrusted code; ``auto`` takes the first one that works."""

    AUTO = "auto"
    BUBBLEWRAP = "bubblewrap"
    DOCKER = "docker"


CommaSeparated = Annotated[tuple[str, ...], NoDecode]
"""A list that the environment writes as ``a,b,c``."""


class Settings(BaseSettings):
    """The product's settings. Each is an environment variable: ``WARP2WAVE_`` and its name in capitals."""

    model_config = SettingsConfigDict(
        env_prefix="WARP2WAVE_", frozen=True, extra="forbid", use_attribute_docstrings=True
    )

    data_dir: Path = Field(default_factory=lambda: _xdg_dir("XDG_DATA_HOME", ".local/share"))
    """Folder of the database, stored artifacts and work in progress. Default: `$XDG_DATA_HOME/warp2wave`,
    else `~/.local/share/warp2wave`."""

    cache_dir: Path = Field(default_factory=lambda: _xdg_dir("XDG_CACHE_HOME", ".cache"))
    """Folder of the unpacked toolchain and of translations; safe to delete. Default:
    `$XDG_CACHE_HOME/warp2wave`, else `~/.cache/warp2wave`."""

    database_url: str = Field("", repr=False)
    """SQLAlchemy URL of the database, `sqlite:///FILE` or `postgresql+psycopg://USER@HOST/NAME`. Default: the
    SQLite file `warp2wave.db` in `data_dir`."""

    debian_mirror: str = ""
    """Base URL of the Debian mirror that the toolchain's packages come from. Default: the host's own apt
    sources."""

    sandbox_engine: SandboxEngine = SandboxEngine.AUTO
    """Isolation engine: `auto`, `bubblewrap` or `docker`."""

    host: str = "127.0.0.1"
    """Address that `serve` listens on. Another than a loopback address needs `api_keys` and
    `allowed_hosts`."""

    port: int = Field(8642, ge=0, le=65535)
    """TCP port that `serve` listens on; 0 takes any free one."""

    api_keys: CommaSeparated = Field((), repr=False)
    """Keys that clients present as `Authorization: Bearer KEY`, separated by commas: plain (16 characters or
    more) or `sha256:` and the hexadecimal SHA-256 of the key. Empty: no key is asked for."""

    allowed_hosts: CommaSeparated = ()
    """Host names that requests may be addressed to, separated by commas, without port. The loopback names and
    `host` are always allowed."""

    allowed_origins: CommaSeparated = ()
    """Web origins (`https://name:port`) whose pages may send requests, separated by commas, besides the
    server's own."""

    max_source_bytes: int = Field(10 << 20, gt=0)
    """Largest submission: bytes of all its files and inputs together."""

    worker_concurrency: int = Field(2, ge=1)
    """Ports that one `serve` process works on at the same time."""

    parallel_stages: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1)
    """Stages (builds and runs, of all ports together) that one process runs at the same time. Default: the
    number of processors."""

    @field_validator("api_keys", "allowed_hosts", "allowed_origins", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("api_keys")
    @classmethod
    def _hash_keys(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_key_digest(key) for key in value)

    @field_validator("data_dir", "cache_dir")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @property
    def resolved_database_url(self) -> str:
        return self.database_url or f"sqlite:///{self.data_dir / 'warp2wave.db'}"

    @property
    def accepted_hosts(self) -> frozenset[str]:
        """Host names (lower case, without port) that a request may carry."""
        return frozenset(name.lower() for name in (*LOOPBACK_HOSTS, self.host, *self.allowed_hosts))

    def accepts_key(self, presented: str) -> bool:
        """Whether ``presented`` is one of the keys. Takes the same time whichever key, if any, it is."""
        digest = hashlib.sha256(presented.encode("utf-8", "surrogateescape")).hexdigest()
        matches = [hmac.compare_digest(f"sha256:{digest}", key) for key in self.api_keys]
        return any(matches)

    def require_safe_binding(self) -> None:
        """Raises SettingsError where ``serve`` would be open to a network without keys."""
        if not _is_loopback(self.host) and not self.api_keys:
            raise SettingsError(
                f"refusing to listen on {self.host} without API keys",
                hint="set WARP2WAVE_API_KEYS, or listen on 127.0.0.1",
            )


def load_settings(**overrides: Any) -> Settings:
    """Settings from the environment, ``overrides`` (command-line options) on top. Raises SettingsError."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        raise SettingsError(_describe(error), hint="see the table of settings in docs/service.md") from None


def _describe(error: ValidationError) -> str:
    # Never the input itself: it may hold a key.
    return "; ".join(
        f"WARP2WAVE_{'.'.join(str(part) for part in item['loc']).upper()}: {item['msg']}" for item in error.errors()
    )


def _xdg_dir(variable: str, fallback: str) -> Path:
    # The XDG specification says to ignore a relative path.
    base = Path(os.environ.get(variable, ""))
    return (base if base.is_absolute() else Path.home() / fallback) / "warp2wave"


def _key_digest(key: str) -> str:
    if _KEY_DIGEST.fullmatch(key):
        return key
    if key.startswith("sha256:"):
        raise ValueError("a hashed key is `sha256:` and 64 lower-case hexadecimal digits")
    if len(key) < _MINIMUM_KEY_LENGTH:
        raise ValueError(f"a key has at least {_MINIMUM_KEY_LENGTH} characters")
    return f"sha256:{hashlib.sha256(key.encode()).hexdigest()}"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def describe_fields() -> Sequence[tuple[str, str]]:
    """(environment variable, description) of every setting, in order; docs/service.md shows them."""
    return [
        (f"WARP2WAVE_{name.upper()}", " ".join((field.description or "").split()))
        for name, field in Settings.model_fields.items()
    ]
