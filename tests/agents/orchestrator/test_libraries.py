"""Programs that need libraries which no virtual device runs."""

import pytest

from agents.models import SourceFile
from agents.orchestrator.libraries import describe_missing_library, load_libraries
from sandbox.models import Build, Side

CODE = "#include <cublas_v2.h>\n// cublasSgemm (later)\nint main() {\n  cublasHandle_t h;\n  cublasCreate (&h);\n}\n"
LOGS = [
    ("a.cu:1:10: fatal error: cublas_v2.h: No such file or directory", "cuBLAS, for cublasCreate at a.cu:5"),
    ('a.cu(3): catastrophic error: cannot open source file "nccl.h"', "NCCL, which"),
    ("x.cu:3:9: fatal error: 'curand_kernel.h' file not found", "cuRAND, which"),
    ("a.cu:1:10: fatal error: mine/cublas_v2.h: No such file or directory", "cuBLAS"),
    ("a.cu:1:10: fatal error: own.h: No such file or directory", None),
    ("a.cu(3): error: identifier x is undefined", None),
    ("", None),
]


@pytest.mark.parametrize(("log", "said"), LOGS)
def test_what_is_said(log, said):
    build = Build(side=Side.CUDA, target="sm_90", ok=False, command=(), toolchain="", log=log)
    found = describe_missing_library(build, [SourceFile(path="a.cu", text=CODE)])
    assert (found is None) == (said is None)
    assert said is None or said in found


def test_a_build_that_worked_misses_nothing():
    build = Build(side=Side.CUDA, target="sm_90", ok=True, command=(), toolchain="", log=LOGS[0][0])
    assert describe_missing_library(build, []) is None


def test_every_library_has_headers_and_prefixes():
    assert {"cuBLAS", "cuFFT", "cuDNN", "NCCL"} <= set(load_libraries())
    assert all(library.headers and library.prefixes for library in load_libraries().values())
