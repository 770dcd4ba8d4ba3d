"""Damaged and foreign images give typed errors, quickly; unknown instructions become reports, not failures."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from kernel_workshop import KernelSource, Workshop

from sandbox.vgpu.cdna.code_object import parse_code_object
from sandbox.vgpu.cdna.translate import list_units, translate
from sandbox.vgpu.translator.frontend import TranslationError


@pytest.fixture(scope="module")
def image(workshop: Workshop) -> bytes:
    kernels = [KernelSource(f"k{n}", "v_mov_b32 v1, 1\ns_nop 0\n" * 20) for n in range(3)]
    return workshop.assemble("hostile", "gfx942", kernels)


@pytest.mark.parametrize(
    "data", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(10), b"MZ" * 400, b"\x7fELF\x02\x01" + b"\xff" * 400]
)
def test_what_is_no_code_object_is_refused(data: bytes) -> None:
    with pytest.raises(TranslationError) as caught:
        list_units(data, "gfx942")
    assert caught.value.code == "bad-image"


@pytest.mark.toolchain
def test_targets_do_not_mix(image: bytes, tmp_path: Path) -> None:
    assert list_units(image, "gfx942") == ["k0", "k1", "k2"]
    for target in ("gfx950", "gfx1100", "sm_90"):
        with pytest.raises(TranslationError) as caught:
            list_units(image, target)
        assert caught.value.code == "wrong-target"
    with pytest.raises(TranslationError) as caught:
        translate(image, "gfx942", "other", flavour="", workdir=tmp_path)
    assert caught.value.code == "unknown-unit"


@pytest.mark.toolchain
def test_damaged_images_give_typed_errors(image: bytes) -> None:
    chance, started = random.Random(5), time.monotonic()
    for _ in range(600):
        damaged = bytearray(image[: chance.randrange(64, len(image))] if chance.random() < 0.3 else image)
        for _ in range(chance.randrange(1, 12)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        assert _outcome(bytes(damaged)) in ("good", "bad-image", "wrong-target")
    assert time.monotonic() - started < 20


def _outcome(image: bytes) -> str:
    try:
        parse_code_object(image, "gfx942")
    except TranslationError as error:
        return error.code
    return "good"


@pytest.mark.toolchain
def test_random_machine_code_translates_to_reports(workshop: Workshop) -> None:
    """Any words at all give a module that LLVM accepts."""
    chance = random.Random(6)
    words = "\n".join(f".long {chance.getrandbits(32):#x}" for _ in range(400))
    image = workshop.assemble("noise", "gfx942", [KernelSource("noise", words)])
    workshop.translate(image, "gfx942", "noise", "noise")
    workshop.compile(["noise"])


@pytest.mark.toolchain
def test_unknown_instructions_report_when_reached(workshop: Workshop) -> None:
    body = "s_cbranch_scc1 1\ns_branch 1\ns_sethalt 1\nv_mov_b32 v1, 1"
    image = workshop.assemble("halt", "gfx942", [KernelSource("halt", body)])
    assert workshop.translate(image, "gfx942", "halt", "halt") == [
        "s_sethalt 1: UnsupportedFormError: privileged: halts or kills the wave"
    ]
    workshop.compile(["halt"])
    workshop.run([("halt", bytes(512), 64, 0)])  # it is not reached
