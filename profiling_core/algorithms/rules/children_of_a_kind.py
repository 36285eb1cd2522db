"""What a parent's children of some categories come to: the number of abnormal results, the sum paid.

The number, or the sum, of the children of each category stands beside the parent's number: least squares tell the
categories that count, one or nought each. That all parents obey is checked by the caller.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.conditions.categories import Categories, categories_of
from profiling_core.algorithms.conditions.facts import MOST_LISTED
from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.references.joining import Keys, Sides
from profiling_core.model.expression import Precision
from profiling_core.model.kinds.relation import Aggregate, Summary
from profiling_core.model.role import ColumnRole


@dataclass(frozen=True)
class Children:
    """Children with their parents, and the columns of children that make categories."""

    sides: Sides
    places: NDArray[np.int64]
    kinds: Sequence[Categories]

    @classmethod
    def of(cls, sides: Sides, joined: Keys, names: Sequence[str], roles: Mapping[str, ColumnRole]) -> "Children":
        """The children of some parents; ``names`` and ``roles`` are those of the children's columns."""
        return cls(sides, _places(joined), list(categories_of(sides.child, list(names), roles)))

    @cached_property
    def parents(self) -> NDArray[np.bool_]:
        """Per parent whether it has children."""
        return np.bincount(self.places[self.places >= 0], minlength=self.sides.parent.num_rows) > 0

    @cached_property
    def sums(self) -> Callable[[int, str], NDArray[np.float64]]:
        """float64[parents, categories]: the number of children of the n-th kind, or the sum of one of their columns."""
        return cache(lambda n, other: _sums(self.sides, self.places, self.kinds[n], other))


def of_some_kinds(
    children: Children, column: str, numeric: Sequence[str], precision: Precision, budget: Budget
) -> Iterator[tuple[Summary, int]]:
    """The summaries of children of some categories that fit a parent's number, each with how many categories there are.

    Args:
        children: some children and their parents.
        column: the parent's column, of numbers.
        numeric: columns of children that may be added up.
        precision: of the parent's column.
        budget: when to end with what there is.
    """
    target = numbers_of(children.sides.parent[column])
    rows = np.flatnonzero(target.there & children.parents)
    wanted, room = target.doubles[rows], float(precision.half_unit)
    for place, kinds in budget.steps(enumerate(children.kinds), len(children.places) * (1 + len(numeric))):
        for other in ("", *numeric):
            chosen = _chosen(children.sums(place, other)[rows], wanted, room)
            if chosen is not None and 0 < chosen.sum() <= MOST_LISTED and not chosen.all():
                how = Aggregate.SUM if other else Aggregate.COUNT
                values = kinds.named(chosen)
                said = (precision.decimals, precision.digits) if other else (0, None)
                yield Summary(column, how.value, other, *said, kinds.column, values), len(kinds.labels)


def _places(joined: Keys) -> NDArray[np.int64]:
    """int64[n]: the position of each child's parent; −1 where it has none."""
    size = int(max(joined.child.max(initial=-1), joined.parent.max(initial=-1))) + 1
    place = np.full(size + 1, -1)
    place[joined.parent[joined.parent >= 0]] = np.flatnonzero(joined.parent >= 0)
    return np.where(joined.child >= 0, place[joined.child], -1)


def _sums(sides: Sides, places: NDArray[np.int64], kinds: Categories, other: str) -> NDArray[np.float64]:
    """float64[parents, categories]: the number of children, or the sum of a column."""
    counts = (places >= 0) & (kinds.codes >= 0)
    weights = np.ones(len(places))
    if other:
        numbers = numbers_of(sides.child[other])
        counts &= numbers.there
        weights = numbers.doubles
    found = np.zeros((sides.parent.num_rows, len(kinds.labels)))
    np.add.at(found, (places[counts], kinds.codes[counts]), weights[counts])
    return found


def _chosen(sums: NDArray[np.float64], wanted: NDArray[np.float64], room: float) -> NDArray[np.bool_] | None:
    """bool[categories]: the categories whose sums equal the wanted numbers; None if there are none."""
    if len(sums) < sums.shape[1] or not np.isfinite(sums).all() or not np.isfinite(wanted).all():
        return None
    slack = room + 1e-9 * np.abs(wanted)
    least, most = np.minimum(sums, 0).sum(axis=1), np.maximum(sums, 0).sum(axis=1)
    if (wanted < least - slack).any() or (wanted > most + slack).any():  # whatever the categories
        return None
    factors, *_ = np.linalg.lstsq(sums, wanted)
    told = factors > 1 / 2
    seen = sums.any(axis=0)
    apart = np.abs(sums @ told - wanted) > slack
    return None if apart.any() else told & seen
