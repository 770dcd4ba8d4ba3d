"""What instructions are counted as, and the plan that a translation carries."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from sandbox.vgpu.cdna import counting
from sandbox.vgpu.cdna.counting import CounterPlan, load_classes, load_rules
from sandbox.vgpu.cdna.instruction_table import TARGETS, TableError, table_for

UNITS = {
    "SQ_INSTS_VALU",
    "SQ_INSTS_SALU",
    "SQ_INSTS_SMEM",
    "SQ_INSTS_VMEM",
    "W2W_INSTS_LDS",
    "SQ_INSTS_BRANCH",
    "W2W_INSTS_CALL",
    "SQ_INSTS_SENDMSG",
    "W2W_INSTS_OTHER",
}
VALU = {"W2W_INSTS": 1, "SQ_INSTS_VALU": 1, "W2W_VALU_LANES": 1}
MATRIX = {"W2W_INSTS": 1, "SQ_INSTS_VALU": 1, "SQ_INSTS_MFMA": 1}
AMOUNTS = {
    "v_add_f32": {**VALU, "SQ_INSTS_VALU_ADD_F32": 1, "W2W_VALU_FLOPS_F32": 1},
    "v_subrev_f16": {**VALU, "SQ_INSTS_VALU_ADD_F16": 1, "W2W_VALU_FLOPS_F16": 1},
    "v_mul_f64": {**VALU, "SQ_INSTS_VALU_MUL_F64": 1, "W2W_VALU_FLOPS_F64": 1},
    "v_fmac_f32": {**VALU, "SQ_INSTS_VALU_FMA_F32": 1, "W2W_VALU_FLOPS_F32": 2},
    "v_pk_fma_f32": {**VALU, "SQ_INSTS_VALU_FMA_F32": 1, "W2W_VALU_FLOPS_F32": 4},
    "v_pk_mul_f16": {**VALU, "SQ_INSTS_VALU_MUL_F16": 1, "W2W_VALU_FLOPS_F16": 2},
    "v_rsq_f32": {**VALU, "SQ_INSTS_VALU_TRANS_F32": 1, "W2W_VALU_FLOPS_F32": 1},
    "v_max_f32": VALU,
    "v_mov_b32": VALU,
    "v_cndmask_b32": VALU,
    "v_add_u32": {**VALU, "W2W_INSTS_VALU_INT32": 1},
    "v_lshl_add_u64": {**VALU, "W2W_INSTS_VALU_INT64": 1},
    "v_mad_u64_u32": {**VALU, "W2W_INSTS_VALU_INT64": 1},
    "v_cvt_f32_i32": {**VALU, "SQ_INSTS_VALU_CVT": 1},
    "v_cmp_lt_i32": {**VALU, "W2W_INSTS_VALU_CMP": 1},
    "v_readlane_b32": {**VALU, "W2W_INSTS_VALU_CROSS_LANE": 1},
    "v_mfma_f32_16x16x16_f16": {**MATRIX, "SQ_INSTS_VALU_MFMA_F16": 1, "SQ_INSTS_VALU_MFMA_MOPS_F16": 16},
    "v_mfma_f32_32x32x8_bf16": {**MATRIX, "SQ_INSTS_VALU_MFMA_BF16": 1, "SQ_INSTS_VALU_MFMA_MOPS_BF16": 32},
    "v_mfma_f32_4x4x1_16b_f32": {**MATRIX, "SQ_INSTS_VALU_MFMA_F32": 1, "SQ_INSTS_VALU_MFMA_MOPS_F32": 1},
    "v_mfma_f32_16x16x1f32": {**MATRIX, "SQ_INSTS_VALU_MFMA_F32": 1, "SQ_INSTS_VALU_MFMA_MOPS_F32": 4},
    "v_mfma_f64_16x16x4_f64": {**MATRIX, "SQ_INSTS_VALU_MFMA_F64": 1, "SQ_INSTS_VALU_MFMA_MOPS_F64": 4},
    "v_mfma_i32_32x32x16_i8": {**MATRIX, "SQ_INSTS_VALU_MFMA_I8": 1, "SQ_INSTS_VALU_MFMA_MOPS_I8": 64},
    "v_mfma_f32_16x16x32_fp8_bf8": {**MATRIX, "SQ_INSTS_VALU_MFMA_F8": 1, "SQ_INSTS_VALU_MFMA_MOPS_F8": 32},
    "v_mfma_f32_16x16x8xf32": {**MATRIX, "W2W_INSTS_VALU_MFMA_XF32": 1, "W2W_INSTS_VALU_MFMA_MOPS_XF32": 8},
    "v_smfmac_f32_16x16x32_f16": {**MATRIX, "W2W_INSTS_VALU_SMFMAC": 1, "W2W_INSTS_VALU_SMFMAC_MOPS_F16": 32},
    "s_add_u32": {"W2W_INSTS": 1, "SQ_INSTS_SALU": 1},
    "s_cbranch_execz": {"W2W_INSTS": 1, "SQ_INSTS_BRANCH": 1},
    "s_swappc_b64": {"W2W_INSTS": 1, "W2W_INSTS_CALL": 1},
    "s_endpgm": {"W2W_INSTS": 1, "SQ_INSTS_SENDMSG": 1},
    "s_barrier": {"W2W_INSTS": 1, "W2W_INSTS_OTHER": 1, "W2W_INSTS_BARRIER": 1},
    "s_load_dwordx4": {"W2W_INSTS": 1, "SQ_INSTS_SMEM": 1, "W2W_SMEM_READ_BYTES": 16},
    "global_load_dwordx4": {"W2W_INSTS": 1, "SQ_INSTS_VMEM": 1, "W2W_INSTS_VMEM_LOAD": 1},
    "flat_atomic_add": {"W2W_INSTS": 1, "SQ_INSTS_VMEM": 1, "SQ_INSTS_FLAT": 1, "W2W_INSTS_VMEM_ATOMIC": 1},
    "ds_read2_b64": {"W2W_INSTS": 1, "W2W_INSTS_LDS": 1, "W2W_INSTS_LDS_LOAD": 1},
    "ds_add_rtn_u32": {"W2W_INSTS": 1, "W2W_INSTS_LDS": 1, "W2W_INSTS_LDS_ATOMIC": 1},
    "ds_bpermute_b32": {"W2W_INSTS": 1, "W2W_INSTS_LDS": 1, "W2W_INSTS_LDS_PERMUTE": 1},
}


def amounts(mnemonic: str) -> dict[str, int]:
    target = next(target for target in TARGETS if mnemonic in table_for(target))
    plan = CounterPlan(table_for(target))
    return {load_classes()[place][0]: amount for place, amount in plan.amounts(mnemonic)}


@pytest.mark.parametrize("mnemonic", AMOUNTS)
def test_what_an_instruction_counts_as(mnemonic: str) -> None:
    assert amounts(mnemonic) == AMOUNTS[mnemonic]


@pytest.mark.parametrize("target", TARGETS)
def test_every_instruction_belongs_to_one_unit(target: str) -> None:
    plan = CounterPlan(table_for(target))
    for mnemonic in plan.table:
        counted = {load_classes()[place][0] for place, _ in plan.amounts(mnemonic)}
        assert len(counted & UNITS) == 1, mnemonic
        assert "W2W_INSTS" in counted, mnemonic


@pytest.mark.parametrize("target", TARGETS)
def test_matrix_work_is_counted_in_whole_units_of_one_type(target: str) -> None:
    for mnemonic, row in table_for(target).items():
        if row.format != "MFMA" or not re.search(r"\d+x\d+x\d+", mnemonic):
            continue
        work = {name: amount for name, amount in amounts(mnemonic).items() if "_MOPS_" in name}
        assert len(work) == 1, mnemonic
        assert all(amount > 0 for amount in work.values()), mnemonic


def test_every_rule_is_about_some_instruction() -> None:
    rows = [row for target in TARGETS for row in table_for(target).values()]
    assert [rule for rule in load_rules() if not any(rule.amount(row) for row in rows)] == []


WRONG_RULES = {
    "columns": "counter\tper\n",
    "cells": "HEAD\nA\twave\t*\t.*\n",
    "per": "HEAD\nA\tgroup\t*\t.*\t1\n",
    "format": "HEAD\nA\twave\tVOP9\t.*\t1\n",
    "weight": "HEAD\nA\twave\t*\t.*\tmany\n",
    "expression": "HEAD\nA\twave\t*\t(\t1\n",
    "twice": "HEAD\nA\twave\t*\t.*\t1\nA\twave\t*\t.*\t1\n",
    "both": "HEAD\nA\twave\t*\t.*\t1\nA\tlane\tDS\t.*\t1\n",
}


@pytest.mark.parametrize("case", WRONG_RULES)
def test_wrong_rules_are_refused(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text(WRONG_RULES[case].replace("HEAD", "counter\tper\tformats\tmnemonics\tweight"))
    monkeypatch.setattr(counting, "_RULES", path)
    with pytest.raises(TableError, match=r"rules\.tsv"):
        load_rules.__wrapped__()


def test_the_plan_says_what_each_segment_holds() -> None:
    plan = CounterPlan(table_for("gfx942"))
    places = {name: place for place, (name, _) in enumerate(load_classes())}
    plan.segments += [Counter({places["W2W_INSTS"]: 3, places["SQ_INSTS_VALU"]: 2}), Counter()]
    text = plan.render(accesses=7)
    mix = re.search(r"@counter\.mix = private constant \[6 x i16\] \[(.*)\]", text)
    assert mix is not None
    assert [int(word.split()[1]) for word in mix[1].split(", ")] == [2, places["W2W_INSTS"], 3, 1, 2, 0]
    assert f"{{ i32 1, i32 2, i32 7, i32 {len(load_classes())}, ptr @counter.names" in text
    assert sum(per_lane for _, per_lane in load_classes()) == 4
