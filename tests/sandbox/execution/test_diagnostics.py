"""What the two compilers print becomes data."""

from sandbox.execution.diagnostics import parse_diagnostics

NVCC = """\
a.cu(3): error: identifier "foo" is undefined
      foo();
      ^
a.cu(7): warning #177-D: variable "x" was declared but never referenced
dir/b.cuh(12): catastrophic error: cannot open source file "none.h"
2 errors detected in the compilation of "a.cu".
"""

CLANG = """\
a.hip:4:5: error: use of undeclared identifier 'foo'
    4 |     foo();
      |     ^~~
a.hip:9:1: warning: unused variable 'x' [-Wunused-variable]
a.hip:1:10: fatal error: 'none.h' file not found
ld.lld: error: undefined symbol: bar()
"""


def test_nvcc_messages():
    found = parse_diagnostics(NVCC)
    assert [(d.file, d.line, d.severity) for d in found] == [
        ("a.cu", 3, "error"),
        ("a.cu", 7, "warning"),
        ("dir/b.cuh", 12, "error"),
    ]
    assert found[0].message == 'identifier "foo" is undefined'


def test_clang_and_linker_messages():
    found = parse_diagnostics(CLANG)
    assert [(d.file, d.line, d.column, d.severity) for d in found] == [
        ("a.hip", 4, 5, "error"),
        ("a.hip", 9, 1, "warning"),
        ("a.hip", 1, 10, "error"),
        ("", 0, 0, "error"),
    ]
    assert found[3].message == "undefined symbol: bar()"
