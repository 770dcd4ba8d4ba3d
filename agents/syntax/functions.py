"""Function bodies and the side that each runs on, from tokens alone.

Right also where the attribute hides in a macro (``HD``), in lambdas (``[=] __device__``) and in code that a
parser gives up on; a body whose head it cannot read is simply not listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agents.syntax.source import UNMATCHED, SourceText
from agents.syntax.tokens import CODE, TokenKind

DEVICE_ATTRIBUTES = frozenset({"__device__", "__global__"})
_NO_HEAD = frozenset(
    [
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "return",
        "do",
        "else",
        "namespace",
        "case",
        "default",
        "throw",
        "goto",
        "try",
        "using",
    ]
)
_ATTRIBUTES_WITH_ARGUMENTS = frozenset(
    [
        "__launch_bounds__",
        "__attribute__",
        "__align__",
        "alignas",
        "decltype",
        "noexcept",
        "__declspec",
        "__cluster_dims__",
        "__maxnreg__",
        "requires",
        "explicit",
    ]
)
_ACCESS = frozenset({"public", "private", "protected"})
_LAMBDA_TAIL = frozenset({"mutable", "const", "noexcept", "constexpr", "__device__", "__host__", "__forceinline__"})


@dataclass(frozen=True)
class Function:
    """A function's body: indexes into ``SourceText.code`` of the head's first token and the two braces."""

    name: str
    head: int
    opening: int
    closing: int
    device: bool
    kernel: bool

    def __contains__(self, index: int) -> bool:
        return self.head <= index <= self.closing


def find_device_macros(sources: Iterable[SourceText]) -> frozenset[str]:
    """Names of macros that expand, directly or through another macro, to a device attribute."""
    bodies: dict[str, set[str]] = {}
    for source in sources:
        for directive in source.directives:
            if directive.name == "define" and directive.last > directive.first + 2:
                words = {t.text for t in source.code[directive.first + 3 : directive.last + 1]}
                bodies.setdefault(source.code[directive.first + 2].text, set()).update(words)
    found: set[str] = set()
    known = set(DEVICE_ATTRIBUTES)
    while True:
        new = {name for name, words in bodies.items() if name not in found and words & known}
        if not new:
            return frozenset(found)
        found |= new
        known |= new


def find_functions(source: SourceText, device_macros: frozenset[str] = frozenset()) -> list[Function]:
    """Every function and lambda with a body, outermost first."""
    attributes = DEVICE_ATTRIBUTES | device_macros
    found: list[Function] = []
    open_functions: list[Function] = []
    for head, opening in _braces(source):
        while open_functions and open_functions[-1].closing < opening:
            open_functions.pop()
        closing = source.partner[opening]
        if closing == UNMATCHED:
            continue
        function = _read(source, head, opening, closing, attributes, open_functions)
        if function is not None:
            found.append(function)
            open_functions.append(function)
    return found


def find_kernels(source: SourceText) -> Iterator[str]:
    """The names of the kernels that ``source`` declares or defines."""
    for index, token in enumerate(source.code):
        if token.text != "__global__":
            continue
        at = source.after(index)
        while at is not None and source.code[at].text not in (";", "{"):
            if source.code[at].text == "(":
                name = source.before(at)
                if name is not None and source.code[name].text not in _ATTRIBUTES_WITH_ARGUMENTS:
                    yield source.code[name].text
                    break
                at = source.partner[at] if source.partner[at] != UNMATCHED else at
            at = source.after(at)


def _braces(source: SourceText) -> Iterator[tuple[int, int]]:
    """Each ``{`` with the index where its statement begins."""
    start = 0
    code = source.code
    for index, token in enumerate(code):
        if token.directive != CODE:
            continue
        text = token.text
        if text == "{":
            yield start, index
            start = index + 1
        elif text in (";", "}") or (text == ":" and index and code[index - 1].text in _ACCESS):
            start = index + 1


def _read(
    source: SourceText,
    head: int,
    opening: int,
    closing: int,
    attributes: frozenset[str],
    enclosing: list[Function],
) -> Function | None:
    inherited = bool(enclosing) and enclosing[-1].device
    lambda_at = _lambda_start(source, opening)
    if lambda_at is not None:
        words = {t.text for t in source.code[lambda_at:opening]}
        return Function("", lambda_at, opening, closing, inherited or bool(words & attributes), False)
    while head < opening and source.code[head].directive != CODE:
        head += 1
    if head >= opening or source.code[head].text in _NO_HEAD:
        return None
    name_at = _name(source, head, opening)
    if name_at is None:
        return None
    words = {t.text for t in source.code[head:opening]}
    device = inherited or bool(words & attributes)
    return Function(source.code[name_at].text, head, opening, closing, device, "__global__" in words)


def _lambda_start(source: SourceText, opening: int) -> int | None:
    at = source.before(opening)
    while at is not None and source.code[at].text in _LAMBDA_TAIL:
        at = source.before(at)
    if at is not None and source.code[at].text == ")" and source.partner[at] != UNMATCHED:
        at = source.before(source.partner[at])
        while at is not None and source.code[at].text in _LAMBDA_TAIL:
            at = source.before(at)
    if at is None or source.code[at].text != "]" or source.partner[at] == UNMATCHED:
        return None
    start = source.partner[at]
    before = source.before(start)
    if before is not None and (
        source.code[before].kind is TokenKind.IDENTIFIER and source.code[before].text not in ("return", "co_return")
    ):
        return None
    return start


def _name(source: SourceText, head: int, opening: int) -> int | None:
    """The name before the parameter list, or None where the head is no function's."""
    at = head
    while at < opening:
        token = source.code[at]
        if token.directive != CODE:
            at += 1
            continue
        if token.text in ("=", "class", "struct", "union", "enum") and not _in_template(source, head, at):
            return None
        if token.text == "<" and at > head and source.code[at - 1].kind is TokenKind.IDENTIFIER:
            end = source.angle_partner(at)
            at = end if end != UNMATCHED and end < opening else at
        elif token.text == "(":
            if source.partner[at] == UNMATCHED or source.partner[at] > opening:
                return None
            before = source.before(at)
            if before is None or before < head:
                return None
            word = source.code[before]
            if word.text not in _ATTRIBUTES_WITH_ARGUMENTS and word.text != ")":
                return before
            at = source.partner[at]
        at += 1
    return None


def _in_template(source: SourceText, head: int, at: int) -> bool:
    """Whether ``at`` is a return type's elaborated specifier followed by more of a declarator."""
    following = source.after(at)
    if source.code[at].text == "=" or following is None:
        return False
    beyond = source.after(following)
    return beyond is not None and source.code[beyond].kind is TokenKind.IDENTIFIER
