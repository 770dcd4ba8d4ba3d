"""Macros that build PTX: where a template is not only literals, its macros are expanded, and a macro whose parameters
go into a template is expanded wherever it is called, since each call is another instruction."""

from __future__ import annotations

from collections.abc import Mapping

from agents.syntax.macros import ExpansionError, Macro, expand_call, expand_fully, find_call, find_macros
from agents.syntax.source import UNMATCHED, SourceText
from agents.syntax.tokens import CODE, Token, TokenKind

ASM_WORDS = frozenset({"asm", "__asm__", "__asm"})
_QUALIFIERS = frozenset({"volatile", "__volatile__", "goto", "inline"})
_DEEPEST = 32


def expand_asm_macros(sources: Mapping[str, SourceText]) -> dict[str, SourceText]:
    """The sources with what builds PTX expanded; lines keep their numbers. A call that cannot be expanded stays, and
    the statement in it is reported later."""
    if not any(token.text in ASM_WORDS for source in sources.values() for token in source.code):
        return dict(sources)
    macros = find_macros(sources.values())
    builders = find_builders(macros)
    return {path: _expand_source(source, macros, builders) for path, source in sources.items()}


def find_builders(macros: Mapping[str, Macro | None]) -> frozenset[str]:
    """The macros whose parameters become part of a template, directly or through other macros."""
    found = {name for name, macro in macros.items() if macro is not None and _builds(macro)}
    while True:
        more = {
            name
            for name, macro in macros.items()
            if macro is not None and name not in found and _mentions(macro, found)
        }
        if not more:
            return frozenset(found)
        found |= more


def is_called(sources: Mapping[str, SourceText], name: str) -> bool:
    """Whether code calls the macro ``name``, directly or through other macros."""
    callers = {name}
    macros = find_macros(sources.values())
    while True:
        more = {name for name, m in macros.items() if name not in callers and m is not None and _mentions(m, callers)}
        if not more:
            break
        callers |= more
    return any(t.directive == CODE and t.text in callers for source in sources.values() for t in source.code)


def _mentions(macro: Macro, names: set[str]) -> bool:
    """Whether the body has one of the names, or may have one after ``##`` has joined its parts."""
    body = macro.body
    if any(token.text in names for token in body):
        return True
    joined = [at for at, token in enumerate(body) if token.text == "##" and 0 < at < len(body) - 1]
    return any(
        name.startswith(body[at - 1].text) or name.endswith(body[at + 1].text) for at in joined for name in names
    )


def _builds(macro: Macro) -> bool:
    return any(_has_parameters(macro, at) for at, token in enumerate(macro.body) if token.text in ASM_WORDS)


def _has_parameters(macro: Macro, at: int) -> bool:
    """Whether the template of the ``asm`` at ``at`` of a macro's body is more than literals."""
    at += 1
    while at < len(macro.body) and macro.body[at].text in _QUALIFIERS:
        at += 1
    return any(token.kind is not TokenKind.STRING for token in _template(macro.body[at + 1 :]))


def _template(tokens: tuple[Token, ...] | list[Token]) -> list[Token]:
    """The tokens before the first colon or the closing bracket."""
    depth = 0
    for number, token in enumerate(tokens):
        if depth == 0 and token.text in (":", "::", ")"):
            return list(tokens[:number])
        depth += (token.text == "(") - (token.text == ")")
    return list(tokens)


def _expand_source(source: SourceText, macros: Mapping[str, Macro | None], builders: frozenset[str]) -> SourceText:
    changes: list[tuple[int, int, str]] = []
    index = 0
    while index < len(source.code):
        token = source.code[index]
        last = index
        try:
            if token.directive == CODE and token.text in builders:
                call = find_call(source, index, macros)
                if call is not None:
                    macro, arguments, last = call
                    text = _expand(expand_call(macro, arguments), macros, builders, 0)
                    changes.append((token.offset, source.code[last].end, text))
            elif token.text in ASM_WORDS and (token.directive == CODE or not _in_builder(source, index, builders)):
                span = _open_template(source, index)
                if span is not None:
                    text = expand_fully(source.text[span[0] : span[1]], macros)
                    changes.append((*span, text))
        except ExpansionError:
            last = index
        index = last + 1
    if not changes:
        return source
    return SourceText(source.path, _apply(source.text, changes))


def _expand(text: str, macros: Mapping[str, Macro | None], builders: frozenset[str], depth: int) -> str:
    """The body of a call: builders in it are expanded in turn, and so are the macros of its templates."""
    if depth > _DEEPEST:
        raise ExpansionError("macros are nested too deeply")
    inner = _expand_source(SourceText("", text), macros, builders)
    return inner.text


def _in_builder(source: SourceText, index: int, builders: frozenset[str]) -> bool:
    number = source.code[index].directive
    directive = next(d for d in source.directives if source.code[d.first].directive == number)
    return directive.last > directive.first + 1 and source.code[directive.first + 2].text in builders


def _open_template(source: SourceText, index: int) -> tuple[int, int] | None:
    """Where the template of the ``asm`` at ``index`` stands, if it is more than literals."""
    at = source.after(index)
    while at is not None and source.code[at].text in _QUALIFIERS:
        at = source.after(at)
    if at is None or source.code[at].text != "(" or source.partner[at] == UNMATCHED:
        return None
    template = _template(source.code[at + 1 : source.partner[at]])
    if not template or all(token.kind is TokenKind.STRING for token in template):
        return None
    return template[0].offset, template[-1].end


def _apply(text: str, changes: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, new in changes:
        # A call over several lines leaves its line breaks behind it, so that lines keep their numbers.
        parts += [text[done:start], new, "\n" * (text.count("\n", start, end) - new.count("\n"))]
        done = end
    return "".join(parts) + text[done:]
