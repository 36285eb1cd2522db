"""Covers of wide tables: per right side the agree sets that pin its left sides, and these as minimal hitting sets.

X → A holds when X is part of no agree set of pairs that differ in A; so minimal left sides are the minimal hitting sets
of the complements of the *maximal* such agree sets (Mannila and Räihä; DynASt, section 1). Per right side a *family* of
agree sets is kept whose minimal hitting sets are the cover. It begins with the maximal ones.

- An agree set that comes joins the families of the right sides for which no greater one is there.
- One that goes leaves its families. What the rest of such a family lets through is then looked up in the AS-tree: a
  maximal agree set that violates it joins the family, until nothing is violated (Bleifuß et al., Hydra, theorem 2, on
  why that ends with the exact cover).

Hitting sets are searched again only for right sides whose family changed. A unique column combination is the left side
of one more column, in which every pair differs. Columns stand in an order of their own, the ones that most agree sets
have first, in which the tree is searched fastest.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import AgreeSetChanges
from profiling_core.algorithms.dependencies.agree_sets.agree_set_tree import NONE, AgreeSetTree
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.covers.figures import violations_by_rows
from profiling_core.algorithms.evidence.keys import summed
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import WORD, flags, mask_of, permuted, word_count
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.hitting_sets.inversion import minimal_hitting_sets
from profiling_core.algorithms.hitting_sets.universe import Universe

# A row in a partition costs as much as 8 agree sets in a search of the tree that finds nothing.
SETS_PER_ROW = 8


class WideCovers:
    """Exact covers of right sides."""

    def __init__(self, agree: AgreeSets, longest: Mapping[int, int], *, some_empty: bool = False) -> None:
        """Begins with numbered agree sets.

        Args:
            agree: the agree sets.
            longest: by right side (:data:`NO_RHS`: of UCCs) how many columns its left sides may have.
            some_empty: whether there are pairs of the empty agree set beside them.
        """
        self.columns = len(agree.columns)
        self.words = word_count(self.columns + 1)
        self._singles = np.stack([mask_of([column], self.words) for column in range(self.columns)])
        self._longest = {self.columns if right == NO_RHS else right: bound for right, bound in longest.items()}
        self._covers: dict[int, Words] = {}
        self._some_empty = some_empty
        # The columns' order in the tree; the bit after the last one is the unique right side.
        often = flags(agree.equal)[:, : self.columns].sum(axis=0, dtype=np.int64)
        self._place = np.append(np.empty(self.columns, np.int32), np.int32(self.columns))
        self._place[np.argsort(-often, kind="stable")] = np.arange(self.columns)
        self._wanted = mask_of([int(self._place[right]) for right in self._longest], self.words)
        self.tree = AgreeSetTree(self.words)
        self._extend(agree)
        alive = np.flatnonzero(agree.counts)
        self._family = np.zeros((self.tree.sets, self.words), np.uint64)
        self._family[alive] = self.tree.uncovered(alive, self._wanted, agree.counts)
        self._derive(list(self._longest), None, lost=set())

    def _extend(self, agree: AgreeSets) -> None:
        if len(agree):
            every_pair = mask_of([self.columns], self.words)
            self.tree.extend(self.arranged(agree.equal), self.arranged(agree.different) | every_pair)

    def arranged(self, masks: Words) -> Words:
        """Column sets with the columns in the tree's order."""
        target = np.full(WORD * masks.shape[1], -1, np.int32)
        target[: self.columns] = self._place[: self.columns]
        arranged: Words = permuted(np.ascontiguousarray(masks), target, self.words)
        return arranged

    def right_mask(self, right: int) -> Words:
        """The tree's bit for a right side."""
        return mask_of([int(self._place[self.columns if right == NO_RHS else right])], self.words)

    def update(self, state: AgreeSetState, changes: AgreeSetChanges) -> None:
        """Takes in what a batch changed."""
        counts = state.table.counts
        self._extend(state.entries(self.tree.sets))
        self._family = np.concatenate(
            [self._family, np.zeros((self.tree.sets - len(self._family), self.words), np.uint64)]
        )
        lost = np.bitwise_or.reduce(self._family[changes.gone], axis=0)
        self._family[changes.gone] = 0
        self._family[changes.new] = self.tree.uncovered(changes.new, self._wanted, counts)
        changed = lost | np.bitwise_or.reduce(self._family[changes.new], axis=0)
        some_empty = state.empty_pairs > 0
        if some_empty != self._some_empty:
            self._some_empty = some_empty
            changed = self._wanted
            # What the empty agree set stood for may be in no family: it is looked up as what a set leaves behind.
            lost = lost if some_empty else changed
        self._derive(self._rights(changed), state, set(self._rights(lost)))

    def _rights(self, mask: Words) -> list[int]:
        bits = flags(mask)
        return [right for right in self._longest if bits[self._place[right]]]

    def _derive(self, rights: list[int], state: AgreeSetState | None, lost: set[int]) -> None:
        """New covers of right sides; those of ``lost`` are checked by the state, as sets have left their families."""
        known = {right: self._covers.get(right, np.empty((0, self.words), np.uint64)) for right in lost}
        while rights:
            for right, family in self._families(rights):
                self._covers[right] = self._hitting_sets(right, family)
            rights = self._complete([right for right in rights if right in lost], known, state) if state else []

    def _families(self, rights: list[int]) -> Iterator[tuple[int, Words]]:
        """Each right side with the agree sets of its family, one after the other: all of them need much room."""
        members = np.flatnonzero(self._family.any(axis=1))
        family, equal = self._family[members], self.tree.equal[members]
        for right in rights:
            place = int(self._place[right])
            chosen = family[:, place // WORD] >> np.uint64(place % WORD) & np.uint64(1) == 1
            yield right, equal[chosen]

    def _hitting_sets(self, right: int, family: Words) -> Words:
        universe = mask_of(range(self.columns), self.words) & ~self.right_mask(right)
        if not len(family) and self._some_empty:
            family = np.zeros((1, self.words), np.uint64)
        if not len(family):
            return np.zeros((1, self.words), np.uint64)
        limit = min(self._longest[right], self.columns)
        if limit == 0:
            return np.zeros((0, self.words), np.uint64)
        if limit == 1:
            found = flags(universe & ~np.bitwise_or.reduce(family, axis=0))[: self.columns]
            return self._singles[np.flatnonzero(found)]
        edges = universe & ~family
        columns = np.arange(self.columns)
        return minimal_hitting_sets(
            edges, Universe(columns, self._singles & universe, np.ones_like(columns), limit), threads=1
        )

    def _complete(self, rights: list[int], known: dict[int, Words], state: AgreeSetState) -> list[int]:
        """Adds to families what violates their covers; the right sides for which there was something."""
        fresh = {right: _without(self._covers[right], known[right]) for right in rights}
        fresh = {right: sets for right, sets in fresh.items() if len(sets)}
        if not fresh:
            return []
        asked = np.concatenate(list(fresh.values()))
        rights_asked = np.repeat(list(fresh), [len(sets) for sets in fresh.values()])
        violators = self._violators(asked, rights_asked, state)
        start, again = 0, []
        for right, sets in fresh.items():
            own = violators[start : start + len(sets)]
            start += len(sets)
            known[right] = np.concatenate([known[right], sets[own == NONE]])
            if (own != NONE).any():
                self._family[own[own != NONE]] |= self.right_mask(right)
                again.append(right)
        return again

    def _violators(self, asked: Words, rights: Counts, state: AgreeSetState) -> Counts:
        """Per left and right side a maximal agree set that violates it, or :data:`NONE`.

        That there is none takes a search of much of the tree; where rows are few, their partitions tell sooner.
        """
        found = np.full(len(asked), NONE, np.int64)
        every = np.arange(len(asked))
        if SETS_PER_ROW * state.relation.distinct < self.tree.sets:
            codes, comparable = state.relation.every_row(), not state.relation.nullable
            violations = violations_by_rows(
                codes, self.restored(asked), np.where(rights == self.columns, NO_RHS, rights), comparable=comparable
            )
            every = np.flatnonzero(violations)
        masks = np.zeros((self.columns + 1, self.words), np.uint64)
        for right in np.unique(rights[every]).tolist():
            masks[right] = self.right_mask(right)
        found[every] = self.tree.violating(asked[every], masks[rights[every]], state.table.counts)
        return found

    def restored(self, sets: Words) -> Words:
        """Column sets of the tree's order in the table's own, uint64[n, words of the table]."""
        target = np.full(WORD * self.words, -1, np.int32)
        target[self._place] = np.arange(self.columns + 1, dtype=np.int32)
        lhs: Words = permuted(np.ascontiguousarray(sets), target, self.words)
        return np.ascontiguousarray(lhs[:, : word_count(self.columns)])

    def cover(self) -> tuple[Words, Counts]:
        """The covers as column sets uint64[n, words] of the table's own order, and right sides int64[n]."""
        rights = sorted(self._covers)
        sizes = [len(self._covers[right]) for right in rights]
        found = np.concatenate([np.empty((0, self.words), np.uint64), *(self._covers[right] for right in rights)])
        names = np.array([NO_RHS if right == self.columns else right for right in rights], np.int64)
        return self.restored(found), np.repeat(names, sizes)


def _without(sets: Words, known: Words) -> Words:
    """The sets that are not among the known ones; neither has one twice."""
    marks = np.concatenate([np.ones(len(sets), np.int64), np.full(len(known), 2)])
    distinct, found = summed(np.concatenate([sets, known]), marks)
    fresh: Words = distinct[found == 1]
    return fresh
