"""What the passes must not do, and forms of the faults beyond the cases."""

from __future__ import annotations

import pytest

from agents.faults.asm_statements import AsmSyntaxError, read_asm_statement
from agents.faults.constants import evaluate
from agents.hipify import translate_text
from agents.models import Finding
from agents.syntax.draft import Draft, Project
from agents.syntax.source import SourceText, Span


def findings(text: str, **options: tuple[str, ...]) -> list[Finding]:
    return translate_text(text, **options)[1]  # type: ignore[arg-type]


def port(text: str) -> str:
    return translate_text(text)[0]


def draft(text: str) -> Draft:
    source = SourceText("a.cu", text)
    return Draft(source, Project({"a.cu": source}))


def test_a_finding_says_where_why_and_what() -> None:
    (finding,) = findings("__global__ void k(int* p) {\n  p[0] = __any_sync(0xffffffff, p[1]);\n}\n")
    assert (finding.fault, finding.file, finding.line, finding.column) == ("M07", "input.cu", 2, 10)
    assert finding.snippet == "p[0] = __any_sync(0xffffffff, p[1]);"
    assert "w2w::any_sync" in finding.replacement
    assert not finding.open


@pytest.mark.parametrize(
    "text",
    [
        "struct A { int warpSize; };\nint f(A a) { return a.warpSize; }\n",
        "template <int warpSize> __device__ int f() { return warpSize; }\n",
        "#define warpSize 32\n__device__ int f() { return warpSize; }\n",
        "__device__ int min(int a, int b);\nint f(int a) { return min(a, 1); }\n",
        "#define min(a, b) ((a) < (b) ? (a) : (b))\nfloat f(float a) { return min(a, 1); }\n",
        "struct V { int major; };\nint f(V v) { return v.major >= 9; }\n",
        "__device__ int f(int t) { return t & 31; }\n",
        'void f() { asm("nop"); }\n',
        "int __shfl_sync(int);\nint f() { return __shfl_sync(1); }\n",
    ],
)
def test_what_is_the_users_is_left_alone(text: str) -> None:
    translated, found = translate_text(text)
    assert [f.fault for f in found] == []
    assert translated.removeprefix("#include <hip/hip_runtime.h>\n").endswith(text.split("\n", 1)[1])


def test_a_local_name_hides_the_builtin_in_its_block_only() -> None:
    text = "void host() { int warpSize = 8; use(warpSize); }\n__global__ void k(int* p) { *p = warpSize; }\n"
    assert "use(warpSize)" in port(text)
    assert "*p = 32" in port(text)


def test_large_shared_memory_is_a_matter_of_the_target() -> None:
    text = "void f() { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024); }\n"
    assert [f.open for f in findings(text, targets=("gfx942",))] == [True]
    assert findings(text, targets=("gfx950",)) == []


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("96 * 1024", 98304),
        ("sizeof(float) * N", 1024),
        ("(1 << 10) - 1", 1023),
        ("-7 / 2", -3),
        ("M", None),
        ("f(3)", None),
        ("1 / 0", None),
        ("LOOP", None),
        ("1 << 99999", None),
    ],
)
def test_constants(expression: str, value: int | None) -> None:
    source = SourceText("a.cu", f"const int N = 256; int M = 3;\n#define LOOP LOOP + 1\nint x = {expression};\n")
    first = next(i for i, t in enumerate(source.code) if t.text == "x") + 2
    assert evaluate(source, Span(first, len(source.code) - 2)) == value


@pytest.mark.parametrize(
    ("text", "assembly"),
    [
        ('asm volatile("a; " "b;" :: "r"(x));', "a; b;"),
        ('asm(R"(mov.u32 %0, 1;)" : "=r"(x));', "mov.u32 %0, 1;"),
        (r'asm("a;\n\t\x41" "\"" : );', 'a;\n\tA"'),
        ('asm("mov.u32 %[to], %[from];" : [to] "=r"(x) : [from] "r"(y));', "mov.u32 %0, %1;"),
        ('asm("mov.u32 r, %laneid;");', "mov.u32 r, %%laneid;"),
    ],
)
def test_assembly_is_read(text: str, assembly: str) -> None:
    assert read_asm_statement(draft(text), 0).ptx.template == assembly


@pytest.mark.parametrize(
    "text",
    [
        "asm",
        "asm(",
        "asm(name);",
        'asm("a;" : "r"(x));',
        'asm("a;" : "=c"(x));',
        'asm("a;" : "=r");',
        'asm("a;" : "=r"(x) "=r"(y));',
        'asm("a;" : "=r"(x) : "1"(y));',
        'asm("a;" :: "m"(x));',
    ],
)
def test_assembly_that_nobody_takes(text: str) -> None:
    with pytest.raises(AsmSyntaxError):
        read_asm_statement(draft(text), 0)


def test_ptx_names_its_instructions_and_line() -> None:
    text = '__device__ void f() {\n  asm volatile("{\\n.reg .pred p;\\n"\n  "cp.async.bulk.tensor.1d;\\n\\t}");\n}\n'
    (finding,) = findings(text)
    assert (finding.fault, finding.line, finding.open) == ("X10", 3, True)
    assert "cp.async.bulk.tensor.1d" in finding.message


def test_ptx_in_a_branch_that_amd_does_not_take_is_no_matter() -> None:
    text = '#ifdef __HIP_PLATFORM_AMD__\n#else\n__device__ void f() { asm("exit;"); }\n#endif\n'
    assert findings(text) == []


def test_fp8_is_reported_for_gfx942() -> None:
    text = "__global__ void k(__nv_fp8_e4m3* p) { *p = __nv_fp8_e4m3(1.0f); }\n"
    assert {f.fault for f in findings(text, targets=("gfx942",)) if f.open} == {"T01"}
    assert findings(text, targets=("gfx950",)) == []


def test_textures_and_clusters_are_refused() -> None:
    text = "#include <cooperative_groups.h>\n__global__ void k() { tex2D<float>(t, 0, 0); cg::this_cluster(); }\n"
    assert {f.fault for f in findings(text) if f.open} == {"H02", "I05"}


def test_a_query_of_attributes_answers_for_the_port() -> None:
    text = "int f() { int m; cudaDeviceGetAttribute(&m, cudaDevAttrComputeCapabilityMajor, 0); return m >= 9; }\n"
    assert "w2w::device_get_attribute(&m, hipDeviceAttributeComputeCapabilityMajor, 0)" in port(text)
    assert "w2w::" not in port("int f(int* m) { return cudaDeviceGetAttribute(m, cudaDevAttrClockRate, 0); }\n")
