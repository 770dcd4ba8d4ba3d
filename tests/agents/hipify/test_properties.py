from __future__ import annotations

import random
import time

import pytest
from cases import read_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.hipify import Dialect, Options, translate_text
from agents.hipify.tables import Headers
from agents.syntax.lexer import lex
from agents.syntax.tokens import TokenKind

SOURCES = [case.source for case in read_cases()]
QUIET = frozenset({TokenKind.COMMENT, TokenKind.STRING, TokenKind.CHARACTER})
SOUP = [
    "cudaMalloc", "cudaMemcpyToSymbol", "__shfl_down_sync", "__CUDA_ARCH__", "#if", "#else", "#endif",
    "#define", "#include", "<cuda_runtime.h>", '"a.cuh"', "\n", "\n", " ", "(", ")", "{", "}", "<", ">",
    "<<<", ">>>", ",", ";", "::", ".", "->", "asm", '"mov.u32 %0, %%laneid;"', ":", "while", "atomicCAS",
    "if", "__global__", "void", "k", "warpSize", "cub", "namespace", "using", "=", "&", "cooperative_groups",
    "min", "0xffffffff", "cudaDeviceProp", "p", "major", "##", "//x", "/*", "*/", "'", '"', "\\", "\udcff",
    "__launch_bounds__", "cudaGraphInstantiate", "__shared__", "template",
]  # fmt: skip


PIECES = [
    "#include <cuda_runtime.h>", '#include "cublas_v2.h"', "/* cudaFree stays */", 'const char* s = "cudaFree stays";',
    "void f() { cudaFree(0); k<<<1, 2>>>(cudaSuccess); }", "#define M(x) cudaFree(x) // cudaFree", "\t int  stays ;\r",
    "int cudaFree_stays = 1; // \udcff stays", "#if A", "#else", "#endif", "template <int N> __global__ void k();",
    "auto r = R\"(cudaFree stays)\";", "void g() { cudaMallocHost(&p, f(cudaMallocHost(&q, 4))); }", "cub::X<int> x;",
]  # fmt: skip
EVERY_KIND = [
    Options(hip_launches=True),
    Options(dialect=Dialect(roc=True, miopen=True), always_runtime=True),
    Options(dialect=Dialect(older=True, headers=Headers.EITHER), skip_excluded=True),
]


def is_subsequence(words: list[str], text: str) -> bool:
    """Whether ``text`` has ``words`` in their order, but for a few that a fix has replaced."""
    at = missing = 0
    for word in words:
        found = text.find(word, at)
        missing += found < 0
        at = max(at, found)
    return missing <= len(words) // 2


def mutate(text: str, seed: int) -> str:
    """``text`` with some of its tokens deleted, doubled or swapped."""
    generator = random.Random(seed)
    tokens = [token.text for token in lex(text)]
    for _ in range(generator.randrange(1, 8)):
        at = generator.randrange(len(tokens))
        match generator.randrange(3):
            case 0:
                tokens[at] = ""
            case 1:
                tokens[at] *= 2
            case _:
                other = generator.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(SOUP), max_size=80).map(" ".join), st.booleans())
def test_token_soup_is_survived(text: str, fix_faults: bool) -> None:
    translate_text(text, fix_faults=fix_faults)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SOURCES), st.integers(0, 10**6))
def test_mutated_sources_are_survived_and_keep_comments_and_strings(source: str, seed: int) -> None:
    text = mutate(source, seed)
    port, _ = translate_text(text, fix_faults=False)
    before = [t.text for t in lex(text) if t.kind in QUIET]
    after = [t.text for t in lex(port) if t.kind in QUIET]
    assert after == before


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SOURCES), st.integers(0, 10**6), st.sampled_from(EVERY_KIND))
def test_mutated_sources_are_survived_with_every_kind_of_options(source: str, seed: int, options: Options) -> None:
    text = mutate(source, seed)
    port, _ = translate_text(text, options=options)
    assert is_subsequence([t.text for t in lex(text) if t.kind is TokenKind.NUMBER], port)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("\n".join), st.booleans())
def test_renaming_again_changes_nothing_and_other_bytes_stay(text: str, hip_launches: bool) -> None:
    options = Options(fix_faults=False, hip_launches=hip_launches)
    port, _ = translate_text(text, options=options)
    assert translate_text(port, options=options)[0] == port
    assert [line for line in port.split("\n") if "stays" in line] == [
        line for line in text.split("\n") if "stays" in line
    ]


@pytest.mark.parametrize("size", [1, 4])
def test_nested_calls_with_new_arguments_are_rewritten_once(size: int) -> None:
    text = "int x = " + "cudaMallocHost(" * size + "p" + ", 1)" * size + ";"
    port, _ = translate_text(text, fix_faults=False)
    assert port.count("hipHostMalloc(") == size
    assert port.count(", 1, hipHostMallocDefault)") == size


@pytest.mark.parametrize("fix_faults", [True, False])
def test_a_source_without_cuda_is_not_touched(fix_faults: bool) -> None:
    text = '#include <vector>\r\nint f(int a) {\treturn a >> 5; }  // cudaMalloc\n\x00\udcff"'
    assert translate_text(text, fix_faults=fix_faults)[0] == text


def test_bytes_that_are_no_text_are_kept() -> None:
    text = b"/* \xff\xfe */ void f() { cudaFree(0); } // \x80".decode("utf-8", "surrogateescape")
    port, _ = translate_text(text)
    assert port.endswith(text.replace("cudaFree", "hipFree"))


def test_thousands_of_lines_a_second() -> None:
    text = "\n".join(f"#if A{i}\n{source}\n#endif" for i, source in enumerate(SOURCES)) * 4
    start = time.process_time()
    translate_text(text)
    assert text.count("\n") / (time.process_time() - start) > 500  # it does 10,000 and more
