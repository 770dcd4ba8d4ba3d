"""Which names of a file are the user's own although an API has them too.

Candidates come from tokens; the parse tree decides whether one is really a declarator. Where the tree has an
ERROR node the token before decides: a builtin type's name makes what follows it a declarator.
"""

from __future__ import annotations

import sys
import threading
from bisect import bisect_left
from collections.abc import Container, Iterable
from dataclasses import dataclass

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

from agents.syntax.source import UNMATCHED, SourceText, Span, holds, merge_spans
from agents.syntax.tokens import CODE, TokenKind

_LANGUAGE = Language(tree_sitter_cuda.language())
_PARSERS = threading.local()
MEMBER_ACCESS = frozenset({".", "->"})
_KEYWORDS = frozenset(
    {
        "return", "case", "else", "typename", "new", "throw", "const", "constexpr", "static", "typedef", "using",
        "public", "private", "protected", "virtual", "inline", "extern", "sizeof", "friend", "volatile", "mutable",
        "namespace", "explicit", "class", "struct", "goto", "do", "delete", "co_return", "co_await", "co_yield",
    }
)  # fmt: skip
_BEFORE_DECLARATOR = frozenset({"*", "&", "&&", ">"})
_AFTER_DECLARATOR = frozenset({"(", "=", ";", ",", "[", "{", ")", ":", ">"})
_BUILTIN_TYPES = frozenset(
    [
        "auto",
        "bool",
        "char",
        "double",
        "float",
        "int",
        "long",
        "short",
        "signed",
        "unsigned",
        "void",
        "size_t",
        "const",
        "constexpr",
    ]
)
_EXPRESSION_WORDS = frozenset(
    [
        "return",
        "else",
        "case",
        "throw",
        "new",
        "delete",
        "sizeof",
        "goto",
        "co_return",
        "co_yield",
        "typename",
        "operator",
        "not",
        "and",
        "or",
        "do",
    ]
)
_LONGEST_TEMPLATE = 500
"""Tokens of a template's parameter list that are looked at."""
_DECLARES = {
    "function_declarator": "declarator",
    "init_declarator": "declarator",
    "pointer_declarator": "declarator",
    "array_declarator": "declarator",
    "parenthesized_declarator": "",
    "reference_declarator": "",
    "declaration": "declarator",
    "field_declaration": "declarator",
    "parameter_declaration": "declarator",
    "optional_parameter_declaration": "declarator",
    "type_definition": "declarator",
    "alias_declaration": "name",
    "enumerator": "name",
    "class_specifier": "name",
    "struct_specifier": "name",
    "union_specifier": "name",
    "enum_specifier": "name",
    "namespace_definition": "name",
    "for_range_loop": "declarator",
    "preproc_def": "name",
    "preproc_function_def": "name",
}
_TAGS = frozenset({"class_specifier", "struct_specifier", "union_specifier", "enum_specifier"})


@dataclass(frozen=True)
class UserNames:
    """Where in a file a name means the user's thing: token ranges by name, in order and apart from each other."""

    scopes: dict[str, tuple[Span, ...]]

    def owns(self, name: str, index: int) -> bool:
        scopes = self.scopes.get(name)
        return scopes is not None and holds(scopes, index)

    def with_global(self, names: Iterable[str]) -> UserNames:
        """The same, with ``names`` the user's everywhere."""
        everywhere = (Span(0, sys.maxsize),)
        return UserNames({**self.scopes, **dict.fromkeys(names, everywhere)})


def is_api_name(source: SourceText, index: int, user: UserNames) -> bool:
    """Whether the identifier at ``index`` can mean an API's thing of that name: neither declared by the user
    nor a member of something."""
    return not user.owns(source.code[index].text, index) and not is_elsewhere(source, index)


def is_elsewhere(source: SourceText, index: int) -> bool:
    """Whether the name is a member, or stands in a scope that is the user's."""
    previous = source.before(index)
    if previous is None:
        return False
    text = source.code[previous].text
    if text in MEMBER_ACCESS:
        return True
    if text != "::":
        return False
    scope = source.before(previous)
    if scope is None:
        return False
    token = source.code[scope]
    return token.text == ">" or (token.kind is TokenKind.IDENTIFIER and token.text not in _KEYWORDS)


class SyntaxTree:
    """The parse tree of one file, made when first asked for."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._root: Node | None = None

    def declares(self, index: int) -> bool | None:
        """Whether the name at ``index`` is being declared there; None where the tree cannot say."""
        node = self._node(index)
        if node is None or node.has_error or node.type == "ERROR":
            return None
        parent = node.parent
        while parent is not None and parent.type in _DECLARES:
            field = _DECLARES[parent.type]
            if parent.type in _TAGS:
                return parent.child_by_field_name("body") is not None
            if field and node not in parent.children_by_field_name(field):
                return False
            if parent.type not in ("pointer_declarator", "reference_declarator", "array_declarator"):
                return not (parent.parent is not None and parent.parent.type == "ERROR") or None
            node, parent = parent, parent.parent
        if parent is not None and parent.type == "ERROR":
            return None
        return False

    def _node(self, index: int) -> Node | None:
        token = self._source.code[index]
        if self._root is None:
            parser = getattr(_PARSERS, "parser", None)
            if parser is None:
                parser = _PARSERS.parser = Parser(_LANGUAGE)
            self._root = parser.parse(_as_bytes(self._source.text)).root_node
        start = self._source.byte_offset(token.offset)
        return self._root.descendant_for_byte_range(start, start + len(_as_bytes(token.text)))


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def find_user_names(source: SourceText, api: Container[str]) -> UserNames:
    """The names in ``api`` that ``source`` declares for itself, with the scope of each declaration."""
    tree = SyntaxTree(source)
    blocks: _Blocks | None = None
    scopes: dict[str, list[Span]] = {}
    for index, token in enumerate(source.code):
        if token.kind is not TokenKind.IDENTIFIER or token.text not in api:
            continue
        if token.directive != CODE:
            if _defines(source, index):
                scopes.setdefault(token.text, []).append(Span(0, len(source.code)))
            continue
        if _may_declare(source, index):
            verdict = tree.declares(index)
            if verdict is None:
                verdict = source.text_before(index) in _BUILTIN_TYPES
            if verdict:
                blocks = blocks or _Blocks(source)
                scopes.setdefault(token.text, []).append(_scope(source, blocks, index))
    return UserNames({name: tuple(merge_spans(spans)) for name, spans in scopes.items()})


def _defines(source: SourceText, index: int) -> bool:
    previous = source.before(index)
    return previous is not None and (source.code[previous].text == "define" and source.text_before(previous) == "#")


def _may_declare(source: SourceText, index: int) -> bool:
    previous = source.before(index)
    if previous is None or source.text_after(index) not in _AFTER_DECLARATOR:
        return False
    token = source.code[previous]
    if token.kind is TokenKind.IDENTIFIER:
        return token.text not in _EXPRESSION_WORDS
    return token.text in _BEFORE_DECLARATOR


class _Blocks:
    """The brackets of a file as a tree, to find the block around a declaration."""

    def __init__(self, source: SourceText) -> None:
        self._spans: list[Span] = []
        self._parents: list[int] = []
        open_blocks: list[int] = []
        for opening, closing in enumerate(source.partner):
            if closing <= opening or source.code[opening].text not in "{(":
                continue
            end = closing
            if source.code[opening].text == "(":
                body = source.after(closing)
                if body is None or source.code[body].text != "{":
                    continue
                end = max(closing, source.partner[body])
            while open_blocks and self._spans[open_blocks[-1]].last < opening:
                open_blocks.pop()
            self._parents.append(open_blocks[-1] if open_blocks else UNMATCHED)
            open_blocks.append(len(self._spans))
            self._spans.append(Span(opening, end))
        self._whole = Span(0, len(source.code) - 1)
        self._openings = [span.first for span in self._spans]

    def around(self, index: int) -> Span:
        """The innermost block that holds ``index``; for a parameter, its function."""
        at = bisect_left(self._openings, index) - 1
        while at != UNMATCHED and index not in self._spans[at]:
            at = self._parents[at]
        return self._spans[at] if at != UNMATCHED else self._whole


def _scope(source: SourceText, blocks: _Blocks, index: int) -> Span:
    """The block around a declaration; for a parameter, its function or template."""
    return _template(source, index) or blocks.around(index)


def _template(source: SourceText, index: int) -> Span | None:
    """For a template's parameter, from it to the end of what the template declares."""
    at = source.before(index)
    for _ in range(_LONGEST_TEMPLATE):
        if at is None or source.code[at].text in (";", "{", "}"):
            return None
        if source.code[at].text == "<" and source.text_before(at) == "template":
            end = source.angle_partner(at)
            return Span(index, _declaration_end(source, end)) if end > index else None
        at = source.before(at)
    return None


def _declaration_end(source: SourceText, index: int) -> int:
    at: int | None = index
    while at is not None:
        text = source.code[at].text
        if text == ";":
            return at
        if text in "({[" and source.partner[at] != UNMATCHED:
            at = source.partner[at]
            if text == "{":
                return at
        at = source.after(at)
    return len(source.code) - 1
