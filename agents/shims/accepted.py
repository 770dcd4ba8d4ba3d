"""Shims beyond those that come with the product: found by signature, kept only with their proof."""

from __future__ import annotations

from typing import Protocol

from pydantic import Field

from agents.errors import AgentsError
from sandbox.models import Model


class ShimError(AgentsError):
    """A shim without the proof that it needs."""

    code = "shim"


class ShimProof(Model):
    """A contract that held: on which target, and which lines said the same on both sides."""

    target: str
    contract_sha256: str = Field(description="Of the CUDA program that was run on both sides")
    passed: tuple[str, ...]


class Shim(Model):
    """A header that gives ports something that HIP lacks."""

    signature: str = Field(description="What it stands for, e.g. `int __my_api(int, float)`")
    header: str = Field(description="Its file name under warp2wave/")
    text: str
    proofs: tuple[ShimProof, ...] = ()

    def is_proven(self, target: str) -> bool:
        return any(proof.target == target and proof.passed for proof in self.proofs)


class ShimLibrary(Protocol):
    """Where accepted shims are kept. ``service/store`` can implement it over the database."""

    def find(self, signature: str, target: str) -> Shim | None:
        """The shim of this signature whose contract held on ``target``."""

    def add(self, shim: Shim) -> None:
        """Keep ``shim``; it takes the place of an older one. ShimError where no contract held."""


class MemoryShimLibrary:
    """A library that lasts as long as the process."""

    def __init__(self) -> None:
        self._shims: dict[str, Shim] = {}

    def find(self, signature: str, target: str) -> Shim | None:
        shim = self._shims.get(normalise(signature))
        return shim if shim is not None and shim.is_proven(target) else None

    def add(self, shim: Shim) -> None:
        if not any(proof.passed for proof in shim.proofs):
            raise ShimError(f"{shim.signature} has no proof", hint="run its contract on both sides first")
        self._shims[normalise(shim.signature)] = shim


def normalise(signature: str) -> str:
    """A signature without differences of blanks."""
    words = signature.split()
    text = " ".join(words)
    for mark in "(),*&<>:":
        text = text.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    return text
