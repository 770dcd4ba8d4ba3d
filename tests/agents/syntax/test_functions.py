"""Which functions there are, and which run on the device."""

import pytest

from agents.syntax.functions import find_functions
from agents.syntax.source import SourceText

CASES = [
    ("__global__ void k(int* x) { }", [("k", True, True)]),
    ('extern "C" __global__ void k(int* x) { }', [("k", True, True)]),
    ('extern "C" { __global__ void k() { } int h() { return 0; } }', [("k", True, True), ("h", False, False)]),
    ('extern "C" int h() { if (1) { } return 0; }', [("h", False, False)]),
    ("extern int table[] = {1, 2};", []),
    ("template <int N> __device__ inline float f(float (&x)[N]) { return x[0]; }", [("f", True, False)]),
    ("__launch_bounds__(256) __global__ void k() { auto f = [] { }; }", [("k", True, True), ("", True, False)]),
    ("struct S { __host__ __device__ int get() const { return 1; } };", [("get", True, False)]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_functions(text, expected):
    assert [(f.name, f.device, f.kernel) for f in find_functions(SourceText("a.cu", text))] == expected
