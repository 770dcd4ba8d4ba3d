"""The text form of a translation's flavour, which requests and the cache hold."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from sandbox.vgpu.cdna.flavour import PLAIN, Flavour, parse_flavour
from sandbox.vgpu.ptx.translate import translate
from sandbox.vgpu.translator.frontend import TranslationError

TEXTS = {
    "": PLAIN,
    "checks": Flavour(checks=True),
    "counters": Flavour(counters=True),
    "checks+counters": Flavour(checks=True, counters=True),
    "checks+races": Flavour(checks=True, races=True),
    "checks+counters+races": Flavour(checks=True, counters=True, races=True),
    "bounds": Flavour(bounds=True),
    "counters+bounds": Flavour(counters=True, bounds=True),
}


@pytest.mark.parametrize(("text", "flavour"), TEXTS.items())
def test_text_and_back(text: str, flavour: Flavour) -> None:
    assert str(flavour) == text
    assert parse_flavour(text) == flavour


def test_no_two_flavours_share_a_text() -> None:
    everything = itertools.product([False, True], repeat=4)
    allowed = [(c, n, r, b) for c, n, r, b in everything if (c or not r) and not (c and b)]
    assert len({str(Flavour(*values)) for values in allowed}) == len(allowed) == len(TEXTS)


@pytest.mark.parametrize(
    "text", ["races", "counters+checks", "checks+checks", "check", "+checks", "checks+", "__init__", "checks+bounds"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(TranslationError, match="flavour") as caught:
        parse_flavour(text)
    assert caught.value.code == "unknown-flavour"


def test_ptx_has_no_flavours(tmp_path: Path) -> None:
    with pytest.raises(TranslationError) as caught:
        translate(b"", "sm_90", "", flavour="checks", workdir=tmp_path)
    assert caught.value.code == "unknown-flavour"
