"""Functional dependencies with at most two columns on the left that a person would sign.

``{product} → category`` is one. If two rows that agree on price and hour also agree on a clerk, that is an accident
of few rows. All minimal dependencies that hold are candidates; a fitted score gives their log-odds
(:mod:`.dependency_features`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.ground.hashed_keys import numbered
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.rules.candidate import LEAST, Candidate, Family
from profiling_core.algorithms.rules.coded_table import SHARING, CodedTable, Groups
from profiling_core.algorithms.rules.dependency_features import Alongside, Dependency, features, measured
from profiling_core.algorithms.rules.determined import Determined
from profiling_core.algorithms.score.logistic import model
from profiling_core.model.constraint import ColumnList, FunctionalDependency, Measured
from profiling_core.model.role import Role


class Searched(NamedTuple):
    """The dependencies found.

    ``columns``: the number of columns whose pairs were tried as left sides; 0 if it was cut. ``of``: the number of
    columns whose pairs should be tried. ``determined``: by column with repeating values, all columns that it
    determines, also by chance.
    """

    found: list[Candidate]
    columns: int
    of: int
    determined: Determined


def find_dependencies(
    table: CodedTable, keys: Sequence[Collection[str]], budget: Budget, equations: Sequence[Candidate] = ()
) -> Searched:
    """Minimal FDs with one column on the left, then with two, none with a key on the left, each with its log-odds.

    Args:
        table: the table.
        keys: the columns of each of its keys.
        budget: when to end with what there is.
        equations: those of the table, which tell what is computed.
    """
    single = single_of(table, keys, budget)
    parts = _parts(table, single)
    told = (
        (one, model("dependencies").log_odds(told)) for one, told in measured_of(table, keys, single, budget, equations)
    )
    found = [candidate_of(table.name, table.size, one, log_odds) for one, log_odds in told if log_odds >= LEAST]
    return Searched(found, len(parts) if not budget.is_cut else 0, len(parts), single)


def measured_of(
    table: CodedTable,
    keys: Sequence[Collection[str]],
    single: Determined,
    budget: Budget,
    equations: Sequence[Candidate] = (),
) -> Iterator[tuple[Dependency, dict[str, float]]]:
    """All minimal dependencies that hold, each with the features of its score."""
    found = [*candidates(table, keys, single, budget)]
    several = defaultdict(list)
    for one in found:
        several[frozenset(one.left)].append(one.right)
    beside = Alongside(single, several, [one.constraint.columns for one in equations])
    yield from ((one, features(table, one, beside)) for one in budget.steps(found, table.size))


def candidates(
    table: CodedTable, keys: Sequence[Collection[str]], single: Determined, budget: Budget
) -> Iterator[Dependency]:
    """All minimal dependencies that hold, given what each single column determines."""
    for left in single:
        yield from (measured(table, (left,), right) for right in budget.steps(sorted(single[left]), 4 * table.size))
    parts, rights = _parts(table, single), _rights(table)
    for looked, a in enumerate(parts):
        shared = _Shared.of(table, a)
        for b in budget.steps(parts[:looked], len(shared.rows)):
            if not any(set(key) <= {a, b} for key in keys):
                told = rights - {*single[a]} - {*single[b]}
                held = budget.steps(_determined(shared, (a, b), told, budget), 6 * table.size)
                yield from (measured(table, (a, b), right) for right in held)


def candidate_of(table: str, size: int, found: Dependency, log_odds: float) -> Candidate:
    """A dependency of a table with ``size`` rows as a candidate."""
    fd = FunctionalDependency(ColumnList(table, found.left), ColumnList(table, (found.right,)))
    figures = Measured(fd, 0, size * (size - 1), found.pairs)
    return Candidate(figures, Family.DEPENDENCY, found.surprise, log_odds, found.pairs * (1 - found.by_less))


class _Shared(NamedTuple):
    """Rows that share some values of a column, with their codes: int32[columns, s], the columns ``names``."""

    table: CodedTable
    rows: NDArray[np.int64]
    names: Mapping[str, int]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, table: CodedTable, column: str) -> "_Shared":
        rows = table.sharing(column, SHARING)
        names = {name: place for place, name in enumerate(table.codes)}
        return cls(table, rows, names, np.stack([codes[rows] for codes in table.codes.values()]))

    def grouped(self, lefts: tuple[str, ...]) -> NDArray[np.int64]:
        """int64[s]: the rows' groups by their values in some columns, numbered from 0; −1 for a null."""
        first, *others = (self.codes[self.names[name]] for name in lefts)
        groups = Groups(first.astype(np.int64), self.table.distinct(lefts[0]))
        for name, codes in zip(lefts[1:], others, strict=True):
            groups = groups.finer(codes, self.table.distinct(name))
        return numbered(groups.of)[0]

    def likely(self, lefts: tuple[str, ...], rights: Collection[str]) -> list[str]:
        """The right sides that no two of these rows contradict."""
        tried = sorted(set(rights).difference(lefts))
        places = np.array([self.names[name] for name in tried], np.int64)
        wrong = _contradicted(self.grouped(lefts), self.codes, places)
        return [name for name, contradicted in zip(tried, wrong.tolist(), strict=True) if not contradicted]


def single_of(table: CodedTable, keys: Sequence[Collection[str]], budget: Budget) -> dict[str, set[str]]:
    """By column with repeating values, the columns that it determines."""
    rights = _rights(table)
    names = (name for name in _repeating(table) if {name} not in [set(key) for key in keys])
    lefts = budget.steps(names, len(rights) * SHARING)
    return {left: {*_determined(_Shared.of(table, left), (left,), rights, budget)} for left in lefts}


def _repeating(table: CodedTable) -> list[str]:
    """The columns whose values repeat."""
    return [name for name in table.roles if 1 < table.distinct(name) < table.present(name)]


def _rights(table: CodedTable) -> set[str]:
    """The columns that may stand on the right: those with more than one value."""
    return {name for name in table.roles if table.distinct(name) > 1}


def _parts(table: CodedTable, single: Collection[str]) -> list[str]:
    """The columns that left sides of two are made of.

    Measured numbers take part if they have at most as many pairs of values as there are rows, so that pairs may repeat.
    """
    roles = table.roles
    counted = (Role.QUANTITY, Role.MOMENT)
    return [n for n in single if roles[n].role not in counted or table.distinct(n) ** 2 <= table.present(n)]


def _determined(shared: _Shared, lefts: tuple[str, ...], rights: Collection[str], budget: Budget) -> Iterator[str]:
    """The columns that some columns determine: first not contradicted by the shared rows, then checked on all rows."""
    if likely := shared.likely(lefts, rights):
        budget.spend((len(lefts) + len(likely)) * shared.table.size)
        groups = shared.table.grouped(lefts)
        if (groups.sizes > 1).any():
            yield from (right for right in likely if groups.determine(shared.table.codes[right]))


@kernel
def _contradicted(of: NDArray[np.int64], codes: NDArray[np.int32], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Per place in int32[m, s]: whether two rows of one group have two codes; −1 is null."""
    wrong = np.zeros(places.size, np.bool_)
    first = np.empty(of.max() + 1 if len(of) else 0, np.int32)
    for i in range(places.size):
        first[:] = -1
        for row in range(codes.shape[1]):
            code = codes[places[i], row]
            if code < 0 or of[row] < 0:
                continue
            if first[of[row]] < 0:
                first[of[row]] = code
            elif first[of[row]] != code:
                wrong[i] = True
                break
    return wrong
