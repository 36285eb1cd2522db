"""Denial constraints that are neither FD nor UCC: rows that contradict older ones are wrong, and removal mends them."""

import numpy as np
import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.algorithms.denial.checking.blame import to_blame
from profiling_core.algorithms.values.encoding import encode_together
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.delta import ROW_ID
from profiling_core.model.diagnosis import Repair
from profiling_core.spark.kinds.room import InViolation, NewRows, Room, Violating


def standing_out(new: NewRows, constraint: DenialConstraint, found: InViolation) -> BitMap64:
    """The rows that contradict older ones, and of those left the fewest that account for all contradictions."""
    if constraint.is_single_row:
        return found.all
    return found.with_older | _among_themselves(new, constraint, found.among_new - found.with_older)


def _among_themselves(new: NewRows, constraint: DenialConstraint, ids: BitMap64) -> BitMap64:
    own = pa.array(np.isin(new.inserted[ROW_ID].to_numpy(), np.array(list(ids), np.int64)))
    rows = new.inserted.filter(own)
    (encoded,) = encode_together([rows], new.space)
    blamed = to_blame(encoded, constraint, new.space.nulls)
    return BitMap64(rows[ROW_ID].to_numpy()[blamed].tolist())


def repair(violating: Violating, constraint: DenialConstraint) -> Repair:
    """Without the rows that came, what held before holds again; fewer may do."""
    return Repair(violating.count, exact=constraint.is_single_row)


ROOM = Room(standing_out, repair)
