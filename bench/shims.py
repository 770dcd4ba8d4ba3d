"""Prove the shims' contracts on both sides and count them; or damage PTX and see what becomes of it.

    python bench/shims.py [--target gfx942 gfx950] [--contract NAME ...] [--markdown FILE]
    python bench/shims.py --mutants 5000 [--run]

A contract is a CUDA program that runs on the virtual CUDA device and, ported, on a virtual AMD device. Mutants that the
translator accepts and that ptxas accepts too are run on both sides with ``--run``.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

from agents.shims.contracts.forms import Form, asm_text, load_forms, write_program
from agents.shims.contracts.proof import Contract, Proof, load_contracts, prove
from agents.shims.inline_ptx.errors import PtxError
from agents.shims.inline_ptx.statement import Operand, Statement
from agents.shims.inline_ptx.table import load_rows
from agents.shims.inline_ptx.translate import translate_statement
from sandbox.execution.workshop import Workshop, WorkshopConfig
from sandbox.toolchain import Toolchain, ToolchainConfig, cache_folder, find_toolchain

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "agents" / "shims"))
from ptx_mutations import mutate

SIZES = {"r": 4, "l": 8, "h": 2, "f": 4, "d": 8, "e": 2, "b": 2}


def prove_all(targets: tuple[str, ...], names: list[str]) -> list[Proof]:
    proofs = []
    with Workshop(WorkshopConfig(cache=cache_folder())) as workshop:
        for contract in load_contracts():
            if names and contract.name not in names:
                continue
            started = time.monotonic()
            for proof in prove(workshop, contract, targets):
                took = time.monotonic() - started
                print(f"{proof.contract:14} {proof.target}  {len(proof.passed):4} hold  {took:6.1f} s", flush=True)
                for line in proof.failed:
                    print(f"    fails: {line}")
                proofs.append(proof)
    return proofs


def count(proofs: list[Proof]) -> None:
    rows = sum(len(found) for found in load_rows().values())
    for target in dict.fromkeys(proof.target for proof in proofs):
        here = [proof for proof in proofs if proof.target == target]
        held = [(proof.contract, line) for proof in here for line in proof.passed]
        ptx = {line.split(".whole")[0] for contract, line in held if contract.startswith("ptx_")}
        ptx = {line for line in ptx if not line.endswith((".half-wave", ".sub-mask", ".one-half"))}
        api = {line.split(".")[0] for contract, line in held if contract.startswith("api_")}
        failed = sum(len(proof.failed) for proof in here)
        print(f"{target}: {len(ptx)} PTX forms ({rows} rows of the table), {len(api)} API functions, {failed} fail")


# ---- mutants


def make_mutants(number: int) -> tuple[list[Form], Counter[str]]:
    """The accepted ones, and what became of all. A crash ends the program."""
    random, fates = Random(1), Counter[str]()
    accepted = []
    for at in range(number):
        mutant = replace(mutate(random.choice(load_forms()), random), name=f"m{at}")
        operands = tuple(Operand(k == 0, k != 0, SIZES[kind]) for k, kind in enumerate(mutant.kinds))
        try:
            translate_statement(Statement(asm_text(mutant), operands, volatile=True))
        except PtxError:
            fates["refused"] += 1
            continue
        fates["accepted"] += 1
        accepted.append(replace(mutant, ptx=" ".join(mutant.ptx.split())))
    return accepted, fates


def taken_by_ptxas(forms: list[Form]) -> list[Form]:
    """Those of whose kernels ptxas makes code."""
    found = find_toolchain(ToolchainConfig.from_environment())
    assert found is not None
    while forms:
        with tempfile.TemporaryDirectory() as folder:
            source, ptx = Path(folder) / "m.cu", Path(folder) / "m.ptx"
            source.write_text(write_program(forms, group=1), encoding="utf-8")
            compiled = _in_toolchain(found, folder, "nvcc", "-arch=sm_90", "-ptx", "-o", "m.ptx", "m.cu")
            made = compiled  # nvcc has ptxas read what it wrote
            if compiled.returncode == 0:
                made = _in_toolchain(found, folder, "ptxas", "-arch=sm_90", "-o", "m.cubin", "m.ptx")
            lines = [int(line) for line in re.findall(r"line (\d+); (?:error|fatal)", made.stderr)]
            bad = _kernels_at(ptx.read_text(encoding="utf-8"), lines)
        if made.returncode == 0:
            return forms
        if not bad:
            raise SystemExit(made.stderr)
        forms = [form for number, form in enumerate(forms) if number not in bad]
    return forms


def _in_toolchain(found: Toolchain, folder: str, *command: str) -> subprocess.CompletedProcess[str]:
    root = found.root
    start = [str(root / "usr/lib64/ld-linux-x86-64.so.2"), "--library-path", str(root / "usr/lib/x86_64-linux-gnu")]
    start += [str(root / "usr/bin/bwrap"), "--unshare-user", "--unshare-pid", "--unshare-net", "--die-with-parent"]
    start += ["--clearenv", "--ro-bind", str(root), "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    start += ["--ro-bind", str(found.cuda), "/tmp/cuda", "--setenv", "PATH", "/tmp/cuda/bin:/usr/bin:/bin"]
    start += ["--bind", folder, "/tmp/w", "--chdir", "/tmp/w"]
    return subprocess.run([*start, *command], capture_output=True, text=True, check=False)


def _kernels_at(ptx: str, lines: list[int]) -> set[int]:
    kernel, numbers, at = -1, set(), set(lines)
    for number, line in enumerate(ptx.splitlines(), 1):
        found = re.match(r"\.visible \.entry _Z\d+k(\d+)P", line)
        kernel = int(found[1]) if found else kernel
        if number in at:
            numbers.add(kernel)
    return numbers - {-1}


def run_mutants(forms: list[Form]) -> None:
    bounds = {form.name: (form.number, form.bound) for form in forms if form.bound}
    with Workshop(WorkshopConfig(cache=cache_folder())) as workshop:
        for start in range(0, len(forms), 300):
            part = forms[start : start + 300]
            (proof,) = prove(workshop, Contract("mutants", write_program(part), bounds), ("gfx942",))
            by_name = {form.name: form.ptx for form in part}
            print(f"{len(proof.passed)} of {len(part)} accepted mutants agree", flush=True)
            for name in proof.failed:
                print(f"    differs: {by_name.get(name, name)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", nargs="+", default=["gfx942", "gfx950"])
    parser.add_argument("--contract", nargs="*", default=[])
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--run", action="store_true")
    options = parser.parse_args()
    if not options.mutants:
        count(prove_all(tuple(options.target), options.contract))
        return
    accepted, fates = make_mutants(options.mutants)
    print(f"{options.mutants} mutants: {fates['refused']} refused, {fates['accepted']} accepted, no crash")
    if options.run:
        taken = taken_by_ptxas(accepted)
        print(f"{len(taken)} of the accepted ones are taken by ptxas, too")
        run_mutants(taken)


if __name__ == "__main__":
    main()
