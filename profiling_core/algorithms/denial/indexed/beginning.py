"""A table's first version in indexed mode: Hydra's discovery by pieces; each piece needs a part of the table.

Some rows are looked at here: their evidences are sampled and inverted, and what comes of it is checked among them. Then
what holds is checked on all rows, by branches of Hydra's tree of equalities: the pieces. What they find is refined by,
here, until nothing is violated; so here are evidences and constraints, and the rows are where the pieces run.
Source: Bleifuß et al., Hydra, sections 3 to 6; IncDC, SelectIndex.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed.first_rows import FirstRows, Ids
from profiling_core.algorithms.denial.indexed.orders import Agreement
from profiling_core.algorithms.denial.indexed.rows import DC, TableRows
from profiling_core.algorithms.denial.indexed.witnessed_evidences import Pairs, WitnessedEvidences, both_ways
from profiling_core.algorithms.denial.ranking.exact_figures import satisfying_pairs_of
from profiling_core.algorithms.denial.sampled.completion import branches, violations_of
from profiling_core.algorithms.denial.sampled.discovery import Among, Completion, foresee_checks, sampled_evidences
from profiling_core.algorithms.denial.sampled.parts import samples_of
from profiling_core.algorithms.evidence.pair_masks import groups_of, pair_masks
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.algorithms.ground.pieces import Runner
from profiling_core.algorithms.values.encoding import Encoded, domains

# Rows looked at here; some of them in runs of neighbours, which agree more often than others.
MOST_HERE = 1 << 17
_RUN = 64
# A check of all rows comes in about 16 pieces, but for branches that few constraints share.
_PIECES, _FEW = 16, 8


@dataclass(frozen=True, slots=True, eq=False)
class _Some:
    """Some of the rows: their places, ascending, ``drawn`` those that are no neighbours', and the rows."""

    places: Ids
    drawn: Ids
    rows: Encoded


@dataclass(frozen=True, slots=True, eq=False)
class _Checked:
    """The result of a piece: violating pairs, constraints that nothing violates, and its cost."""

    pairs: Pairs
    settled: list[DC]
    spent: float


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """The state that a table begins with; ``first``: its rows as the pieces find them."""

    rows: TableRows
    known: WitnessedEvidences
    cover: list[DC]
    max_predicates: int | None
    first: FirstRows
    run: Runner

    def counted(self, dcs: Sequence[DC]) -> list[int]:
        """The ordered pairs that violate each constraint."""
        return self.run(partial(_count, self.first), list(dcs))


def begin(first: FirstRows, run: Runner, *, max_predicates: int | None, effort: Effort | None = None) -> Begun:
    """The rows, labelled and indexed, the cover, and known evidences that pin it.

    Args:
        first: the rows.
        run: what runs the pieces; what comes of it does not depend on it.
        max_predicates: the bound on length; None: unbounded.
        effort: what it may cost; None: no matter what.

    Raises:
        EffortError: it costs more.
        HoldfastError: an id is repeated.
    """
    space = first.space
    first.prepare()
    run(first.number_rows, [0])
    distinct = _labelled(first, run)
    first.kept.put("distinct", distinct)
    some = _some(first, run)
    known, selectivity = sampled_evidences(some.rows, space, effort=effort)
    here = Completion(known, space, max_predicates, effort=effort)
    cover = here.inverted()
    for places in (*samples_of(some.rows.rows), None):
        # What is wrong with most constraints shows among few rows.
        if places is not None or len(some.places) < first.coming.num_rows:
            cover = here.completed(cover, Among(known, some.rows, space, selectivity, effort, places))
    if effort:
        foresee_checks(effort, len(here.strongest(cover)), first.coming.num_rows)
    witnessed = WitnessedEvidences.nothing(len(space.predicates))
    witnessed.absorb(Pairs(first.ids_at(some.places[known.witnesses]), known.masks))
    everywhere = _Everywhere(first, run, witnessed, selectivity, effort)
    cover = Completion(witnessed, space, max_predicates, effort=effort).completed(cover, everywhere)
    none = TableRows.none(space, first.schema)
    agreement = replace(Agreement.of(some.rows.codes[:, some.drawn]), rows=first.coming.num_rows)
    run(first.index, first.pieces_of(none.orders_for(cover, agreement, distinct)))
    return Begun(first.table_rows, witnessed, cover, max_predicates, first, run)


def _labelled(first: FirstRows, run: Runner) -> NDArray[np.int64]:
    """int64[m]: how many values each column has."""
    found: dict[str, int] = {}
    for of_domain in run(first.label, range(len(domains(first.space)))):
        found |= of_domain
    return np.array([found[name] for name in first.columns], np.int64)


def _some(first: FirstRows, run: Runner) -> _Some:
    """All rows of a small table, some of a large one: runs of neighbours among others."""
    rows = first.coming.num_rows
    places = drawn = np.arange(rows)
    if rows > 2 * MOST_HERE:
        random = np.random.default_rng(0)
        alone = random.choice(rows, MOST_HERE // 2, replace=False)
        starts = random.choice(rows - _RUN, MOST_HERE // 2 // _RUN, replace=False)
        places = np.unique(np.concatenate([alone, (starts[:, None] + np.arange(_RUN)).ravel()]))
        drawn = np.searchsorted(places, np.sort(alone))
    columns = range(len(first.columns))
    codes = np.empty((len(first.columns), len(places)), np.int32)
    for column, own in zip(columns, run(partial(first.ranks_at, places), columns), strict=True):
        codes[column] = own
    return _Some(places, drawn, Encoded(first.columns, codes))


@dataclass(frozen=True, slots=True, eq=False)
class _Everywhere:
    """Looks among all rows, by pieces."""

    first: FirstRows
    run: Runner
    known: WitnessedEvidences
    selectivity: NDArray[np.float64]
    effort: Effort | None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.first.coming.num_rows

    def __call__(self, dcs: Sequence[DC]) -> set[DC]:
        """The constraints that nothing violates; known evidences grow by pairs that violate the others."""
        most = max(_FEW, -(-len(dcs) // _PIECES))
        parts = branches(self.first.columns, dcs, self.first.space, self.selectivity, most)
        check = partial(_check, self.first, self.selectivity, self.effort)
        settled = set[DC]()
        for found in self.run(check, [[dcs[number] for number in part] for part in parts]):
            self.known.absorb(found.pairs)
            settled.update(found.settled)
            if self.effort:
                self.effort.spend(found.spent)
        return settled


def _check(first: FirstRows, selectivity: NDArray[np.float64], effort: Effort | None, dcs: Sequence[DC]) -> _Checked:
    """A piece: some pairs of all rows that violate each of some constraints."""
    rows, left = first.encoded, replace(effort) if effort else None
    found = violations_of(rows, dcs, first.space, selectivity=selectivity, threads=1, effort=left)
    settled = [dc for dc, violations in zip(dcs, found, strict=True) if violations.complete]
    # One evidence violates many constraints, and has one pair.
    pairs = np.unique(np.concatenate([violations.pairs for violations in found]), axis=0)
    one, other = (np.ascontiguousarray(rows.codes[:, side]) for side in pairs.T)
    seen = Pairs(both_ways(first.ids_at(pairs)), pair_masks(one, other, groups_of(first.space)))
    return _Checked(seen, settled, effort.left - left.left if effort and left else 0.0)


def _count(first: FirstRows, dc: DC) -> int:
    """A piece: the ordered pairs that satisfy all of some predicates."""
    space = first.space
    return satisfying_pairs_of(first.encoded, [space.predicates[p] for p in dc], space.nulls)
