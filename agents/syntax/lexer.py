"""A lossless lexer for C++ with CUDA's launches.

It never fails: an unterminated string ends at its line, an unterminated comment at the end of the file, and a
character that starts no token becomes one of kind OTHER.
"""

from __future__ import annotations

import re

from agents.syntax.tokens import CODE, Token, TokenKind

_SPLICE = r"\\\r?\n"
_PREFIX = r"(?:u8|u|U|L)?"
_TOKEN = re.compile(
    rf"""
    (?P<SPACE>(?:[^\S\r\n]|{_SPLICE})+)
  | (?P<NEWLINE>\r\n|\n|\r)
  | (?P<COMMENT>//(?:[^\\\r\n]|\\\r?\n|\\|\r(?!\n))*|/\*(?s:.*?)(?:\*/|\Z))
  | (?P<RAW>{_PREFIX}R"(?P<tag>[^()\\\s"]{{0,16}})\()
  | (?P<STRING>{_PREFIX}"(?:[^"\\\n]|\\\r\n|\\(?s:.))*(?:"|(?=\n)|\Z))
  | (?P<CHARACTER>{_PREFIX}'(?:[^'\\\n]|\\\r\n|\\(?s:.))*(?:'|(?=\n)|\Z))
  | (?P<IDENTIFIER>[^\W\d]\w*(?:\$\w*)*|\$\w*)
  | (?P<NUMBER>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
  | (?P<PUNCTUATION><<<|<<=|<=>|->\*|\.\.\.|<<|<=|>=|->|::|&&|\|\||\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|==|!=|\#\#|.)
    """,
    re.VERBOSE,
)
_HEADER = re.compile(r'<[^>\r\n]*>|"[^"\r\n]*"')
_FREE_TEXT = re.compile(rf"(?:[^\\\r\n]|{_SPLICE}|\\)+")
_KINDS = {
    "SPACE": TokenKind.SPACE,
    "NEWLINE": TokenKind.NEWLINE,
    "COMMENT": TokenKind.COMMENT,
    "RAW": TokenKind.STRING,
    "STRING": TokenKind.STRING,
    "CHARACTER": TokenKind.CHARACTER,
    "IDENTIFIER": TokenKind.IDENTIFIER,
    "NUMBER": TokenKind.NUMBER,
    "PUNCTUATION": TokenKind.PUNCTUATION,
}
_ODD = re.compile(r"[^\x21-\x7e]|[`@\\]")
_INCLUDES = frozenset({"include", "include_next", "import"})
_MESSAGES = frozenset({"error", "warning"})


def lex(text: str) -> list[Token]:
    """Split ``text`` into tokens whose texts, joined, equal it exactly."""
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.directive = CODE
        self.directives = 0
        self.unclosed: set[str] = set()
        """Ends of raw strings that the rest of the text does not have."""

    def run(self) -> list[Token]:
        text, tokens, match = self.text, self.tokens, _TOKEN.match
        position, size, line_is_blank = 0, len(self.text), True
        space, newline, comment, punctuation = (
            TokenKind.SPACE,
            TokenKind.NEWLINE,
            TokenKind.COMMENT,
            TokenKind.PUNCTUATION,
        )
        while position < size:
            found = match(text, position)
            if found is None:
                tokens.append(Token(TokenKind.OTHER, text[position], position, self.directive))
                position += 1
                continue
            kind = _KINDS[found.lastgroup or ""]
            word = found.group()
            if found.lastgroup == "RAW":
                line_is_blank = False
                position = self._raw(found)
                continue
            if kind is newline:
                tokens.append(Token(kind, word, position, CODE))
                self.directive, line_is_blank = CODE, True
            elif kind is space or kind is comment:
                tokens.append(Token(kind, word, position, self.directive))
            elif kind is punctuation and word == "#" and line_is_blank:
                line_is_blank = False
                position = self._open_directive(position)
                continue
            else:
                line_is_blank = False
                if kind is punctuation and _ODD.match(word):
                    kind = TokenKind.OTHER
                tokens.append(Token(kind, word, position, self.directive))
            position = found.end()
        return tokens

    def _raw(self, found: re.Match[str]) -> int:
        """Lex a raw string from its beginning; one without an end is an identifier before a plain string."""
        ending = f'){found["tag"]}"'
        closing = -1 if ending in self.unclosed else self.text.find(ending, found.end())
        if closing < 0:
            self.unclosed.add(ending)
            quote = self.text.index('"', found.start())
            self._add(TokenKind.IDENTIFIER, self.text[found.start() : quote], found.start())
            return quote
        end = closing + len(ending)
        self._add(TokenKind.STRING, self.text[found.start() : end], found.start())
        return end

    def _open_directive(self, position: int) -> int:
        """Lex ``#``, the directive's name and what only that directive has; return where to go on."""
        self.directive = self.directives
        self.directives += 1
        self._add(TokenKind.PUNCTUATION, "#", position)
        position = self._blanks(position + 1)
        name = _TOKEN.match(self.text, position)
        if name is None or name.lastgroup != "IDENTIFIER":
            return position
        self._add(TokenKind.IDENTIFIER, name.group(), position)
        position = self._blanks(name.end())
        if name.group() in _INCLUDES:
            header = _HEADER.match(self.text, position)
            if header is not None:
                self._add(TokenKind.HEADER_NAME, header.group(), position)
                position = header.end()
        elif name.group() in _MESSAGES:
            message = _FREE_TEXT.match(self.text, position)
            if message is not None:
                self._add(TokenKind.TEXT, message.group(), position)
                position = message.end()
        return position

    def _blanks(self, position: int) -> int:
        while (found := _TOKEN.match(self.text, position)) is not None:
            kind = _KINDS[found.lastgroup or ""]
            if kind is not TokenKind.SPACE and kind is not TokenKind.COMMENT:
                break
            self._add(kind, found.group(), position)
            position = found.end()
        return position

    def _add(self, kind: TokenKind, text: str, position: int) -> None:
        self.tokens.append(Token(kind, text, position, self.directive))
