"""The tables of a version, as a suite is run over them: by Spark, or, if they are small, by DuckDB and pandas."""

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from sqlglot import exp

from profiling_core.model.delta import ROW_ID

Expectation = Mapping[str, Any]

QUERY = "unexpected_rows_expectation"
_KEY = "expect_column_values_to_be_unique"
_KEYS = (_KEY, "expect_compound_columns_to_be_unique")


@dataclass(frozen=True, slots=True)
class SuitePart:
    """Expectations of a suite that one checkpoint runs, the DataFrame that it runs over, and how much it tells."""

    expectations: Sequence[Expectation]
    frame: Any
    told: Mapping[str, Any]


class Tables(Protocol):
    """Tables with ``_row_id``, by their names."""

    def add_source(self, context: Any) -> Any:
        """Adds to a Great Expectations context the data source that takes the parts' DataFrames."""

    def columns(self, table: str) -> Collection[str] | None:
        """The names of a table's columns; None where it is not there."""

    def parts(self, stored: Sequence[Expectation], table: str, max_rows: int) -> Generator[SuitePart]:
        """A suite's expectations in the parts that run over a table, each listing at most ``max_rows`` rows.

        A part is to be run before the next one is asked for.
        """

    def readable(self, names: Iterable[str]) -> AbstractContextManager[None]:
        """Makes tables readable by their names. A table that is not there is left to break its check."""

    def count(self, query: exp.Select, names: Iterable[str]) -> int:
        """The number that a query over some of the tables gives."""


def key_columns(expectation: Expectation) -> tuple[str, ...]:
    """The columns that a built-in expectation asks to be unique; none of any other."""
    kwargs = expectation["kwargs"]
    if expectation["type"] not in _KEYS:
        return ()
    return (kwargs["column"],) if expectation["type"] == _KEY else tuple(kwargs["column_list"])


def parts_over(frame: Any, expectations: Sequence[Expectation], max_rows: int) -> Iterator[SuitePart]:
    """Queries, and then all others, each with the result format that lists rows, but not without a limit.

    Queries show rows in complete results alone, at most 200 of them; what Great Expectations has of its own lists all.
    """
    queries = [e for e in expectations if e["type"] == QUERY]
    others = [e for e in expectations if e["type"] != QUERY]
    complete = {"result_format": "COMPLETE"}
    summary = {
        "result_format": "SUMMARY",
        "partial_unexpected_count": max_rows,
        "unexpected_index_column_names": [ROW_ID],
    }
    yield from (SuitePart(some, frame, told) for some, told in ((queries, complete), (others, summary)) if some)
