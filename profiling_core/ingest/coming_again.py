"""Whether a file's rows come again in the next one, so that each file is the whole table."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.ingest.sources.protocol import WHOLE
from profiling_core.ingest.table_ingest import TableIngest
from profiling_core.model.errors import InputError
from profiling_core.model.source import SourceKind
from profiling_core.model.version import ROWS
from profiling_core.spark.bucket import DeltaFrame, WrittenPart

# Rows of the first delta that are looked for in the next one: as many as an answer at once allows.
_LOOKED_FOR = 20_000


def distinct(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    """The values of some columns, each once; nulls are equal."""
    return rows.select(list(names)).group_by(list(names)).aggregate([])


def come_again(first: pa.Table, second: pa.Table, names: Sequence[str]) -> tuple[bool, str]:
    """Whether at least half of a file's rows are in the next one, by these columns; and how many.

    Rows that mostly repeat within their file tell of no other one.
    """
    known, new = distinct(first, names), distinct(second, names)
    both = pa.concat_tables([known, new], promote_options="permissive")
    again = known.num_rows + new.num_rows - distinct(both, names).num_rows
    said = f"{again:,} of {known.num_rows:,} rows of the first file are in the next one"
    return first.num_rows <= 2 * known.num_rows <= 4 * again, said


def check_new(ingest: TableIngest, frame: DeltaFrame) -> None:
    """Raises ``InputError`` where a table without key gets the rows of its first delta again, as new ones.

    With a key their keys are refused. And `init` guesses from a first file alone that each has new rows.
    """
    source, state, version = ingest.options.source, ingest.state, ingest.version
    is_guess = source.kind is SourceKind.APPEND and len(ingest.before.applied) == 1 and source.repeated == "refuse"
    if not is_guess or version is None or state is None or not state.rows or state.schema.key or ingest.plan.rebuild:
        return
    names = state.schema.names
    first = _rows(ingest.store.verified(version.files_of(ROWS, ingest.table)), names).slice(0, _LOOKED_FOR)
    again, said = come_again(first, _rows(sorted(frame.folders[WrittenPart.INSERTED].iterdir()), names), names)
    if again:
        raise InputError(
            f"delta {ingest.delta_ids[0]!r} of table {ingest.table!r} is refused, and nothing was applied: {said}",
            gist=said,
            where=ingest.source.where,
            remedy=f"{WHOLE}; where these rows are new ones, set repeated: apply",
        )


def _rows(paths: Sequence[str | Path], names: Sequence[str]) -> pa.Table:
    return pa.concat_tables([pq.read_table(path, columns=list(names)) for path in paths])
