"""Which files an object of the virtual devices is made from."""

import pytest

from sandbox.execution.runtime import SOURCES, included_files, load_libraries

INCLUDED = [
    ("recorder/log.cpp", {"recorder/log.cpp", "recorder/log.h"}),
    ("recorder/cuda_calls.cpp", {"recorder/cuda_calls.cpp", "recorder/calls.h", "recorder/recorder.h"}),
]


@pytest.mark.parametrize(("source", "files"), INCLUDED)
def test_included_files(source, files):
    assert {str(path.relative_to(SOURCES)) for path in included_files(SOURCES / source)} == files


def test_tables_count_as_well():
    found = {path.name for path in included_files(SOURCES / "cudart/errors.cpp")}
    assert {"errors.cpp", "errors.h", "errors.inc"} <= found


def test_every_source_of_every_library_is_there():
    for library in load_libraries().values():
        for pattern in library.sources:
            assert list(SOURCES.glob(pattern)), pattern
