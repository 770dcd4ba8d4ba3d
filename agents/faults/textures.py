"""Texture and surface reads in kernels: CDNA parts have no texture units."""

from __future__ import annotations

import re

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.tokens import TokenKind

_FETCH = re.compile(r"(tex[123]D|tex1Dfetch|texCubemap|surf[123]D|surfCubemap)\w*$")


def find_textures(draft: Draft) -> None:
    source = draft.source
    for index, token in enumerate(source.code):
        if token.kind is not TokenKind.IDENTIFIER or not _FETCH.match(token.text):
            continue
        if source.text_after(index) in ("(", "<") and draft.on_device(index) and not draft.excluded(index):
            report_fault(draft, "H02", index, Action.TO_DO, "Read from a buffer and filter in the kernel.")
