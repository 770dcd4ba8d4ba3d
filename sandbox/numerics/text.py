"""Program output as words and numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

_TOKEN = re.compile(
    r"""(?P<address>0[xX][0-9a-fA-F]{9,16}\b)
      | (?P<number>(?<![\w.])[-+]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))
      | (?P<special>(?<![\w.])[-+]?(?:nan|inf(?:inity)?)(?![\w]))
      | (?P<word>[A-Za-z_/%][\w/%.-]*)
      | (?P<other>\S)""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Token:
    """``kind``: number, special (nan, inf), word, address, other. ``text`` as printed."""

    kind: str
    text: str

    @property
    def is_integer(self) -> bool:
        return self.kind == "number" and not any(c in self.text.lower() for c in ".") and not self._has_exponent

    @property
    def _has_exponent(self) -> bool:
        lowered = self.text.lower()
        return "e" in lowered and not lowered.lstrip("+-").startswith("0x")

    @property
    def value(self) -> Decimal:
        """The number as printed. Raises ValueError if the token is none."""
        lowered = self.text.lower().lstrip("+")
        try:
            if lowered.lstrip("-").startswith("0x"):
                return Decimal(int(lowered, 16))
            return Decimal(lowered)
        except InvalidOperation:
            raise ValueError(self.text) from None

    @property
    def last_digit(self) -> Decimal:
        """The weight of the last printed digit; 0 for an integer, which is printed in full."""
        if self.is_integer:
            return Decimal(0)
        exponent = self.value.as_tuple().exponent
        return Decimal((0, (1,), exponent)) if isinstance(exponent, int) else Decimal(0)

    @property
    def fixed_decimals(self) -> int:
        """Digits behind the point, where it is printed without an exponent; else 0."""
        return 0 if self._has_exponent else len(self.text.partition(".")[2])


def tokenize(line: str) -> tuple[Token, ...]:
    return tuple(Token(str(match.lastgroup), match.group()) for match in _TOKEN.finditer(line))
