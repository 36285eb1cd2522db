"""Column names as Spark's expressions read them: quoted, since a name may hold dots, backticks and anything else.

Where Spark looks a name up unquoted itself, as it does to feed Arrow functions, columns go under plain names meanwhile.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def quoted(name: str) -> str:
    """The name between backticks."""
    return "`" + name.replace("`", "``") + "`"


def all_quoted(names: Iterable[str]) -> list[str]:
    """Several names between backticks."""
    return [quoted(name) for name in names]


def plain(rows: "DataFrame") -> "DataFrame":
    """The same rows under plain names, ``c0``, ``c1`` and so on, for a function that names them back."""
    return rows.toDF(*plain_names(len(rows.columns)))


def plain_names(columns: int) -> list[str]:
    """Plain names for a number of columns."""
    return [f"c{i}" for i in range(columns)]


def named(batches: Iterator[pa.RecordBatch], names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Batches of rows that went under plain names, under their own again."""
    return (batch.rename_columns(list(names)) for batch in batches)
