"""Every instruction form gives, bit for bit, what an H200 gave for the same operands."""

from __future__ import annotations

from pathlib import Path

import pytest
from vector_program import FORMS, read_forms, write_program

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.devices import find_device
from sandbox.execution.runner import RunRequest
from sandbox.execution.workshop import Workshop, WorkshopConfig
from sandbox.isolation.protocol import Limits
from sandbox.models import Side
from sandbox.toolchain import cache_folder

RESULTS = Path(__file__).with_name("instruction_results.tsv")


def _recorded() -> dict[str, str]:
    lines = RESULTS.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


def test_every_form_has_a_recorded_result() -> None:
    forms = [form.name for form in read_forms(FORMS)]
    assert len(forms) == len(set(forms))
    assert set(forms) == set(_recorded())


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("generator", ["vector", "scalar"])
def test_results_are_those_of_an_h200(generator: str) -> None:
    source = write_program(read_forms(FORMS)).encode()
    with Workshop(WorkshopConfig(cache=cache_folder())) as workshop:
        recipe = Recipe(files=(("vectors.cu", source),), main_files=("vectors.cu",))
        build = build_program(workshop.bench(), recipe, Side.CUDA, "sm_90")
        assert build.ok, build.log
        limits = Limits(wall_seconds=250)
        request = RunRequest(environment=(("W2W_PTX_GENERATOR", generator),), limits=limits)
        outcome = workshop.runner().run(Path(build.program), find_device("vcuda:sm_90"), request)
    assert outcome.exit_code == 0, outcome.stderr
    assert dict(line.split("\t") for line in outcome.stdout.splitlines()) == _recorded()
