"""From the body of a request to a submission: multipart files, or JSON."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import Request
from starlette.datastructures import UploadFile

from agents.models import SourceFile, Submission
from service.api.schemas import PortOptions, PortRequest
from service.errors import RequestError
from service.worker.admission import MAX_FILES

FILES_FIELD = "files"
OPTIONS_FIELD = "options"
_SINGLE_FILE = "kernel.cu"
_BOTH = "send multipart/form-data with `files` and `options`, or application/json"


async def read_submission(request: Request) -> Submission:
    """Raises RequestError, or pydantic's ValidationError with the fields that are wrong."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return _from_json(PortRequest.model_validate_json(await request.body()))
    if kind == "multipart/form-data":
        return await _from_form(request)
    raise RequestError(f"cannot read a body of type {kind or '(none)'!r}", hint=_BOTH)


def _from_json(body: PortRequest) -> Submission:
    if (body.source is None) == (not body.files):
        raise RequestError("give either `source` or `files`")
    if body.source is None:
        return _submission(body, body.files)
    name = body.main_files[0] if len(body.main_files) == 1 else body.name or _SINGLE_FILE
    return _submission(body, (SourceFile(path=name, text=body.source),))


async def _from_form(request: Request) -> Submission:
    async with request.form(max_files=MAX_FILES, max_fields=2) as form:
        unknown = set(form) - {FILES_FIELD, OPTIONS_FIELD}
        if unknown:
            raise RequestError(f"unknown form fields: {', '.join(sorted(unknown))}", hint=_BOTH)
        uploads = form.getlist(FILES_FIELD)
        options = form.getlist(OPTIONS_FIELD) or ["{}"]
        if len(options) != 1 or not isinstance(options[0], str):
            raise RequestError("`options` must be one field of JSON text", hint=_BOTH)
        files = [await _read_upload(upload) for upload in uploads]
    return _submission(PortOptions.model_validate_json(options[0]), files)


async def _read_upload(upload: UploadFile | str) -> SourceFile:
    if isinstance(upload, str) or not upload.filename:
        raise RequestError("each of `files` must be a file with a name", hint=_BOTH)
    content = await upload.read()
    return SourceFile(path=upload.filename, text=content.decode("utf-8", "surrogateescape"))


def _submission(options: PortOptions, files: Sequence[SourceFile]) -> Submission:
    sole = [files[0].path] if len(files) == 1 else []
    main_files = options.main_files or tuple(sole or [file.path for file in files if file.path.endswith(".cu")])
    return Submission(
        name=options.name or next(iter(main_files), ""),
        files=tuple(files),
        main_files=main_files,
        targets=options.targets,
        build=options.build,
        run=options.run,
        explain=options.explain,
    )
