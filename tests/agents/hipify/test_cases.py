from __future__ import annotations

import pytest
from cases import Case, read_cases

from agents.hipify import translate_text

CASES = read_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    port, findings = translate_text(case.source, options=case.options)
    assert port == case.port
    if case.options.fix_faults:
        assert [f"{f.fault}:{f.line}:{f.action}" for f in findings] == list(case.findings)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_translating_the_port_changes_nothing(case: Case) -> None:
    again, _ = translate_text(case.port, options=case.options)
    assert again == case.port


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_line_endings_are_kept(case: Case) -> None:
    port, _ = translate_text(case.source.replace("\n", "\r\n"), options=case.options)
    assert port == case.port.replace("\n", "\r\n")
