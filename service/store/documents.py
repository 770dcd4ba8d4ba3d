"""Models as stored JSON text.

Sources are decoded with surrogateescape, and text with lone surrogates has no UTF-8 form: pydantic's own JSON
methods refuse it, as do both databases. ASCII JSON with escapes carries every such text and reads back equal.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel

ModelT = TypeVar("ModelT", bound=BaseModel)


def encode_model(model: BaseModel) -> str:
    """``model`` as ASCII JSON, byte-identical for equal models."""
    return encode_json(model.model_dump(mode="json", by_alias=True))


def decode_model(kind: type[ModelT], text: str | bytes) -> ModelT:
    return kind.model_validate(json.loads(text))


def encode_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
