from __future__ import annotations

import pytest

from agents.syntax.edits import Edits
from agents.syntax.functions import find_device_macros, find_functions, find_kernels
from agents.syntax.source import UNMATCHED, SourceText


def index_of(source: SourceText, text: str, occurrence: int = 0) -> int:
    return [i for i, t in enumerate(source.code) if t.text == text][occurrence]


def test_positions_count_bytes_from_one() -> None:
    source = SourceText("a.cu", "int a;\n  é = b;\n")
    assert source.position(source.text.index("int")) == (1, 1)
    assert source.position(source.text.index("=")) == (2, 6)
    assert source.line_text(2) == "  é = b;"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f(a, g(b, c), d)", ["a", "g(b, c)", "d"]),
        ("f(two<int, 3>(x), y)", ["two<int, 3>(x)", "y"]),
        ("f(a < b, c > d)", ["a < b", "c > d"]),
        ("f([&](int x, int y) { return x, y; }, 1)", ["[&](int x, int y) { return x, y; }", "1"]),
        ("f()", []),
        ("f<1, 2>(a)", ["a"]),
    ],
)
def test_arguments(call: str, expected: list[str]) -> None:
    source = SourceText("a.cu", call)
    arguments = source.call(0)
    assert arguments is not None
    assert [source.slice(argument) for argument in arguments] == expected


def test_brackets_match_across_alternatives() -> None:
    source = SourceText("a.cu", "void f() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\nint x;\n")
    assert source.code[source.partner[index_of(source, "{")]].offset == source.text.rindex("}")


def test_brackets_of_a_macro_match_inside_it_only() -> None:
    source = SourceText("a.cu", "#define OPEN {\nvoid f() { }\n")
    assert source.partner[index_of(source, "{")] == UNMATCHED
    assert source.partner[index_of(source, "{", 1)] == index_of(source, "}")


def test_functions_know_their_side() -> None:
    text = (
        "#define HD __host__ __device__\n#define INLINE_HD inline HD\n"
        "template <int N = (1 > 2)> __global__ void __launch_bounds__(N) kernel(int* p) { if (p) { } }\n"
        "INLINE_HD int both() { auto f = [=] (int i) { return i; }; return f(1); }\n"
        "struct S { HD S(int a) : x(a) { } int x; int host() const noexcept { return x; } };\n"
        "int main() { auto g = [] __device__ (int i) { return i; }; for (;;) { } }\n"
    )
    source = SourceText("a.cu", text)
    macros = find_device_macros([source])
    assert macros == {"HD", "INLINE_HD"}
    found = [(f.name, f.device, f.kernel) for f in find_functions(source, macros)]
    assert found == [
        ("kernel", True, True), ("both", True, False), ("", True, False), ("S", True, False),
        ("host", False, False), ("main", False, False), ("", True, False),
    ]  # fmt: skip
    assert list(find_kernels(source)) == ["kernel"]


def test_edits_keep_the_rest_and_the_first_claim() -> None:
    source = SourceText("a.cu", "a  /*x*/ b ( c , d )\r\n")
    edits = Edits(source.tokens)
    a, b, _, c, _, d, _ = source.code
    assert edits.replace(a, "A")
    assert not edits.replace(a, "Z")
    assert edits.remove(c.offset, d.offset)
    assert not edits.replace_span(b, d, "never")
    edits.insert_before(d, "<")
    edits.insert_after(d, ">")
    assert edits.apply(source.text) == "A  /*x*/ b ( <d> )\r\n"
