from __future__ import annotations

import random
import time

import pytest
from cases import read_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.hipify import translate_text
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
    start = time.perf_counter()
    translate_text(text)
    assert text.count("\n") / (time.perf_counter() - start) > 500  # ten times slower than on an idle machine
