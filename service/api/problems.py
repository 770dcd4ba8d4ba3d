"""Errors as RFC 9457 problem documents: what happened and what to do, never how the server looks inside."""

from __future__ import annotations

import http
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from sandbox.errors import SandboxLayerError
from service.errors import INTERNAL, ErrorRecord, meaning_of

MEDIA_TYPE = "application/problem+json"


class InvalidField(BaseModel):
    field: str
    message: str


class Problem(BaseModel):
    """RFC 9457. ``type`` names ``code``; ``port`` is there where a row of that id tells the same."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    hint: str | None = None
    port: str | None = None
    errors: list[InvalidField] | None = Field(None, description="Fields of the request that are wrong")


def problem_response(record: ErrorRecord, **more: Any) -> Response:
    meaning = meaning_of(record.code)
    # What our side's failures say about this machine is for its log, not for the client.
    hidden = meaning.status >= 500
    problem = Problem(
        type=f"urn:warp2wave:error:{record.code}",
        title=meaning.title,
        status=meaning.status,
        detail="The server failed; its log says why." if hidden else record.message,
        code=record.code,
        hint=(record.hint or None) if not hidden else None,
        **more,
    )
    return _respond(problem, {"WWW-Authenticate": "Bearer"} if meaning.status == 401 else {})


def install_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(SandboxLayerError)
    def handle_ours(request: Request, error: SandboxLayerError) -> Response:
        return problem_response(ErrorRecord.of(error))

    @app.exception_handler(RequestValidationError)
    def handle_invalid(request: Request, error: RequestValidationError) -> Response:
        return invalid_response(error.errors())

    @app.exception_handler(ValidationError)
    def handle_invalid_body(request: Request, error: ValidationError) -> Response:
        return invalid_response(error.errors(include_input=False, include_url=False, include_context=False))

    @app.exception_handler(HTTPException)
    def handle_http(request: Request, error: HTTPException) -> Response:
        title = http.HTTPStatus(error.status_code).phrase
        problem = Problem(
            type="about:blank", title=title, status=error.status_code, detail=str(error.detail), code="http"
        )
        return _respond(problem, error.headers or {})

    @app.exception_handler(Exception)
    def handle_bug(request: Request, error: Exception) -> Response:
        return problem_response(ErrorRecord(code=INTERNAL, message=""))


def invalid_response(errors: Sequence[Any]) -> Response:
    fields = [
        InvalidField(field=".".join(str(part) for part in error["loc"]), message=error["msg"]) for error in errors
    ]
    detail = "; ".join(f"{each.field}: {each.message}" for each in fields)
    problem = Problem(
        type="urn:warp2wave:error:request",
        title="Invalid request",
        status=422,
        detail=detail,
        code="request",
        errors=fields,
    )
    return _respond(problem, {})


def _respond(problem: Problem, headers: Any) -> Response:
    content = problem.model_dump(exclude_none=True)
    return JSONResponse(content, problem.status, headers=dict(headers), media_type=MEDIA_TYPE)
