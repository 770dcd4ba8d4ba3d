"""Proof of a contract: the CUDA program runs on the virtual CUDA device, its port on a virtual AMD device, and each
form must say the same on both."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from agents.errors import DataError
from agents.hipify import translate_submission
from agents.models import Action, Severity, SourceFile, Submission
from agents.shims.contracts.forms import Form, load_api_forms, load_forms, write_program
from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.devices import find_device, hip_device
from sandbox.execution.runner import RunRequest
from sandbox.execution.workshop import Workshop
from sandbox.isolation.protocol import Limits
from sandbox.models import Device, Side

_FOLDER = Path(__file__).parent
_REFERENCE = "vcuda:sm_90"
_FORMS = "ptx_forms"
_API = "api_forms"
_NEAR = "near."
_NEAR_BOUND = 2.0**-20
"""Of the largest partial sum: what mma.sync may differ by (docs/inline-ptx.md)."""
_LIMITS = Limits(memory_bytes=8 << 30, pids=256, wall_seconds=400, cpu_seconds=400)
_FORMATS = {"f": ("<f", "<I"), "d": ("<d", "<Q"), "e": ("<e", "<H")}


@dataclass(frozen=True)
class Contract:
    """A CUDA program that prints a line for each form: its name, a tab, and what it gave."""

    name: str
    source: str
    bounds: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    """Forms whose values are compared within a bound: how their bits are read, and the bound."""


@dataclass(frozen=True)
class Proof:
    """What came of a contract on one target. It holds where nothing failed and something passed."""

    contract: str
    target: str
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    """Forms that differ or are missing, or one line that says why nothing ran."""

    @property
    def holds(self) -> bool:
        return bool(self.passed) and not self.failed


@cache
def load_contracts() -> tuple[Contract, ...]:
    """Every contract that comes with the product."""
    contracts = [_of_forms(_FORMS, load_forms()), _of_forms(_API, load_api_forms(), api=True)]
    contracts += [Contract(path.stem, path.read_text(encoding="utf-8")) for path in sorted(_FOLDER.glob("*.cu"))]
    return tuple(contracts)


def _of_forms(name: str, forms: tuple[Form, ...], *, api: bool = False) -> Contract:
    bounds = {form.name: (form.number, form.bound) for form in forms if form.bound}
    return Contract(name, write_program(forms, api=api), bounds)


def find_contract(name: str) -> Contract:
    """DataError where there is none of that name."""
    for contract in load_contracts():
        if contract.name == name:
            return contract
    raise DataError(f"there is no contract {name}")


def prove(workshop: Workshop, contract: Contract, targets: tuple[str, ...]) -> list[Proof]:
    """Run both sides and compare them, for each target."""
    submission = Submission(
        name=contract.name,
        files=(SourceFile(path="contract.cu", text=contract.source),),
        main_files=("contract.cu",),
        targets=targets,
    )
    port = translate_submission(submission)
    todo = [f for f in port.findings if f.action is Action.TO_DO and f.severity is Severity.BLOCKS]
    if todo:
        reason = f"line {todo[0].line}: {todo[0].message}"
        return [Proof(contract.name, target, (), (reason,)) for target in targets]
    expected, complaint = _run(workshop, submission.files, submission.main_files, find_device(_REFERENCE))
    proofs = []
    for target in targets:
        if complaint:
            proofs.append(Proof(contract.name, target, (), (complaint,)))
            continue
        found, reason = _run(workshop, port.files, port.main_files, hip_device(target))
        proofs.append(_compare(contract, target, expected, found, reason))
    return proofs


def _run(
    workshop: Workshop, files: tuple[SourceFile, ...], main_files: tuple[str, ...], device: Device
) -> tuple[dict[str, str], str]:
    """The lines by form, and why they are not to be trusted (empty: they are)."""
    recipe = Recipe(
        files=tuple((file.path, file.text.encode("utf-8", "surrogateescape")) for file in files), main_files=main_files
    )
    build = build_program(workshop.bench(), recipe, device.side, device.target)
    if not build.ok:
        return {}, f"{'CUDA' if device.side is Side.CUDA else 'port'}: does not compile: {build.log[-2000:]}"
    run = workshop.runner().run(Path(build.program), device, RunRequest(limits=_LIMITS))
    if run.exit_code != 0:
        return {}, f"{device.name}: exit status {run.exit_code}: {run.stderr[-2000:]}"
    pairs = (line.partition("\t") for line in run.stdout.splitlines() if line)
    return {name: value for name, _, value in pairs}, ""


def _compare(contract: Contract, target: str, expected: dict[str, str], found: dict[str, str], complaint: str) -> Proof:
    if complaint:
        return Proof(contract.name, target, (), (complaint,))
    passed: list[str] = []
    failed: list[str] = []
    for name, value in expected.items():
        (passed if _same(contract, name, value, found.get(name)) else failed).append(name)
    return Proof(contract.name, target, tuple(passed), tuple(failed))


def _same(contract: Contract, name: str, expected: str, found: str | None) -> bool:
    if found is None:
        return False
    if name.startswith(_NEAR):
        return _near([float(x) for x in expected.split("\t")], [float(x) for x in found.split("\t")])
    if name in contract.bounds:
        number, bound = contract.bounds[name]
        pairs = zip(expected.split("\t"), found.split("\t"), strict=True)
        return all(x == y or _within(_read(x, number), _read(y, number), bound) for x, y in pairs)
    return expected == found


def _read(bits: str, number: str) -> float:
    if number == "b":
        return float(struct.unpack("<f", struct.pack("<I", int(bits, 16) << 16))[0])
    value, raw = _FORMATS[number]
    return float(struct.unpack(value, struct.pack(raw, int(bits, 16)))[0])


def _within(expected: float, found: float, bound: float) -> bool:
    """Never for a NaN or an infinity that the other side does not have."""
    return abs(expected - found) <= bound * max(1.0, abs(expected))


def _near(expected: list[float], found: list[float]) -> bool:
    scale = max(abs(x) for x in expected)
    return len(expected) == len(found) and all(
        abs(x - y) <= _NEAR_BOUND * scale for x, y in zip(expected, found, strict=True)
    )
