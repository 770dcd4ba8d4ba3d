"""Buffers of the tests' model, from the words of CDNA4 ISA, sections 9.1.5 to 9.1.9."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Descriptor:
    """``index_stride`` counts records. Formats and selectors are those of typed instructions."""

    stride: int = 0
    records: int = 0
    swizzled: bool = False
    index_stride: int = 8
    adds_lane: bool = False
    data_format: int = 4
    number_format: int = 4
    selectors: tuple[int, int, int, int] = (4, 5, 6, 7)

    @property
    def words(self) -> list[int]:
        """With a base of 0."""
        data_format = self.stride >> 14 if self.adds_lane else self.data_format
        last = sum(selector << 3 * k for k, selector in enumerate(self.selectors))
        last |= self.number_format << 12 | data_format << 15
        last |= {8: 0, 16: 1, 32: 2, 64: 3}[self.index_stride] << 21 | self.adds_lane << 23
        return [0, (self.stride & 0x3FFF) << 16 | self.swizzled << 31, self.records, last]


@dataclass(frozen=True)
class Lane:
    """What one lane gives to the address; ``index`` and ``offset`` are None where the instruction takes none."""

    number: int
    index: int | None
    offset: int | None
    constant: int
    scalar: int


def place(d: Descriptor, lane: Lane) -> int:
    """Byte behind the base."""
    index = (lane.index or 0) + (lane.number if d.adds_lane else 0)
    offset = (lane.offset or 0) + lane.constant
    if not d.swizzled:
        return lane.scalar + index * d.stride + offset
    element = 4
    index_msb, index_lsb = divmod(index, d.index_stride)
    offset_msb, offset_lsb = divmod(offset, element)
    buffer_offset = (index_msb * d.stride + offset_msb * element) * d.index_stride + index_lsb * element + offset_lsb
    return lane.scalar + buffer_offset


def in_range(d: Descriptor, lane: Lane, component: int = 0) -> bool:
    """``component``: byte of a wide access. Private buffers are not checked."""
    if d.adds_lane and lane.index is None:
        return True
    if lane.index is None:
        return lane.constant + (lane.offset or 0) + component < d.records
    return lane.index < d.records
