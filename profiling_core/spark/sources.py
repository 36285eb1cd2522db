"""The parts of deltas: each task reads whole parts, since only whole files tell a row's line.

How a part is read is not this module's business (``ingest`` hands in a function from parts to batches); which task
reads which parts, and what becomes of errors, is.
"""

import heapq
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from profiling_core.model.account import Account
from profiling_core.model.errors import InputError
from profiling_core.model.stored import Stored
from profiling_core.spark.session import parallelism

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

REPORT = -1
SMALL_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class SourcePart(Stored):
    """A part of a delta that is read at once, such as a file.

    Attributes:
        number: its number among the run's parts; step: its delta's number.
        where: what people know it as, such as a path.
        size: by which parts are shared out among tasks, such as bytes.
        place: what its source finds it by.
    """

    number: int
    step: int
    where: str
    size: int
    place: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """The outcome of reading a file: its rows, the column names seen, and the error that made it unreadable, if any.

    ``account`` is of the file's lines, or records. ``begins`` are the row numbers and lines at which stretches of
    consecutive lines begin.
    """

    file: int
    rows: int
    names: tuple[str, ...] = ()
    error: InputError | None = None
    account: Account = field(default_factory=Account)
    begins: tuple[tuple[int, int], ...] = ()

    def to_text(self) -> str:
        """The report as JSON, to travel in a row."""
        error = [self.error.what, self.error.where, self.error.remedy] if self.error else None
        own = {"rows": self.rows, "names": self.names, "begins": self.begins}
        return json.dumps({**own, "error": error, "account": self.account.to_json()})

    @classmethod
    def from_text(cls, file: int, text: str) -> "FileReport":
        """The inverse of :meth:`to_text`."""
        data = json.loads(text)
        error = None
        if data["error"]:
            what, where, remedy = data["error"]
            error = InputError(what, where=where, remedy=remedy)
        begins = tuple((row, line) for row, line in data["begins"])
        return cls(file, data["rows"], tuple(data["names"]), error, Account.from_json(data["account"]), begins)


def column_names(count: int) -> list[str]:
    """The names that data columns have while they are normalised: theirs may be anything, also like ours."""
    return [f"c{i}" for i in range(count)]


def typed_schema(types: "Sequence[pa.DataType]") -> "pa.Schema":
    """The schema of read rows: their place, operation and reason, then the data columns.

    There is one row per row of a file, good or not; and per file one more, its report, in ``detail`` (``ordinal`` −1).
    """
    import pyarrow as pa

    place = {
        "file": pa.int32(),
        "step": pa.int32(),
        "ordinal": pa.int64(),
        "line": pa.int64(),
        "op": pa.int8(),
        "reason": pa.int8(),
        "detail": pa.string(),
        "source": pa.string(),
    }
    return pa.schema([*place.items(), *zip(column_names(len(types)), types, strict=True)])


def read_here(
    files: Sequence[SourcePart],
    read: "Callable[[SourcePart], Iterator[pa.RecordBatch]]",
    schema: "pa.Schema",
    most: int,
) -> "pa.Table | None":
    """The rows of small files, read in this process; None: they are not small, or have more rows than ``most``."""
    import pyarrow as pa

    if most < 0 or not is_small(files):
        return None
    batches: list[pa.RecordBatch] = []
    for file in files:
        for batch in read(file):
            batches.append(batch)
            most -= batch.num_rows
            if most < 0:
                return None
    return pa.Table.from_batches(batches, schema)


def balanced(files: Sequence[SourcePart], tasks: int) -> list[list[SourcePart]]:
    """The files in at most that many shares of about equal size, the largest files dealt first."""
    shares: list[list[SourcePart]] = [[] for _ in range(min(tasks, len(files)))]
    heap = [(0, i) for i in range(len(shares))]
    for file in sorted(files, key=lambda f: (-f.size, f.number)):
        size, share = heapq.heappop(heap)
        shares[share].append(file)
        heapq.heappush(heap, (size + file.size, share))
    return shares


def report_batch(report: FileReport, step: int, schema: "pa.Schema") -> "pa.RecordBatch":
    """A file's report as a batch of one row."""
    import pyarrow as pa

    row = {"file": report.file, "step": step, "ordinal": REPORT, "detail": report.to_text()}
    return pa.RecordBatch.from_pylist([row], schema)


def is_small(files: Sequence[SourcePart]) -> bool:
    """Whether the files are read here before Spark's tasks would have begun."""
    return sum(file.size for file in files) <= SMALL_BYTES


def map_files(spark: "SparkSession", files: Sequence[SourcePart], look: Callable[[SourcePart], Any]) -> dict[int, Any]:
    """Runs a function over each file, small ones here and others in tasks: file number → its JSON-able answer."""
    if is_small(files):
        return {file.number: _answer(look, file) for file in files}

    from profiling_core.spark.tasks import in_tasks  # with Arrow, which only naming parts does not need

    def looked(shares: Iterator[Sequence[SourcePart]]) -> Iterator[dict[int, Any]]:
        for share in shares:
            yield {file.number: _answer(look, file) for file in share}

    found: dict[int, Any] = {}
    for answers in in_tasks(spark, balanced(files, parallelism(spark)), looked):
        found |= answers
    return found


def _answer(look: Callable[[SourcePart], Any], file: SourcePart) -> Any:
    """The same wherever it is given."""
    return json.loads(json.dumps(look(file)))
