"""What comes from programs and submissions cannot drive the terminal."""

import io

from rich.console import Console

from agents.models import Action, Finding, Outcome, Port, Provenance, Severity, Source, TargetVerdict, Verdict
from sandbox.models import Build, Comparison, Difference, Evidence, Side
from service.cli.render import print_port

EVIL = "\x1b[2J\x1b]0;owned\x07 [red]x[/red]\r\n"


def test_control_characters_and_markup_show_as_text():
    finding = Finding(
        fault="W01",
        file=EVIL,
        line=1,
        severity=Severity.BLOCKS,
        action=Action.FIXED,
        title="t",
        message=EVIL,
        snippet=EVIL,
        replacement=EVIL + "2",
    )
    difference = Difference(where="stdout line 1", expected=EVIL, got=EVIL)
    target = TargetVerdict(
        target="gfx942",
        outcome=Outcome.REJECTED,
        evidence=Evidence.EMULATED,
        reasons=(EVIL,),
        build=Build(side=Side.HIP, target="gfx942", ok=True, command=(), toolchain=""),
        comparison=Comparison(same=False, compared=(), differences=(difference,)),
    )
    provenance = Provenance(
        warp2wave="0", sources_sha256="", port_sha256="", toolchain="", cuda="", reference_device="vcuda:sm_90"
    )
    verdict = Verdict(
        outcome=Outcome.REJECTED,
        evidence=Evidence.EMULATED,
        targets=(target,),
        reasons=(EVIL,),
        not_shown=(),
        provenance=provenance,
    )
    source = Source(files=(), main_files=(), findings=(finding,))
    out = io.StringIO()
    print_port(Console(file=out, width=200), Port(id="i", name=EVIL, source=source, verdict=verdict))
    text = out.getvalue()
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\\x1b[2J" in text
    assert "[red]x[/red]" in text
