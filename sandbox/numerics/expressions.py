"""Whole-number expressions of case files, such as ``ceil_div(rows * cols, block)``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

_MOST = 1 << 40
_LONGEST = 200
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {
    "min": min,
    "max": max,
    "ceil_div": lambda a, b: -(-a // b),
    "round_up": lambda a, b: -(-a // b) * b,
}


class ExpressionError(Exception):
    """The text is no expression of this kind, or has no value; the message says why."""


def evaluate(text: str | int, names: Mapping[str, int]) -> int:
    """The value of ``text`` where ``names`` have the given values. Operators: + - * // %; functions: min, max,
    ceil_div, round_up. Raises ExpressionError."""
    if isinstance(text, int):
        return text
    if len(text) > _LONGEST:
        raise ExpressionError(f"an expression has at most {_LONGEST} characters")
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, names)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"{text!r} is no expression") from None
    except ZeroDivisionError:
        raise ExpressionError(f"{text!r} divides by zero") from None
    except TypeError as error:
        raise ExpressionError(f"{text!r}: {error}") from None


def _value(node: ast.expr, names: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return _bounded(value)
        case ast.Name(id=name):
            if name not in names:
                raise ExpressionError(f"there is no dimension {name!r}; there are: {', '.join(sorted(names))}")
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return _bounded(_OPERATORS[type(operator)](_value(left, names), _value(right, names)))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _bounded(_FUNCTIONS[name](*(_value(argument, names) for argument in arguments)))
    raise ExpressionError(f"{ast.unparse(node)!r} is not allowed in an expression")


def _bounded(value: int) -> int:
    if abs(value) > _MOST:
        raise ExpressionError(f"a value is larger than {_MOST}")
    return value
