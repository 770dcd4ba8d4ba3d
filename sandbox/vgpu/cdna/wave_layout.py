"""Offsets in ``struct w2w_wave``; see ``simt/wave_state.h``."""

from __future__ import annotations

SGPR = 0
VCC = 512
EXEC = 520
M0 = 528
SCC = 532
LDS = 536
COUNTERS = 552
CODE_BASE = 568
FUEL = 576
LDS_SIZE = 584
PC = 592
MODE = 600
MODE_VSKIP = 1 << 28
"""In MODE: vector instructions are skipped."""
LANES = 616
V0 = 1024

COUNTS_SEGMENTS = 640
"""Offset of the segments in ``struct w2w_counts``; see ``simt/counts.h``."""

SGPR_COUNT = 102
"""Addressable general SGPRs: s0 to s101."""
