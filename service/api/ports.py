"""``/v1/ports``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse

from agents.models import Outcome, Submission
from sandbox.errors import SandboxLayerError
from service.api.problems import problem_response
from service.api.schemas import Cancellation
from service.api.submissions import read_submission
from service.errors import ErrorRecord
from service.store.records import PortFilter, PortPage, PortRecord, PortSummary, State
from service.worker.runtime import Runtime

_DOWNLOAD = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, no-cache",
}


def make_ports_router(runtime: Runtime, request_body: dict[str, Any]) -> APIRouter:
    """``request_body``: the OpenAPI description of what ``POST`` takes, which is read by hand."""
    router = APIRouter(prefix="/v1/ports", tags=["ports"])

    @router.post("", status_code=202, response_model=PortSummary, openapi_extra={"requestBody": request_body})
    async def submit_port(request: Request, response: Response) -> PortSummary | Response:
        """Take a program in. The answer says where to look for the result."""
        submission = await read_submission(request)
        result = await run_in_threadpool(_submit, runtime, submission)
        if isinstance(result, PortRecord):
            response.headers["Location"] = f"/v1/ports/{result.id}"
        return result

    @router.get("")
    def list_ports(
        state: State | None = None,
        outcome: Outcome | None = None,
        name: Annotated[str | None, Query(max_length=500)] = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        before: Annotated[str | None, Query(max_length=64, description="`next` of the page before")] = None,
    ) -> PortPage:
        """Ports, newest first."""
        return runtime.list_ports(PortFilter(state=state, outcome=outcome, name=name), limit=limit, before=before)

    @router.get("/{port_id}")
    def get_port(port_id: str) -> PortRecord:
        """A port with its verdicts, findings and the names of its artifacts."""
        return runtime.get_port(port_id)

    @router.get("/{port_id}/artifacts/{name:path}", response_class=FileResponse)
    def get_artifact(port_id: str, name: str) -> FileResponse:
        """One artifact, as a download. ``report.json`` is the whole port."""
        artifact, path = runtime.get_artifact(port_id, name)
        headers = _DOWNLOAD | {"ETag": f'"{artifact.sha256}"'}
        filename = artifact.name.rpartition("/")[2]
        return FileResponse(path, headers=headers, media_type=artifact.media_type, filename=filename)

    @router.post("/{port_id}/cancel", status_code=202)
    def cancel_port(port_id: str) -> Cancellation:
        """Ask a port to stop. The answer is its state now; a running port ends soon after."""
        return Cancellation(id=port_id, state=runtime.cancel(port_id))

    return router


def _submit(runtime: Runtime, submission: Submission) -> PortRecord | Response:
    try:
        runtime.check(submission)
    except SandboxLayerError as error:
        port_id = runtime.refuse(submission.name, error, submission.targets)
        return problem_response(ErrorRecord.of(error), port=port_id)
    return runtime.get_port(runtime.submit(submission))
