from __future__ import annotations

import importlib
import pickle
import pkgutil

import pytest

import agents
import sandbox
import service
from agents.models import Outcome
from sandbox.errors import SandboxLayerError, ToolchainError
from service.errors import MEANINGS, ErrorRecord, NotFoundError, PortCancelledError, PortFailedError, meaning_of
from service.exit_codes import ExitCode, exit_code_for_error, exit_code_for_outcome


def error_classes(root: type[SandboxLayerError] = SandboxLayerError) -> list[type[SandboxLayerError]]:
    return [root, *(each for kind in root.__subclasses__() for each in error_classes(kind))]


def import_error_modules() -> None:
    for package in (sandbox, agents, service):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.endswith(".errors"):
                importlib.import_module(module.name)


def test_every_error_has_a_meaning():
    import_error_modules()
    for kind in error_classes():
        meaning = meaning_of(kind.code)
        assert 400 <= meaning.status < 600, kind
        assert meaning.exit_code in list(ExitCode), kind


def test_subclass_means_what_its_base_means():
    class MirrorError(ToolchainError):
        code = "toolchain-mirror"

    assert meaning_of("toolchain-mirror") == MEANINGS["toolchain"]
    assert meaning_of("no such code") == MEANINGS["internal"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (ValueError(), 1),
        (ToolchainError("x"), 6),
        (NotFoundError("x"), 2),
        (PortCancelledError("x"), 130),
        (PortFailedError(ErrorRecord(code="isolation", message="x")), 6),
        (PortFailedError(ErrorRecord(code="submission", message="x")), 2),
        (PortFailedError(ErrorRecord(code="internal", message="x")), 1),
    ],
)
def test_exit_code_of_errors(error: BaseException, code: int):
    assert exit_code_for_error(error) == code


def test_exit_code_of_outcomes():
    codes = {outcome: exit_code_for_outcome(outcome) for outcome in Outcome}
    assert codes == {
        Outcome.ACCEPTED: 0,
        Outcome.NEEDS_ATTENTION: 3,
        Outcome.REJECTED: 4,
        Outcome.UNVERIFIED: 5,
    }


def test_record_is_plain_and_storable():
    error = ToolchainError("a\0\udcff", hint="h\0", path=object, items=(1, {"k\0": b"\xff"}))
    record = ErrorRecord.of(error)

    assert (record.code, record.message, record.hint) == ("toolchain", r"a\x00\udcff", r"h\x00")
    assert record.context["items"] == [1, {r"k\x00": "b'\\xff'"}]
    assert ErrorRecord.model_validate_json(record.model_dump_json()) == record


def test_failed_port_survives_pickling():
    error = pickle.loads(pickle.dumps(PortFailedError(ErrorRecord(code="input", message="m", hint="h"))))
    assert (error.code, str(error)) == ("input", "m (h)")
