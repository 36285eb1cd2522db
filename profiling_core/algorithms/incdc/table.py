"""A table in indexed mode: its set-minimal cover, kept exact by what a delta's rows violate.

The known evidences K pin the cover Σ: Σ is the cover of K, and every member holds on all rows. That makes Σ the cover
of all evidences (Hydra, Theorem 2), also under a bound on length. An *insert* looks up, by index, the pairs of new rows
that violate a member; their evidences refine Σ until nothing is violated (IncDC). A *delete* drops the evidences that
lose their last witness; members of the cover without them that contain no earlier member are verified on all rows, and
what violates them joins K. Updates are both in one pass.
Sources: IncDC (indexes for Σ, Fetch); Bleifuß et al., Hydra, sections 3 and 5; the treatment of deletes is our own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import Masks, masks_of
from profiling_core.algorithms.denial import inversion
from profiling_core.algorithms.denial.mirror import with_mirrors
from profiling_core.algorithms.denial.set_trie import has_subset, insert, new_trie
from profiling_core.algorithms.incdc import stored_arrays
from profiling_core.algorithms.incdc.known import Known, Pairs
from profiling_core.algorithms.incdc.rows import DC, Ids, TableRows
from profiling_core.model.predicate import PredicateSpace

_SAMPLED_PAIRS = 20_000
_SAMPLED_NEIGHBOURS = 2_000
_NO_ROWS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a delta did to the cover: members that are new and members that are gone, sorted."""

    added: tuple[DC, ...]
    gone: tuple[DC, ...]


@dataclass(eq=False)
class IndexedTable:
    """Rows, known evidences and the set-minimal cover that they pin; ``monitored``: violating ordered pairs each."""

    rows: TableRows
    max_predicates: int | None
    known: Known
    cover: list[DC]
    monitored: dict[DC, int] = field(default_factory=dict)

    @classmethod
    def bootstrap(
        cls, rows: pa.Table, row_ids: Ids, space: PredicateSpace, *, max_predicates: int | None
    ) -> "IndexedTable":
        """The state of a table, by Hydra's scheme: sample, invert, verify by index, refine.

        Args:
            rows: the table; has the space's columns.
            row_ids: int64[n], each row's id, at least 0 and all different.
            space: the predicate space.
            max_predicates: the bound on length; None or 0: unbounded.
        """
        bound = max_predicates or None
        held = TableRows.none(space, rows.schema).with_rows(rows, np.asarray(row_ids, np.int64))
        known, masks = Known.nothing(len(space.predicates)).absorbed(_sample(held))
        cover = inversion.minimal_cover(masks, space, max_predicates=bound)
        table = cls(held.indexed(cover, anew=True), bound, known, cover)
        table._complete(np.empty((0, masks.shape[1]), np.uint64), _NO_ROWS)
        table.rows = table.rows.indexed(table.cover, anew=True)
        return table

    def apply(self, deleted_ids: Ids, inserted: pa.Table, inserted_ids: Ids) -> Outcome:
        """Deletes and inserts rows, an update being both.

        Args:
            deleted_ids: int64, rows of the table.
            inserted: new rows; types as at bootstrap.
            inserted_ids: int64, one new id per inserted row.

        Raises:
            HoldfastError: a row to delete is not there, an inserted id is taken, or a column's type has changed.
        """
        space, before = self.rows.space, list(self.cover)
        deleted, added = np.unique(np.asarray(deleted_ids, np.int64)), np.asarray(inserted_ids, np.int64)
        kept = self.rows.without(deleted)
        after = kept.with_rows(inserted, added)
        for dc in self.monitored:
            self.monitored[dc] -= _involved(self.rows, dc, deleted)
        self.rows = after
        valid = with_mirrors(masks_of(before, self.known.masks.shape[1]), space)
        self._forget(deleted)
        self._complete(valid, np.sort(added))
        for dc in self.monitored:
            self.monitored[dc] += _involved(self.rows, dc, np.sort(added))
        self.rows = self.rows.compacted(self.cover)
        old, new = set(before), set(self.cover)
        return Outcome(tuple(sorted(new - old)), tuple(sorted(old - new)))

    def count_violations(self, dcs: Sequence[DC]) -> list[int]:
        """The ordered pairs that violate each constraint; counted once, and from then on maintained by each delta."""
        for dc in dcs:
            if dc not in self.monitored:
                self.monitored[dc] = sum(
                    self.rows.count(dc, "t", s.ids[s.alive], s.codes[:, s.alive]) for s in self.rows.segments
                )
        return [self.monitored[dc] for dc in dcs]

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """All state as plain arrays; those of old rows stay the same from delta to delta."""
        return {
            **stored_arrays.of_rows(self.rows),
            "known.masks": self.known.masks,
            "known.witnesses": self.known.witnesses,
            "bound": np.array([self.max_predicates or 0], np.int64),
            **stored_arrays.of_constraints("cover", self.cover),
            **stored_arrays.of_constraints("monitored", list(self.monitored)),
            "monitored.counts": np.array(list(self.monitored.values()), np.int64),
        }

    @classmethod
    def from_arrays(cls, space: PredicateSpace, arrays: Mapping[str, NDArray[np.generic]]) -> "IndexedTable":
        """The inverse of :meth:`arrays`; the arrays may be read-only and memory-mapped."""
        known = Known(np.asarray(arrays["known.masks"], np.uint64), np.asarray(arrays["known.witnesses"], np.int64))
        counts = arrays["monitored.counts"].tolist()
        monitored = dict(zip(stored_arrays.constraints_from("monitored", arrays), counts, strict=True))
        cover = stored_arrays.constraints_from("cover", arrays)
        return cls(stored_arrays.rows_from(space, arrays), int(arrays["bound"].item()) or None, known, cover, monitored)

    def _forget(self, deleted: Ids) -> None:
        """Drops the evidences that have lost their last witness, where none is found beside its surviving row."""
        if not len(deleted):
            return
        known, dead = self.known.bereft(deleted)
        if not len(dead.masks):
            self.known = known
            return
        self.known, came = known.absorbed(self._substitutes(dead))
        gone = dead.masks[~_in(dead.masks, self.known.masks)]
        came = came[~_in(came, dead.masks)]
        space, remaining = self.rows.space, self.known.masks
        if inversion.updating_pays(came, gone, remaining):
            self.cover = inversion.update(self.cover, came, gone, remaining, space, max_predicates=self.max_predicates)
        else:
            self.cover = inversion.minimal_cover(remaining, space, max_predicates=self.max_predicates)

    def _substitutes(self, dead: Known) -> Pairs:
        """For dead evidences, pairs of a row of a witness that is still there and another one that satisfy as much."""
        space = self.rows.space
        found = [self.rows.satisfying([], "t", _NO_ROWS, np.empty((len(self.rows.position), 0), np.int64))]
        members = [np.flatnonzero(bits) for bits in _bits(dead.masks, len(space.predicates))]
        alive, labels = self.rows.labels_of(np.unique(dead.witnesses[dead.witnesses >= 0]))
        place = {row: i for i, row in enumerate(alive.tolist())}
        for dc, pairs in zip(members, dead.witnesses, strict=True):
            for role, given in enumerate("ts"):
                at = sorted({place[row] for row in pairs[:, role].tolist() if row in place})
                if at:
                    conjunction = [tuple(dc.tolist())]
                    found.append(self.rows.satisfying(conjunction, given, alive[at], labels[:, at], per_row=2, most=4))
        return Pairs(np.concatenate([f.ids for f in found]), np.concatenate([f.masks for f in found]))

    def _complete(self, valid: Masks, added: Ids) -> None:
        """Refines the cover until nothing violates it.

        Args:
            valid: constraints that hold among all rows but ``added``, and their mirrors: what contains one needs to be
                looked up for the added rows only.
            added: the new rows, ascending.
        """
        trie = new_trie(1024)
        for row, mask in enumerate(valid):
            trie = insert(trie, mask, row)
        checked: set[DC] = set()
        ids, labels = self.rows.labels_of(added)
        while waiting := [dc for dc in self.cover if dc not in checked]:
            checked.update(waiting)
            masks = masks_of(waiting, self.known.masks.shape[1])
            stack = np.zeros(len(self.rows.space.groups) + 2, np.int32)
            held = [bool(has_subset(trie, mask, stack)) for mask in masks]
            old = [dc for dc, is_held in zip(waiting, held, strict=True) if is_held]
            fresh = [dc for dc, is_held in zip(waiting, held, strict=True) if not is_held]
            found = [self.rows.satisfying(old, given, ids, labels) for given in ("t", "s")] if len(ids) else []
            found += [
                self.rows.satisfying(fresh, "t", s.ids[s.alive], s.codes[:, s.alive])
                for s in self.rows.segments
                if fresh
            ]
            for pairs in found:
                self.known, came = self.known.absorbed(pairs)
                if len(came):
                    self.cover = inversion.refine(self.cover, came, self.rows.space, max_predicates=self.max_predicates)


def _involved(rows: TableRows, dc: DC, ids: Ids) -> int:
    """How many ordered pairs with at least one of these rows satisfy all predicates of a constraint."""
    found, labels = rows.labels_of(ids)
    if not len(found):
        return 0
    among = rows.without(ids).count(dc, "s", found, labels)
    return rows.count(dc, "t", found, labels) + among


def _sample(rows: TableRows) -> Pairs:
    """Random pairs, and rows next to each other in the order of each column, which share what random ones do not."""
    none = rows.pairs_of(*(np.empty((len(rows.position), 0), np.int64),) * 2, np.empty((0, 2), np.int64))
    if rows.rows < 2:  # a pair has two rows
        return none
    (segment,) = rows.segments
    random, size = np.random.default_rng(0), len(segment.ids)
    pairs = [random.integers(0, size, (min(_SAMPLED_PAIRS, size * size), 2))]
    for column in segment.codes:
        order = np.argsort(column, kind="stable")
        starts = random.integers(0, size - 1, min(_SAMPLED_NEIGHBOURS, size))
        pairs.append(np.column_stack([order[starts], order[starts + 1]]))
    chosen = np.concatenate(pairs)
    chosen = chosen[chosen[:, 0] != chosen[:, 1]]
    return rows.pairs_of(segment.codes[:, chosen[:, 0]], segment.codes[:, chosen[:, 1]], segment.ids[chosen])


def _in(some: Masks, others: Masks) -> NDArray[np.bool_]:
    """Which rows of the first array are rows of the second."""
    present = {row.tobytes() for row in np.ascontiguousarray(others)}
    return np.array([row.tobytes() in present for row in np.ascontiguousarray(some)], np.bool_)


def _bits(masks: Masks, predicates: int) -> NDArray[np.uint8]:
    """uint8[e, predicates]: 1 where a mask has the predicate."""
    return np.unpackbits(np.ascontiguousarray(masks).view(np.uint8), axis=1, count=predicates, bitorder="little")
