"""Macros of a submission: their definitions, and the text that a call expands to (C++17 [cpp.replace])."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agents.syntax.lexer import lex
from agents.syntax.source import UNMATCHED, Directive, SourceText
from agents.syntax.tokens import INSIGNIFICANT, Token, TokenKind

_DEEPEST = 32
"""Macros within macros that are followed."""
_LONGEST = 200_000
"""Characters that an expansion may have."""


class ExpansionError(Exception):
    """A call that cannot be expanded."""


@dataclass(frozen=True)
class Macro:
    """``parameters`` is None for a macro that is no function; a last ``...`` is ``__VA_ARGS__``."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]

    @property
    def variadic(self) -> bool:
        return bool(self.parameters) and self.parameters[-1] == "__VA_ARGS__"  # type: ignore[index]


def find_macros(sources: Iterable[SourceText]) -> Mapping[str, Macro | None]:
    """The macros by name; None for a name that stands for more than one thing."""
    found: dict[str, Macro | None] = {}
    for source in sources:
        for directive in source.directives:
            macro = read_macro(source, directive)
            if macro is None:
                continue
            if macro.name in found and not _same(found[macro.name], macro):
                found[macro.name] = None
            else:
                found[macro.name] = macro
    return found


def read_macro(source: SourceText, directive: Directive) -> Macro | None:
    """The macro that a directive defines, None where it defines none."""
    at = directive.first + 2
    if directive.name != "define" or at > directive.last:
        return None
    name = source.code[at]
    parameters: tuple[str, ...] | None = None
    at += 1
    if at <= directive.last and source.code[at].text == "(" and source.code[at].offset == name.end:
        closing = source.partner[at]
        if closing == UNMATCHED:
            return None
        words = [token.text for token in source.code[at + 1 : closing] if token.text != ","]
        parameters = tuple("__VA_ARGS__" if word == "..." else word for word in words)
        at = closing + 1
    return Macro(name.text, parameters, tuple(source.code[at : directive.last + 1]))


def _same(one: Macro | None, other: Macro) -> bool:
    return one is not None and one.parameters == other.parameters and texts(one.body) == texts(other.body)


def texts(tokens: Iterable[Token]) -> list[str]:
    return [token.text for token in tokens]


def expand_call(macro: Macro, arguments: list[str]) -> str:
    """The body with the arguments in place of the parameters; macros in it stay. ExpansionError for a bad call."""
    named = _named(macro, arguments)
    out: list[str] = []
    at, body = 0, macro.body
    while at < len(body):
        token = body[at]
        following = body[at + 1].text if at + 1 < len(body) else ""
        if at and not _pasted(body, at):
            gap = " " if body[at - 1].end != token.offset else ""
            out.append(gap)
        if token.text == "#" and macro.parameters is not None and following in named:
            out.append(stringise(named[following]))
            at += 2
            continue
        if token.text == "##":
            at += 1
            continue
        out.append(named.get(token.text, token.text) if token.kind is TokenKind.IDENTIFIER else token.text)
        at += 1
    result = "".join(out)
    if len(result) > _LONGEST:
        raise ExpansionError(f"the expansion of {macro.name} is too long")
    return result


def _pasted(body: tuple[Token, ...], at: int) -> bool:
    return body[at].text == "##" or body[at - 1].text == "##"


def _named(macro: Macro, arguments: list[str]) -> dict[str, str]:
    parameters = macro.parameters or ()
    if not parameters and arguments in ([], [""]):
        return {}
    if macro.variadic:
        fixed = len(parameters) - 1
        if len(arguments) < fixed:
            raise ExpansionError(f"{macro.name} needs more arguments")
        return {**dict(zip(parameters, arguments[:fixed], strict=False)), "__VA_ARGS__": ", ".join(arguments[fixed:])}
    if len(arguments) != len(parameters):
        raise ExpansionError(f"{macro.name} takes {len(parameters)} arguments, not {len(arguments)}")
    return dict(zip(parameters, arguments, strict=True))


def stringise(argument: str) -> str:
    """``#argument``."""
    text = re.sub(r"\s+", " ", argument.strip())
    out = []
    for token in lex(text):
        if token.kind in (TokenKind.STRING, TokenKind.CHARACTER):
            out.append(token.text.replace("\\", "\\\\").replace('"', '\\"'))
        else:
            out.append(token.text)
    return '"' + "".join(out) + '"'


def expand_fully(text: str, macros: Mapping[str, Macro | None], depth: int = 0) -> str:
    """``text`` with every macro in it expanded. ExpansionError for one that is not known for sure."""
    if depth > _DEEPEST:
        raise ExpansionError("macros are nested too deeply")
    source = SourceText("", text)
    out: list[str] = []
    done = index = 0
    while index < len(source.code):
        token = source.code[index]
        call = find_call(source, index, macros)
        if call is None:
            index += 1
            continue
        macro, arguments, last = call
        # Arguments are expanded first, except where they are turned into strings, for which they are kept.
        expanded = expand_call(macro, arguments if _makes_strings(macro) else [
            expand_fully(argument, macros, depth + 1) for argument in arguments
        ])  # fmt: skip
        out += [text[done : token.offset], expand_fully(expanded, _without(macros, macro.name), depth + 1)]
        done = source.code[last].end
        index = last + 1
    return "".join(out) + text[done:]


def find_call(
    source: SourceText, index: int, macros: Mapping[str, Macro | None]
) -> tuple[Macro, list[str], int] | None:
    """The macro that the token at ``index`` calls, its arguments and its last token. ExpansionError where its
    definition is not known for sure."""
    token = source.code[index]
    if token.kind is not TokenKind.IDENTIFIER or token.text not in macros:
        return None
    macro = macros[token.text]
    if macro is None:
        raise ExpansionError(f"{token.text} is defined in more than one way")
    if macro.parameters is None:
        return macro, [], index
    opening = source.after(index)
    if opening is None or source.code[opening].text != "(" or source.partner[opening] == UNMATCHED:
        return None
    return macro, _arguments(source, opening), source.partner[opening]


def _arguments(source: SourceText, opening: int) -> list[str]:
    """The arguments' texts. Only round brackets keep a comma from dividing them."""
    closing = source.partner[opening]
    parts: list[str] = []
    start = source.code[opening].end
    at = opening + 1
    while at < closing:
        text = source.code[at].text
        if text == "(" and source.partner[at] != UNMATCHED:
            at = source.partner[at]
        elif text == ",":
            parts.append(_plain(source.text[start : source.code[at].offset]))
            start = source.code[at].end
        at += 1
    parts.append(_plain(source.text[start : source.code[closing].offset]))
    return parts


def _plain(text: str) -> str:
    """Without comments and line breaks."""
    parts = [" " if token.kind in INSIGNIFICANT else token.text for token in lex(text)]
    return re.sub(r" +", " ", "".join(parts)).strip()


def _makes_strings(macro: Macro) -> bool:
    return macro.parameters is not None and any(token.text in ("#", "##") for token in macro.body)


def _without(macros: Mapping[str, Macro | None], name: str) -> Mapping[str, Macro | None]:
    return {key: value for key, value in macros.items() if key != name}
