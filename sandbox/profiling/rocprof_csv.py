"""rocprofv3's CSV files, read by the names of their columns whatever their order and number.

``*_counter_collection.csv`` has a row for each dispatch and counter and gives sizes as products; where the
``*_kernel_trace.csv`` of the same run is at hand, it gives them by dimension.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from sandbox.errors import ProfileFormatError
from sandbox.models import Dim3
from sandbox.profiling.records import MAX_ROWS, DispatchRecord, Recording, decimal_number, whole_number
from sandbox.profiling.tables import columns_of, load_counters

LAYOUT = "csv"
_COUNTERS, _TRACE = "counter_collection", "kernel_trace"
_TRACE_LAYOUTS = ("csv", "csv-0.6")
_MAX_CELL = 1 << 20


def read_rocprof_csv(counters: str, trace: str = "") -> Recording:
    """Texts of a counter_collection.csv and, if there is one, of its kernel_trace.csv. Raises ProfileFormatError."""
    shapes = {shape.dispatch: shape for shape in _read_trace(trace)} if trace else {}
    dispatches: dict[int, DispatchRecord] = {}
    values: dict[int, dict[str, float]] = {}
    for where, row in _rows(counters, (LAYOUT,), _COUNTERS):
        number = whole_number(row, "dispatch", where)
        if number not in dispatches:
            dispatches[number] = shapes.get(number) or _record(row, where, _product(row, where))
        _add_counter(values.setdefault(number, {}), str(row["counter"]), decimal_number(row["value"], where))
    records = (_with_counters(record, values[number]) for number, record in dispatches.items())
    return Recording("rocprofv3-csv", tuple(records))


def _add_counter(counters: dict[str, float], name: str, value: float) -> None:
    row = load_counters().get(name)
    old = counters.get(name, 0.0)
    counters[name] = max(old, value) if row is not None and row.reduce == "max" else old + value


def _with_counters(record: DispatchRecord, counters: dict[str, float]) -> DispatchRecord:
    return DispatchRecord(**{**record.__dict__, "counters": counters})


def _read_trace(text: str) -> Iterator[DispatchRecord]:
    for where, row in _rows(text, _TRACE_LAYOUTS, _TRACE):
        yield _record(row, where, (_sizes(row, "grid", where), _sizes(row, "workgroup", where)))


def _product(row: dict[str, object], where: str) -> tuple[Dim3, Dim3]:
    return Dim3(x=whole_number(row, "grid", where)), Dim3(x=whole_number(row, "workgroup", where))


def _sizes(row: dict[str, object], name: str, where: str) -> Dim3:
    x, y, z = (whole_number(row, f"{name}_{axis}", where) for axis in "xyz")
    return Dim3(x=x, y=y, z=z)


def _record(row: dict[str, object], where: str, sizes: tuple[Dim3, Dim3]) -> DispatchRecord:
    def optional(name: str) -> int | None:
        return whole_number(row, name, where) if row.get(name) not in (None, "") else None

    return DispatchRecord(
        dispatch=whole_number(row, "dispatch", where),
        kernel=str(row["kernel"]),
        grid=sizes[0],
        workgroup=sizes[1],
        lds_bytes=whole_number(row, "lds_bytes", where, 0),
        scratch_bytes=whole_number(row, "scratch_bytes", where, 0),
        vgprs=optional("vgprs"),
        agprs=optional("agprs"),
        sgprs=optional("sgprs"),
    )


def _rows(text: str, layouts: tuple[str, ...], table: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Each row's place, for messages, and its cells by field."""
    csv.field_size_limit(_MAX_CELL)
    reader = csv.DictReader(io.StringIO(text), strict=True)
    try:
        fields = _match_columns(list(reader.fieldnames or ()), layouts, table)
        for count, cells in enumerate(reader, 1):
            where = f"{table}, line {reader.line_num}"
            if count > MAX_ROWS:
                raise ProfileFormatError(f"{table} has more than {MAX_ROWS} rows")
            if None in cells or None in cells.values():
                raise ProfileFormatError(f"{where}: the row does not have as many cells as the head")
            yield where, {field: cells[column] for column, field in fields.items()}
    except csv.Error as error:
        raise ProfileFormatError(f"{table}: no CSV: {error}") from error


def _match_columns(head: list[str], layouts: tuple[str, ...], table: str) -> dict[str, str]:
    """Field by column, for the layout whose columns are there."""
    missing: list[str] = []
    for layout in layouts:
        columns = columns_of(layout, table)
        lacking = [row.column for row in columns if row.required and row.column not in head]
        if not lacking and (
            len(layouts) == 1 or any(row.column in head for row in columns if row.field == "lds_bytes")
        ):
            return {row.column: row.field for row in columns if row.field != "-" and row.column in head}
        missing = missing or lacking
    needed = ", ".join(missing) or "a column for LDS"
    raise ProfileFormatError(
        f"this is no {table}.csv of a known rocprofv3: it lacks {needed}",
        hint="rocprofv3 of ROCm 6.2 and later is read",
    )


# ---- writing --------------------------------------------------------------------------------------------------------


def write_rocprof_csv(records: Iterable[DispatchRecord]) -> tuple[str, str]:
    """The texts of counter_collection.csv and kernel_trace.csv as rocprofv3 1.0 lays them out. Times are 0: nothing was
    timed."""
    counters, trace = io.StringIO(), io.StringIO()
    counter_rows, trace_rows = _writer(counters, _COUNTERS), _writer(trace, _TRACE)
    for record in records:
        common = _common_cells(record)
        trace_rows.writerow({**common, "Kind": "KERNEL_DISPATCH", **_axes(record)})
        sizes = {"Grid_Size": _volume(record.grid), "Workgroup_Size": _volume(record.workgroup)}
        for name, value in record.counters.items():
            counter_rows.writerow({**common, **sizes, "Counter_Name": name, "Counter_Value": f"{value:.6f}"})
    return counters.getvalue(), trace.getvalue()


def _writer(stream: io.StringIO, table: str) -> csv.DictWriter[str]:
    columns = [row.column for row in columns_of(LAYOUT, table)]
    writer = csv.DictWriter(
        stream, columns, restval="0", extrasaction="ignore", quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"
    )
    writer.writeheader()
    return writer


def _common_cells(record: DispatchRecord) -> dict[str, str | int]:
    return {
        "Correlation_Id": record.dispatch,
        "Dispatch_Id": record.dispatch,
        "Agent_Id": "Agent 1",
        "Queue_Id": 1,
        "Kernel_Name": record.kernel,
        "LDS_Block_Size": record.lds_bytes,
        "Scratch_Size": record.scratch_bytes,
        "VGPR_Count": record.vgprs or 0,
        "Accum_VGPR_Count": record.agprs or 0,
        "SGPR_Count": record.sgprs or 0,
        "Start_Timestamp": 0,
        "End_Timestamp": 0,
    }


def _axes(record: DispatchRecord) -> dict[str, int]:
    sizes = {"Grid_Size": record.grid, "Workgroup_Size": record.workgroup}
    return {f"{name}_{axis.upper()}": getattr(size, axis) for name, size in sizes.items() for axis in "xyz"}


def _volume(size: Dim3) -> int:
    return size.x * size.y * size.z
