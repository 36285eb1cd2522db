"""The rules of DataFrames: ``discover(df)`` gives what ``holdfast discover FILE`` shows.

Arrow tables, and whatever exports a stream of Arrow batches (pandas, Polars, DuckDB, PySpark's DataFrames through
``toArrow``), become the tables that files become. Shown in a notebook, the result is an HTML table.
"""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.ingest.infer import inferred_columns, schema_of
from profiling_core.ingest.slashed_days import Reading, Slashed
from profiling_core.ingest.text_values import cast_text, possible_types
from profiling_core.model.errors import InputError
from profiling_core.model.number_marks import PLAIN
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType
from profiling_core.pipeline.library import html_tables

if TYPE_CHECKING:
    from profiling_core.algorithms.rules.discovery import Rows, TableRules


_DATES: frozenset[Reading] = frozenset(
    {LogicalType.DATE, LogicalType.TIMESTAMP, LogicalType.TIME, LogicalType.STRING, *Slashed}
)
_EACH_ONCE = "name each column once, and give each values of one type that has an order or equality"
_LOG = logging.getLogger(__name__)
# From here on doubles leave whole numbers out.
_EXACT = 2.0**53


@dataclass(frozen=True, repr=False)
class Rules:
    """The rules of some tables, best first within each; iterates over them as dictionaries."""

    tables: tuple["TableRules", ...]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_dict()["constraints"])

    def __len__(self) -> int:
        return sum(len(table.rules.shown) for table in self.tables)

    def __repr__(self) -> str:
        """The rules a line each, as they are shown in a console and by ``print``."""
        from profiling_core.algorithms.rules.lines import text_of, words_of

        lines = []
        for table in self.tables:
            count = len(table.rules.lines)
            lines.append(f"{table.name} ({table.rows:,} rows): {count} {'rule' if count == 1 else 'rules'}")
            lines += [f"  {words_of(line, table.roles)}  [{text_of(line)}]" for line in table.rules.lines]
        return "\n".join(lines)

    def to_dict(self, *, implied: bool = False) -> dict[str, Any]:
        """As ``holdfast discover --json`` writes it: ``constraints`` by table and rank, and ``tables`` with roles."""
        from profiling_core.algorithms.rules.description import as_json

        return as_json(self.tables, implied=implied)

    def to_json(self, *, implied: bool = False) -> str:
        """The same as JSON text."""
        return json.dumps(self.to_dict(implied=implied), ensure_ascii=False, indent=1)

    def _repr_html_(self) -> str:
        """A table for a notebook; names and values are text, whatever they hold."""
        from profiling_core.algorithms.rules.lines import text_of, words_of

        rows = [
            (str(rank), table.name, words_of(line, table.roles), text_of(line), line[0].constraint.kind.value)
            for table in self.tables
            for rank, line in enumerate(table.rules.lines, 1)
        ]
        looked = [f"{t.name}: looked at {t.looked_at}." for t in self.tables]
        return html_tables.table(("", "table", "rule", "constraint", "kind"), rows, *looked)


def discover(data: Any, *, budget: float = 30.0, limit: int | None = None, name: str = "table") -> Rules:
    """The rules that a table lives by, or several tables and what they have to do with each other.

    Args:
        data: an Arrow table, a pandas, Polars or Spark DataFrame, anything with ``__arrow_c_stream__``; or a mapping
            from tables' names to such objects.
        budget: the seconds of one core whose work the search may do.
        limit: how many lines of rules are shown of a table at most; None: as many as the command shows.
        name: what a single table is called.

    Raises:
        InputError: the data are no table, or hold values that cannot be compared.
    """
    from profiling_core.algorithms.budget import Budget
    from profiling_core.algorithms.rules.discovery import find_rules
    from profiling_core.algorithms.rules.selection import PRESENTED

    until, most = Budget.of(budget), PRESENTED if limit is None else limit
    named = data if isinstance(data, Mapping) else {name: data}
    if not named:
        raise InputError("there is no table", where="an empty mapping", remedy="pass a table, or names and tables")
    return Rules(tuple(find_rules([_rows(name, table) for name, table in named.items()], until, limit=most)))


def _rows(name: str, data: Any) -> "Rows":
    from profiling_core.algorithms.rules.discovery import Rows
    from profiling_core.ingest.files import stored_column
    from profiling_core.ingest.plain_types import with_fine_as_text

    table = as_arrow(name, data)
    if type(data).__module__.partition(".")[0] == "pandas":
        table = _with_whole_numbers(table)
    table = _with_texts_read(name, table)
    where = f"table {name}"
    if not table.num_columns:
        raise InputError("the table has no columns", where=where, remedy="pass rows with at least one column")
    table, _ = with_fine_as_text(table)
    schema = schema_of(name, table.schema, where)
    columns = {column.name: stored_column(where, table[column.name], column) for column in schema.columns}
    schema = replace(schema, columns=tuple(_dated(schema.columns, columns)))
    typed = [_cast(columns[column.name], column) for column in schema.columns]
    return Rows(schema, pa.table(typed, names=list(schema.names)))


def _with_texts_read(name: str, table: pa.Table) -> pa.Table:
    """The table with its texts as a file of them would be read, so that the same rows have the same rules."""
    from profiling_core.ingest.files import as_read, typed_column

    is_text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    names = [field.name for field in table.schema if any(is_of(field.type) for is_of in is_text)]
    if not names:
        return table
    strings = [table[column].cast(pa.string()) for column in names]
    texts = pa.table([pc.if_else(pc.equal(column, ""), None, column) for column in strings], names=names)
    schema, texts, marks = as_read(name, texts, PLAIN, _LOG.warning, lambda row: f"row {row + 1}", looked_for=True)
    for column in schema.columns:
        values = typed_column(texts[column.name], column, marks, lambda row: f"table {name}, row {row + 1}")
        table = table.set_column(table.schema.get_field_index(column.name), column.name, values)
    return table


def _without_nameless_index(data: Any) -> Any:
    """A pandas DataFrame with its index as columns where it has names; other data as they are."""
    if type(data).__module__.partition(".")[0] != "pandas" or not hasattr(data, "reset_index"):
        return data
    named = [level for level in data.index.names if level is not None and level not in data.columns]
    return (data.reset_index(level=named) if named else data).reset_index(drop=True)


def _dated(columns: Sequence[Column], values: Mapping[str, pa.ChunkedArray]) -> list[Column]:
    """The columns, those of texts as days, moments or times where all of their texts are some, as in JSON."""
    texts = [column.name for column in columns if column.type is LogicalType.STRING]
    possible = {name: possible_types(values[name].combine_chunks(), _DATES) for name in texts}
    found = {column.name: column for column in inferred_columns(possible)}
    return [found.get(column.name, column) for column in columns]


def _cast(values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    target = arrow_type(column)
    if values.type == target:
        return values
    return pa.chunked_array([cast_text(chunk, column)[0] for chunk in values.chunks], target)


def _with_whole_numbers(table: pa.Table) -> pa.Table:
    """The table with integers where pandas has floats only because some whole numbers are missing."""
    for place, field in enumerate(table.schema):
        column = table[field.name]
        if not pa.types.is_float64(field.type):
            continue
        there = pc.if_else(pc.is_nan(column), None, column)
        numbers = there.drop_null()
        whole = pc.and_(pc.equal(pc.floor(numbers), numbers), pc.less(pc.abs(numbers), _EXACT))
        if there.null_count and len(numbers) and pc.all(whole).as_py():
            table = table.set_column(place, field.name, there.cast(pa.int64()))
    return table


def _with_plain_categories(name: str, table: pa.Table) -> pa.Table:
    """The table with its categories as plain texts, which all kernels know; raises ``InputError`` for a name twice."""
    if len({*table.column_names}) < table.num_columns:
        names = table.column_names
        twice = next(column for column in names if names.count(column) > 1)
        raise InputError(f"two columns are called {twice!r}", where=f"table {name}", remedy=_EACH_ONCE)
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and pa.types.is_string_view(field.type.value_type):
            chunks = [
                pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.string()))
                for chunk in table[place].chunks
            ]
            type_ = pa.dictionary(field.type.index_type, pa.string())
            table = table.set_column(place, field.name, pa.chunked_array(chunks, type_))
    return table


def as_arrow(name: str, data: Any) -> pa.Table:
    """The rows as an Arrow table; raises ``InputError`` where the data are none."""
    if hasattr(data, "toArrow"):  # PySpark
        data = data.toArrow()
    if isinstance(data, pa.Table):
        return _with_plain_categories(name, data)
    data = _without_nameless_index(data)
    if hasattr(data, "__arrow_c_stream__"):
        try:
            return _with_plain_categories(name, pa.table(data))
        except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
            raise InputError(
                f"Arrow cannot hold the table: {'; '.join(map(str, error.args))}",
                where=f"table {name}",
                remedy=_EACH_ONCE,
            ) from error
    raise InputError(
        f"a {type(data).__name__} is no table",
        where=f"table {name}",
        remedy="pass an Arrow table, a pandas, Polars or Spark DataFrame, or names and such tables",
    )
