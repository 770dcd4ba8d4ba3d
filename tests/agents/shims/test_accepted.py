from __future__ import annotations

import pytest

from agents.shims.accepted import MemoryShimLibrary, Shim, ShimError, ShimProof, normalise

PROOF = ShimProof(target="gfx942", contract_sha256="0" * 64, passed=("a",))
SHIM = Shim(signature="int f( int , float* )", header="f.h", text="", proofs=(PROOF,))


def test_a_proven_shim_is_found_by_signature_and_target() -> None:
    library = MemoryShimLibrary()
    library.add(SHIM)
    assert library.find("int f(int,float *)", "gfx942") == SHIM
    assert library.find("int f(int, float*)", "gfx950") is None
    assert library.find("int g(int, float*)", "gfx942") is None


@pytest.mark.parametrize("proofs", [(), (PROOF.model_copy(update={"passed": ()}),)])
def test_a_shim_without_proof_is_refused(proofs: tuple[ShimProof, ...]) -> None:
    with pytest.raises(ShimError):
        MemoryShimLibrary().add(SHIM.model_copy(update={"proofs": proofs}))


def test_a_newer_shim_takes_the_place_of_an_older_one() -> None:
    library = MemoryShimLibrary()
    library.add(SHIM)
    newer = SHIM.model_copy(update={"text": "// newer"})
    library.add(newer)
    assert library.find(SHIM.signature, "gfx942") == newer


def test_blanks_make_no_difference() -> None:
    assert normalise(" unsigned  long f ( int ,T < 3 > & ) ") == "unsigned long f(int,T<3>&)"
