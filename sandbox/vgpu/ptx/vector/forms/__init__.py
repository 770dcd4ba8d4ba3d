"""What instructions do to vectors of 32 lanes. Those that are not here are done by a loop over the lanes."""

from __future__ import annotations

from types import ModuleType

from ..emitter import Form, Forms
from . import arithmetic, comparisons, control, conversions, floats, logic, meetings, memory


def _collect(*modules: ModuleType) -> dict[str, Form]:
    """The public functions of the modules, which have the names of the semantics."""
    found: dict[str, Form] = {}
    for module in modules:
        for name, value in vars(module).items():
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__ and callable(value):
                if name in found:
                    raise ValueError(f"two forms of {name}")
                found[name] = value
    return found


FORMS = Forms(
    plain=_collect(arithmetic, comparisons, conversions, floats, logic, memory),
    control=_collect(control),
    meetings=meetings.MEETINGS,
    refused=frozenset({
        "allocate_local",
        "load_fragment",
        "load_matrix",
        "matrix_multiply",
        "store_fragment",
        "store_matrix",
        "transpose_matrix",
        "wmma_multiply",
    }),
)  # fmt: skip
