"""Tables of answers, and tables that are sent, as Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import httpx
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True)
class Frame:
    """Rows of an answer as an Arrow table.

    Times have a zone: instants are in UTC, buckets (``ts``) in the time zone of the plant. DuckDB,
    polars and pyarrow take it as it is (``__arrow_c_stream__``).
    """

    table: pa.Table
    #: Of the plant, an IANA name; None where rows have instants alone.
    timezone: str | None = None

    def __repr__(self) -> str:
        names = ", ".join(self.table.column_names)
        return f"Frame of {len(self)} rows ({self.timezone or 'UTC'}): {names}"

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """As a pandas frame; whole numbers stay exact where some are missing (``Int64``)."""
        import pandas

        whole = {
            pa.int64(): pandas.Int64Dtype(),
            pa.int32(): pandas.Int32Dtype(),
            pa.uint32(): pandas.UInt32Dtype(),
        }
        frame = _plain(self.table).to_pandas(types_mapper=whole.get)
        return cast("pandas.DataFrame", frame)

    def to_polars(self) -> polars.DataFrame:
        """As a polars frame."""
        import polars

        return cast("polars.DataFrame", polars.from_arrow(_plain(self.table)))

    def to_pylist(self) -> list[dict[str, Any]]:
        """As a list of rows."""
        return cast("list[dict[str, Any]]", self.table.to_pylist())


@dataclass(frozen=True)
class IngestResult:
    """What became of rows that were sent: accepted + duplicates + rejected_count are all of them."""

    accepted: int
    #: Identical rows that were stored before.
    duplicates: int
    rejected_count: int
    #: The first rejected rows, each with ``line``, ``tag`` and ``reason``.
    rejected: list[dict[str, Any]]


#: How a whole stream ends. One that broke off between two batches is read without an error.
_end = b"\xff\xff\xff\xff\0\0\0\0"


def read_frame(response: httpx.Response) -> Frame:
    """The rows of a streamed answer. Throws ``pyarrow.ArrowInvalid`` where it broke off."""
    if not response.content.endswith(_end):
        raise pa.ArrowInvalid("the stream has no end")
    table = pa.ipc.open_stream(response.content).read_all()
    timezone = response.headers.get("x-svc-site-timezone")
    if "ts_utc" not in table.column_names:
        return Frame(table, timezone)
    # The label of a bucket is told by its instant: both passes of an hour of autumn differ.
    at = table.column_names.index("ts_utc")
    instants = table.column("ts_utc")
    table = table.remove_column(at)
    if timezone is not None:
        instants = instants.cast(pa.timestamp("us", tz=timezone))
    if "ts" not in table.column_names:
        return Frame(table.add_column(0, "ts", instants), timezone)
    return Frame(table.set_column(table.column_names.index("ts"), "ts", instants), timezone)


def join_frames(frames: list[Frame]) -> Frame:
    """One frame of several pages."""
    if len(frames) == 1:
        return frames[0]
    return Frame(
        pa.concat_tables([it.table for it in frames]).unify_dictionaries(), frames[0].timezone
    )


def sent_tables(data: Any, *, rows: int) -> Iterator[tuple[bytes, int]]:
    """Samples as the service takes them, in parts of at most ``rows``, each with its size.

    ``data`` is a frame of pandas or polars, or an Arrow table: either long, with columns ``tag``,
    ``ts`` and ``value`` (and others that the service knows), or wide, with ``ts`` (or an index of
    times) and a column for each tag. ``ValueError`` where it is neither, or its times have no zone.
    """
    table = _table_of(data)
    if "ts" not in table.column_names:
        have = ", ".join(table.column_names[:8])
        raise ValueError(f"the frame needs a column ts, or an index of times: rename one of {have}")
    kind = table.schema.field("ts").type
    if not pa.types.is_timestamp(kind):
        raise ValueError(
            f"ts is {kind}: make it times with a zone, as by pandas.to_datetime(utc=True)"
        )
    if kind.tz is None:
        raise ValueError(
            "the times in ts have no zone: add it, as by tz_localize('Europe/Berlin') in pandas or "
            "dt.replace_time_zone('Europe/Berlin') in polars"
        )
    instants = table.column("ts").cast(pa.timestamp("us", tz="UTC"), safe=False)
    table = table.set_column(table.column_names.index("ts"), "ts", instants)
    long = table if "tag" in table.column_names else _long(table)
    long = pa.table({name: _sent(long.column(name)) for name in long.column_names})
    if set(long.column_names) == {"tag", "ts", "value"}:
        long = long.filter(pc.is_valid(long.column("value")))
    for at in range(0, long.num_rows, rows):
        part = long.slice(at, rows).combine_chunks()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, part.schema) as writer:
            writer.write_table(part)
        yield sink.getvalue().to_pybytes(), part.num_rows


def _table_of(data: Any) -> pa.Table:
    if isinstance(data, Frame):
        return data.table
    if isinstance(data, pa.Table):
        return data
    if type(data).__module__.split(".")[0] == "pandas":
        import pandas

        if isinstance(data.index, pandas.DatetimeIndex) and "ts" not in data.columns:
            data = data.rename_axis("ts").reset_index()
        return pa.Table.from_pandas(data, preserve_index=False)
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    raise ValueError(
        f"give a frame of pandas or polars or an Arrow table, not {type(data).__name__}"
    )


def _long(table: pa.Table) -> pa.Table:
    """A row for each time and tag; a tag without a value at a time has none."""
    parts = []
    for name in table.column_names:
        if name == "ts":
            continue
        values = _sent(table.column(name))
        kept = pc.is_valid(values)
        count = pc.sum(kept).as_py() or 0
        value = values.filter(kept)
        is_text = pa.types.is_string(value.type)
        parts.append(
            pa.table(
                {
                    "tag": pa.array([name] * count, pa.string()),
                    "ts": table.column("ts").filter(kept),
                    **({"value_str": value} if is_text else {"value": value.cast(pa.float64())}),
                }
            )
        )
    if not parts:
        raise ValueError("the frame has times but no column of a tag")
    return pa.concat_tables(parts, promote_options="default")


def _sent(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts and numbers in the one form of each that the service reads."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_large_string(kind) or str(kind) == "string_view":
        return column.cast(pa.string())
    if pa.types.is_floating(kind):
        # Not a number is no value.
        column = column.cast(pa.float64())
        return pc.if_else(pc.is_nan(column), pa.scalar(None, pa.float64()), column)
    return column


def _plain(table: pa.Table) -> pa.Table:
    """Without dictionaries, which frames show as categories."""
    columns = [
        it.cast(it.type.value_type) if pa.types.is_dictionary(it.type) else it
        for it in table.columns
    ]
    return pa.table(columns, names=table.column_names)
