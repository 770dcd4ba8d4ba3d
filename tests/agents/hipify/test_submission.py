from __future__ import annotations

from agents.hipify import translate_submission
from agents.models import BuildOptions, SourceFile, Submission

MAIN = '#include <cuda_runtime.h>\n#include "lib/k.cuh"\n#include <common.h>\nint main() { k<<<1, 32>>>(); }\n'
KERNEL = "#pragma once\n__global__ void k() { __syncwarp(); }\n"
COMMON = "#include <driver_types.h>\ncudaError_t last();\n"


def submit(files: dict[str, str], *main_files: str, **build: tuple[str, ...]) -> Submission:
    sources = tuple(SourceFile(path=path, text=text) for path, text in files.items())
    return Submission(name="test", files=sources, main_files=main_files, build=BuildOptions(**build))


def test_headers_are_ported_with_the_file_that_includes_them() -> None:
    files = {"src/main.cu": MAIN, "src/lib/k.cuh": KERNEL, "inc/common.h": COMMON, "notes.cuh": "cudaFree"}
    source = translate_submission(submit(files, "src/main.cu", include_dirs=("inc",)))
    texts = {file.path: file.text for file in source.files}
    assert source.main_files == ("src/main.hip",)
    assert texts["src/main.hip"].splitlines()[:3] == [
        "#include <hip/hip_runtime.h>", '#include "lib/k.cuh"', "#include <common.h>"
    ]  # fmt: skip
    assert texts["src/lib/k.cuh"].splitlines()[1:3] == [
        "#include <hip/hip_runtime.h>", '#include "../../warp2wave/warp32.h"'
    ]  # fmt: skip
    assert "hipError_t last();" in texts["inc/common.h"]
    assert texts["notes.cuh"] == "cudaFree", "not reached, so not touched"
    assert "shfl_down_sync" in texts["warp2wave/warp32.h"]
    assert {f.file for f in source.findings} == {"src/lib/k.cuh"}


def test_shims_bring_the_shims_that_they_include() -> None:
    text = "__global__ void k() {}\nint f() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); return p.major; }\n"
    source = translate_submission(submit({"a.cu": text}, "a.cu"))
    assert {"warp2wave/device.h", "warp2wave/arch.h"} <= {file.path for file in source.files}


def test_a_port_is_ported_to_itself() -> None:
    first = translate_submission(submit({"a.cu": MAIN, "lib/k.cuh": KERNEL}, "a.cu"))
    again = translate_submission(submit({f.path: f.text for f in first.files}, *first.main_files))
    assert again.files == first.files
    assert again.main_files == first.main_files == ("a.hip",)


def test_a_main_file_that_another_includes_is_included_by_its_new_name() -> None:
    source = translate_submission(submit({"d/a.cu": '#include "b.cu"\n', "d/b.cu": "int x;\n"}, "d/a.cu", "d/b.cu"))
    assert source.files[0].text == '#include "b.hip"\n'


def test_names_that_a_header_declares_are_the_users_everywhere() -> None:
    files = {"a.cu": '#include "h.h"\nint g() { return cudaFree(1); }\n', "h.h": "int cudaFree(int);\n"}
    source = translate_submission(submit(files, "a.cu"))
    assert "return cudaFree(1)" in source.files[0].text


def test_a_header_that_hides_the_toolkits_is_the_users() -> None:
    source = translate_submission(submit({"a.cu": '#include "cuda.h"\n', "cuda.h": "int x;\n"}, "a.cu"))
    assert source.files[0].text == '#include "cuda.h"\n'


def test_includes_in_a_circle_end() -> None:
    files = {"a.cu": '#include "b.h"\n', "b.h": '#include "a.cu"\n#include "b.h"\n'}
    assert len(translate_submission(submit(files, "a.cu")).files) == 2


def test_the_naive_port_holds_no_shims() -> None:
    source = translate_submission(submit({"a.cu": MAIN, "lib/k.cuh": KERNEL}, "a.cu"), fix_faults=False)
    assert [file.path for file in source.files] == ["a.hip", "lib/k.cuh"]
    assert "__syncwarp();" in source.files[1].text


def test_defines_choose_branches() -> None:
    text = '#if FAST\n__device__ void f() { asm("foo;"); }\n#endif\n'
    slow = translate_submission(submit({"a.cu": text}, "a.cu", defines=("FAST=0",)))
    fast = translate_submission(submit({"a.cu": text}, "a.cu", defines=("FAST",)))
    assert [len(slow.findings), len(fast.findings)] == [0, 1]
