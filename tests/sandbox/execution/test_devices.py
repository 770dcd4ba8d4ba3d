import pytest

from sandbox.errors import InputError
from sandbox.execution.devices import find_device, hip_device
from sandbox.models import Evidence, Side


def test_names_and_aliases():
    assert find_device("vcuda") is find_device("vcuda:sm_90")
    assert find_device("vgpu").target == "gfx942"
    assert find_device("vgpu:gfx950").wavefront_size == 64
    assert find_device("vcuda").side is Side.CUDA


def test_virtual_devices_give_emulated_evidence_at_most():
    assert find_device("vgpu:gfx942").evidence is Evidence.EMULATED
    assert Evidence.COMPILED < Evidence.EMULATED < Evidence.HARDWARE


@pytest.mark.parametrize("name", ["", "gfx942", "rocm:0", "vgpu:gfx1100"])
def test_unknown_names_list_the_known_ones(name):
    with pytest.raises(InputError, match="vgpu:gfx942"):
        find_device(name)
    if name != "gfx942":
        with pytest.raises(InputError, match="gfx950"):
            hip_device(name)
