"""Uses of macros that hide a launch, written out as ``hipLaunchKernelGGL(...)``, where that syntax is asked for.

Two kinds: ``#define CALL k<<<g, b>>>``, which is half a launch and has no other form, and
``#define LAUNCH(k, g, b, ...) k<<<g, b>>>(__VA_ARGS__)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from agents.hipify.launches import (
    Launch,
    find_template_names,
    is_configuration,
    launch_text,
    read_configuration,
    read_launch,
)
from agents.hipify.tables import Row
from agents.syntax.draft import Draft
from agents.syntax.edits import Rewrite
from agents.syntax.source import UNMATCHED, Directive, SourceText, Span
from agents.syntax.tokens import CODE

_REST = "__VA_ARGS__"
_GAP = re.compile(r"(?:\\\r?\n|\s)+")


@dataclass(frozen=True)
class LaunchMacro:
    """``parameters`` None: a macro without brackets, whose use brings the kernel's arguments."""

    source: SourceText
    parameters: tuple[str, ...] | None
    kernel: Span
    configuration: tuple[Span, ...]
    arguments: tuple[Span, ...]

    @property
    def fixed(self) -> list[str]:
        return [name for name in self.parameters or () if name != _REST]

    def takes(self, count: int) -> bool:
        """Whether it can be used with so many arguments."""
        if self.parameters is None:
            return True
        return count == len(self.fixed) or (count > len(self.fixed) and _REST in self.parameters)


def expand_launch_macros(draft: Draft, identifiers: Mapping[str, Row]) -> None:
    """Once everything else is edited: arguments keep their edits."""
    if not any(token.text == "<<<" for source in draft.project.sources.values() for token in source.code):
        return
    macros = {name: macro for source in draft.project.sources.values() for name, macro in _find(source)}
    templates = find_template_names(draft)
    source = draft.source
    for index, token in enumerate(source.code):
        if token.text in macros and token.directive == CODE and not draft.edits.claimed(token):
            opening = source.after(index)
            if opening is None or source.code[opening].text != "(" or source.partner[opening] == UNMATCHED:
                continue
            spans = [span for span in source.arguments(opening) if not span.empty]
            macro = macros[token.text]
            if not macro.takes(len(spans)):
                continue
            parts = tuple((source.code[span.first].offset, source.code[span.last].end) for span in spans)
            build = partial(_expand, macro, templates, identifiers)
            end = source.code[source.partner[opening]].end
            draft.rewrites.append(Rewrite(token.offset, end, parts, build))
            draft.edits.claim(token)


def _find(source: SourceText) -> Iterator[tuple[str, LaunchMacro]]:
    for directive in source.directives:
        words = {token.text for token in source.code[directive.first : directive.last + 1]}
        if directive.name != "define" or "<<<" not in words or words & {"#@", "##"}:
            continue
        macro = _read(source, directive)
        if macro is not None:
            yield source.code[directive.first + 2].text, macro


def _read(source: SourceText, directive: Directive) -> LaunchMacro | None:
    code = source.code
    name = directive.first + 2
    parameters: tuple[str, ...] | None = None
    body = name + 1
    if code[body].text == "(" and code[body].offset == code[name].end:
        closing = source.partner[body]
        if closing == UNMATCHED:
            return None
        spans = source.arguments(body)
        parameters = tuple(source.slice(span).replace("...", _REST) for span in spans)
        body = closing + 1
    opening = next((i for i in range(body, directive.last + 1) if code[i].text == "<<<"), None)
    if opening is None:
        return None
    last = directive.last - (code[directive.last].text == ";")
    if parameters is None:
        found = read_configuration(source, opening)
        if found is None or found[0].first != body or found[1] + 2 != last:
            return None
        kernel, closing_angle = found
        configuration = tuple(source.arguments(opening, closing_angle))
        return LaunchMacro(source, None, kernel, configuration, ()) if is_configuration(configuration) else None
    launch: Launch | None = read_launch(source, opening)
    if launch is None or launch.kernel.first != body or launch.end != last:
        return None
    configuration = tuple(source.arguments(launch.opening, launch.closing))
    if not is_configuration(configuration):
        return None
    return LaunchMacro(source, parameters, launch.kernel, configuration, tuple(source.arguments(launch.call)))


def _expand(macro: LaunchMacro, templates: frozenset[str], identifiers: Mapping[str, Row], values: list[str]) -> str:
    substitutes: dict[str, str] = {}
    if macro.parameters is not None:
        fixed = macro.fixed
        substitutes = dict(zip(fixed, values, strict=False))
        substitutes[_REST] = ", ".join(values[len(fixed) :])

    def render(span: Span) -> str:
        code, text = macro.source.code, ""
        for at in range(span.first, span.last + 1):
            word = code[at].text
            row = identifiers.get(word)
            gap = macro.source.text[code[at - 1].end : code[at].offset] if at > span.first else ""
            text += _GAP.sub(" ", gap) + substitutes.get(word, row.hip if row is not None and row.hip else word)
        return text

    arguments = values if macro.parameters is None else [render(span) for span in macro.arguments]
    kernel = render(macro.kernel)
    is_template = kernel.endswith(">") or kernel.split("::")[-1] in templates
    return launch_text(kernel, [render(span) for span in macro.configuration], arguments, is_template=is_template)
