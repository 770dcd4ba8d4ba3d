"""SDWA, DPP, modifiers and literals of every vector instruction that has them, against the model.

Made from the plain forms in ``cases/``; the assembler says which instructions have which form.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from instruction_batch import Case, check_batch, read_cases
from kernel_workshop import KernelSource, Workshop
from wave_model import Line

from sandbox.vgpu.cdna.instruction_table import table_for

_FILES = [
    "bits",
    "compare",
    "compare_exec",
    "convert",
    "float_half",
    "float_single",
    "float_double",
    "integer",
    "packed",
    "gfx950",
]
_PARTS = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"]
_UNUSED = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"]
_FLOATS = re.compile(r"v(1[0-24-9]|3[0-2])|v\[1\d:\d+\]")
"""Registers with floats of one kind or another."""
_OTHERS = re.compile("bitop3|dot2c|pk_fmac")
"""Without a plain form; two numbers for one sign modifier, which is refused."""


def _plain_forms(target: str, formats: str) -> dict[str, list[str]]:
    """Operands by mnemonic: without modifiers, sources in VGPRs."""
    forms: dict[str, list[str]] = {}
    for name in _FILES:
        for case in read_cases(f"{name}.s"):
            line = Line.parse(case.text)
            row = table_for(target).get(line.mnemonic)
            operands = [re.sub(r"[-|]|sext\(|\)", "", text) for text in line.operands]
            if row is None or row.format not in formats.split() or case.ulps or _OTHERS.search(row.mnemonic):
                continue
            if all(text[0] == "v" for text in operands[1:]):
                forms.setdefault(line.mnemonic, operands)
    return forms


def _first_source(mnemonic: str, operands: list[str]) -> int:
    return 2 if "_co_" in mnemonic else 1


def _with_signs(operands: list[str], first: int, chance: random.Random, integers: bool) -> list[str]:
    """Some float sources negated or absolute; in SDWA some integers sign-extended."""
    changed = list(operands)
    for k in range(first, len(operands)):
        if _FLOATS.fullmatch(operands[k]):
            changed[k] = chance.choice(["{}", "-{}", "|{}|", "-|{}|"]).format(operands[k])
        elif integers and operands[k][0] == "v" and k < first + 2 and operands[k] != "vcc" and chance.random() < 0.4:
            changed[k] = f"sext({operands[k]})"
    return changed


def _sdwa(mnemonic: str, operands: list[str], chance: random.Random) -> str:
    first = _first_source(mnemonic, operands)
    text = ", ".join(_with_signs(operands, first, chance, integers=True))
    if not mnemonic.startswith("v_cmp"):
        text += f" dst_sel:{chance.choice(_PARTS)} dst_unused:{chance.choice(_UNUSED)}"
    text += f" src0_sel:{chance.choice(_PARTS)}"
    if len([o for o in operands[first:] if o != "vcc"]) > 1:
        text += f" src1_sel:{chance.choice(_PARTS)}"
    return f"{mnemonic}_sdwa {text}"


def _dpp(mnemonic: str, operands: list[str], chance: random.Random) -> str:
    controls = [f"row_{way}:{chance.randrange(1, 16)}" for way in ("shl", "shr", "ror")]
    controls += [f"quad_perm:[{','.join(str(chance.randrange(4)) for _ in range(4))}]", "row_mirror", "row_half_mirror"]
    controls += ["row_bcast:15", "row_bcast:31", "wave_shl:1", "wave_rol:1", "wave_shr:1", "wave_ror:1"]
    control = chance.choice(controls)
    if any("[" in operand for operand in operands[:3]):
        control = f"row_newbcast:{chance.randrange(16)}"
    signed = _with_signs(operands, _first_source(mnemonic, operands), chance, integers=False)
    masks = f"row_mask:{chance.choice((15, 10, 7)):#x} bank_mask:{chance.choice((15, 5, 14)):#x}"
    return f"{mnemonic}_dpp {', '.join(signed)} {control} {masks}{chance.choice(('', ' bound_ctrl:1'))}"


def _modifiers(mnemonic: str, operands: list[str], chance: random.Random) -> str:
    first = _first_source(mnemonic, operands)
    signed = _with_signs(operands, first, chance, integers=False)
    if mnemonic.startswith("v_cmp_"):
        signed[0] = "s[20:21]"
    clamp = "" if mnemonic.startswith("v_cmp") else chance.choice(("", " clamp"))
    return f"{mnemonic}_e64 {', '.join(signed)}{clamp}"


def _literal(mnemonic: str, operands: list[str], chance: random.Random) -> str:
    changed = list(operands)
    literal = chance.choice((0x3F800000, 0x80000000, 0x12345678, 0xFFFFFF80, chance.getrandbits(32), 0x40490FDB))
    if mnemonic.endswith("16"):
        literal &= 0xFFFF
    changed[_first_source(mnemonic, operands)] = f"{literal:#x}"
    return f"{mnemonic}_e32 {', '.join(changed)}"


def _packed(mnemonic: str, operands: list[str], chance: random.Random) -> str:
    """Halves and signs of each source; the assembler refuses lists that an instruction does not have."""
    text = f"{mnemonic} {', '.join(operands)}"
    has_signs = re.search(r"_b?f\d\d", mnemonic)  # those of integers are not supported
    for name in ("op_sel", "op_sel_hi", *(("neg_lo", "neg_hi") if has_signs else ())):
        if chance.random() < 0.7:
            text += f" {name}:[{','.join(str(chance.randrange(2)) for _ in operands[1:])}]"
    return text + chance.choice(("", " clamp"))


def _three_sources(mnemonic: str, operands: list[str], chance: random.Random) -> str:
    signed = _with_signs(operands, _first_source(mnemonic, operands), chance, integers=False)
    text = f"{mnemonic} {', '.join(signed)}"
    if mnemonic.endswith(("f16", "i16", "u16")) and chance.random() < 0.7:
        text += f" op_sel:[{','.join(str(chance.randrange(2)) for _ in operands)}]"
    return text + chance.choice(("", " clamp"))


_ENCODINGS: dict[str, Callable[[str, list[str], random.Random], str]] = {
    "sdwa": _sdwa,
    "dpp": _dpp,
    "modifiers": _modifiers,
    "literal": _literal,
    "packed": _packed,
    "three_sources": _three_sources,
}
_FORMATS = {"packed": "VOP3P", "three_sources": "VOP3"}


def _accepted(workshop: Workshop, target: str, lines: list[str]) -> list[str]:
    (workshop.folder / "forms.s").write_text("\n".join(lines) + "\n")
    tool = f"/usr/lib/llvm-22/bin/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu={target} forms.s"
    done = workshop.root.run(workshop.folder, "sh", "-c", tool, check=False)
    refused = {int(number) for number in re.findall(r"forms\.s:(\d+):\d+: error", done.stderr)}
    return [line for number, line in enumerate(lines, 1) if number not in refused]


@pytest.mark.toolchain
@pytest.mark.parametrize(("target", "encoding"), [(t, e) for e in _ENCODINGS for t in ("gfx942", "gfx950")])
def test_forms_match_the_model(workshop: Workshop, target: str, encoding: str) -> None:
    """Each target tests one half of the instructions."""
    chance = random.Random(encoding)
    forms = _plain_forms(target, _FORMATS.get(encoding, "VOP1 VOP2 VOPC"))
    half = [name for k, name in enumerate(sorted(forms)) if k % 2 == (target == "gfx950")]
    repeats = 3 if encoding in _FORMATS else 1
    lines = [_ENCODINGS[encoding](name, forms[name], chance) for name in half for _ in range(repeats)]
    cases = [Case(line) for line in _accepted(workshop, target, lines)]
    assert len(cases) > 30
    problems = check_batch(workshop, f"forms_{encoding}", target, cases, seeds=[31])
    assert not problems, "\n".join(problems[:40])


@pytest.mark.toolchain
def test_a_sign_for_two_numbers_is_refused(workshop: Workshop) -> None:
    lines = "v_dot2c_f32_f16_e64 v0, |v30|, v31\nv_pk_fmac_f16_e64 v0, v30, -v31"
    image = workshop.assemble("signs", "gfx942", [KernelSource("signs", lines)])
    problems = workshop.translate(image, "gfx942", "signs", "signs")
    assert len(problems) == 2
    assert all("one sign modifier for two packed numbers" in problem for problem in problems)
