"""The modules of one image, linked: which definition a name means in each of them."""

from __future__ import annotations

from dataclasses import dataclass

from .syntax import Function, Module, Variable

_SHARED_LINKAGES = frozenset({"weak", "common"})
"""Linkages by which several modules may define one object: the first definition counts."""


@dataclass(frozen=True)
class Definition:
    """A variable or function and the index of the module that holds it."""

    module: int
    item: Variable | Function


class Program:
    """Modules that were compiled apart (``-rdc=true``) or a single one."""

    def __init__(self, modules: list[Module]) -> None:
        self.modules = modules
        self._exported: dict[str, Definition] = {}
        for index, module in enumerate(modules):
            items: list[Variable | Function] = [*module.variables.values(), *module.functions.values()]
            for item in items:
                if item.linkage not in ("", "extern") and _is_definition(item):
                    self._exported.setdefault(item.name, Definition(index, item))

    def find(self, module: int, name: str) -> Definition | None:
        """What ``name`` means in ``module``; None where nothing defines it."""
        name = self.modules[module].aliases.get(name, name)
        own = self.modules[module].variables.get(name) or self.modules[module].functions.get(name)
        if own is None:
            return None
        if isinstance(own, Variable) and own.linkage in _SHARED_LINKAGES:
            return self._exported[name]
        if _is_definition(own):
            return Definition(module, own)
        return self._exported.get(name, Definition(module, own))

    def kernels(self) -> list[Definition]:
        """All kernels with a body; of several with one name the first."""
        found: dict[str, Definition] = {}
        for index, module in enumerate(self.modules):
            for function in module.functions.values():
                if function.is_kernel and function.body is not None:
                    found.setdefault(function.name, Definition(index, function))
        return list(found.values())


def _is_definition(item: Variable | Function) -> bool:
    if isinstance(item, Function):
        return item.body is not None
    return item.linkage != "extern" or (item.space == "shared" and item.size == 0)
