"""Hydra's completion: pairs that violate any of many denial constraints, found without comparing all pairs.

The constraints stand in a tree of their equalities, those that many constraints share and few pairs satisfy first. The
tree is walked depth first with a partition per node, so that each shared equality refines rows once and no more than a
path of partitions is in memory; what is not an equality is then checked per constraint within the node's cluster pairs.
Source: Bleifuß et al., Hydra, section 6 (Theorem 2, pipelining, refiners, order by frequency over selectivity).
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.checking.check import sampled_from
from profiling_core.algorithms.denial.checking.pair_forms import PairForm
from profiling_core.algorithms.denial.checking.partition import Partition
from profiling_core.algorithms.denial.sampled.known_evidences import PAIR_AND_GROUP, Pairs
from profiling_core.algorithms.denial.sampled.listing import violating_evidences
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.predicate import PredicateSpace

# Pairs taken of each violated constraint in one round.
LIMIT = 64
# With fewer rows times constraints, starting threads costs more than it saves.
_WORTH_THREADS = 100_000
# Seconds of a core: a row in the check of a constraint (25 ns: flights, 23: claims; 45 to 60 with many columns that
# compare), and a row that is refined by an equality.
CHECKED_ROW = 0.055e-6
REFINED_ROW = 0.1e-6
Equality = tuple[int, int]


class FoundPairs(NamedTuple):
    """Pairs (t, s) that violate a constraint, and whether they have all evidences that do."""

    pairs: Pairs
    complete: bool


Found = tuple[int, FoundPairs]


@dataclass
class _Node:
    """A node of the tree: the constraints (by number) whose equalities end here, and what refines further."""

    ending: list[int] = field(default_factory=list)
    children: dict[Equality, "_Node"] = field(default_factory=dict)

    def members(self) -> Iterator[int]:
        """The constraints of the node and of all below it."""
        yield from self.ending
        for child in self.children.values():
            yield from child.members()


def violations_of(
    rows: Encoded,
    dcs: Sequence[tuple[int, ...]],
    space: PredicateSpace,
    *,
    limit: int = LIMIT,
    selectivity: NDArray[np.float64] | None = None,
    threads: int = 0,
    effort: Effort | None = None,
) -> list[FoundPairs]:
    """For each constraint, some of the pairs (t, s) that violate it: at least one if there are any.

    Where comparing all pairs of a node costs less than the next steps below it, these are compared, and one of each
    evidence that violates a constraint is given; elsewhere up to ``limit``.

    Args:
        rows: the rows, encoded for the space, at least the columns that the constraints speak of.
        dcs: constraints as predicate positions, in any number and order.
        space: the predicate space.
        limit: how many pairs to give of each at most that is not given all.
        selectivity: per predicate the share of pairs that satisfy it, as far as it is known; orders the tree.
        threads: threads to use; 0: one per processor.
        effort: what it may cost; None: no matter what.

    Raises:
        EffortError: it costs more.
    """
    predicates = space.predicates
    forms = [PairForm.of([predicates[p] for p in dc], rows.columns, space.nulls) for dc in dcs]
    found = [FoundPairs(np.empty((0, 2), np.int64), complete=True)] * len(dcs)
    if rows.rows < 2:
        return found
    search = _Search(rows, space, dcs, forms, limit, effort)
    tree = _tree(forms, _scores(forms, rows.columns, space, selectivity))
    whole = Partition.whole(rows.rows, rows.rows)
    # Subtrees below the root and constraints without an equality are independent of each other.
    work = [partial(search.below, child, whole, equality) for equality, child in tree.children.items()]
    work += [partial(search.alone, number, whole) for number in tree.ending]
    threads = threads or os.cpu_count() or 1
    if threads == 1 or rows.rows * len(dcs) < _WORTH_THREADS:
        results = [list(task()) for task in work]
    else:
        with ThreadPoolExecutor(threads) as pool:
            results = list(pool.map(lambda task: list(task()), work))
    for number, violations in chain.from_iterable(results):
        found[number] = violations
    return found


def branches(
    columns: Sequence[str],
    dcs: Sequence[tuple[int, ...]],
    space: PredicateSpace,
    selectivity: NDArray[np.float64] | None,
    most: int,
) -> list[list[int]]:
    """Constraints, by number, whose checks are independent of each other's: those of a branch of the tree together.

    A branch of more than ``most`` constraints is parted, so that what it costs can be shared out.
    """
    forms = [PairForm.of([space.predicates[p] for p in dc], columns, space.nulls) for dc in dcs]
    tree = _tree(forms, _scores(forms, columns, space, selectivity))
    found = [[number] for number in tree.ending]
    for child in tree.children.values():
        members = list(child.members())
        found += [members[start : start + most] for start in range(0, len(members), most)]
    return found


def _scores(
    forms: Sequence[PairForm], columns: Sequence[str], space: PredicateSpace, selectivity: NDArray[np.float64] | None
) -> dict[Equality, float]:
    """Per equality, how many constraints have it over the share of pairs that satisfy it."""
    frequency = Counter(pair for form in forms for pair in form.equal)
    number = {name: i for i, name in enumerate(columns)}
    shares = np.ones(len(space.predicates)) if selectivity is None else selectivity
    share = {
        (number[p.left.column], number[p.right.column]): float(shares[i])
        for i, p in enumerate(space.predicates)
        if not p.is_single_row and p.op.value == "=" and number.keys() >= {p.left.column, p.right.column}
    }
    return {pair: count / max(share[pair], 1e-12) for pair, count in frequency.items()}


def _tree(forms: Sequence[PairForm], scores: dict[Equality, float]) -> _Node:
    root = _Node()
    for number, form in enumerate(forms):
        node = root
        for pair in sorted(set(form.equal), key=lambda pair: (-scores[pair], pair)):
            node = node.children.setdefault(pair, _Node())
        node.ending.append(number)
    return root


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    rows: Encoded
    space: PredicateSpace
    dcs: Sequence[tuple[int, ...]]
    forms: Sequence[PairForm]
    limit: int
    effort: Effort | None

    def below(self, node: _Node, partition: Partition, equality: Equality) -> Iterator[Found]:
        """The violations of the constraints at and below a node, whose equality refines its parent's partition."""
        codes = self.rows.codes
        if self.effort:
            self.effort.spend(len(partition.left) * REFINED_ROW)
        left = codes[equality[0]]
        right = left if equality[0] == equality[1] else codes[equality[1]]
        refined = partition.equated(left, right, same_rows=True)
        if not len(refined.groups):
            return
        comparing = refined.pairs * len(self.space.groups) * PAIR_AND_GROUP
        steps = len(refined.left) * (len(node.children) * REFINED_ROW + len(node.ending) * CHECKED_ROW)
        if comparing < steps:
            yield from self.listed(sorted(node.members()), refined, comparing)
            return
        for number in node.ending:
            yield self.check(number, refined)
        for next_equality, child in node.children.items():
            yield from self.below(child, refined, next_equality)

    def listed(self, numbers: Sequence[int], partition: Partition, seconds: float) -> Iterator[Found]:
        """A violating pair of each evidence among the pairs of a partition, by constraint."""
        if self.effort:
            self.effort.spend(seconds)
        found = violating_evidences(self.rows, partition, [self.dcs[number] for number in numbers], self.space)
        for number, pairs in zip(numbers, found, strict=True):
            yield number, FoundPairs(pairs, complete=True)

    def alone(self, number: int, partition: Partition) -> Iterator[Found]:
        """The violations of a constraint that has no equality."""
        yield self.check(number, partition)

    def check(self, number: int, partition: Partition) -> Found:
        """A constraint's violations among pairs that satisfy its equalities."""
        form = self.forms[number]
        if self.effort:
            self.effort.spend(len(partition.left) * CHECKED_ROW)
        within = form.within(partition, self.rows.codes, self.rows.codes, same_rows=True)
        pairs = sampled_from(within, form, self.rows, self.rows, same_rows=True, limit=self.limit)
        return number, FoundPairs(pairs, complete=not len(pairs))
