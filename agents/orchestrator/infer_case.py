"""Proposes how to launch kernels that came without a case, from their signatures and bodies.

A guess: every whole-number parameter is taken for a dimension and every array for as large as all of them together. It
is shown with the verdict, and a wrong guess makes a verdict `unverified`, not wrong: both sides are launched alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, cast

from pydantic import ValidationError

from agents.errors import SubmissionError
from agents.syntax.functions import Function, find_functions
from agents.syntax.source import SourceText
from agents.syntax.tokens import TokenKind
from sandbox.numerics.case import Array, Case, CaseLaunch, ElementName, Fill, Range, Scalar
from sandbox.numerics.elements import named_element

_HINT = "describe the launches in a case: --case CASE.toml, see docs/cases.md"
_THREADS = 256
_SIDE = 16
_SHARED_BYTES = 16 << 10
_QUALIFIERS = frozenset({"const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__", "struct"})
# Values of one, two, three and more dimensions: no multiples of 32, and some thousand elements together.
_SIZES = {1: (1000, 257, 61), 2: (33, 50, 65), 3: (17, 13, 9)}
_MANY_SIZES = (5, 3, 7)


@dataclass(frozen=True)
class _Parameter:
    """``element`` as C++ spells it, without qualifiers."""

    name: str
    element: str
    is_pointer: bool
    is_const: bool


def has_main(source: SourceText) -> bool:
    """Whether the file is a program."""
    return any(function.name == "main" for function in find_functions(source))


def holds_kernel_body(source: SourceText) -> bool:
    """Whether a kernel is defined there."""
    return any(function.kernel for function in find_functions(source))


def infer_case(sources: Sequence[SourceText]) -> Case:
    """A case for every kernel defined in ``sources``. Raises SubmissionError where a signature tells too little."""
    kernels = [(source, f) for source in sources for f in find_functions(source) if f.kernel]
    if not kernels:
        raise SubmissionError("there is no kernel to launch", hint="give the file that defines the kernels")
    parts = [_Proposal(source, kernel, prefix=len(kernels) > 1) for source, kernel in kernels]
    try:
        return Case(
            arrays=tuple(array for part in parts for array in part.arrays),
            scalars=tuple(scalar for part in parts for scalar in part.scalars),
            launches=tuple(part.launch for part in parts),
            shapes=tuple({n: v for part in parts for n, v in part.shape(number).items()} for number in range(3)),
            ranges={name: bounds for part in parts for name, bounds in part.ranges().items()},
            inferred=True,
        )
    except ValidationError as error:
        message = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise SubmissionError(f"no launch can be proposed for these kernels: {message}", hint=_HINT) from error


class _Proposal:
    """What one kernel is launched with. ``prefix``: names carry the kernel's, so that those of several differ."""

    def __init__(self, source: SourceText, kernel: Function, *, prefix: bool) -> None:
        self._kernel = kernel
        self._pairs = {(a.text, b.text) for a, b in pairwise(source.code[kernel.opening : kernel.closing])}
        self._uses_y = any(
            source.code[i].text in ("threadIdx", "blockIdx") and source.code[i + 2].text == "y"
            for i in range(kernel.opening, kernel.closing - 2)
        )
        self._prefix = f"{kernel.name}_" if prefix else ""
        if source.code[kernel.head].text == "template":
            raise SubmissionError(f"{kernel.name} is a template, and nothing says of which types", hint=_HINT)
        self.parameters = _read_parameters(source, kernel)
        self._dimensions = [p for p in self.parameters if not p.is_pointer and _is_whole(p.element)]
        self.arrays = tuple(self._array(p) for p in self.parameters if p.is_pointer)
        self.scalars = tuple(self._scalar(p) for p in self.parameters if not p.is_pointer and not _is_whole(p.element))
        self.launch = self._launch()

    def shape(self, number: int) -> dict[str, int]:
        sizes = _SIZES.get(len(self._dimensions), _MANY_SIZES)
        names = [self._name(p) for p in self._dimensions]
        return {name: sizes[(number + at) % len(sizes)] for at, name in enumerate(names)}

    def ranges(self) -> dict[str, Range]:
        high = max(_SIZES.get(len(self._dimensions), _MANY_SIZES))
        return {self._name(p): Range(low=1, high=high) for p in self._dimensions}

    def _name(self, parameter: _Parameter) -> str:
        return self._prefix + parameter.name

    def _all(self) -> str:
        return " * ".join(self._name(p) for p in self._dimensions) or str(_SIZES[1][0])

    def _array(self, parameter: _Parameter) -> Array:
        element = self._element(parameter)
        fill = Fill()
        if element.removeprefix("u").startswith("int") and parameter.is_const:
            smallest = ", ".join(self._name(p) for p in self._dimensions)
            fill = Fill(kind="integers", high=f"min({smallest})" if len(self._dimensions) > 1 else smallest or 8)
        pointer = parameter.element if parameter.element[-1:] in "1234" else ""
        return Array(name=self._name(parameter), type=element, size=self._all(), fill=fill, pointer=pointer)

    def _scalar(self, parameter: _Parameter) -> Scalar:
        kinds = {"float": "float32", "double": "float64", "bool": "bool"}
        kind = kinds.get(parameter.element)
        if kind is None:
            raise SubmissionError(
                f"{self._kernel.name}: nothing is known of parameter {parameter.name}, a {parameter.element}",
                hint=_HINT,
            )
        value: float | int = 1 if kind == "bool" else 1.5
        return Scalar(name=self._name(parameter), type=cast(Literal["float32"], kind), value=value)

    def _element(self, parameter: _Parameter) -> ElementName:
        element = named_element(parameter.element)
        if element is None or element == "words":
            what = f"parameter {parameter.name}, a pointer to {parameter.element}"
            raise SubmissionError(f"{self._kernel.name}: nothing is known of {what}", hint=_HINT)
        return element

    def _launch(self) -> CaseLaunch:
        grid: tuple[str | int, ...] = (f"ceil_div({self._all()}, {_THREADS})",)
        block: tuple[str | int, ...] = (_THREADS,)
        if self._uses_y and len(self._dimensions) > 1:
            rows, columns = (self._name(p) for p in self._dimensions[:2])
            grid, block = (f"ceil_div({columns}, {_SIDE})", f"ceil_div({rows}, {_SIDE})"), (_SIDE, _SIDE)
        shared = _SHARED_BYTES if ("extern", "__shared__") in self._pairs else 0
        arguments = tuple(self._name(p) for p in self.parameters)
        return CaseLaunch(kernel=self._kernel.name, grid=grid, block=block, shared=shared, arguments=arguments)


def _read_parameters(source: SourceText, kernel: Function) -> list[_Parameter]:
    """Between the parentheses behind the kernel's name."""
    code = source.code
    name = next(i for i in range(kernel.opening - 1, kernel.head, -1) if code[i].text == kernel.name)
    at, depth = name + 2, 0
    parameters: list[list[str]] = [[]]
    while at < source.partner[name + 1]:
        token = code[at]
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(token.text, 0)
        if token.text == "," and depth == 0:
            parameters.append([])
        elif token.kind is not TokenKind.COMMENT:
            parameters[-1].append(token.text)
        at += 1
    return [_parameter(words, kernel.name) for words in parameters if words and words != ["void"]]


def _parameter(words: list[str], kernel: str) -> _Parameter:
    plain = [word for word in words if word not in _QUALIFIERS]
    pointers = plain.count("*") + (1 if plain[-1:] == ["]"] else 0)
    plain = plain[: plain.index("[")] if "[" in plain else plain
    name, element = plain[-1], " ".join(word for word in plain[:-1] if word != "*").replace(" :: ", "::")
    if pointers > 1 or "&" in plain or "=" in plain or not name.isidentifier() or not element:
        raise SubmissionError(f"{kernel}: nothing is known of parameter {' '.join(words)}", hint=_HINT)
    is_const = "const" in words[: words.index("*")] if "*" in words else "const" in words
    return _Parameter(name, element, pointers == 1, is_const)


def _is_whole(element: str) -> bool:
    named = named_element({"size_t": "unsigned long", "std::size_t": "unsigned long"}.get(element, element))
    return named is not None and named.removeprefix("u").startswith("int") and element != "bool"
