from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.syntax.lexer import lex
from agents.syntax.tokens import CODE, TokenKind

SOUP = [
    '"', "'", "\\", "\n", "\r\n", "\r", "#", "include", "define", "error", "<", ">", ">>>", "<<<", 'R"(', ')"',
    'u8R"x(', "//", "/*", "*/", "a", "_b$", "0", "1'000", "0x1p-3", "..", "...", "\xe9", "\udc80", " ", "\t", "\x0b",
    "\x00", "`", "@", "\u2028", "(", ")", "{", "}", ";", "##", "cudaMalloc", "asm", "=", "=="
]  # fmt: skip


def kinds(text: str) -> list[tuple[TokenKind, str]]:
    return [(t.kind, t.text) for t in lex(text) if t.kind not in (TokenKind.SPACE, TokenKind.NEWLINE)]


@given(st.lists(st.sampled_from(SOUP), max_size=60).map("".join))
def test_token_soup_comes_back_whole(text: str) -> None:
    assert "".join(token.text for token in lex(text)) == text


@given(st.binary(max_size=200))
def test_any_bytes_come_back_whole(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    tokens = lex(text)
    assert "".join(token.text for token in tokens).encode("utf-8", "surrogateescape") == data
    assert [token.offset for token in tokens] == [sum(len(t.text) for t in tokens[:i]) for i in range(len(tokens))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('R"x(a )" b)x" c', [(TokenKind.STRING, 'R"x(a )" b)x"'), (TokenKind.IDENTIFIER, "c")]),
        ('u8"\\"x" LR"(y)"', [(TokenKind.STRING, 'u8"\\"x"'), (TokenKind.STRING, 'LR"(y)"')]),
        ("'\\'' 'a", [(TokenKind.CHARACTER, "'\\''"), (TokenKind.CHARACTER, "'a")]),
        ("1'000'000ull .5e-3f", [(TokenKind.NUMBER, "1'000'000ull"), (TokenKind.NUMBER, ".5e-3f")]),
        ("// a \\\n b\nc", [(TokenKind.COMMENT, "// a \\\n b"), (TokenKind.IDENTIFIER, "c")]),
        ("/* never closed", [(TokenKind.COMMENT, "/* never closed")]),
        ("#include <a/b.h> // c", [
            (TokenKind.PUNCTUATION, "#"), (TokenKind.IDENTIFIER, "include"), (TokenKind.HEADER_NAME, "<a/b.h>"),
            (TokenKind.COMMENT, "// c"),
        ]),
        ("#error don't do \"this\nx", [
            (TokenKind.PUNCTUATION, "#"), (TokenKind.IDENTIFIER, "error"), (TokenKind.TEXT, "don't do \"this"),
            (TokenKind.IDENTIFIER, "x"),
        ]),
    ],
)  # fmt: skip
def test_tokens(text: str, expected: list[tuple[TokenKind, str]]) -> None:
    assert kinds(text) == expected


def test_closing_angle_brackets_are_single_tokens() -> None:
    assert [t for _, t in kinds("k<A<B>><<<g, b>>>(x >> 1)")] == [
        "k", "<", "A", "<", "B", ">", ">", "<<<", "g", ",", "b", ">", ">", ">", "(", "x", ">", ">", "1", ")"
    ]  # fmt: skip


def test_a_directive_goes_to_the_end_of_its_last_continued_line() -> None:
    tokens = [t for t in lex("a\n#define F(x) \\\r\n  x##_y\nb # c") if t.kind is not TokenKind.SPACE]
    inside = [t.text for t in tokens if t.directive != CODE]
    assert inside == ["#", "define", "F", "(", "x", ")", "x", "##", "_y"]
    assert [t.text for t in tokens if t.directive == CODE and t.kind is not TokenKind.NEWLINE] == ["a", "b", "#", "c"]
