"""Reports a table that is compared with its source as a whole and loses many of its rows at once."""

from profiling_core.model.finding import SHRUNK, Finding

# A loss of at least this share of the rows, and this number of rows, is reported.
_SHARE = 1 / 3
_FEWEST = 10


def shrunk_finding(table: str, label: str, before: int, inserts: int, deletes: int) -> Finding | None:
    """The finding about a table that lost a third of its rows, ten at least; None if it has not.

    Args:
        table: the table.
        label: what people call the run.
        before: how many rows it had.
        inserts: how many rows came.
        deletes: how many rows its source no longer has.
    """
    lost, left = deletes - inserts, before + inserts - deletes
    if lost < _FEWEST or lost < _SHARE * before:
        return None
    are = "is" if left == 1 else "are"
    return Finding(
        kind=SHRUNK,
        table=table,
        delta=label,
        headline=f"{table} lost {lost:,} of its {before:,} rows; {left:,} {are} left"
        if left
        else f"{table} lost all of its {before:,} rows",
        cause="a part of the file, or of the table?" if left else "an empty file, or an emptied table?",
        details=(
            (
                "The rows are no longer in the source, so they were removed here; they return when the source has them "
                "again."
            ),
        ),
        count=lost,
        arrived=before,
        whole_load=True,
    )
