from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_stages import KERNEL, FakeStages
from web_client import TestClient

from agents.errors import SubmissionError
from agents.orchestrator.stages import StageContext
from service.api.app import create_app
from service.errors import StoreError
from service.settings import Settings
from service.worker.runtime import Runtime

BASE = "http://127.0.0.1:8642"
UNKNOWN = "0" * 26


@pytest.fixture
def client(settings: Settings, runtime: Runtime) -> Iterator[TestClient]:
    with TestClient(create_app(settings, runtime), base_url=BASE, raise_server_exceptions=False) as client:
        yield client


def submit(client: TestClient, **fields: Any) -> dict[str, Any]:
    response = client.post("/v1/ports", json={"name": "k.cu", "source": KERNEL, "targets": ["gfx942"]} | fields)
    assert response.status_code == 202, response.text
    return response.json()


def check_problem(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert (problem["status"], problem["code"]) == (status, code)
    assert "Traceback" not in response.text
    assert "site-packages" not in response.text
    return problem


def test_source_as_json_goes_all_the_way(client: TestClient, runtime: Runtime):
    response = client.post("/v1/ports", json={"name": "k.cu", "source": KERNEL, "targets": ["gfx942"]})
    assert response.status_code == 202
    port_id = response.json()["id"]
    assert response.headers["location"] == f"/v1/ports/{port_id}"
    runtime.wait(port_id, timeout=30)

    port = client.get(f"/v1/ports/{port_id}").json()
    assert (port["state"], port["outcome"], port["evidence"]) == ("finished", "accepted", "emulated")
    assert port["verdicts"][0]["target"] == "gfx942"
    assert port["findings"][0]["fault"] == "W01"
    assert [artifact["name"] for artifact in port["artifacts"]] == ["k.hip", "report.json", "report.md"]
    report = client.get(f"/v1/ports/{port_id}/artifacts/report.json").json()
    assert report["schema"] == "warp2wave/port/1"


def test_files_as_multipart_keep_every_byte(client: TestClient, runtime: Runtime):
    kernel = b'// caf\xe9\r\n#include "lib/a.cuh"\n' + KERNEL.encode()
    response = client.post(
        "/v1/ports",
        files=[("files", ("main.cu", kernel)), ("files", ("lib/a.cuh", b"#pragma once\n"))],
        data={"options": json.dumps({"targets": ["gfx950"], "explain": True, "run": {"args": ["7"]}})},
    )
    assert response.status_code == 202, response.text
    port_id = response.json()["id"]
    runtime.wait(port_id, timeout=30)

    submission = runtime.store.submission(port_id)
    assert (submission.name, submission.main_files, submission.explain) == ("main.cu", ("main.cu",), True)
    assert submission.run.args == ("7",)
    assert client.get(f"/v1/ports/{port_id}/artifacts/main.hip").content == kernel
    nested = client.get(f"/v1/ports/{port_id}/artifacts/lib/a.cuh")
    assert nested.content == b"#pragma once\n"
    assert nested.headers["content-disposition"] == 'attachment; filename="a.cuh"'


def test_artifacts_are_harmless_downloads(client: TestClient, runtime: Runtime, settings: Settings):
    port_id = submit(client)["id"]
    runtime.wait(port_id, timeout=30)
    response = client.get(f"/v1/ports/{port_id}/artifacts/report.md")

    assert response.headers["content-disposition"].startswith("attachment;")
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in response.headers["content-security-policy"]
    assert response.headers["etag"].strip('"') == runtime.get_artifact(port_id, "report.md")[0].sha256
    (settings.data_dir / "blobs" / "secret").write_text("secret")
    for name in ("../../secret", "..%2f..%2fsecret", "%2fetc%2fpasswd", "nope", "k.hip%00", "%ff", "report.md/"):
        check_problem(client.get(f"/v1/ports/{port_id}/artifacts/{name}"), 404, "not-found")
    check_problem(client.get(f"/v1/ports/{UNKNOWN}/artifacts/report.md"), 404, "not-found")


def test_list_filters_and_pages(client: TestClient, runtime: Runtime):
    ids = [runtime.refuse(f"{n}.cu", SubmissionError("empty"), ["gfx942"]) for n in range(3)]
    first = client.get("/v1/ports", params={"limit": 2}).json()
    rest = client.get("/v1/ports", params={"limit": 2, "before": first["next"]}).json()

    assert [port["id"] for port in first["ports"] + rest["ports"]] == sorted(ids, reverse=True)
    assert rest["next"] is None
    (named,) = client.get("/v1/ports", params={"state": "failed", "name": "1.cu"}).json()["ports"]
    assert named["error"] == {"code": "submission", "message": "empty", "hint": "", "context": {}}
    assert client.get("/v1/ports", params={"outcome": "accepted"}).json()["ports"] == []


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "state=done", "outcome=x", "before=" + "x" * 65])
def test_bad_queries_name_the_field(client: TestClient, query: str):
    problem = check_problem(client.get(f"/v1/ports?{query}"), 422, "request")
    assert problem["errors"][0]["field"] == f"query.{query.partition('=')[0]}"


def test_cancel(client: TestClient, stages: FakeStages):
    entered = threading.Event()

    def hook(stage: str, context: StageContext) -> None:
        stop = threading.Event()
        context.cancellation.on_request(stop.set)
        entered.set()
        assert stop.wait(20)

    stages.hook = hook
    port_id = submit(client)["id"]
    assert entered.wait(20)
    response = client.post(f"/v1/ports/{port_id}/cancel")
    assert response.status_code == 202
    assert response.json() == {"id": port_id, "state": "running"}
    check_problem(client.post(f"/v1/ports/{UNKNOWN}/cancel"), 404, "not-found")


REFUSED = {
    "empty": ({"source": ""}, 422, "submission", "empty"),
    "binary": ({"source": "\0"}, 422, "submission", "binary"),
    "no kernel": ({"source": "int main() {}"}, 422, "submission", "no kernel"),
    "path": ({"files": [{"path": "../k.cu", "text": KERNEL}]}, 422, "submission", "relative path"),
    "target": ({"source": KERNEL, "targets": ["sm_90"]}, 422, "submission", "not an AMD GPU"),
    "too large": ({"source": KERNEL + "x" * (11 << 20)}, 413, "too-large", "11.0 MiB"),
}


@pytest.mark.parametrize(("body", "status", "code", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_submission_leaves_a_row(
    client: TestClient, body: dict[str, Any], status: int, code: str, message: str
):
    problem = check_problem(client.post("/v1/ports", json=body), status, code)
    assert message in problem["detail"]
    row = client.get(f"/v1/ports/{problem['port']}").json()
    assert (row["state"], row["error"]["code"]) == ("failed", code)


UNREADABLE = {
    "no body": {"headers": {"content-type": "application/json"}},
    "not json": {"content": "{", "headers": {"content-type": "application/json"}},
    "deep": {"content": "[" * 100_000, "headers": {"content-type": "application/json"}},
    "lone surrogate": {"content": '{"source": "\\udcff"}', "headers": {"content-type": "application/json"}},
    "array": {"json": []},
    "unknown field": {"json": {"source": KERNEL, "shell": "rm"}},
    "wrong type": {"json": {"source": 7}},
    "bad option": {"files": [("files", ("k.cu", KERNEL))], "data": {"options": '{"targets": 7}'}},
    "options not json": {"files": [("files", ("k.cu", KERNEL))], "data": {"options": "{"}},
}


@pytest.mark.parametrize("request_arguments", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_invalid_bodies_are_422(client: TestClient, request_arguments: dict[str, Any]):
    problem = check_problem(client.post("/v1/ports", **request_arguments), 422, "request")
    assert problem["errors"]
    assert client.get("/v1/ports").json()["ports"] == []


BAD_REQUESTS = {
    "type": {"content": KERNEL, "headers": {"content-type": "text/plain"}},
    "no type": {"content": KERNEL},
    "both": {"json": {"source": KERNEL, "files": [{"path": "k.cu", "text": KERNEL}]}},
    "neither": {"json": {}},
    "unknown form field": {"files": [("file", ("k.cu", KERNEL))]},
    "file as text": {"files": [("options", (None, "{}"))], "data": {"files": KERNEL}},
}


@pytest.mark.parametrize("request_arguments", BAD_REQUESTS.values(), ids=BAD_REQUESTS.keys())
def test_requests_that_make_no_sense_are_400(client: TestClient, request_arguments: dict[str, Any]):
    check_problem(client.post("/v1/ports", **request_arguments), 400, "request")


def test_broken_form_and_other_routes_are_problems(client: TestClient):
    broken = {"content-type": "multipart/form-data; boundary=x"}
    check_problem(client.post("/v1/ports", content=b"nonsense", headers=broken), 400, "http")
    check_problem(client.get("/nowhere"), 404, "http")
    check_problem(client.delete("/v1/ports"), 405, "http")


def test_health_and_openapi(client: TestClient):
    assert client.get("/v1/health").json()["status"] == "ok"
    document = client.get("/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == {
        "/v1/ports",
        "/v1/ports/{port_id}",
        "/v1/ports/{port_id}/artifacts/{name}",
        "/v1/ports/{port_id}/cancel",
        "/v1/health",
    }
    text = json.dumps(document)
    for name in ("PortRequest", "PortOptions", "Problem", "BuildOptions"):
        assert name in document["components"]["schemas"]
    references = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert references <= set(document["components"]["schemas"])
    assert "$defs" not in text


def test_our_failures_tell_nothing_of_the_machine(
    client: TestClient, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
):
    def fail(error: Exception) -> None:
        def get_port(port_id: str) -> None:
            raise error

        monkeypatch.setattr(runtime, "get_port", get_port)

    fail(RuntimeError("password=hunter2"))
    problem = check_problem(client.get(f"/v1/ports/{UNKNOWN}"), 500, "internal")
    assert "hunter2" not in json.dumps(problem)
    fail(StoreError("postgresql://u:***@host is away"))
    problem = check_problem(client.get(f"/v1/ports/{UNKNOWN}"), 503, "store")
    assert "host" not in json.dumps(problem)


def test_stopped_worker_does_not_stop_the_service(client: TestClient, runtime: Runtime, stages: FakeStages):
    def hook(stage: str, context: StageContext) -> None:
        raise MemoryError("hog")

    stages.hook = hook
    port_id = submit(client)["id"]
    with pytest.raises(Exception, match="MemoryError"):
        runtime.wait(port_id, timeout=30)
    assert client.get(f"/v1/ports/{port_id}").json()["error"]["code"] == "internal"
    assert client.get("/v1/health").status_code == 200


def test_database_file_is_closed_to_others(client: TestClient, settings: Settings):
    assert settings.data_dir.stat().st_mode & 0o077 == 0
    assert Path(settings.data_dir / "warp2wave.db").exists()
