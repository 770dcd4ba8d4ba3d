"""``warp2wave hipify --compare``: where the translators that are installed disagree about a file."""

from __future__ import annotations

import json as json_text
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import typer
from rich.text import Text

from agents.errors import EngineError
from agents.hipify import Options
from agents.hipify.comparison import Difference, compare_texts
from agents.hipify.engines import find_engines
from service.cli import options
from service.cli.console import open_console
from service.cli.hipify_job import translate_source
from service.exit_codes import ExitCode
from service.text import printable

_REFERENCE = "builtin"


def compare_engines(paths: Sequence[Path], wanted: Options, *, json: bool) -> ExitCode:
    """Print the differences; NEEDS_ATTENTION where there are any, as ``diff`` does."""
    console = open_console()
    stderr = open_console(stderr=True)
    engines = find_engines()
    documents = []
    for path in paths:
        source = options.read_text(path)
        texts: dict[str, str] = {}
        for name in engines:
            try:
                texts[name] = translate_source(path, source, wanted, name).text
            except EngineError as error:
                stderr.print(f"{name}: {error.message}", markup=False, soft_wrap=True)
        differences = compare_texts(_REFERENCE, texts)
        documents.append({"file": str(path), "engines": list(texts), "differences": [asdict(d) for d in differences]})
        if not json:
            for difference in differences:
                console.print(_shown(path, difference), soft_wrap=True)
    if json:
        typer.echo(json_text.dumps(documents, indent=2))
    else:
        others = [f"{name} ({where})" for name, where in engines.items() if name != _REFERENCE]
        stderr.print(f"compared with {', '.join(others) or 'nothing: no other engine is installed'}", markup=False)
    return ExitCode.NEEDS_ATTENTION if any(document["differences"] for document in documents) else ExitCode.ACCEPTED


def _shown(path: Path, difference: Difference) -> Text:
    """The place, and under it what each translator has there, those that agree together."""
    text = Text(f"{printable(str(path))}:{difference.first}\n", style="bold")
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, lines in difference.texts.items():
        groups.setdefault(lines, []).append(name)
    for lines, names in groups.items():
        text.append(f"  {', '.join(names)}\n", style="cyan")
        for line in lines or ("(nothing)",):
            text.append(f"    {printable(line)}\n", style="default")
    return text
