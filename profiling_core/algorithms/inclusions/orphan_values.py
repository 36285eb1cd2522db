"""The values that a delta newly leaves without partner in an inclusion: what to show when the inclusion breaks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.inclusions.value_clusters import Merge
from profiling_core.algorithms.inclusions.value_generator import (
    ENTRY,
    in_order,
    joined,
    no_entries,
    numpy_column,
    value_ids,
)

EXAMPLES = 50


@dataclass(frozen=True, slots=True)
class Inclusion:
    """An inclusion by the ids of its two attributes."""

    included: int
    referenced: int


@dataclass(frozen=True, slots=True)
class Orphans:
    """Orphaned values and the rows that hold them, counted; up to :data:`EXAMPLES` of the values as entries.

    The entries' ``frequency`` is that of the value in the included attribute *before* the delta: above zero, the value
    lost its partner by a delete, and rows that had been there all along hold it.
    """

    values: int
    rows: int
    examples: pa.Table

    @property
    def are_known_values(self) -> bool:
        """Whether the included attribute had all of them before; of more than there are examples it is not known."""
        return self.values == self.examples.num_rows and 0 not in self.examples["frequency"].to_pylist()

    @classmethod
    def none(cls) -> "Orphans":
        """No orphans."""
        return cls(0, 0, no_entries())


def orphans_of(merged: Merge, inclusions: Sequence[Inclusion]) -> list[Orphans]:
    """Per inclusion the values that have no partner after the merge, but were absent or had one before it."""
    if not inclusions:
        return []
    both = joined([merged.before, merged.after])
    ids = value_ids(both)
    size = int(ids.max(initial=-1)) + 1
    old = slice(0, merged.before.num_rows)
    new = slice(merged.before.num_rows, both.num_rows)
    attribute, frequency = numpy_column(both, "attribute"), numpy_column(both, "frequency")

    def held(part: slice, of: int) -> NDArray[np.int64]:
        rows = np.zeros(size, np.int64)
        at = attribute[part] == of
        rows[ids[part][at]] = frequency[part][at]
        return rows

    found = []
    for inclusion in inclusions:
        before, after = held(old, inclusion.included), held(new, inclusion.included)
        alone = (after > 0) & (held(new, inclusion.referenced) == 0)
        orphaned = alone & ~((before > 0) & (held(old, inclusion.referenced) == 0))
        here = np.flatnonzero((attribute == inclusion.included) & orphaned[ids])
        here = here[here >= new.start]
        examples = both.take(pa.array(here))
        examples = examples.set_column(4, ENTRY.field("frequency"), pa.array(before[ids[here]]))
        found.append(Orphans(int(orphaned.sum()), int(after[orphaned].sum()), in_order(examples).slice(0, EXAMPLES)))
    return found


def first_of(parts: Sequence[Orphans]) -> Orphans:
    """The orphans of disjoint sets of values together."""
    examples = in_order(joined(part.examples for part in parts)).slice(0, EXAMPLES)
    return Orphans(sum(part.values for part in parts), sum(part.rows for part in parts), examples)
