"""A table in indexed mode: its set-minimal cover, kept exact by what a delta's rows violate.

The known evidences K pin the cover Σ: Σ is the cover of K, and every member holds on all rows. That makes Σ the cover
of all evidences (Hydra, Theorem 2), also under a bound on length. An *insert* looks up, by index, the pairs of new rows
that violate a member; their evidences refine Σ until nothing is violated (IncDC). A *delete* drops the evidences that
lose their last witness; members of the cover without them that contain no earlier member are checked on all rows by
Hydra's completion, and what violates them joins K. Updates are both in one pass. The bootstrap is Hydra's discovery.
Sources: IncDC (indexes for Σ, Fetch); Bleifuß et al., Hydra, sections 3 and 5; the treatment of deletes is our own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed import segments, stored_arrays
from profiling_core.algorithms.denial.indexed.beginning import Begun, begin
from profiling_core.algorithms.denial.indexed.first_rows import FirstRows
from profiling_core.algorithms.denial.indexed.rows import DC, Ids, TableRows
from profiling_core.algorithms.denial.indexed.witnessed_evidences import Pairs, WitnessedEvidences
from profiling_core.algorithms.denial.ranking.exact_figures import satisfying_pairs_of
from profiling_core.algorithms.denial.sampled.completion import violations_of
from profiling_core.algorithms.denial.sampled.parts import Parts, samples_of
from profiling_core.algorithms.ground.array_place import HeldArrays
from profiling_core.algorithms.ground.bit_words import Masks, masks_of
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.algorithms.ground.mask_table import only_in
from profiling_core.algorithms.ground.pieces import in_threads
from profiling_core.algorithms.hitting_sets import inversion, updating
from profiling_core.algorithms.hitting_sets.evidences import MaskedEvidences
from profiling_core.algorithms.hitting_sets.mirror import mirror_positions, with_mirrors
from profiling_core.algorithms.hitting_sets.set_trie import has_subset, insert, new_trie
from profiling_core.model.predicate import PredicateSpace

# Looking up a new row costs as much as sweeping 6 rows of the table (lineitem, 10⁶ rows, and flights).
_LOOKED_UP = 6


@dataclass(frozen=True, slots=True)
class CoverChange:
    """The change of the cover by a delta: new members and members that are gone, sorted."""

    added: tuple[DC, ...]
    gone: tuple[DC, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Latest:
    """The latest delta: what held before it, uint64[k, words], with mirrors; and its new rows' ids, ascending."""

    held: Masks
    added: Ids


@dataclass(frozen=True, slots=True, eq=False)
class _Implied:
    """Constraints, as a trie, and what follows from them."""

    trie: NDArray[np.int32]
    groups: int
    words: int

    @classmethod
    def by(cls, masks: Masks, space: PredicateSpace) -> "_Implied":
        trie = new_trie(1024)
        for row, mask in enumerate(masks):
            trie = insert(trie, mask, row)
        return cls(trie, len(space.groups), masks.shape[1])

    def of(self, dcs: Sequence[DC]) -> list[DC]:
        """Those of the constraints that contain one of these."""
        stack = np.zeros(self.groups + 2, np.int32)
        return [
            dc for dc, mask in zip(dcs, masks_of(dcs, self.words), strict=True) if has_subset(self.trie, mask, stack)
        ]


@dataclass(frozen=True, slots=True)
class _Whole:
    """A table that is here, as one that is read column by column."""

    rows: pa.Table
    row_ids: Ids

    @property
    def schema(self) -> pa.Schema:
        return self.rows.schema

    @property
    def num_rows(self) -> int:
        return int(self.rows.num_rows)

    def ids(self) -> Ids:
        return self.row_ids

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        return self.rows[column]


@dataclass(eq=False)
class IndexedTable:
    """Rows, known evidences and the set-minimal cover that they pin; ``monitored``: violating ordered pairs each."""

    rows: TableRows
    max_predicates: int | None
    known: WitnessedEvidences
    cover: list[DC]
    monitored: dict[DC, int] = field(default_factory=dict)
    latest: _Latest | None = None

    @classmethod
    def bootstrap(
        cls,
        rows: pa.Table,
        row_ids: Ids,
        space: PredicateSpace,
        *,
        max_predicates: int | None,
        effort: Effort | None = None,
    ) -> "IndexedTable":
        """The state of a table, by Hydra's discovery.

        Args:
            rows: the table; has the space's columns.
            row_ids: int64[n], each row's id, at least 0 and all different.
            space: the predicate space.
            max_predicates: the bound on length; None or 0: unbounded.
            effort: what discovery may cost; None: no matter what.

        Raises:
            EffortError: it costs more.
        """
        coming = _Whole(rows, np.asarray(row_ids, np.int64))
        first = FirstRows(space, coming, HeldArrays(), HeldArrays(), segments.MOST_ROWS)
        return cls.begun(begin(first, in_threads, max_predicates=max_predicates or None, effort=effort))

    @classmethod
    def begun(cls, begun: Begun) -> "IndexedTable":
        """The state of a table that begins, wherever its rows lie."""
        return cls(begun.rows, begun.max_predicates, begun.known, begun.cover)

    def apply(self, deleted_ids: Ids, inserted: pa.Table, inserted_ids: Ids) -> CoverChange:
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
        after = self.rows.without(deleted).with_rows(inserted, added).indexed(before)
        for dc in self.monitored:
            self.monitored[dc] -= _involved(self.rows, dc, deleted)
        self.rows = after
        valid = with_mirrors(masks_of(before, self.known.masks.shape[1]), space)
        self._forget(deleted)
        self.latest = _Latest(valid, np.sort(added))
        self._complete(valid, np.sort(added))
        for dc in self.monitored:
            self.monitored[dc] += _involved(self.rows, dc, np.sort(added))
        self.rows = self.rows.compacted(self.cover)
        old, new = set(before), set(self.cover)
        return CoverChange(tuple(sorted(new - old)), tuple(sorted(old - new)))

    def count_violations(self, dcs: Sequence[DC]) -> list[int]:
        """The ordered pairs that violate each constraint; counted once, and from then on maintained by each delta.

        What held before the latest delta is violated with its new rows alone.
        """
        fresh = [dc for dc in dcs if dc not in self.monitored]
        for dc in fresh:
            if self.latest and self._follows(dc, self.latest.held):
                self.monitored[dc] = _involved(self.rows, dc, self.latest.added)
        space, left = self.rows.space, [dc for dc in fresh if dc not in self.monitored]
        if left:
            rows, _ = self.rows.encoded(left)
            for dc in left:
                self.monitored[dc] = satisfying_pairs_of(rows, [space.predicates[p] for p in dc], space.nulls)
        return [self.monitored[dc] for dc in dcs]

    def _follows(self, dc: DC, held: Masks) -> bool:
        (mask,) = masks_of([dc], held.shape[1])
        return bool(((held & ~mask) == 0).all(axis=1).any())

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
        known = WitnessedEvidences(
            np.asarray(arrays["known.masks"], np.uint64), np.asarray(arrays["known.witnesses"], np.int64)
        )
        counts = arrays["monitored.counts"].tolist()
        monitored = dict(zip(stored_arrays.constraints_from("monitored", arrays), counts, strict=True))
        cover = stored_arrays.constraints_from("cover", arrays)
        return cls(stored_arrays.rows_from(space, arrays), int(arrays["bound"].item()) or None, known, cover, monitored)

    def _forget(self, deleted: Ids) -> None:
        """Drops the evidences that have lost their last witness, and what the cover owed to them."""
        dead = self.known.forget(deleted) if len(deleted) else self.known.masks[:0]
        if not len(dead):
            return
        space = self.rows.space
        if (mirror_positions(space) < 0).any():
            # Single-row predicates are those of row t: pairs with one evidence have mirrors with different ones, and so
            # the mirror of what is left may be dead. Inversion relies on it.
            back = self.known.absorb(self._pairs(self.known.some_pairs()))
            dead = only_in(dead, back)
        self._update(dead[:0], dead)

    def _complete(self, valid: Masks, added: Ids) -> None:
        """Refines the cover until nothing violates it.

        Args:
            valid: constraints that hold among all rows but ``added``, and their mirrors: what contains one needs to be
                looked up for the added rows only.
            added: the new rows, ascending.
        """
        ids, labels = self.rows.labels_of(added)
        held_before = _Implied.by(valid, self.rows.space)
        if len(ids) * _LOOKED_UP > self.rows.rows:
            held_before = _Implied.by(valid[:0], self.rows.space)
        places = next(iter(samples_of(self.rows.rows)), None)
        some: TableRows | None = None
        checked, doubted, given_up, parts = set[DC](), set[DC](), set[DC](), Parts()
        while waiting := [dc for dc in self.cover if dc not in checked]:
            before = len(self.known.masks)
            held = [dc for dc in held_before.of(waiting) if dc not in given_up]
            doubtful = [] if places is None else [dc for dc in waiting if dc not in doubted]
            if held:
                pairs, costly = self.rows.touching(held, ids, labels)
                self.known.absorb(pairs)
                given_up.update(costly)
                checked.update(set(held).difference(costly))
            elif places is not None and doubtful:
                some = some or self.rows.at(places)
                self._sweep(some, doubtful)
                doubted.update(doubtful)
            else:
                next_ones = parts.of(waiting)
                self._sweep(self.rows, next_ones)
                checked.update(next_ones)
                parts.brought(len(self.known.masks) - before, next_ones)
            came = self.known.masks[before:]
            self._update(came, came[:0])

    def _update(self, came: Masks, gone: Masks) -> None:
        """The cover once these evidences are known, and those are not, in the way that costs less."""
        space, bound = self.rows.space, self.max_predicates
        if not len(came) and not len(gone):
            return
        remaining = MaskedEvidences(self.known.masks, len(space.predicates))
        if updating.updating_pays(self.cover, came, gone, remaining, max_predicates=bound):
            self.cover = updating.update(self.cover, came, gone, remaining, space, max_predicates=bound)
        else:
            self.cover = inversion.minimal_cover(self.known.masks, space, max_predicates=bound)

    def _sweep(self, among: TableRows, dcs: Sequence[DC]) -> None:
        """Learns some pairs of these rows that violate each constraint, by runs or by Hydra's completion."""
        pairs, left = among.violating(dcs)
        self.known.absorb(pairs)
        if left:
            rows, ids = among.encoded(left)
            found = violations_of(rows, left, self.rows.space)
            self.known.absorb(self._pairs(ids[np.concatenate([violations.pairs for violations in found])]))

    def _pairs(self, pairs: Ids) -> Pairs:
        """Pairs of row ids with what they and their mirrors satisfy."""
        involved, labels = self.rows.labels_of(np.unique(pairs))
        by_id = np.argsort(involved)
        left, right = (labels[:, by_id[np.searchsorted(involved, side, sorter=by_id)]] for side in pairs.T)
        return self.rows.pairs_of(left, right, pairs)


def _involved(rows: TableRows, dc: DC, ids: Ids) -> int:
    """How many ordered pairs with at least one of these rows satisfy all predicates of a constraint."""
    found, labels = rows.labels_of(ids)
    if not len(found):
        return 0
    among = rows.without(ids).count(dc, "s", found, labels)
    return rows.count(dc, "t", found, labels) + among
