"""The rows that support and ranks are read from where pairs are not counted: kept, so that no delta samples anew.

One file beside the engine's state; a version of an earlier release has none, and its rows are sampled anew.
"""

import pyarrow as pa

from profiling_core.maintain.engine import EngineStep
from profiling_core.maintain.state_files import read_table, write_table
from profiling_core.model.version import FileRef
from profiling_core.spark.sampling import least_rows, next_sample, sampled_rows, share_of

ROLE = "sample"
_SHARE = b"holdfast.share"


def sample_of(step: EngineStep) -> tuple[pa.Table, tuple[FileRef, ...]]:
    """The sample after a step, and the file that keeps it."""
    rows = _advanced(step)
    if rows is None:
        rows = sampled_rows(step.rows, step.space, step.size)
    marked = rows.replace_schema_metadata({_SHARE: str(share_of(step.size, least_rows(step.space)))})
    return rows, write_table(step.files, ROLE, marked)


def _advanced(step: EngineStep) -> pa.Table | None:
    stored = step.before.files_of(ROLE, step.files.table) if step.before else ()
    if not stored:
        return None
    before = read_table(step.files.store, stored)
    share = int(before.schema.metadata[_SHARE])
    return next_sample(before.replace_schema_metadata(), share, step.rows, step.space, step.size)
