"""Launches proposed from signatures."""

import pytest

from agents.errors import SubmissionError
from agents.models import SourceFile, Submission
from agents.orchestrator.infer_case import infer_case
from agents.orchestrator.kernel_case import complete_case, describe_launches
from agents.syntax.source import SourceText

BODY = "{ x[blockIdx.x * blockDim.x + threadIdx.x] = 0; }"
PROPOSED = [
    (
        "__global__ void k(const float* __restrict__ a, float *x, int n) " + BODY,
        "k<<<(ceil_div(n, 256)), (256)>>>(a, x, n)",
        [("a", "float32", "n", ""), ("x", "float32", "n", "")],
    ),
    (
        'extern "C" __global__ __launch_bounds__(256) void k(unsigned int x[], std::size_t n, double s) ' + BODY,
        "k<<<(ceil_div(n, 256)), (256)>>>(x, n, s)",
        [("x", "uint32", "n", "")],
    ),
    (
        "__global__ void k(float4* x, const int* index, unsigned rows, long long columns)"
        "{ extern __shared__ float s[]; x[threadIdx.y] = 0; }",
        "k<<<(ceil_div(columns, 16), ceil_div(rows, 16)), (16, 16), 16384>>>(x, index, rows, columns)",
        [("x", "float32", "rows * columns", "float4"), ("index", "int32", "rows * columns", "")],
    ),
    ("__global__ void k(__half* x) " + BODY, "k<<<(ceil_div(1000, 256)), (256)>>>(x)", [("x", "float16", "1000", "")]),
    (
        f"__global__ void a(int* x, int n) {BODY}\n__global__ void b(short* x, int n) {BODY}",
        "a<<<(ceil_div(a_n, 256)), (256)>>>(a_x, a_n); b<<<(ceil_div(b_n, 256)), (256)>>>(b_x, b_n)",
        [("a_x", "int32", "a_n", ""), ("b_x", "int16", "b_n", "")],
    ),
]


@pytest.mark.parametrize(("text", "launches", "arrays"), PROPOSED)
def test_proposals(text, launches, arrays):
    case = infer_case([SourceText("a.cu", text)])
    assert describe_launches(case) == launches
    assert [(a.name, a.type, a.size, a.pointer) for a in case.arrays] == arrays
    assert case.inferred
    assert len(case.shapes) == 3


REFUSED = [
    ("template <class T> __global__ void k(T* x) { }", "k is a template"),
    ("__global__ void k(Item* x) { }", "a pointer to Item"),
    ("__global__ void k(float** x) { }", "parameter float"),
    ("__global__ void k(View v) { }", "parameter v, a View"),
    ("__global__ void k(float& x) { }", "parameter float & x"),
    ("__global__ void k(int n) { }", "no launch can be proposed"),
    ("__global__ void k() { }", "no launch can be proposed"),
    ("void f() { }", "no kernel"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_says_too_little(text, message):
    with pytest.raises(SubmissionError, match=message):
        infer_case([SourceText("a.cu", text)])


def submission(text):
    return Submission(name="a", files=(SourceFile(path="a.cu", text=text),), main_files=("a.cu",))


def test_programs_are_left_alone():
    program = submission(f"__global__ void k(int* x, int n) {BODY}\nint main() {{ return 0; }}")
    assert complete_case(program) is program


def test_kernels_get_a_case_and_a_seed():
    completed = complete_case(submission(f"__global__ void k(int* x, int n) {BODY}"))
    assert completed.case.inferred
    assert completed.case_seed > 0
