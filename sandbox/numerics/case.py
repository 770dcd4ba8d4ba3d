"""A kernel with what it takes to launch it: arrays, launches, shapes. Read from ``case.toml``.

Sizes, grids and scalar arguments are expressions over the case's dimensions. Each shape gives every dimension a value;
``ranges`` say from where further shapes may be drawn that whoever wrote the port has not seen.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError, model_validator

from sandbox.errors import InputError
from sandbox.models import Model
from sandbox.numerics.expressions import ExpressionError, evaluate

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w{0,63}$")]
Expression = Annotated[str, StringConstraints(min_length=1, max_length=200)] | int
ElementName = Literal[
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
]
MAX_ARRAY_BYTES = 256 << 20
_MAX_FILE_BYTES = 1 << 20
_KERNEL = r"^[A-Za-z_][\w:]*(<[\w:,<> ]+>)?$"
ELEMENT_BYTES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2,
    "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
}  # fmt: skip


Adversarial = Literal["zeros", "denormals", "huge", "special"]


class Fill(Model):
    """What an input holds. ``low`` and ``high`` (exclusive) bound integers and uniform numbers; ``total`` is where the
    last of jagged ``offsets`` points."""

    kind: Literal[
        "normal",
        "uniform",
        "integers",
        "permutation",
        "offsets",
        "iota",
        "zeros",
        "ones",
        "denormals",
        "huge",
        "special",
    ] = "normal"
    low: Expression = 0
    high: Expression = 1
    total: Expression = 0


class Array(Model):
    """Device memory handed to kernels. ``output``: filled with a pattern, not with an input. ``pointer``: the C++ type
    that it is passed as, if not the element's own, e.g. ``float4``."""

    name: Name
    type: ElementName
    size: Expression = Field(description="Elements")
    role: Literal["input", "output"] = "input"
    fill: Fill = Fill()
    pointer: str = Field("", pattern=r"^[\w: ]*$", max_length=64)


class Scalar(Model):
    """An argument by value. ``value``: an expression over the dimensions, or a number for floats."""

    name: Name
    type: Literal["int32", "uint32", "int64", "uint64", "float32", "float64", "bool"] = "int32"
    value: Expression | float


class CaseLaunch(Model):
    """``grid`` and ``block``: one to three expressions. ``arguments``: names of arrays, scalars or dimensions, which
    are passed as int."""

    kernel: str = Field(pattern=_KERNEL, max_length=300)
    grid: tuple[Expression, ...] = Field(min_length=1, max_length=3)
    block: tuple[Expression, ...] = Field(min_length=1, max_length=3)
    shared: Expression = Field(0, description="Dynamic shared memory, bytes")
    arguments: tuple[Name, ...] = ()


class Range(Model):
    low: int = Field(ge=1)
    high: int = Field(ge=1, description="Inclusive")
    multiple: int = Field(1, ge=1)

    @model_validator(mode="after")
    def _has_values(self) -> Range:
        if self.high // self.multiple * self.multiple < max(self.low, self.multiple):
            raise ValueError("the range has no value")
        return self


class Case(Model):
    """How kernels are launched. Raises ValidationError where names or expressions do not fit together."""

    arrays: tuple[Array, ...] = Field(min_length=1, max_length=64)
    scalars: tuple[Scalar, ...] = Field((), max_length=64)
    launches: tuple[CaseLaunch, ...] = Field(min_length=1, max_length=64)
    shapes: tuple[dict[Name, int], ...] = Field(min_length=1, max_length=64)
    ranges: dict[Name, Range] = Field(default_factory=dict)
    adversarial: tuple[Adversarial, ...] = Field(
        ("zeros", "denormals"), description="What floats of random inputs also hold, on the first shape"
    )
    inferred: bool = Field(False, description="Proposed from the source rather than given")

    @model_validator(mode="after")
    def _fits(self) -> Case:
        names = [array.name for array in self.arrays] + [scalar.name for scalar in self.scalars]
        if len(set(names) | set(self.shapes[0])) != len(names) + len(self.shapes[0]):
            raise ValueError("a name stands for two things")
        if any(set(shape) != set(self.shapes[0]) for shape in self.shapes):
            raise ValueError("every shape must give a value to the same dimensions")
        if unknown := set(self.ranges) - set(self.shapes[0]):
            raise ValueError(f"ranges of unknown dimensions: {', '.join(sorted(unknown))}")
        known = {*names, *self.shapes[0]}
        for launch in self.launches:
            if unknown := set(launch.arguments) - known:
                raise ValueError(f"{launch.kernel}: unknown arguments: {', '.join(sorted(unknown))}")
        for shape in self.shapes:
            self._check_values(shape)
        return self

    def _check_values(self, shape: dict[str, int]) -> None:
        try:
            for array in self.arrays:
                size = evaluate(array.size, shape)
                if not 0 < size * ELEMENT_BYTES[array.type] <= MAX_ARRAY_BYTES:
                    raise ValueError(f"{array.name}: {size} elements with {shape}; at most {MAX_ARRAY_BYTES >> 20} MiB")
            for launch in self.launches:
                extents = [evaluate(e, shape) for e in (*launch.grid, *launch.block)]
                if min(extents) < 1 or evaluate(launch.shared, shape) < 0:
                    raise ValueError(f"{launch.kernel}: nothing to launch with {shape}")
            for scalar in self.scalars:
                if not isinstance(scalar.value, float):
                    evaluate(scalar.value, shape)
        except ExpressionError as error:
            raise ValueError(str(error)) from error


def load_case(path: Path) -> Case:
    """The case in a file's table ``[case]``. Raises InputError."""
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise InputError(f"{path} is larger than {_MAX_FILE_BYTES >> 10} KiB")
        return parse_case(tomllib.loads(path.read_text("utf-8")), str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path} is no TOML: {error}") from error


def parse_case(data: dict[str, Any], name: str) -> Case:
    """Raises InputError, naming the first field that is wrong."""
    if "case" not in data:
        raise InputError(f"{name} has no table [case]", hint="docs/cases.md says what belongs there")
    try:
        return Case.model_validate(data["case"])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{name}: {where + ': ' if where else ''}{message}") from error
