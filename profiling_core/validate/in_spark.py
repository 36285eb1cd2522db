"""Tables that Spark validates: Great Expectations over DataFrames.

What Great Expectations asks for several times is computed once. It runs a query of rows to count them and again to show
them, and the window function behind a key, a sort of the whole table, to count, to show and to name rows. Here the same
plans are marked to be kept before a checkpoint runs: Spark then takes the answers from what the first of these jobs
left, which are the violating rows alone. Spark knows a plan again by what it computes, so a version of GX that asked in
other words would be answered as if nothing were kept. A key carries the batch through its sort, so its batch has the
key's columns alone.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from profiling_core.emit.dialects import GX_VIEW
from profiling_core.model.delta import ROW_ID
from profiling_core.validate.tables import QUERY, Expectation, SuitePart, key_columns, parts_over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SUBSTITUTION = "spark.sql.variable.substitute"


class SparkTables:
    """A DataFrame with ``_row_id`` per table."""

    def __init__(self, frames: Mapping[str, "DataFrame"]) -> None:
        from profiling_core.spark.moments import by_the_clock

        self._frames = {name: by_the_clock(frame) for name, frame in frames.items()}

    def add_source(self, context: Any) -> Any:
        """Spark's data source; the batch is not kept: a check reads the few columns that it needs from files sooner."""
        return context.data_sources.add_spark("spark", persist=False)

    def columns(self, table: str) -> Collection[str] | None:
        """The names of a table's columns."""
        return self._frames[table].columns if table in self._frames else None

    def parts(self, stored: Sequence[Expectation], table: str, max_rows: int) -> Generator[SuitePart]:
        """Queries, others, and each key over its columns alone; what a part asks for several times is computed once."""
        frame = self._frames[table]
        keys = [expectation for expectation in stored if key_columns(expectation)]
        parts = [*parts_over(frame, [e for e in stored if e not in keys], max_rows)]
        for key in keys:
            parts += parts_over(_only(frame, key_columns(key)), [key], max_rows)
        for part in parts:
            with _computed_once(part):
                yield part

    @contextmanager
    def readable(self, names: Iterable[str]) -> Iterator[None]:
        """Temporary views, and a session that keeps from replacing ``${…}`` in SQL, which may be part of a name."""
        session = next(iter(self._frames.values())).sparkSession
        before = session.conf.get(_SUBSTITUTION)
        present = [name for name in names if name in self._frames]
        for name in present:
            self._frames[name].createOrReplaceTempView(_quoted(name))
        session.conf.set(_SUBSTITUTION, "false")
        try:
            yield
        finally:
            session.conf.set(_SUBSTITUTION, before)
            for name in present:
                session.catalog.dropTempView(name)

    def count(self, query: exp.Select, names: Iterable[str]) -> int:
        """The first cell of a query's answer."""
        with self.readable(names):
            session = next(iter(self._frames.values())).sparkSession
            return int(session.sql(query.sql("spark")).collect()[0][0])


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _only(frame: "DataFrame", columns: tuple[str, ...]) -> "DataFrame":
    """A key's columns and the row identity; those of several sorted, as GX sorts them far more slowly by a struct."""
    wanted = {*columns, ROW_ID}
    narrow = frame.select(*(_quoted(c) for c in frame.columns if c in wanted))
    there = [_quoted(c) for c in columns if c in frame.columns]
    return narrow.sortWithinPartitions(*there) if len(there) > 1 else narrow


@contextmanager
def _computed_once(part: SuitePart) -> Iterator[None]:
    """Keeps, while a checkpoint runs over the DataFrame, the rows that its queries and keys find."""
    from profiling_core.spark.kept import kept

    part.frame.createOrReplaceTempView(GX_VIEW)
    try:
        with kept(_plans(part.frame, part.expectations)):
            yield
    finally:
        part.frame.sparkSession.catalog.dropTempView(GX_VIEW)


def _plans(frame: "DataFrame", expectations: Iterable[Expectation]) -> Iterator[Callable[[], "DataFrame"]]:
    from profiling_core.spark.kept import repeated

    for expectation in expectations:
        kwargs, columns = expectation["kwargs"], key_columns(expectation)
        if expectation["type"] == QUERY:
            yield partial(frame.sparkSession.sql, kwargs["unexpected_rows_query"].format(batch=GX_VIEW))
        elif columns:
            yield partial(repeated, frame, columns, kwargs.get("ignore_row_if"))
