"""Whole-number expressions."""

import pytest

from sandbox.numerics.expressions import ExpressionError, evaluate

NAMES = {"rows": 7, "columns": 1000, "_x": 3}
VALUES = [
    (5, 5),
    ("5", 5),
    (" rows * columns ", 7000),
    ("ceil_div(columns, rows)", 143),
    ("round_up(columns, 64)", 1024),
    ("max(rows, 3) - min(rows, 3, 2)", 5),
    ("-rows + 10 // 3 % 2", -6),
    ("(rows + 1) * (_x - 1)", 16),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_values(text, value):
    assert evaluate(text, NAMES) == value


WRONG = [
    "", "rows +", "rows / 2", "rows ** 9", "1.5", "'a'", "True", "height", "rows.real", "__import__('os')", "f(1)",
    "(lambda: 1)()", "[1][0]", "rows // 0", "ceil_div(1, 0)", "ceil_div(1)", "min(key=1)", "rows if 1 else 2",
    "1 << 40", "columns * columns * columns * columns * columns", "1;2", "0x" + "f" * 100, "9" * 5000, "(" * 150,
]  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_expression(text):
    with pytest.raises(ExpressionError):
        evaluate(text, NAMES)
