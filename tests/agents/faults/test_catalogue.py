from __future__ import annotations

import pytest

from agents.errors import DataError
from agents.faults import passes
from agents.faults.catalogue import load_catalogue, parse_catalogue
from agents.faults.replacements import load_replacements, parse_replacements
from agents.models import Severity

ROW = (
    '[[fault]]\nid = "A"\ntitle = "t"\nwhy = "w"\nseverity = "blocks"\ncategory = "c"\ndetector = ""\nfixer = ""\n'
    'shows = ""\nreferences = []\n'
)


def test_the_catalogue() -> None:
    faults = load_catalogue()
    assert len(faults) == 130
    assert faults["M01"].severity is Severity.SILENTLY_WRONG
    assert all(fault.why.endswith(".") for fault in faults.values())
    assert all("#" in reference for fault in faults.values() for reference in fault.references)


@pytest.mark.parametrize(
    "text",
    [
        ROW + ROW,
        ROW.replace("blocks", "annoys"),
        ROW.replace('title = "t"\n', ""),
        ROW + 'colour = "red"\n',
        ROW.replace('why = "w"', 'why = ""'),
    ],
)
def test_an_inconsistent_catalogue_is_rejected(text: str) -> None:
    with pytest.raises(DataError):
        parse_catalogue(text)


@pytest.mark.parametrize(
    "row",
    [
        '{ cuda = "a", port = "b", shim = "no.h", fault = "W01" }',
        '{ cuda = "a", port = "b", shim = "", fault = "Z99" }',
        '{ cuda = "a", port = "b", shim = "", fault = "W01", where = "there" }',
        '{ cuda = "a", port = "b", shim = "" }',
        '{ cuda = "a", port = "b", shim = "", fault = "W01" }, { cuda = "a", port = "c", shim = "", fault = "W01" }',
    ],
)
def test_inconsistent_replacements_are_rejected(row: str) -> None:
    with pytest.raises(DataError):
        parse_replacements(f"rows = [{row}]")


def test_replacements_name_what_their_shim_has() -> None:
    assert load_replacements()["__shfl_down_sync"].port == "w2w::shfl_down_sync"


def test_detectors_are_passes() -> None:
    """Every detector that the catalogue names is a pass of this package, or hipify's own."""
    named = {fault.detector for fault in load_catalogue().values()} - {""}
    words = " ".join(vars(passes)).replace("_", "-")
    elsewhere = {"renames", "includes", "symbols", "kernel-pointers", "compiler-macros"}
    synonyms = {
        "warp-functions": "replace-missing",
        "missing-functions": "replace-missing",
        "warp-size": "replace-missing",
        "sub-masks": "lane-arithmetic",
    }
    assert {d for d in named - elsewhere if synonyms.get(d, d) not in words} == set()
