"""rocprofv3's SQLite database, rocpd: read through its views by the names of their columns, and written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from sandbox.errors import ProfileFormatError
from sandbox.models import Dim3
from sandbox.profiling.records import MAX_ROWS, DispatchRecord, Recording, decimal_number, whole_number
from sandbox.profiling.tables import columns_of, load_counters, load_layouts

LAYOUT = "rocpd-3"
_MAJOR = "3"
_WRITTEN_VERSION = "3.0.0"
_WRITTEN_SUFFIX = "_0"
_MAX_STEPS = 2_000_000_000
_STEPS_A_CALL = 1_000_000
_HINT = "rocprofv3 of ROCm 7.0 and later writes such databases; use --output-format csv where this one is not read"
Rows = list[dict[str, object]]


def read_rocpd(path: Path) -> Recording:
    """Raises ProfileFormatError: no database, an unknown version of the schema, or a column that is missing."""
    with _open(path) as database:
        version = _version(database)
        agents = {row["id"]: str(row.get("name") or "") for row in _read(database, "rocpd_info_agent")}
        symbols = {row["id"]: row for row in _read(database, "rocpd_info_kernel_symbol")}
        names = {row["id"]: str(row["counter"]) for row in _read(database, "rocpd_info_pmc")}
        counters: dict[object, dict[str, float]] = {}
        for row in _read(database, "rocpd_pmc_event"):
            _add_counter(counters.setdefault(row["event_id"], {}), names.get(row["pmc_id"]), row)
        dispatches = []
        for row in _read(database, "rocpd_kernel_dispatch"):
            record = _record(row, symbols, agents)
            dispatches.append(replace(record, counters=counters.get(row["event_id"], {})))
    return Recording(f"rocpd/{version}", tuple(dispatches))


def _add_counter(counters: dict[str, float], name: str | None, row: dict[str, object]) -> None:
    """One row an instance of the counter: dies and engines have their own."""
    if name is None:
        raise ProfileFormatError(f"rocpd_pmc_event names counter {row['pmc_id']}, which rocpd_info_pmc does not have")
    known = load_counters().get(name)
    value, old = decimal_number(row["value"], f"rocpd_pmc_event, {name}"), counters.get(name, 0.0)
    counters[name] = max(old, value) if known is not None and known.reduce == "max" else old + value


def _record(
    row: dict[str, object], symbols: dict[object, dict[str, object]], agents: dict[object, str]
) -> DispatchRecord:
    where = f"rocpd_kernel_dispatch, dispatch {row['dispatch']}"
    symbol = symbols.get(row["kernel_id"])
    if symbol is None:
        raise ProfileFormatError(f"{where}: kernel {row['kernel_id']} is not in rocpd_info_kernel_symbol")

    def sizes(name: str) -> Dim3:
        x, y, z = (whole_number(row, f"{name}_{axis}", where) for axis in "xyz")
        return Dim3(x=x, y=y, z=z)

    def registers(name: str) -> int | None:
        return whole_number(symbol, name, where) if symbol.get(name) is not None else None

    return DispatchRecord(
        dispatch=whole_number(row, "dispatch", where),
        kernel=str(symbol["kernel"]).removesuffix(".kd"),
        grid=sizes("grid"),
        workgroup=sizes("workgroup"),
        target=agents.get(row.get("agent_id"), ""),
        lds_bytes=whole_number(row, "lds_bytes", where, 0),
        scratch_bytes=whole_number(row, "scratch_bytes", where, 0),
        vgprs=registers("vgprs"),
        agprs=registers("agprs"),
        sgprs=registers("sgprs"),
    )


# ---- the database ---------------------------------------------------------------------------------------------------


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """Read-only; a file made to keep SQLite busy for ever is given up."""
    if not path.is_file():
        raise ProfileFormatError(f"there is no file {path}")
    steps = 0

    def count_steps() -> int:
        nonlocal steps
        steps += _STEPS_A_CALL
        return steps > _MAX_STEPS

    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
        database.row_factory = sqlite3.Row
        database.set_progress_handler(count_steps, _STEPS_A_CALL)
        try:
            database.execute("PRAGMA trusted_schema = OFF")
            yield database
        except sqlite3.Error as error:
            raise ProfileFormatError(f"{path.name} cannot be read as a rocpd database: {error}", hint=_HINT) from error


def _version(database: sqlite3.Connection) -> str:
    tags = {str(row["tag"]): str(row["value"]) for row in _read(database, "rocpd_metadata")}
    version = tags.get("schema_version", "")
    if version.split(".")[0] != _MAJOR:
        raise ProfileFormatError(
            f"version {version or 'nothing'} of the rocpd schema is not known: {_MAJOR}.x is", hint=_HINT
        )
    return version


def _read(database: sqlite3.Connection, table: str) -> Rows:
    """The rows of a view, by field. Columns that the layout does not name are left out."""
    columns = columns_of(LAYOUT, table)
    there = {str(row["name"]) for row in database.execute("SELECT name FROM pragma_table_info(?)", (table,))}
    missing = [row.column for row in columns if row.required and row.column not in there]
    if missing:
        raise ProfileFormatError(f"{table} lacks {', '.join(missing)}", hint=_HINT)
    fields = {row.column: row.field for row in columns if row.field != "-" and row.column in there}
    # Names come from our own table, never from the file.
    names = ", ".join(f'"{column}"' for column in fields)
    query = f'SELECT {names} FROM "{table}" LIMIT {MAX_ROWS + 1}'
    rows = [{field: row[column] for column, field in fields.items()} for row in database.execute(query)]
    if len(rows) > MAX_ROWS:
        raise ProfileFormatError(f"{table} has more than {MAX_ROWS} rows")
    return rows


# ---- writing --------------------------------------------------------------------------------------------------------


def write_rocpd(path: Path, records: Iterable[DispatchRecord]) -> None:
    """The tables that ``read_rocpd`` reads, and views on them, as schema 3.0.0 names them. Times are 0: nothing was
    timed. Replaces ``path``."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        for table in dict.fromkeys(row.table for row in load_layouts() if row.layout == LAYOUT):
            columns = ", ".join(f'"{row.column}"' for row in columns_of(LAYOUT, table))
            database.execute(f'CREATE TABLE "{table}{_WRITTEN_SUFFIX}" ({columns})')
            database.execute(f'CREATE VIEW "{table}" AS SELECT * FROM "{table}{_WRITTEN_SUFFIX}"')
        _insert(database, "rocpd_metadata", {"id": 1, "tag": "schema_version", "value": _WRITTEN_VERSION})
        _Writer(database).write(records)


class _Writer:
    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self.agents: dict[str, int] = {}
        self.symbols: dict[tuple[object, ...], int] = {}
        self.counters: dict[str, int] = {}
        self.events = 0

    def write(self, records: Iterable[DispatchRecord]) -> None:
        for number, record in enumerate(records, 1):
            cells = {"id": number, "event_id": number, "dispatch": record.dispatch, **_sizes(record)}
            cells |= {"agent_id": self._agent(record.target), "kernel_id": self._symbol(record), "start": 0, "end": 0}
            _insert(self.database, "rocpd_event", {"id": number, "correlation_id": record.dispatch})
            _insert(self.database, "rocpd_kernel_dispatch", cells)
            for name, value in record.counters.items():
                self.events += 1
                event = {"id": self.events, "event_id": number, "pmc_id": self._counter(name), "value": value}
                _insert(self.database, "rocpd_pmc_event", event)

    def _agent(self, target: str) -> int:
        if target not in self.agents:
            self.agents[target] = len(self.agents) + 1
            _insert(self.database, "rocpd_info_agent", {"id": self.agents[target], "type": "GPU", "name": target})
        return self.agents[target]

    def _symbol(self, record: DispatchRecord) -> int:
        key = (record.kernel, record.vgprs, record.agprs, record.sgprs)
        if key not in self.symbols:
            self.symbols[key] = len(self.symbols) + 1
            registers = {"vgprs": record.vgprs, "agprs": record.agprs, "sgprs": record.sgprs}
            names = {"kernel": f"{record.kernel}.kd", "display": record.kernel}
            _insert(self.database, "rocpd_info_kernel_symbol", {"id": self.symbols[key], **names, **registers})
        return self.symbols[key]

    def _counter(self, name: str) -> int:
        if name not in self.counters:
            self.counters[name] = len(self.counters) + 1
            row = load_counters().get(name)
            about = {"description": row.definition, "units": row.unit} if row else {}
            cells = {"id": self.counters[name], "counter": name, "symbol": name, "target_arch": "GPU", **about}
            _insert(self.database, "rocpd_info_pmc", cells)
        return self.counters[name]


def _sizes(record: DispatchRecord) -> dict[str, object]:
    sizes = {"grid": record.grid, "workgroup": record.workgroup}
    axes = {f"{name}_{axis}": getattr(size, axis) for name, size in sizes.items() for axis in "xyz"}
    return {**axes, "lds_bytes": record.lds_bytes, "scratch_bytes": record.scratch_bytes}


def _insert(database: sqlite3.Connection, table: str, cells: Mapping[str, object]) -> None:
    """A row; ``cells`` by field, or by column where the layout gives no field."""
    columns = [row.column for row in columns_of(LAYOUT, table)]
    values = [cells.get(row.field, cells.get(row.column)) for row in columns_of(LAYOUT, table)]
    names = ", ".join(f'"{column}"' for column in columns)
    places = ", ".join("?" * len(columns))
    database.execute(f'INSERT INTO "{table}{_WRITTEN_SUFFIX}" ({names}) VALUES ({places})', values)
