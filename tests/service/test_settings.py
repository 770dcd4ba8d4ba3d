from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from service.errors import SettingsError
from service.settings import SandboxEngine, Settings, load_settings
from service.settings_table import settings_table

KEY = "0123456789abcdef"


def test_defaults_follow_the_xdg_folders(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "d"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    loaded = load_settings()

    assert loaded.data_dir == tmp_path / "d" / "warp2wave"
    assert loaded.cache_dir == tmp_path / ".cache" / "warp2wave"
    assert loaded.resolved_database_url == f"sqlite:///{tmp_path}/d/warp2wave/warp2wave.db"
    assert (loaded.host, loaded.port, loaded.sandbox_engine) == ("127.0.0.1", 8642, SandboxEngine.AUTO)


def test_environment_and_overrides(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WARP2WAVE_PORT", "80")
    monkeypatch.setenv("WARP2WAVE_DATABASE_URL", "postgresql://h/d")
    monkeypatch.setenv("WARP2WAVE_ALLOWED_HOSTS", "A.example, b.example")
    loaded = load_settings(port=81)

    assert loaded.port == 81
    assert loaded.resolved_database_url == "postgresql://h/d"
    assert loaded.accepted_hosts == {"localhost", "127.0.0.1", "::1", "a.example", "b.example"}


def test_keys_are_kept_as_hashes(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    digest = hashlib.sha256(b"another-long-key-").hexdigest()
    monkeypatch.setenv("WARP2WAVE_API_KEYS", f"{KEY},sha256:{digest}")
    loaded = load_settings()

    assert KEY not in repr(loaded) + str(loaded.model_dump())
    assert loaded.accepts_key(KEY)
    assert loaded.accepts_key("another-long-key-")
    for wrong in ("", KEY[:-1], f"sha256:{digest}", loaded.api_keys[0], "\udcff"):
        assert not loaded.accepts_key(wrong)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("API_KEYS", "short-secret", "16 characters"),
        ("API_KEYS", "sha256:12", "hashed key"),
        ("PORT", "x", "WARP2WAVE_PORT"),
        ("PORT", "70000", "WARP2WAVE_PORT"),
        ("SANDBOX_ENGINE", "chroot", "WARP2WAVE_SANDBOX_ENGINE"),
        ("MAX_SOURCE_BYTES", "0", "WARP2WAVE_MAX_SOURCE_BYTES"),
    ],
)
def test_bad_values_are_named(settings: Settings, monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str):
    monkeypatch.setenv(f"WARP2WAVE_{name}", value)
    with pytest.raises(SettingsError, match=message) as raised:
        load_settings()
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_open_address_needs_keys(settings: Settings, host: str):
    with pytest.raises(SettingsError, match="without API keys"):
        load_settings(host=host).require_safe_binding()
    load_settings(host=host, api_keys=KEY).require_safe_binding()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_needs_none(settings: Settings, host: str):
    load_settings(host=host).require_safe_binding()


def test_every_setting_is_documented():
    document = (Path(__file__).parents[2] / "docs" / "service.md").read_text()
    assert settings_table() in document, "run: python -m service.settings_table docs/service.md"
