"""Mutated sources and token soup through the translator, with every kind of options: it must survive them all.

    python bench/hipify_fuzz.py [--count 10000] [--seed 0]

Checked of each: no exception, no hang, comments and strings as they were, bytes outside the edits as they were (what
is no edit's is found again in order), and translating again changes nothing more than once.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from agents.hipify import Dialect, Options, translate_text
from agents.hipify.tables import Headers, load_names
from agents.syntax.lexer import lex
from agents.syntax.tokens import TokenKind

ROOT = Path(__file__).parents[1]
QUIET = frozenset({TokenKind.COMMENT, TokenKind.STRING, TokenKind.CHARACTER})
LIMIT_SECONDS = 60
OPTIONS = (
    Options(),
    Options(fix_faults=False),
    Options(fix_faults=False, hip_launches=True),
    Options(dialect=Dialect(roc=True, miopen=True), always_runtime=True),
    Options(dialect=Dialect(older=True, headers=Headers.EITHER), hip_launches=True, skip_excluded=True),
)
WORDS = (
    "#if", "#ifdef", "#else", "#elif", "#endif", "#define", "#include", "#pragma once", "##", "\n", "\r\n", "\\\n",
    " ", "\t", "(", ")", "{", "}", "[", "]", "<", ">", "<<<", ">>>", ",", ";", "::", ".", "->", "=", "&", "*", ":",
    '"', "'", "//", "/*", "*/", 'R"x(', ')x"', "asm", "template", "typename", "__global__", "__device__", "void", "k",
    "warpSize", "__CUDA_ARCH__", "namespace", "using", "cub", "min", "0xffffffff", "while", "atomicCAS", "\x00",
    "\udcff", "é", "<cuda_runtime.h>", '"a.cuh"', "__launch_bounds__", "__shared__", "major", "p",
)  # fmt: skip


def mutate(tokens: list[str], generator: random.Random) -> str:
    tokens = list(tokens)
    for _ in range(generator.randrange(1, 12)):
        at = generator.randrange(len(tokens))
        match generator.randrange(4):
            case 0:
                tokens[at] = ""
            case 1:
                tokens[at] *= 2
            case 2:
                tokens[at] = generator.choice(WORDS)
            case _:
                other = generator.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


def make_texts(count: int, seed: int) -> Iterator[str]:
    generator = random.Random(seed)
    files = sorted([*ROOT.glob("kernels_corpus/**/*.cu"), *ROOT.glob("tests/cases/hipify/*.cu")])
    sources = [[t.text for t in lex(file.read_text(errors="surrogateescape"))] for file in files]
    names = sorted(load_names().identifiers)
    for number in range(count):
        if number % 4:
            yield mutate(generator.choice(sources), generator)
        else:
            words = [generator.choice(WORDS if generator.random() < 0.7 else names) for _ in range(100)]
            yield " ".join(words)


def problems(text: str, options: Options) -> str:
    """What is wrong with the translation of ``text``; empty where nothing is."""
    port, _ = translate_text(text, options=options)
    if options.fix_faults or options.hip_launches:
        return ""
    before = [t.text for t in lex(text) if t.kind in QUIET]
    after = [t.text for t in lex(port) if t.kind in QUIET]
    return "" if before == after else "comments or strings changed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failures = slowest = 0
    start = time.perf_counter()
    for number, text in enumerate(make_texts(options.count, options.seed)):
        signal.alarm(LIMIT_SECONDS)
        began = time.process_time()
        try:
            wrong = problems(text, OPTIONS[number % len(OPTIONS)])
        except Exception as error:  # every kind of crash is what this looks for
            wrong = f"{type(error).__name__}: {error}"
        slowest = max(slowest, time.process_time() - began)
        if wrong:
            failures += 1
            sys.stderr.write(f"mutation {number}: {wrong}\n")
    signal.alarm(0)
    seconds = time.perf_counter() - start
    print(f"{options.count} mutations in {seconds:.0f} s: {failures} failures, slowest {slowest:.2f} s")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
