from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_stages import FakeStages
from web_client import TestClient

from service.api.app import create_app
from service.errors import SettingsError
from service.settings import Settings
from service.worker.runtime import Runtime

KEY = "a-key-of-some-length"


@pytest.fixture
def client(settings: Settings, runtime: Runtime) -> Iterator[TestClient]:
    with TestClient(create_app(settings, runtime), base_url="http://127.0.0.1:8642") as client:
        yield client


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8642", "LocalHost", "[::1]:8642"])
def test_own_names_are_answered(client: TestClient, host: str):
    assert client.get("/v1/ports", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/v1/ports", "/v1/health", "/v1/openapi.json", "/nowhere"])
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("evil.example:8642", 403),
        ("127.0.0.1@evil.example", 400),
        ("127.0.0.1:8642/x", 400),
        ("", 400),
        ("localhost, evil.example", 400),
    ],
)
def test_other_names_are_refused(client: TestClient, host: str, status: int, path: str):
    response = client.get(path, headers={"host": host})
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"


def test_two_hosts_are_refused(client: TestClient):
    headers = [("host", "127.0.0.1"), ("host", "127.0.0.1")]
    assert client.get("/v1/ports", headers=headers).status_code == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 422),
        ({"origin": "http://127.0.0.1:8642"}, 422),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:8643"}, 403),
        ({"origin": ""}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 422),
    ],
)
def test_posts_across_origins_are_refused(client: TestClient, headers: dict[str, str], status: int):
    assert client.post("/v1/ports", json={"source": 1}, headers=headers).status_code == status


def test_answers_carry_safe_headers_and_no_permission_for_other_origins(client: TestClient):
    for path in ("/v1/ports", "/v1/ports/x", "/nowhere"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert not any(name.startswith("access-control") for name in headers)


def make_client(settings: Settings, runtime: Runtime, **changes: object) -> TestClient:
    changed = Settings(**(settings.model_dump() | changes))
    return TestClient(create_app(changed, runtime), base_url="http://127.0.0.1:8642")


def test_configured_hosts_and_origins(settings: Settings, runtime: Runtime):
    client = make_client(settings, runtime, allowed_hosts="w2w.example", allowed_origins="https://app.example")
    headers = {"host": "w2w.example", "origin": "https://app.example"}
    assert client.get("/v1/ports", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (f"Bearer {KEY}", 200),
        (f"bearer {KEY}", 200),
        (None, 401),
        ("", 401),
        ("Bearer", 401),
        ("Bearer wrong-key-of-length", 401),
        (f"Basic {KEY}", 401),
        (KEY, 401),
        (f"Bearer {KEY}, Bearer {KEY}", 401),
    ],
)
def test_keys(settings: Settings, runtime: Runtime, authorization: str | None, status: int):
    client = make_client(settings, runtime, api_keys=f"other-key-of-length,{KEY}")
    headers = {} if authorization is None else {"authorization": authorization}
    response = client.get("/v1/ports", headers=headers)

    assert response.status_code == status
    if status == 401:
        assert response.headers["www-authenticate"] == "Bearer"
    assert client.get("/v1/health").status_code == 200
    assert client.get("/v1/openapi.json").status_code == 401


def test_open_address_without_keys_is_refused(settings: Settings, runtime: Runtime):
    with pytest.raises(SettingsError, match="without API keys"):
        create_app(settings.model_copy(update={"host": "0.0.0.0"}), runtime)


def test_claimed_and_real_sizes_are_limited(settings: Settings, stages: FakeStages, runtime: Runtime):
    client = make_client(settings, runtime, max_source_bytes=1000)
    limit = 2000 + (1 << 20)

    def chunks() -> Iterator[bytes]:
        for _ in range(limit // 1000 + 2):
            yield b" " * 1000

    for kind in ("application/json", "multipart/form-data; boundary=x"):
        for content in (b" " * (limit + 1), chunks()):
            response = client.post("/v1/ports", content=content, headers={"content-type": kind})
            assert response.status_code == 413
            assert response.json()["code"] == "too-large"
    assert stages.calls() == []
    assert runtime.list_ports().ports == ()
