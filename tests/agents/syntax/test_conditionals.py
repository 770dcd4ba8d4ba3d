from __future__ import annotations

import pytest

from agents.syntax.conditionals import find_branches
from agents.syntax.source import SourceText

MACROS: dict[str, int | None] = {"ARCH": 700, "HIP": 1, "NOT": None}


@pytest.mark.parametrize(
    ("condition", "taken"),
    [
        ("if ARCH >= 700", True),
        ("if ARCH < 0x2BC", False),
        ("if defined(HIP) && !defined(NOT)", True),
        ("if defined NOT || ARCH == 1", False),
        ("if (ARCH >> 2) == 175 && -1 < 0 && ~0 != 0", True),
        ("if UNKNOWN", None),
        ("if UNKNOWN && 0", False),
        ("if UNKNOWN || 1", True),
        ("if ARCH > 600 ? 0 : 1", False),
        ("if ARCH / 0", None),
        ("if 1 << 70", None),
        ("if __has_include(<x.h>) || 1", True),
        ("if", None),
        ("if ( (", None),
        ("ifdef NOT", False),
        ("ifndef NOT", True),
        ("ifdef UNKNOWN", None),
    ],
)
def test_conditions(condition: str, taken: bool | None) -> None:
    source = SourceText("a.cu", f"#{condition}\nx\n#endif\n")
    assert [branch.taken for branch in find_branches(source, MACROS)] == [taken]


def test_later_branches_depend_on_earlier_ones() -> None:
    source = SourceText("a.cu", "#if ARCH >= 800\na\n#elif ARCH >= 700\nb\n#elif UNKNOWN\nc\n#else\nd\n#endif\n")
    assert [branch.taken for branch in find_branches(source, MACROS)] == [False, True, False, False]


def test_after_an_unknown_branch_the_rest_is_unknown() -> None:
    source = SourceText("a.cu", "#if UNKNOWN\na\n#else\nb\n#endif\n")
    assert [branch.taken for branch in find_branches(source, MACROS)] == [None, None]


@pytest.mark.parametrize("text", ["#else\n#endif\n#elif 1\n", "#if 1\n#if 0\n", "#\n#if\n"])
def test_unbalanced_directives_are_survived(text: str) -> None:
    find_branches(SourceText("a.cu", text), MACROS)
