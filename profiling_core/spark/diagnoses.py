"""The figures behind the reading of a break: what its rows have in common, and the least repair, from the rows.

The collected rows are bounded: at most :data:`SAMPLE` violating rows, and of the repair its sum and a few examples.
"""

from collections import Counter
from collections.abc import Sequence

from pyroaring import BitMap64

from profiling_core.algorithms.columns.concentration import having, least_likely, most_common, shared
from profiling_core.model.constraint import Constraint, RowConstraint
from profiling_core.model.diagnosis import Concentration, Diagnosis
from profiling_core.model.types import NullSemantics
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.kinds.registry import room_of
from profiling_core.spark.kinds.room import Violating

SAMPLE = 10_000


def diagnose(delta: RowDelta, constraint: RowConstraint, rows: BitMap64, nulls: NullSemantics) -> Diagnosis:
    """The reading of one break.

    Args:
        delta: the delta that broke the constraint.
        constraint: the broken constraint.
        rows: the ids of the delta's rows that stand out; not empty.
        nulls: the table's null semantics.
    """
    room, familiar = room_of(constraint), constraint.familiar
    violating = Violating(delta, rows[:SAMPLE], len(rows), nulls)
    concentration = concentrated(delta, constraint, rows)
    return Diagnosis(concentration, room.repair(violating, familiar), len(rows), room.alike(violating, familiar))


def concentrated(delta: RowDelta, constraint: Constraint, rows: BitMap64) -> Concentration | None:
    """What rows share in another column, else in one that the rule speaks of and that is not at fault.

    Args:
        delta: the delta that broke the constraint.
        constraint: the broken constraint.
        rows: the ids of the delta's rows that violate it.
    """
    said = constraint.columns
    names, telling = delta.coming.schema.names, () if constraint.telling == said else constraint.telling
    others = [name for name in names if name not in said]
    asked = [name for name in names if len(said) > 1 and name in said and name not in telling]
    return _shared(delta, rows, others) or (_shared(delta, rows, asked) if asked else None)


def _shared(delta: RowDelta, rows: BitMap64, names: Sequence[str]) -> Concentration | None:
    sample = delta.coming.with_ids(rows[:SAMPLE], names)
    common = most_common(sample, names)
    if not common:
        return None
    usual = Counter[str]()
    for portion in delta.coming.portions(list(common)):
        for name, (value, _) in common.items():
            usual[name] += having(portion[name], value)
    return least_likely(shared(common, sample.num_rows, usual, delta.inserts))
