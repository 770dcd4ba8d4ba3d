"""What HIP and rocminfo see: properties, counts, selection, limits."""

from __future__ import annotations

import pytest
from hsa_workshop import Workshop

pytestmark = pytest.mark.toolchain


def properties(workshop: Workshop, **env: str) -> dict[str, str]:
    finished = workshop.run(workshop.program("properties"), env=env)
    assert finished.exit_code == 0, finished
    return dict(line.split(" ", 1) for line in finished.stdout.splitlines())


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("gfx942", {"name": "AMD Instinct MI300X (virtual)", "cus": 304, "lds": 64 << 10, "memory": 192 << 30}),
        ("gfx950", {"name": "AMD Instinct MI350X (virtual)", "cus": 256, "lds": 160 << 10, "memory": 288 << 30}),
    ],
)
def test_properties(workshop: Workshop, target: str, expected: dict[str, object]) -> None:
    seen = properties(workshop, W2W_TARGET=target)
    assert {name: seen[name] for name in expected} == {name: str(value) for name, value in expected.items()}
    assert seen["arch"] == f"{target}:sramecc+:xnack-"
    assert (seen["warp"], seen["threads"], seen["count"], seen["cooperative"]) == ("64", "1024", "1", "1")


def test_xnack_is_a_feature_of_the_name(workshop: Workshop) -> None:
    assert properties(workshop, HSA_XNACK="1")["arch"] == "gfx942:sramecc+:xnack+"


@pytest.mark.parametrize(
    ("env", "buses"),
    [
        ({}, "5"),
        ({"W2W_DEVICES": "3"}, "5 6 7"),
        ({"W2W_DEVICES": "8", "HIP_VISIBLE_DEVICES": "3,1"}, "8 6"),
        ({"W2W_DEVICES": "8", "ROCR_VISIBLE_DEVICES": "3, GPU-5732570000000001,0,9,2"}, "8 6 5"),
        ({"W2W_DEVICES": "4", "ROCR_VISIBLE_DEVICES": "2,1", "HIP_VISIBLE_DEVICES": "1"}, "6"),
    ],
)
def test_selection_of_devices(workshop: Workshop, env: dict[str, str], buses: str) -> None:
    finished = workshop.run(workshop.program("devices"), env=env)
    assert finished.passed, finished
    assert finished.stdout.splitlines()[0] == f"count {len(buses.split())} buses {buses}"


@pytest.mark.parametrize("tokens", ["", "-1", "GPU-", "0x1", "99999999999999999999"])
def test_no_device_is_visible(workshop: Workshop, tokens: str) -> None:
    finished = workshop.run(workshop.program("properties"), env={"W2W_DEVICES": "2", "ROCR_VISIBLE_DEVICES": tokens})
    assert "hipErrorNoDevice" in finished.stdout, finished


@pytest.mark.parametrize(
    ("name", "value"),
    [("W2W_TARGET", "gfx1100"), ("W2W_DEVICES", "0"), ("W2W_DEVICES", "two"), ("W2W_MEMORY_GB", "-1")],
)
def test_a_bad_environment_is_our_failure(workshop: Workshop, name: str, value: str) -> None:
    finished = workshop.run(workshop.program("properties"), env={name: value})
    assert finished.exit_code == 125
    assert [report["kind"] for report in finished.reports] == ["unsupported-configuration"]
    assert f"{name}={value}" in finished.stderr


def test_a_large_allocation_meets_the_memory_limit(workshop: Workshop) -> None:
    finished = workshop.run(workshop.program("ending"), "hundred", env={"W2W_MEMORY_GB": "8"})
    assert finished.stdout == "device hipErrorOutOfMemory\nhost hipErrorOutOfMemory\nmanaged hipErrorOutOfMemory\n", (
        finished
    )


def test_rocminfo(workshop: Workshop) -> None:
    finished = workshop.run("rocminfo", env={"W2W_TARGET": "gfx950", "W2W_DEVICES": "2"})
    assert finished.exit_code == 0, finished
    assert finished.reports == []
    assert finished.stdout.count("Name:                    gfx950") == 2
    assert "Compute Unit:            256" in finished.stdout
    assert "amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-" in finished.stdout
