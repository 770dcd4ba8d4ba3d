"""Contracts of the shims, run: the CUDA program on the virtual CUDA device, its port on a virtual AMD device."""

from __future__ import annotations

import pytest

from agents.errors import DataError
from agents.shims.contracts.proof import Contract, Proof, find_contract, load_contracts, prove
from sandbox.execution.workshop import Workshop

SOURCE = """#include <cstdio>
#include <cuda_runtime.h>
__global__ void k(unsigned* p) { asm("bfe.u32 %0, %1, 4, 8;" : "=r"(p[0]) : "r"(0x1230u)); }
int main() {
  unsigned *p, h = 0;
  if (cudaMalloc(&p, 4) != cudaSuccess) return 1;
  k<<<1, 1>>>(p);
  if (cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  printf("bfe\\t%x\\nnear.one\\t%s\\n", h, ONE);
}
"""


def test_contracts_are_found_by_name() -> None:
    assert find_contract("ptx_lanes").source.startswith("// PTX instructions of a warp's lanes")
    assert len({contract.name for contract in load_contracts()}) == len(load_contracts())
    with pytest.raises(DataError):
        find_contract("nothing")


@pytest.mark.toolchain
def test_a_contract_with_unknown_ptx_fails_before_anything_runs(workshop: Workshop) -> None:
    contract = Contract("unknown", SOURCE.replace("bfe.u32", "wgmma.u32"))
    (proof,) = prove(workshop, contract, ("gfx942",))
    assert not proof.holds
    assert proof.failed[0].startswith("line 3: ")


@pytest.mark.toolchain
def test_a_difference_is_named(workshop: Workshop) -> None:
    sides = '#ifdef __HIP__\n#define ONE "1.1"\n#else\n#define ONE "1.0"\n#endif\n'
    (proof,) = prove(workshop, Contract("one", sides + SOURCE), ("gfx942",))
    assert proof == Proof("one", "gfx942", ("bfe",), ("near.one",))


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("contract", load_contracts(), ids=lambda contract: contract.name)
def test_contracts_hold(workshop: Workshop, contract: Contract) -> None:
    (proof,) = prove(workshop, contract, ("gfx942",))
    assert proof.failed == ()
    assert len(proof.passed) >= 60
