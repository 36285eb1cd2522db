"""The rows of an indexed table: labelled, in a few segments of growing age, found by id and by index."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.denial.checking.check import check_between
from profiling_core.algorithms.denial.indexed import joining
from profiling_core.algorithms.denial.indexed.crossing import Crossing
from profiling_core.algorithms.denial.indexed.given_rows import GivenRows
from profiling_core.algorithms.denial.indexed.labels import Dictionary, empty_dictionary
from profiling_core.algorithms.denial.indexed.orders import Agreement, Shape, Shapes, select_orders
from profiling_core.algorithms.denial.indexed.pair_groups import PairGroups
from profiling_core.algorithms.denial.indexed.searching import MOST, Asked, Search
from profiling_core.algorithms.denial.indexed.segments import LEAF, MOST_ROWS, Order, Segment, merged
from profiling_core.algorithms.denial.indexed.stored_values import holds_plainly, stored_values
from profiling_core.algorithms.denial.indexed.sweeping import Met, Sweep
from profiling_core.algorithms.denial.indexed.witnessed_evidences import Pairs, both_ways
from profiling_core.algorithms.evidence.pair_masks import SpaceGroups, groups_of, pair_masks
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.ground.bit_words import masks_of, word_count
from profiling_core.algorithms.values.encoding import Encoded, columns_of, domains
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.errors import HoldfastError
from profiling_core.model.predicate import PredicateSpace

Ids = NDArray[np.int64]
DC = tuple[int, ...]
# Counting pairs by divide and conquer costs as much as comparing 16 pairs per row of both sides.
_CHECK = 16
# Seconds of a core, fitted to 65 deltas of ten tables and spaces by a program that is not kept (docs/tried/engines.md,
# "Given rows held against all others"). Looking rows up: for each constraint and role, and for each order of a segment,
# alone and by given row. The tree of a crossing: for each predicate. And the seconds of looking up that are worth a
# look at both ways, which takes 2 to 5 ms.
_CHECKS, _ORDER, _GIVEN, _BUILT, _LOOK = 20e-6, 0.2e-3, 0.4e-6, 0.6e-6, 13e-3


@dataclass(frozen=True, eq=False)
class TableRows:
    """Rows by stable id.

    ``schema``: the Arrow types of the space's columns; ``dictionaries``: one per domain of the space; ``segments``: the
    oldest and largest first; ``distinct``: int64[m], how many values each column had when the oldest was made.
    """

    space: PredicateSpace
    schema: pa.Schema
    dictionaries: tuple[Dictionary, ...]
    segments: tuple[Segment, ...]
    distinct: NDArray[np.int64]

    @classmethod
    def none(cls, space: PredicateSpace, schema: pa.Schema) -> "TableRows":
        """A table without rows, of these Arrow types."""
        columns = columns_of(space)
        schema = pa.schema([schema.field(name) for name in columns])
        found = []
        for domain, _ in domains(space):
            types = [schema.field(name).type for name in domain]
            found.append(empty_dictionary(types, plain=holds_plainly(types)))
        return cls(space, schema, tuple(found), (), np.ones(len(columns), np.int64))

    @cached_property
    def _compared(self) -> SpaceGroups:
        """The groups that pairs of rows are compared by."""
        return groups_of(self.space)

    @cached_property
    def position(self) -> dict[str, int]:
        """Each column's place in the labels."""
        return {name: i for i, name in enumerate(columns_of(self.space))}

    @cached_property
    def _shapes(self) -> Shapes:
        """The predicates of each constraint."""
        return Shapes(self.space, self.position)

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(segment.rows for segment in self.segments)

    def labels_of(self, ids: Ids) -> tuple[Ids, Ids]:
        """The ids among these (ascending) that are in the table, and their labels int64[m, found]."""
        found, labels = [np.empty(0, np.int64)], [np.empty((len(self.position), 0), np.int64)]
        for segment in self.segments:
            places = segment.places_of(ids)
            found.append(segment.ids[places])
            labels.append(segment.codes[:, places])
        return np.concatenate(found), np.concatenate(labels, axis=1)

    def without(self, deleted: Ids) -> "TableRows":
        """The table without these rows, ascending.

        Raises:
            HoldfastError: a row is not there.
        """
        found, _ = self.labels_of(deleted)
        if len(found) != len(deleted):
            missing = np.setdiff1d(deleted, found)[:5].tolist()
            raise HoldfastError(
                f"rows {missing} are to be deleted but are not in the table's state",
                where=f"table {self.space.table}",
                remedy="rebuild the table's state from its rows",
            )
        return replace(self, segments=tuple(s.without(deleted) for s in self.segments))

    def with_rows(self, inserted: pa.Table, ids: Ids) -> "TableRows":
        """The table with these rows as one more segment, without indexes.

        Raises:
            HoldfastError: an id is taken or repeated, or a column's type differs from that at bootstrap.
        """
        if not len(ids):
            return self
        self._check(inserted, ids)
        codes = np.empty((len(self.position), len(ids)), np.int64)
        dictionaries, segments = list(self.dictionaries), self.segments
        for d, (domain, _) in enumerate(domains(self.space)):
            plain = holds_plainly([self.schema.field(name).type for name in domain])
            values = [stored_values(inserted[name], plain=plain) for name in domain]
            old = dictionaries[d]
            target = old.type
            whole = pa.concat_arrays([v if v.type == target else v.cast(target) for v in values])
            del values
            places = [self.position[name] for name in domain]
            dictionaries[d], labels, moved = old.extended(whole)
            codes[places] = labels.reshape(len(places), len(ids))
            if moved is not None:
                segments = tuple(_relabelled(segment, places, old.labels, moved) for segment in segments)
        if not (ids[1:] > ids[:-1]).all():
            by_id = np.argsort(ids)
            ids, codes = ids[by_id], np.ascontiguousarray(codes[:, by_id])
        added = Segment(ids, codes, np.ones(len(ids), np.bool_))
        return replace(self, dictionaries=tuple(dictionaries), segments=(*segments, added))

    def at(self, places: Ids) -> "TableRows":
        """Some of the rows, by their places (ascending) among those that are not deleted, without indexes."""
        ends = np.cumsum([0, *(segment.rows for segment in self.segments)])
        parts = []
        for segment, first, last in zip(self.segments, ends, ends[1:], strict=False):
            own = np.flatnonzero(segment.alive)[places[(places >= first) & (places < last)] - first]
            parts.append(Segment(segment.ids[own], segment.codes[:, own], np.ones(len(own), np.bool_)))
        return replace(self, segments=(merged(parts),))

    def _check(self, inserted: pa.Table, ids: Ids) -> None:
        for field in self.schema:
            own = inserted.schema.field(field.name).type
            if own != field.type:
                raise HoldfastError(
                    f"the inserted rows have type {own}, the state has {field.type}",
                    where=f"table {self.space.table}, column {field.name}",
                    remedy="insert rows of the state's type, or rebuild the table's state",
                )
        ascending = ids if (ids[1:] > ids[:-1]).all() else np.unique(ids)
        taken, _ = self.labels_of(ascending)
        if len(taken) or len(ascending) != len(ids) or len(ids) != inserted.num_rows:
            raise HoldfastError(
                f"some of the {len(ids)} ids of inserted rows are taken or repeated",
                where=f"table {self.space.table}",
                remedy="give each inserted row an id that no row of the table has",
            )

    def compacted(self, dcs: Sequence[DC]) -> "TableRows":
        """Young segments merged as they grow, each new one with the indexes that suit these constraints."""
        segments = [s for s in self.segments if s.rows]
        segments = [merged([s]) if 2 * s.rows < len(s.ids) else s for s in segments]
        while len(segments) > 1 and _merge(*segments[-2:]):
            segments[-2:] = [merged(segments[-2:])]
        table = replace(self, segments=tuple(segments))
        return table.indexed(dcs) if any(not s.indexes for s in segments) else table

    def indexed(self, dcs: Sequence[DC]) -> "TableRows":
        """The table with indexes where a segment has none: as the oldest's, which suit these constraints if new."""
        if not self.segments or all(s.indexes for s in self.segments):
            return self
        distinct, oldest = self.distinct, self.segments[0]
        orders = list(oldest.indexes)
        if not orders:
            distinct = np.array([different(self._ranks_of(name)) for name in self.position], np.int64)
            orders = self.orders_for(dcs, Agreement.of(oldest.codes), distinct)
        segments = [s if s.indexes else s.indexed(orders if len(s.ids) > LEAF else [()]) for s in self.segments]
        return replace(self, segments=tuple(segments), distinct=distinct)

    def orders_for(self, dcs: Sequence[DC], expected: Agreement, distinct: NDArray[np.int64]) -> list[Order]:
        """The orders that suit these constraints; ``distinct`` int64[m]: how many values columns have."""
        return select_orders([one.shape for one in self._conjunctions(dcs)], expected, distinct)

    def _conjunctions(self, dcs: Sequence[DC]) -> Iterator[Asked]:
        """The constraints as a given row meets them, in both roles."""
        alike: dict[DC, Shape] = {}
        for given in ("t", "s"):
            for dc in dcs:
                shape = alike.get(dc) or self._shapes.of(dc, given)
                if given == "t" and self._shapes.are_alike(dc):
                    alike[dc] = shape
                yield Asked(given, dc, shape)

    def pairs_of(self, left: Ids | Codes, right: Ids | Codes, ids: Ids) -> Pairs:
        """Pairs of rows, by labels or ranks and ids, with the predicates that they satisfy; each with its mirror.

        A pair and its mirror stand side by side, so that an evidence and its mirror gain, and lose, the same witnesses:
        known evidences stay closed under mirroring, which inversion relies on.
        """
        return Pairs(both_ways(ids), pair_masks(left, right, self._compared))

    def touching(self, dcs: Sequence[DC], ids: Ids, labels: Ids) -> tuple[Pairs, list[DC]]:
        """Some pairs with a given row, as t or as s, that satisfy a constraint; at least one of each that has any.

        Args:
            dcs: constraints that hold among the other rows.
            ids: int64[d], the given rows, of the table.
            labels: int64[m, d], their labels.

        Returns:
            The pairs, and the constraints whose search was given up because checking them on all rows is cheaper.
        """
        if not len(ids):
            return self._all_of([]), []
        if (crossing := self._crossing(dcs, ids, labels)) is not None:
            return self._all_of([Met.of(labels, ids, s, crossing.pairs(s, MOST)) for s in self.segments]), []
        others = self.rows - len(ids)
        before = [segment for segment in self.without(np.sort(ids)).segments if segment.rows]
        given = GivenRows(labels, ids, before, self.distinct)
        given.learn_orders(self.segments[-1])
        # A row that violates a constraint by itself does so with every other one: the others would have before.
        asked = [one for one in self._conjunctions(dcs) if one.given == "t" or others < 2 or not one.shape.alone]
        search = Search(given, self._groups, self.distinct, self.rows, asked)
        found, left_out = list[Met](), set[DC]()
        for segment in self.segments:
            pairs, given_up = search.pairs_with(segment)
            found.append(Met.of(labels, ids, segment, pairs))
            left_out |= given_up
        return self._all_of(found), sorted(left_out)

    def _crossing(self, dcs: Sequence[DC], ids: Ids, labels: Ids) -> Crossing | None:
        """The crossing of the given rows with all others; None: looking them up is likely to take less."""
        orders = sum(min(len(segment.indexes), 2 * len(dcs)) for segment in self.segments)
        looking_up = 2 * len(dcs) * _CHECKS + orders * (_ORDER + len(ids) * _GIVEN)
        building = 2 * sum(map(len, dcs)) * _BUILT
        if looking_up <= max(_LOOK, building):
            return None
        conjunctions = [(role, dc) for role in ("t", "s") for dc in dcs]
        largest = max(self.segments, key=lambda segment: segment.rows)
        crossing = Crossing.of(labels, ids, largest, self._groups, conjunctions)
        return crossing if building + sum(map(crossing.seconds, self.segments)) <= looking_up else None

    def violating(self, dcs: Sequence[DC]) -> tuple[Pairs, list[DC]]:
        """Some pairs of all rows that satisfy a constraint; at least one of each that has any.

        Returns:
            The pairs, and the constraints that are not checked, because too many rows agree in their equalities.
        """
        found, left = Sweep(self.segments, self._groups, self.distinct).violating(list(self._conjunctions(dcs)))
        return self._all_of(found), sorted(left)

    def _all_of(self, parts: Sequence[Met]) -> Pairs:
        if not parts:
            return Pairs(np.empty((0, 2), np.int64), np.empty((0, word_count(len(self.space.predicates))), np.uint64))
        left = np.concatenate([part.left for part in parts], axis=1)
        right = np.concatenate([part.right for part in parts], axis=1)
        return self.pairs_of(left, right, np.concatenate([part.ids for part in parts]))

    def count(self, dc: DC, given: str, ids: Ids, labels: Ids) -> int:
        """How many ordered pairs that satisfy all predicates of a constraint have a given row in this role."""
        (shape,) = (one.shape for one in self._conjunctions([dc]) if one.given == given)
        rows, total = GivenRows(labels, ids), 0
        for segment in self.segments if len(ids) else ():
            order = shape.best(list(segment.indexes), self.distinct, len(segment.ids))
            index, asked = segment.indexes[order], (given, dc)
            budget = joining.EVERY if shape.alone else _CHECK * (len(segment.ids) + len(ids))
            some = joining.count(rows.by(shape.own(order)), segment, index, self._groups, asked, budget=budget)
            total += self._counted_by_parting(dc, given, labels, segment) if some is None else some
        _, itself = self.labels_of(ids)
        (needed,) = masks_of([dc], word_count(len(self.space.predicates)))
        return total - int((needed & ~pair_masks(itself, itself, self._compared)[::2] == 0).all(axis=1).sum())

    def _counted_by_parting(self, dc: DC, given: str, labels: Ids, segment: Segment) -> int:
        """The same among the rows of a segment by divide and conquer, which takes n · log n steps whatever they are."""
        constraint = DenialConstraint(self.space.table, tuple(self.space.predicates[p] for p in dc))
        columns = [name for name in self.position if name in constraint.columns]
        sides = []
        for codes in (labels, segment.codes[:, segment.alive]):
            ranks = [self._dictionary_of(name).ranks_of(codes[self.position[name]]) for name in columns]
            sides.append(Encoded(tuple(columns), np.array(ranks, np.int32)))
        left, right = sides if given == "t" else reversed(sides)
        return check_between(left, right, constraint, self.space.nulls).pairs

    def _dictionary_of(self, name: str) -> Dictionary:
        """The labels of a column's values."""
        return next(self.dictionaries[d] for d, (domain, _) in enumerate(domains(self.space)) if name in domain)

    def encoded(self, dcs: Sequence[DC] | None = None) -> tuple[Encoded, Ids]:
        """All rows, or only the columns that these constraints speak of, encoded for the space; and the rows' ids."""
        alive = [s.alive for s in self.segments]
        predicates = self.space.predicates if dcs is None else [self.space.predicates[p] for dc in dcs for p in dc]
        spoken = {operand.column for p in set(predicates) for operand in (p.left, p.right)}
        columns = tuple(name for name in self.position if name in spoken)
        codes = np.empty((len(columns), self.rows), np.int32)
        for place, name in enumerate(columns):
            codes[place] = self._ranks_of(name)
        ids = [s.ids[a] for s, a in zip(self.segments, alive, strict=True)]
        return Encoded(columns, codes), np.concatenate([np.empty(0, np.int64), *ids])

    def _ranks_of(self, name: str) -> Codes:
        """int32[rows]: a column's values by their places in the order of all values of its domain."""
        if name not in self._ranks:
            labels = [segment.codes[self.position[name]][segment.alive] for segment in self.segments]
            self._ranks[name] = self._dictionary_of(name).ranks_of(np.concatenate([np.empty(0, np.int64), *labels]))
        return self._ranks[name]

    @cached_property
    def _ranks(self) -> dict[str, Codes]:
        """The columns that have been encoded."""
        return {}

    @property
    def _groups(self) -> PairGroups:
        return PairGroups.of(self.space)


def _merge(older: Segment, younger: Segment) -> bool:
    """Whether the younger one has grown enough to join the older one, and both together are not too many rows."""
    return 2 * len(younger.ids) >= len(older.ids) and older.rows + younger.rows <= MOST_ROWS


def different(ranks: Codes) -> int:
    """The number of different ranks; null is −1."""
    seen = np.zeros(int(ranks.max(initial=-1)) + 2, np.bool_)
    seen[ranks] = True
    return int(seen.sum())


def _relabelled(segment: Segment, columns: Sequence[int], old: Ids, new: Ids) -> Segment:
    """The segment with these columns' labels new ones in place of old ones; sort orders stay what they are."""
    codes = segment.codes.copy()
    for column in columns:
        present = codes[column] >= 0
        codes[column, present] = new[np.searchsorted(old, codes[column, present])]
    return Segment(segment.ids, codes, segment.alive).indexed(list(segment.indexes))
