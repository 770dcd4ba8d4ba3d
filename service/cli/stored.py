"""``warp2wave list`` and ``warp2wave show``: ports in the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from service.cli import options
from service.cli.console import open_console
from service.cli.render import findings_table, print_port
from service.exit_codes import ExitCode
from service.settings import load_settings
from service.store.documents import encode_json, encode_model
from service.store.records import PortFilter, PortRecord, PortSummary, State
from service.store.store import Store, open_store
from service.text import printable

_ID_WIDTH = 26  # an id is never cut: `show` wants it back


def list_ports(
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many, newest first.")] = 50,
    json: options.Json = False,
) -> int:
    """List ports, newest first."""
    with stored() as store:
        page = store.ports.page(PortFilter(), limit=limit)
    if json:
        typer.echo(encode_model(page))
        return ExitCode.ACCEPTED
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("id", no_wrap=True, min_width=_ID_WIDTH)
    for column in ("name", "outcome", "evidence", "targets", "created"):
        table.add_column(column, overflow="fold")
    for row in page.ports:
        created = row.created_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        table.add_row(
            row.id, escape(printable(row.name)), _standing(row), row.evidence or "", ",".join(row.targets), created
        )
    open_console().print(table if page.ports else "no ports yet: warp2wave port FILE.cu")
    return ExitCode.ACCEPTED


def show(
    port_id: Annotated[str, typer.Argument(metavar="ID", help="A port's id, or its beginning.")],
    json: options.Json = False,
) -> int:
    """Show one port from the database."""
    console = open_console()
    with stored() as store:
        record = store.ports.get(store.ports.find(port_id))
        if record.state is State.FINISHED:
            report = store.report(record.id)
            if json:
                typer.echo(encode_model(report))
            else:
                console.print(f"{printable(record.name)}  {record.id}", style="bold", markup=False)
                print_port(console, report)
            return ExitCode.ACCEPTED
    if json:
        typer.echo(encode_json(record.model_dump(mode="json")))
    else:
        _show_unfinished(record)
    return ExitCode.ACCEPTED


@contextmanager
def stored() -> Iterator[Store]:
    """The store alone: nothing is worked on."""
    settings = load_settings()
    store = open_store(settings.resolved_database_url, settings.data_dir)
    try:
        yield store
    finally:
        store.close()


def _show_unfinished(record: PortRecord) -> None:
    console = open_console()
    console.print(f"{printable(record.name)}  {record.id}: {_standing(record)}", style="bold", markup=False)
    if record.error is not None:
        console.print(f"{record.error.code}: {printable(record.error.message)}", markup=False)
        if record.error.hint:
            console.print(f"  {record.error.hint}", markup=False)
    elif record.stage:
        console.print(f"last stage: {record.stage}", markup=False)
    for line in findings_table(record.findings):
        console.print(line)


def _standing(row: PortSummary) -> str:
    if row.outcome is not None:
        return row.outcome.value
    return f"{row.state.value} ({row.error.code})" if row.error else row.state.value
