"""Large tables of PostgreSQL, read by several processes at one moment, each a range of the table's blocks.

The main transaction exports its snapshot, and each process imports it, so that all parts are of one state. A process
gets its arguments, the address with its secrets among them, by standard input, which process lists do not show. A table
whose rows have no block (a view, a foreign table) is read by one process.
"""

import json
import os
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from sqlglot import exp

from profiling_core.model.errors import UnreachableError

if TYPE_CHECKING:
    import psycopg

# Bytes of a part, at least, and parts of a table, at most.
PART_BYTES = 256 << 20
_MOST_PARTS = 8
# The largest of the table's parts (partitions and heirs), in blocks; the bytes of all parts; and whether the rows of
# all parts have blocks.
_EXTENT = b"""
WITH RECURSIVE own AS (
    SELECT to_regclass(%s)::oid AS table_ UNION SELECT inhrelid FROM pg_inherits JOIN own ON inhparent = table_
)
SELECT max(pg_relation_size(table_)) / current_setting('block_size')::int, sum(pg_relation_size(table_)),
       bool_and(relkind IN ('r', 'm', 'p'))
FROM own JOIN pg_class ON pg_class.oid = table_
"""


@dataclass(frozen=True, slots=True)
class BlockRange:
    """A process's work: ``url``, ``snapshot``, a query, its columns (bytes in base 64), and the folder for its rows."""

    url: str
    snapshot: str
    query: str
    schema: str
    at_once: int
    folder: str
    number: int

    @property
    def columns(self) -> pa.Schema:
        """The columns."""
        return pa.ipc.read_schema(pa.py_buffer(b64decode(self.schema)))


def ranges(connection: "psycopg.Connection[Any]", table: exp.Table) -> list[exp.Condition]:
    """Conditions that cut a table into parts of similar size, at most one per core; none for a small table or view."""
    row = connection.execute(_EXTENT, [table.sql("postgres")]).fetchone()
    if row is None or not row[2]:
        return []
    blocks, size, _ = row
    count = min(len(os.sched_getaffinity(0)), _MOST_PARTS, int(size) // PART_BYTES, blocks)
    if count < 2:  # noqa: PLR2004 -- one part is all
        return []
    bounds = [blocks * number // count for number in range(count + 1)]
    place = exp.column("ctid")
    return [
        exp.and_(
            *([place >= _place(first)] if first else []), *([place.copy() < _place(last)] if last != blocks else [])
        )
        for first, last in pairwise(bounds)
    ]


def _place(block: int) -> exp.Expr:
    return exp.Cast(this=exp.Literal.string(f"({block},0)"), to=exp.DataType.build("tid", dialect="postgres", udt=True))


def read(parts: Sequence[BlockRange], where: str) -> list[Path] | None:
    """The files of all parts, in their order; None if the server admits no more connections.

    Raises:
        UnreachableError: a process ended before it had read its part.
    """
    with ThreadPoolExecutor(len(parts)) as pool:
        told = list(pool.map(partial(_read, where=where), parts))
    if any("refused" in answer for answer in told):
        return None
    return [Path(path) for answer in told for path in answer["paths"]]


def _read(part: BlockRange, where: str) -> dict[str, Any]:
    """The answer of a process that reads a part: its files, or that it was refused."""
    done = subprocess.run(
        [sys.executable, "-c", "from profiling_core.ingest.sources.postgresql import read_part; read_part()"],
        input=json.dumps(asdict(part)).encode(),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        answer: dict[str, Any] = json.loads(done.stdout)
        if "broke" not in answer:
            return answer
        said = answer["broke"]
    else:
        said = (done.stderr.decode(errors="replace").splitlines() or [f"exit code {done.returncode}"])[-1]
    raise UnreachableError(f"reading a part of the table broke off: {said}", where=where, remedy="run again")


def schema_text(schema: pa.Schema) -> str:
    """A schema as :class:`BlockRange` has it."""
    return b64encode(schema.serialize().to_pybytes()).decode("ascii")
