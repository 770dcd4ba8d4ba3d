"""The OpenAPI document's parts that FastAPI cannot work out by itself."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic.json_schema import models_json_schema

from service.api.problems import MEDIA_TYPE, Problem
from service.api.schemas import PortOptions, PortRequest
from service.api.submissions import FILES_FIELD, OPTIONS_FIELD

_REF = "#/components/schemas/{model}"


def describe_submit_body() -> dict[str, Any]:
    form = {
        "type": "object",
        "required": [FILES_FIELD],
        "properties": {
            FILES_FIELD: {
                "type": "array",
                "minItems": 1,
                "items": {"type": "string", "contentMediaType": "application/octet-stream"},
                "description": "Sources and local headers; each file name is its path in the submission",
            },
            OPTIONS_FIELD: {
                "type": "string",
                "contentMediaType": "application/json",
                "contentSchema": {"$ref": _REF.format(model="PortOptions")},
            },
        },
    }
    return {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": _REF.format(model="PortRequest")}},
            "multipart/form-data": {"schema": form, "encoding": {OPTIONS_FIELD: {"contentType": "text/plain"}}},
        },
    }


def describe_problem() -> dict[str, Any]:
    schema = {"schema": {"$ref": _REF.format(model="Problem")}}
    return {"description": "The request failed", "content": {MEDIA_TYPE: schema}}


def complete_openapi(app: FastAPI) -> None:
    """Have the document hold the schemas that are only referred to."""
    make = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = make()
            _, definitions = models_json_schema(
                [(PortRequest, "validation"), (PortOptions, "validation"), (Problem, "validation")],
                ref_template=_REF,
            )
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            for name, schema in definitions["$defs"].items():
                schemas.setdefault(name, schema)
        return make()

    app.openapi = openapi  # type: ignore[method-assign]
