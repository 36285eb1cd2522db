"""The rows of an indexed table: labelled, in a few segments of growing age, found by id and by index."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import masks_of, word_count
from profiling_core.algorithms.evidence.keys import KeyLayout
from profiling_core.algorithms.hydra.known_evidences import GroupTable
from profiling_core.algorithms.incdc import fetching, lookups
from profiling_core.algorithms.incdc.fetching import Form
from profiling_core.algorithms.incdc.known import Pairs, pair_masks
from profiling_core.algorithms.incdc.labels import Dictionary, empty_dictionary, holds_plainly, stored_values
from profiling_core.algorithms.incdc.segments import Index, Order, Segment, merged
from profiling_core.algorithms.values.encoding import Codes, Encoded, columns_of, domains
from profiling_core.model.errors import HoldfastError
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics

Ids = NDArray[np.int64]
DC = tuple[int, ...]
# Segments of so few rows are looked through as they are.
_SCANNED_ROWS = 64
# A pair is fetched at most so often per constraint and row, and per constraint: what is violated needs one only.
_PER_ROW, _MOST = 4, 64
_EVERY = 1 << 62
_Sides = tuple[Ids, Ids, Ids]


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
    def layout(self) -> KeyLayout:
        """How the space's groups lie in evidence keys."""
        return KeyLayout(self.space)

    @cached_property
    def position(self) -> dict[str, int]:
        """Each column's place in the labels."""
        return {name: i for i, name in enumerate(columns_of(self.space))}

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(segment.rows for segment in self.segments)

    def labels_of(self, ids: Ids) -> tuple[Ids, Ids]:
        """The ids among these (ascending) that are in the table, and their labels int64[m, found]."""
        found, labels = [np.empty(0, np.int64)], [np.empty((len(self.position), 0), np.int64)]
        for segment in self.segments:
            _, places = segment.without(ids)
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
        return replace(self, segments=tuple(s.without(deleted)[0] for s in self.segments))

    def with_rows(self, inserted: pa.Table, ids: Ids) -> "TableRows":
        """The table with these rows as one more segment, without indexes.

        Raises:
            HoldfastError: an id is taken or repeated, or a column's type differs from that at bootstrap.
        """
        if not len(ids):
            return self
        table = self._checked(inserted, ids)
        codes = np.empty((len(self.position), len(ids)), np.int64)
        dictionaries, segments = list(self.dictionaries), self.segments
        for d, (domain, _) in enumerate(domains(self.space)):
            plain = holds_plainly([self.schema.field(name).type for name in domain])
            values = [stored_values(table[name], plain=plain) for name in domain]
            old = dictionaries[d]
            target = old.values.type
            values = [v if v.type == target else v.cast(target) for v in values]
            dictionaries[d], relabelled = old.extended(pa.concat_arrays(values))
            if relabelled:
                moved = [self.position[name] for name in domain]
                segments = tuple(_relabelled(s, moved, old, dictionaries[d]) for s in segments)
            for name, column in zip(domain, values, strict=True):
                codes[self.position[name]] = dictionaries[d].labels_of(column)
        by_id = np.argsort(ids)
        added = Segment(ids[by_id], np.ascontiguousarray(codes[:, by_id]), np.ones(len(ids), np.bool_))
        return replace(self, dictionaries=tuple(dictionaries), segments=(*segments, added))

    def _checked(self, inserted: pa.Table, ids: Ids) -> pa.Table:
        table = inserted.select(list(self.position)) if self.position else inserted
        for field in self.schema:
            if table.schema.field(field.name).type != field.type:
                raise HoldfastError(
                    f"the inserted rows have type {table.schema.field(field.name).type}, the state has {field.type}",
                    where=f"table {self.space.table}, column {field.name}",
                    remedy="insert rows of the state's type, or rebuild the table's state",
                )
        taken, _ = self.labels_of(np.unique(ids))
        if len(taken) or len(np.unique(ids)) != len(ids) or len(ids) != inserted.num_rows:
            raise HoldfastError(
                f"of the {len(ids)} ids of inserted rows some are taken or repeated",
                where=f"table {self.space.table}",
                remedy="give each inserted row an id that no row of the table has",
            )
        return table

    def form(self, dc: DC, given: str) -> Form:
        """A constraint's predicates as a conjunction, the given row as ``t`` or ``s``."""
        return fetching.form_of([self.space.predicates[p] for p in dc], self.position, given=given)

    def compacted(self, dcs: Sequence[DC]) -> "TableRows":
        """Young segments merged as they grow, each new one with the indexes that suit these constraints."""
        segments = [s for s in self.segments if s.rows]
        segments = [merged([s]) if 2 * s.rows < len(s.ids) else s for s in segments]
        while len(segments) > 1 and 2 * len(segments[-1].ids) >= len(segments[-2].ids):
            segments[-2:] = [merged(segments[-2:])]
        table = replace(self, segments=tuple(segments))
        return table.indexed(dcs) if any(not s.indexes for s in segments) else table

    def indexed(self, dcs: Sequence[DC]) -> "TableRows":
        """The table with indexes where a segment has none: as the oldest's, which suit these constraints if new."""
        if not self.segments or all(s.indexes for s in self.segments):
            return self
        distinct, oldest = self.distinct, self.segments[0]
        orders, keys = list(oldest.indexes), list(oldest.keys)
        if not orders:
            distinct = np.array([len(np.unique(column)) for column in oldest.codes], np.int64)
            forms = [self.form(dc, given) for dc in dcs for given in ("t", "s")]
            keys = lookups.select_keys(forms, oldest.codes)
            others = [form for form in forms if not any(lookups.equalities(form).keys() >= set(key) for key in keys)]
            orders = fetching.select_orders(others, distinct, len(oldest.ids))
        segments = [s if s.indexes else self._small(s) or s.indexed(orders, keys) for s in self.segments]
        return replace(self, segments=tuple(segments), distinct=distinct)

    @staticmethod
    def _small(segment: Segment) -> Segment | None:
        """A segment of so few rows that they are looked through as they are, ready for it; None if there are more."""
        return segment.indexed([()], [()]) if len(segment.ids) <= _SCANNED_ROWS else None

    def pairs_of(self, left: Ids | Codes, right: Ids | Codes, ids: Ids) -> Pairs:
        """Pairs of rows, by labels or ranks and ids, with the predicates that they satisfy; each with its mirror.

        A pair and its mirror stand side by side, so that an evidence and its mirror gain, and lose, the same witnesses:
        known evidences stay closed under mirroring, which inversion relies on.
        """
        masks = [pair_masks(left, right, self.layout), pair_masks(right, left, self.layout)]
        both = np.stack([ids, ids[:, ::-1]], axis=1).reshape(-1, 2)
        return Pairs(both, np.stack(masks, axis=1).reshape(len(both), masks[0].shape[1]))

    def touching(self, dcs: Sequence[DC], ids: Ids, labels: Ids) -> Pairs:
        """Some pairs with a given row, as t or as s, that satisfy a constraint; at least one of each that has any.

        Args:
            dcs: the constraints.
            ids: int64[d], the given rows.
            labels: int64[m, d], their labels.
        """
        forms = {given: [self.form(dc, given) for dc in dcs] for given in ("t", "s")}
        masks = masks_of(dcs, word_count(len(self.space.predicates)))
        parts = []
        for segment in self.segments:
            shared, others = lookups.shared_lookups(forms, list(segment.keys))
            for one in shared:
                met = lookups.look_up(labels, ids, segment, one, masks, self._groups, most=_MOST, listed=True)
                for role in range(2):
                    pairs = met.pairs[met.pairs[:, 0] == role]
                    parts.append(_sides(segment, pairs, "ts"[role], ids, labels))
                crowded = np.flatnonzero(met.crowded)
                for given, members in (("t", one.as_t), ("s", one.as_s)):
                    some = [forms[given][number] for number in members]
                    parts.append(self._fetched(segment, some, given, ids[crowded], labels[:, crowded]))
            for given, members in others.items():
                some = [forms[given][number] for number in members]
                parts.append(self._fetched(segment, some, given, ids, labels))
        return self._joined(parts)

    def _fetched(self, segment: Segment, forms: Sequence[Form], given: str, ids: Ids, labels: Ids) -> _Sides:
        found = [np.empty((0, 3), np.int64)]
        for index, members in self._searched(segment, forms) if len(ids) else ():
            found.append(
                fetching.fetch(
                    labels, ids, segment, index, members, nulls_equal=self._nulls_equal, per_row=_PER_ROW, most=_MOST
                )
            )
        return _sides(segment, np.concatenate(found), given, ids, labels)

    def _joined(self, parts: Sequence[_Sides]) -> Pairs:
        none = np.empty((len(self.position), 0), np.int64)
        left = np.concatenate([none, *(part[0] for part in parts)], axis=1)
        right = np.concatenate([none, *(part[1] for part in parts)], axis=1)
        return self.pairs_of(left, right, np.concatenate([np.empty((0, 2), np.int64), *(part[2] for part in parts)]))

    def _searched(self, segment: Segment, forms: Sequence[Form]) -> Iterator[tuple[Index, list[Form]]]:
        by_order: dict[Order, list[Form]] = {}
        for form in forms:
            wanted = fetching.wanted_order(form, self.distinct, len(segment.ids))
            by_order.setdefault(fetching.nearest_order(wanted, list(segment.indexes)), []).append(form)
        for order, members in by_order.items():
            yield segment.indexes[order], members

    def count(self, dc: DC, given: str, ids: Ids, labels: Ids) -> int:
        """How many ordered pairs that satisfy all predicates of a constraint have a given row in this role."""
        form = self.form(dc, given)
        masks = masks_of([dc], word_count(len(self.space.predicates)))
        total = 0
        for segment in self.segments:
            shared, _ = lookups.shared_lookups({given: [form]}, list(segment.keys))
            rest = np.arange(len(ids))
            for one in shared:
                met = lookups.look_up(labels, ids, segment, one, masks, self._groups, most=_EVERY, listed=False)
                total += int(met.counts.sum())
                rest = np.flatnonzero(met.crowded)
            for index, members in self._searched(segment, [form]) if len(rest) else ():
                some = labels[:, rest], ids[rest]
                total += fetching.count(*some, segment, index, members[0], nulls_equal=self._nulls_equal)
        return total

    def encoded(self, dcs: Sequence[DC] | None = None) -> tuple[Encoded, Ids]:
        """All rows, or only the columns that these constraints speak of, encoded for the space; and the rows' ids."""
        alive = [s.alive for s in self.segments]
        predicates = self.space.predicates if dcs is None else [self.space.predicates[p] for dc in dcs for p in dc]
        spoken = {operand.column for p in set(predicates) for operand in (p.left, p.right)}
        columns = tuple(name for name in self.position if name in spoken)
        ranks = self._ranks
        for dictionary, (domain, _) in zip(self.dictionaries, domains(self.space), strict=True):
            for name in spoken.intersection(domain).difference(ranks):
                labels = [s.codes[self.position[name]][a] for s, a in zip(self.segments, alive, strict=True)]
                ranks[name] = dictionary.ranks_of(np.concatenate([np.empty(0, np.int64), *labels]))
        codes = np.array([ranks[name] for name in columns], np.int32).reshape(len(columns), self.rows)
        ids = [s.ids[a] for s, a in zip(self.segments, alive, strict=True)]
        return Encoded(columns, codes), np.concatenate([np.empty(0, np.int64), *ids])

    @cached_property
    def _ranks(self) -> dict[str, Codes]:
        """The columns that have been encoded."""
        return {}

    @cached_property
    def _groups(self) -> GroupTable:
        return GroupTable.of(self.space)

    @property
    def _nulls_equal(self) -> bool:
        return self.space.nulls is NullSemantics.EQUAL


def _relabelled(segment: Segment, columns: Sequence[int], old: Dictionary, new: Dictionary) -> Segment:
    """The segment with these columns' labels those of the new dictionary; sort orders stay what they are."""
    targets = new.labels_of(old.values)
    codes = segment.codes.copy()
    for column in columns:
        present = codes[column] >= 0
        codes[column, present] = targets[np.searchsorted(old.labels, codes[column, present])]
    return Segment(segment.ids, codes, segment.alive).indexed(list(segment.indexes), list(segment.keys))


def _sides(segment: Segment, pairs: Ids, given: str, ids: Ids, labels: Ids) -> _Sides:
    """Of pairs (…, place in the given rows, place in the segment) the labels of t and of s, and both ids."""
    sides = [(ids[pairs[:, 1]], labels[:, pairs[:, 1]]), (segment.ids[pairs[:, 2]], segment.codes[:, pairs[:, 2]])]
    (t, left), (s, right) = sides if given == "t" else reversed(sides)
    return left, right, np.column_stack([t, s])
