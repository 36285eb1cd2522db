"""Order-maintaining labels: integer codes of values that stay what they are when other values come.

Each domain (columns that compare with each other) has a dictionary of its values with gapped int64 labels in their
order. A new value takes a label between its neighbours'; only where a gap is used up is the domain labelled anew. New
values stand in a young run of their own until they are many, so that a delta does not write all values again.
Sources: order maintenance by gapped labels, Dietz and Sleator, STOC 1987; O'Neil et al., the LSM-tree.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed.stored_values import stored_values
from profiling_core.algorithms.denial.indexed.value_runs import Run
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.values.arrow_buffers import present, values_of
from profiling_core.algorithms.values.encoding import NULL

Labels = NDArray[np.int64]
GAP = 1 << 20
_MIDDLE = 1 << 60
# The young run joins the old one once it has an eighth of its values.
_GROWN = 8


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """A domain's distinct values and their labels: ``old`` ones, nearly all, and the ``young``, which came since."""

    old: Run
    young: Run

    @property
    def labels(self) -> Labels:
        """All labels, ascending."""
        return np.sort(np.concatenate([self.old.labels, self.young.labels])) if len(self.young) else self.old.labels

    @property
    def type(self) -> pa.DataType:
        """The type in which it holds values."""
        return self.old.values.type

    def ranks_of(self, labels: Labels) -> Codes:
        """int32: the places of labels that are all in the dictionary, in the order of its values; −1 for null."""
        ranks = np.searchsorted(self.labels, labels).astype(np.int32)
        ranks[labels < 0] = NULL
        return ranks

    def extended(self, values: pa.Array) -> tuple["Dictionary", Labels, Labels | None]:
        """The dictionary with these values too.

        Returns:
            The dictionary; the values' labels, −1 for null; the labels of the old values, in order, where they change.
        """
        distinct, ranks = ranked(values)
        extended, of_distinct, moved = self.with_distinct(distinct)
        return extended, np.append(of_distinct, NULL)[ranks], moved

    def with_distinct(self, distinct: pa.Array) -> tuple["Dictionary", Labels, Labels | None]:
        """The dictionary with these values, ascending; their labels; those of the old values where they change."""
        labels, is_new = np.zeros(len(distinct), np.int64), np.ones(len(distinct), np.bool_)
        below, above = np.full(len(distinct), -1, np.int64), np.full(len(distinct), -1, np.int64)
        for run in (run for run in (self.old, self.young) if len(run)):
            places, known = run.places(distinct)
            labels[known] = run.labels[places[known]]
            is_new &= ~known
            under, over = places > 0, places < len(run)
            below[under] = np.maximum(below[under], run.labels[places[under] - 1])
            lower = over & ((above < 0) | (run.labels[np.where(over, places, 0)] < above))
            above[lower] = run.labels[places[lower]]
        if not is_new.any():
            return self, labels, None
        fresh = distinct.filter(pa.array(is_new))
        found = _between(below[is_new], above[is_new])
        if found is None:
            return self._labelled_anew(fresh, distinct)
        labels[is_new] = found
        young = self.young.merged(Run.of(fresh, found))
        if _GROWN * len(young) >= len(self.old):
            return Dictionary(self.old.merged(young), self.old.none), labels, None
        return Dictionary(self.old, young), labels, None

    def _labelled_anew(self, fresh: pa.Array, distinct: pa.Array) -> tuple["Dictionary", Labels, Labels]:
        """The same, where a gap is used up."""
        whole = self.old.merged(self.young)
        places, _ = whole.places(fresh)
        is_old = np.ones(len(whole) + len(fresh), np.bool_)
        is_old[places + np.arange(len(fresh))] = False
        source = np.empty(len(is_old), np.int64)
        source[is_old], source[~is_old] = np.arange(len(whole)), len(whole) + np.arange(len(fresh))
        labels = _evenly(len(is_old))
        every = Run.of(pa.concat_arrays([whole.values, fresh]).take(pa.array(source)), labels)
        return Dictionary(every, every.none), labels[every.places(distinct)[0]], labels[is_old]


def ranked(values: pa.Array) -> tuple[pa.Array, Codes]:
    """The different values, ascending, and int32: the place of each value among them, −1 for null."""
    coded = values.dictionary_encode()
    distinct, (places,) = ranked_together([coded.dictionary])
    return distinct, places[coded_values(coded.indices)]


def ranked_together(values: Sequence[pa.Array]) -> tuple[pa.Array, list[Codes]]:
    """The different values of some arrays of one type, ascending; each value's place among them, −1 for null.

    Returns:
        The values; per array int32[n + 1], after the places of its n values a −1 for null.
    """
    united = pa.concat_arrays(values).dictionary_encode()
    ascending = values_of(pc.sort_indices(united.dictionary), np.uint64).astype(np.int64)
    places = np.full(len(ascending) + 1, NULL, np.int32)
    places[ascending] = np.arange(len(ascending), dtype=np.int32)
    each = np.split(places[coded_values(united.indices)], np.cumsum([len(own) for own in values])[:-1])
    return united.dictionary.take(pa.array(ascending)), [np.append(own, np.int32(NULL)) for own in each]


def coded_values(indices: pa.Array) -> Codes:
    """int32: the indices of a dictionary array, −1 for null."""
    return np.where(present(indices), values_of(indices, np.int32), np.int32(NULL))


def _between(below: Labels, above: Labels) -> Labels | None:
    """Labels for new values, ascending, between these of their neighbours, −1: none; None where a gap is too small."""
    lowest, highest = below < 0, above < 0
    if (lowest & highest).any():
        return _evenly(len(below))
    starts = np.append(True, (below[1:] != below[:-1]) | (above[1:] != above[:-1]))
    first = np.flatnonzero(starts)
    sizes = np.diff(np.append(first, len(below)))
    low, high = below[first], above[first]
    width = np.where(lowest[first] | highest[first], GAP, (high - low) // (sizes + 1))
    if (width == 0).any():
        return None
    low = np.where(lowest[first], high - (sizes + 1) * GAP, low)
    steps = np.arange(1, len(below) + 1) - np.repeat(first, sizes)
    return np.asarray(np.repeat(low, sizes) + steps * np.repeat(width, sizes), np.int64)


def _evenly(total: int) -> Labels:
    return _MIDDLE + (np.arange(total, dtype=np.int64) - total // 2) * GAP


def empty_dictionary(types: Sequence[pa.DataType], *, plain: bool) -> Dictionary:
    """The dictionary of a domain without values."""
    values = [stored_values(pa.chunked_array([], type_), plain=plain) for type_ in types]
    kinds = [v.type for v in values if not pa.types.is_int64(v.type)]
    none = Run.of(pa.array([], kinds[0] if kinds else pa.int64()), np.empty(0, np.int64))
    return Dictionary(none, none)
