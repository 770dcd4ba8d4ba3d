"""The fixed tolerances, from ``tolerances.toml``. No command and no submission can change them."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from functools import cache
from pathlib import Path

from sandbox.models import Model

_TABLE = Path(__file__).with_name("tolerances.toml")


class FloatTolerance(Model):
    relative: Decimal
    last_digit_units: Decimal
    last_digit_relative: Decimal
    trusted_decimals: int


class Measurement(Model):
    units: frozenset[str]
    fraction_units: frozenset[str]
    words: frozenset[str]


class VerdictWords(Model):
    words: frozenset[str]


class ElementTolerance(Model):
    relative: float
    of_largest: float


class Tolerances(Model):
    float: FloatTolerance
    measurement: Measurement
    verdict: VerdictWords
    elements: dict[str, ElementTolerance]


@cache
def load_tolerances() -> Tolerances:
    return Tolerances.model_validate(tomllib.loads(_TABLE.read_text(), parse_float=Decimal))
