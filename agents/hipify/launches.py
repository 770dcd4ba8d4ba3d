"""``k<<<g, b>>>(x)`` as ``hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, x)``, where it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from agents.syntax.draft import Draft
from agents.syntax.source import UNMATCHED, SourceText, Span
from agents.syntax.tokens import Token, TokenKind

_DEFAULTS = ("0", "0")
"""Dynamic shared memory and stream, where a launch leaves them out."""
_STATEMENT_ENDS = frozenset({";", "{", "}"})


@dataclass(frozen=True)
class Launch:
    """Indexes into ``SourceText.code``: the kernel's expression, the ``<<<``, its ``>>>``, the brackets."""

    kernel: Span
    opening: int
    closing: int
    call: int
    end: int


def rewrite_launches(draft: Draft) -> None:
    templates = find_template_names(draft)
    for index, token in enumerate(draft.source.code):
        if token.text == "<<<":
            launch = read_launch(draft.source, index)
            if launch is not None and not draft.edits.claimed(token):
                _rewrite(draft, launch, templates)


def read_launch(source: SourceText, opening: int) -> Launch | None:
    """The launch whose ``<<<`` is at ``opening``; None where it cannot be read as one."""
    found = read_configuration(source, opening)
    if found is None:
        return None
    kernel, closing = found
    call = source.after(closing + 2)
    if call is None or source.code[call].text != "(" or source.partner[call] == UNMATCHED:
        return None
    return Launch(kernel, opening, closing, call, source.partner[call])


def read_configuration(source: SourceText, opening: int) -> tuple[Span, int] | None:
    """The kernel before the ``<<<`` at ``opening``, and the first ``>`` of its ``>>>``."""
    kernel = _kernel(source, opening)
    closing = _closing(source, opening)
    return None if kernel is None or closing is None else (kernel, closing)


def is_configuration(configuration: Sequence[Span]) -> bool:
    return 2 <= len(configuration) <= 4 and not any(span.empty for span in configuration)


def launch_text(kernel: str, configuration: list[str], arguments: list[str], *, is_template: bool) -> str:
    """A launch from its parts."""
    sizes = [size if size.startswith("dim3(") else f"dim3({size})" for size in configuration[:2]]
    rest = [*configuration[2:], *_DEFAULTS[len(configuration) - 2 :]]
    name = f"HIP_KERNEL_NAME({kernel})" if is_template else kernel
    return f"hipLaunchKernelGGL({', '.join([name, *sizes, *rest, *(a for a in arguments if a)])})"


def find_template_names(draft: Draft) -> frozenset[str]:
    """Names behind which template arguments may stand: templates, and macros that have some."""
    found: set[str] = set()
    for source in draft.project.sources.values():
        found |= find_template_kernels(source)
        for directive in source.directives:
            words = [token.text for token in source.code[directive.first + 2 : directive.last + 1]]
            if directive.name == "define" and "<" in words:
                found.add(words[0])
    return frozenset(found)


def find_template_kernels(source: SourceText) -> set[str]:
    """The names of the kernels of ``source`` that are templates."""
    found: set[str] = set()
    start = 0
    for index, token in enumerate(source.code):
        if token.text in _STATEMENT_ENDS:
            start = index + 1
        elif token.text == "__global__" and any(t.text == "template" for t in source.code[start:index]):
            name = _declared_name(source, index)
            if name:
                found.add(name)
    return found


def _declared_name(source: SourceText, index: int) -> str:
    for at in range(index + 1, len(source.code)):
        text = source.code[at].text
        if text in _STATEMENT_ENDS:
            return ""
        following = source.code[at + 1].text if at + 1 < len(source.code) else ""
        if following == "(" and source.code[at].kind is TokenKind.IDENTIFIER and not text.startswith("__"):
            return text
    return ""


def _kernel(source: SourceText, opening: int) -> Span | None:
    """The expression before ``<<<``: a qualified name with its template arguments, or one in brackets."""
    last = source.before(opening)
    if last is None:
        return None
    first = last
    if source.code[last].text == ")":
        first = source.partner[last]
        return Span(first, last) if first != UNMATCHED else None
    if source.code[last].text == ">":
        first = _template_start(source, last)
        if first == UNMATCHED:
            return None
    if source.code[first].kind is not TokenKind.IDENTIFIER:
        return None
    while (colons := source.before(first)) is not None and source.code[colons].text in ("::", ".", "->"):
        scope = source.before(colons)
        if scope is None or source.code[scope].kind is not TokenKind.IDENTIFIER:
            return Span(colons, last) if source.code[colons].text == "::" else Span(first, last)
        first = scope
    return Span(first, last)


def _template_start(source: SourceText, last: int) -> int:
    """The name before the ``<`` whose arguments end at ``last``."""
    at: int | None = source.before(last)
    for _ in range(200):
        if at is None or source.code[at].text in _STATEMENT_ENDS:
            return UNMATCHED
        if source.code[at].text == "<" and source.angle_partner(at) == last:
            name = source.before(at)
            return UNMATCHED if name is None else name
        at = source.before(at)
    return UNMATCHED


def _closing(source: SourceText, opening: int) -> int | None:
    """The first of the three ``>`` that end the launch's configuration."""
    at: int | None = source.after(opening)
    while at is not None:
        text = source.code[at].text
        if text in ("(", "[", "{"):
            if source.partner[at] == UNMATCHED:
                return None
            at = source.partner[at]
        elif text in _STATEMENT_ENDS or text == ")":
            return None
        elif text == ">" and _are_adjacent(source.code[at : at + 3]):
            return at
        at = source.after(at)
    return None


def _are_adjacent(tokens: list[Token]) -> bool:
    if len(tokens) != 3 or any(token.text != ">" for token in tokens):
        return False
    return tokens[1].offset == tokens[0].end and tokens[2].offset == tokens[1].end


def _rewrite(draft: Draft, launch: Launch, templates: frozenset[str]) -> None:
    source, edits = draft.source, draft.edits
    configuration = source.arguments(launch.opening, launch.closing)
    if not is_configuration(configuration):
        return
    code = source.code
    opening, closing = code[launch.opening], code[launch.closing + 2]
    last_kernel = code[launch.kernel.last]
    name = launch.kernel.last
    has_arguments = code[name].text == ">"
    is_template = has_arguments or code[name].text in templates
    before, after = ("HIP_KERNEL_NAME(", ")") if is_template else ("", "")
    edits.insert_before(code[launch.kernel.first], f"hipLaunchKernelGGL({before}")
    edits.remove(last_kernel.end, code[configuration[0].first].offset)
    edits.insert_after(last_kernel, f"{after}, ")
    for span in configuration[:2]:
        if not _is_dim3(source, span):
            edits.insert_before(code[span.first], "dim3(")
            edits.insert_after(code[span.last], ")")
    for left, right in pairwise(configuration):
        edits.remove(code[left.last].end, code[right.first].offset)
        edits.insert_after(code[left.last], ", ")
    rest = "".join(f", {value}" for value in _DEFAULTS[len(configuration) - 2 :])
    call = code[launch.call]
    following = code[launch.call + 1]
    empty = launch.call + 1 == launch.end
    edits.remove(code[configuration[-1].last].end, following.offset)
    edits.insert_after(code[configuration[-1].last], rest if empty else f"{rest}, ")
    for token in (opening, closing, call):
        edits.claim(token)


def _is_dim3(source: SourceText, span: Span) -> bool:
    opening = span.first + 1
    return (
        source.code[span.first].text == "dim3"
        and opening < len(source.code)
        and source.code[opening].text == "("
        and source.partner[opening] == span.last
    )
