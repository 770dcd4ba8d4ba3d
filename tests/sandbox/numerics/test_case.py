"""Cases: what fits together and what does not, inputs, and the harness's text."""

import copy
import tomllib
from pathlib import Path

import numpy as np
import pytest

from sandbox.errors import InputError
from sandbox.numerics.case import load_case, parse_case
from sandbox.numerics.harness import choose_variants, write_harness, write_inputs
from sandbox.numerics.inputs import draw_shape, make_inputs

CORPUS = Path(__file__).resolve().parents[3] / "kernels_corpus"
GOOD = {
    "arrays": [
        {"name": "x", "type": "float32", "size": "n"},
        {"name": "y", "type": "float32", "size": "n", "role": "output"},
    ],
    "scalars": [{"name": "alpha", "type": "float32", "value": 0.5}],
    "launches": [
        {"kernel": "k<float, 4>", "grid": ["ceil_div(n, 64)"], "block": [64], "arguments": ["x", "y", "alpha"]}
    ],
    "shapes": [{"n": 100}, {"n": 7}],
    "ranges": {"n": {"low": 10, "high": 50, "multiple": 8}},
}


def changed(path, value):
    """The good case with one thing replaced; a path such as ``arrays.0.size``."""
    case = copy.deepcopy(GOOD)
    *parents, last = path.split(".")
    at = case
    for part in parents:
        at = at[int(part) if part.isdigit() else part]
    at[int(last) if last.isdigit() else last] = value
    return case


def test_the_corpus():
    for path in sorted(CORPUS.glob("*/case.toml")):
        assert len(load_case(path).shapes) >= 3, path


WRONG = [
    ("arrays", [], "arrays"),
    ("arrays.0.type", "float31", "arrays.0.type"),
    ("arrays.0.size", "m", "no dimension 'm'"),
    ("arrays.0.size", "n - 100", "x: 0 elements"),
    ("arrays.0.size", "n * 1000000", "at most 256 MiB"),
    ("arrays.0.size", "n // 0", "divides by zero"),
    ("arrays.0.name", "x y", "arrays.0.name"),
    ("arrays.0.name", "y", "two things"),
    ("arrays.0.name", "n", "two things"),
    ("arrays.0.color", "red", "arrays.0.color"),
    ("arrays.0.fill", {"kind": "strange"}, "arrays.0.fill"),
    ("arrays.0.pointer", "float4*, evil", "arrays.0.pointer"),
    ("launches.0.kernel", "k(); system", "launches.0.kernel"),
    ("launches.0.arguments", ["x", "z"], "unknown arguments: z"),
    ("launches.0.grid", [], "launches.0.grid"),
    ("launches.0.grid", ["n - 7"], "nothing to launch"),
    ("launches.0.grid", [1, 1, 1, 1], "launches.0.grid"),
    ("shapes", [{"n": 1}, {"m": 1}], "same dimensions"),
    ("shapes", [], "shapes"),
    ("ranges", {"m": {"low": 1, "high": 2}}, "unknown dimensions: m"),
    ("ranges", {"n": {"low": 5, "high": 7, "multiple": 8}}, "no value"),
    ("adversarial", ["nasty"], "adversarial"),
]


@pytest.mark.parametrize(("path", "value", "message"), WRONG)
def test_what_does_not_fit(path, value, message):
    with pytest.raises(InputError, match=message):
        parse_case({"case": changed(path, value)}, "case.toml")


FILES = [("no case", b"", "no table"), ("no TOML", b"[case", "no TOML"), ("no text", b"\xff\xfe", "no TOML")]


@pytest.mark.parametrize(("content", "message"), [f[1:] for f in FILES], ids=[f[0] for f in FILES])
def test_files_that_are_no_case(tmp_path, content, message):
    (tmp_path / "case.toml").write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_case(tmp_path / "case.toml")


def test_no_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_case(tmp_path / "none.toml")


FILLS = [
    ({"kind": "integers", "low": -3, "high": "n"}, "int32", lambda v: v.min() >= -3 and v.max() < 100 and v.std() > 0),
    ({"kind": "permutation"}, "int32", lambda v: sorted(v) == list(range(100))),
    ({"kind": "offsets", "total": 40}, "int32", lambda v: v[0] == 0 and v[-1] == 40 and (np.diff(v) >= 0).all()),
    ({"kind": "iota"}, "int64", lambda v: list(v) == list(range(100))),
    ({"kind": "ones"}, "float64", lambda v: (v == 1).all()),
    ({"kind": "uniform", "low": 2, "high": 3}, "float32", lambda v: v.min() >= 2 and v.max() < 3),
    ({"kind": "denormals"}, "float32", lambda v: (abs(v) < 2.0**-126).all() and (v != 0).any()),
    ({"kind": "huge"}, "float16", lambda v: np.isfinite(v).all() and abs(v).max() > 1e4),
    ({"kind": "special"}, "float32", lambda v: np.isnan(v).any() and np.isinf(v).any()),
    ({"kind": "normal"}, "uint8", lambda v: v.std() > 0),
]


@pytest.mark.parametrize(("fill", "kind", "holds"), FILLS, ids=[f"{f['kind']}-{k}" for f, k, _ in FILLS])
def test_fills(fill, kind, holds):
    case = changed("arrays.0.fill", fill)
    case["arrays"][0]["type"] = kind
    inputs = make_inputs(parse_case({"case": case}, "x"), {"n": 100}, 5)
    assert holds(np.frombuffer(inputs[0], kind))
    assert inputs == make_inputs(parse_case({"case": case}, "x"), {"n": 100}, 5)


def test_outputs_are_poisoned_and_seeds_differ():
    case = parse_case({"case": GOOD}, "x")
    first, second = make_inputs(case, {"n": 9}, 1), make_inputs(case, {"n": 9}, 2)
    assert first[1] == b"\xff" * 36
    assert first[0] != second[0]


def test_bfloat16_is_rounded_to_nearest_even():
    case = changed("arrays.0.type", "bfloat16")
    case["arrays"][0]["fill"] = {"kind": "iota"}
    values = np.frombuffer(make_inputs(parse_case({"case": case}, "x"), {"n": 1000}, 0)[0], np.uint16)
    assert [hex(values[i]) for i in (1, 257, 259, 261)] == ["0x3f80", "0x4380", "0x4382", "0x4382"]


def test_drawn_shapes_are_in_range():
    case = parse_case({"case": GOOD}, "x")
    drawn = {draw_shape(case, seed)["n"] for seed in range(100)}
    assert drawn == {16, 24, 32, 40, 48}


def test_variants_and_text():
    case = parse_case({"case": GOOD}, "x")
    variants = choose_variants(case, 7)
    assert [str(v) for v in variants[:4]] == [
        "n = 100, seed 7",
        "n = 7, seed 8",
        "n = 100, seed 7, zeros inputs",
        "n = 100, seed 7, denormals inputs",
    ]
    assert len(variants) == 6
    text = write_harness(case, "sub/kernel.cu", variants[:2])
    assert len(write_inputs(case, variants[:2])) == 2 * 4 * 107
    assert '#define main w2w_program_main\n#include "sub/kernel.cu"\n#undef main\n' in text
    assert "k<float, 4><<<dim3(2), dim3(64), 0>>>(x, y, alpha);" in text
    assert "const float alpha = static_cast<float>(0.5);" in text


def test_toml_and_model_agree():
    text = (CORPUS / "row_softmax" / "case.toml").read_text()
    assert parse_case(tomllib.loads(text), "x") == load_case(CORPUS / "row_softmax" / "case.toml")
