"""What each instruction does. Importing this package fills the registry."""

from . import (  # noqa: F401
    atomics,
    buffers,
    compare,
    dot_products,
    ds,
    global_memory,
    lanes,
    mfma,
    salu,
    salu_control,
    small_floats,
    smem,
    valu_bits,
    valu_convert,
    valu_divide,
    valu_float,
    valu_int,
    valu_move,
    valu_packed,
)
