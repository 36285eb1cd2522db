"""How evidence keys are laid out for a predicate space: slots, mirrors, and the predicates that an outcome satisfies.

Stands between the kernel, which knows nothing of predicates, and the evidence functions; model/evidence.py defines
keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence import tile_kernel
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.encoding import NULL, columns_of
from profiling_core.model.evidence import EQUAL, GREATER, INCOMPARABLE, LESS, SLOTS_PER_WORD, EvidenceSet
from profiling_core.model.predicate import Operator, PredicateSpace
from profiling_core.model.types import NullSemantics

Summed = tuple[Words, NDArray[np.int64]]
# Up to 16 sorted parts of keys are joined by merging; more are sorted together.
_FEW_PARTS = 16
_LOW_BITS = np.uint64(0x5555555555555555)
_SATISFIED = {
    LESS: {Operator.NE, Operator.LT, Operator.LE},
    EQUAL: {Operator.EQ, Operator.LE, Operator.GE},
    GREATER: {Operator.NE, Operator.GT, Operator.GE},
}


def outcomes(left: NDArray[np.int32], right: NDArray[np.int32], nulls: NullSemantics, *, ordered: bool) -> Words:
    """Outcomes of comparing codes one by one, as uint64."""
    unequal = np.where(left < right, LESS, GREATER) if ordered else np.full(left.shape, LESS)
    found = np.where(left == right, EQUAL, unequal)
    null = (left == NULL) | (right == NULL)
    if nulls is NullSemantics.SQL:
        found[null] = INCOMPARABLE
    elif ordered:
        found[null & (left != right)] = INCOMPARABLE
    return found.astype(np.uint64)


def satisfied(outcome: int, operator: Operator, nulls: NullSemantics) -> bool:
    """Whether a predicate with this operator holds at this outcome of its group."""
    if outcome == INCOMPARABLE:
        return nulls is NullSemantics.EQUAL and operator is Operator.NE
    return operator in _SATISFIED[outcome]


@dataclass(frozen=True, slots=True)
class Slot:
    """Two columns (indices into the encoded ones) whose outcome stands in one slot of the key."""

    index: int
    left: int
    right: int
    ordered: bool

    @property
    def word(self) -> int:
        """The key's word that holds the slot."""
        return self.index // SLOTS_PER_WORD

    @property
    def shift(self) -> np.uint64:
        """The slot's lower bit within its word."""
        return np.uint64(2 * (self.index % SLOTS_PER_WORD))


@dataclass(frozen=True)
class KeyLayout:
    """Slots of a space's keys, and what the kernel needs to fill them.

    ``compared`` are the slots between two rows, ``of_left`` and ``of_right`` those of single-row groups.
    """

    space: PredicateSpace
    words: int = field(init=False)
    compared: tuple[Slot, ...] = field(init=False)
    of_left: tuple[Slot, ...] = field(init=False)
    of_right: tuple[Slot, ...] = field(init=False)

    def __post_init__(self) -> None:
        position = {name: i for i, name in enumerate(columns_of(self.space))}
        groups = self.space.groups
        slots = [Slot(i, position[g.left.column], position[g.right.column], g.ordered) for i, g in enumerate(groups)]
        single = [slot for slot, group in zip(slots, groups, strict=True) if group.left.tuple == group.right.tuple]
        beside = [Slot(len(groups) + i, s.left, s.right, s.ordered) for i, s in enumerate(single)]
        object.__setattr__(self, "words", tile_kernel.key_words(self.space))
        object.__setattr__(self, "compared", tuple(slot for slot in slots if slot not in single))
        object.__setattr__(self, "of_left", tuple(single))
        object.__setattr__(self, "of_right", tuple(beside))

    @property
    def nulls(self) -> NullSemantics:
        """The space's null semantics."""
        return self.space.nulls

    @cached_property
    def slots(self) -> NDArray[np.int64]:
        """Where each compared slot stands in the key."""
        return np.array([slot.index for slot in self.compared], np.int64)

    @cached_property
    def outcome_bits(self) -> NDArray[np.uint16]:
        """uint16[2, compared, 4]: less, equal, greater as bits of the slot's lane, and 0; and with rows exchanged."""
        shifts = [2 * (slot.index % tile_kernel.SLOTS_PER_LANE) for slot in self.compared]
        bits = np.array([(LESS << s, EQUAL << s, GREATER << s, 0) for s in shifts], np.uint16).reshape(-1, 4)
        ordered = np.array([slot.ordered for slot in self.compared], np.bool_)
        return np.stack([bits, np.where(ordered[:, None], bits[:, [2, 1, 0, 3]], bits)])

    @cached_property
    def turning(self) -> int | None:
        """The ordered column that rows are sorted by first, where a key's mirror follows slot by slot; else None."""
        ordered = [slot.left for slot in self.compared if slot.ordered]
        return None if self._moving or not ordered else min(ordered)

    @cached_property
    def ordered_columns(self) -> frozenset[str]:
        """The columns of ordered groups."""
        return frozenset(group.left.column for group in self.space.groups if group.ordered)

    def modes(self, slot: Slot, *, nulls: bool) -> tuple[int, int]:
        """How the kernel computes a slot where the left side has a value, and where it is null.

        Args:
            slot: a compared slot.
            nulls: whether the right side has nulls.
        """
        if self.nulls is NullSemantics.EQUAL:
            if not slot.ordered:
                return tile_kernel.UNORDERED, tile_kernel.UNORDERED
            return (tile_kernel.ORDERED_NULLS if nulls else tile_kernel.ORDERED), tile_kernel.NULL_EQUAL
        plain = (tile_kernel.UNORDERED, tile_kernel.ORDERED)[slot.ordered]
        return (
            (tile_kernel.UNORDERED_NULLS, tile_kernel.ORDERED_NULLS)[slot.ordered] if nulls else plain
        ), tile_kernel.CONSTANT

    def left_keys(self, codes: NDArray[np.int32]) -> Words:
        """uint64[n, words]: what left rows alone contribute to keys."""
        return self._row_keys(self.of_left, codes)

    def right_keys(self, codes: NDArray[np.int32]) -> Words:
        """uint64[n, words]: what right rows alone contribute to keys."""
        return self._row_keys(self.of_right, codes)

    @property
    def lanes(self) -> int:
        """How many of the kernel's lanes a key fills; at least one."""
        return max(1, -(-tile_kernel.slot_count(self.space) // tile_kernel.SLOTS_PER_LANE))

    @cached_property
    def lane_values(self) -> list[int]:
        """How many values each of the kernel's lanes can take where nothing is null."""
        outcomes_of = {slot.index: 3 if slot.ordered else 2 for slot in (*self.compared, *self.of_left, *self.of_right)}
        size = tile_kernel.SLOTS_PER_LANE
        lanes = [range(lane * size, (lane + 1) * size) for lane in range(self.lanes)]
        return [prod(outcomes_of.get(index, 1) for index in lane) for lane in lanes]

    def in_lanes(self, keys: Words) -> NDArray[np.uint16]:
        """uint16[lanes, n]: keys (uint64[n, words]) as the kernel's lanes."""
        shifts = [np.uint64(16 * (lane % tile_kernel.LANES_PER_WORD)) for lane in range(self.lanes)]
        words = [lane // tile_kernel.LANES_PER_WORD for lane in range(self.lanes)]
        return np.stack([(keys[:, w] >> s).astype(np.uint16) for w, s in zip(words, shifts, strict=True)])

    def _row_keys(self, slots: Sequence[Slot], codes: NDArray[np.int32]) -> Words:
        keys = np.zeros((codes.shape[1], self.words), np.uint64)
        for slot in slots:
            keys[:, slot.word] |= (
                outcomes(codes[slot.left], codes[slot.right], self.nulls, ordered=slot.ordered) << slot.shift
            )
        return keys

    def mirrored(self, keys: Words) -> Words:
        """The keys of the same pairs with the rows exchanged."""
        low = keys & _LOW_BITS & self._flipping
        flipped = keys ^ (low << np.uint64(1))
        moved = flipped & self._staying
        for source, target in self._moving:
            bits = (flipped[:, source // SLOTS_PER_WORD] >> _shift(source)) & np.uint64(3)
            moved[:, target // SLOTS_PER_WORD] |= bits << _shift(target)
        return moved

    def canonical(self, evidence: EvidenceSet) -> EvidenceSet:
        """Each key replaced by the smaller of itself and its mirror; keys may repeat afterwards."""
        mirrored = self.mirrored(evidence.keys)
        smaller = np.zeros(len(evidence), np.bool_)
        undecided = np.ones(len(evidence), np.bool_)
        for word in range(self.words):
            smaller |= undecided & (mirrored[:, word] < evidence.keys[:, word])
            undecided &= mirrored[:, word] == evidence.keys[:, word]
        return EvidenceSet(np.where(smaller[:, None], mirrored, evidence.keys), evidence.counts)

    @cached_property
    def _flipping(self) -> Words:
        """The slots that exchange less and greater when the rows are exchanged."""
        single = len(self.of_left)
        ordered = [slot.index for slot in self.compared if slot.ordered]
        return _slot_mask(ordered, self.words) if single or ordered else np.zeros(self.words, np.uint64)

    @cached_property
    def _moving(self) -> list[tuple[int, int]]:
        """Pairs (slot, the slot that it becomes) for slots that change place when the rows are exchanged."""
        place = {(slot.left, slot.right): slot.index for slot in self.compared}
        crossed = [(s.index, place[s.right, s.left]) for s in self.compared if s.left != s.right]
        single = list(zip((s.index for s in self.of_left), (s.index for s in self.of_right), strict=True))
        return crossed + single + [(b, a) for a, b in single]

    @cached_property
    def _staying(self) -> Words:
        return ~_slot_mask([source for source, _ in self._moving], self.words)

    @cached_property
    def visible(self) -> Words:
        """The slots that predicates of the space speak of: all but those of ``of_right``."""
        return _slot_mask(range(len(self.space.groups)), self.words)

    def predicate_bits(self) -> NDArray[np.uint64]:
        """uint64[groups, 4, mask words]: the predicates of each group that hold at each outcome."""
        bits, start = [], 0
        for group in self.space.groups:
            bits += [held << start for held in _held(group.operators, self.nulls)]
            start += len(group.operators)
        size = 8 * max(1, -(-start // 64))
        whole = b"".join(held.to_bytes(size, "little") for held in bits)
        return np.frombuffer(whole, np.uint64).reshape(len(self.space.groups), 4, size // 8)


@cache
def _held(operators: tuple[Operator, ...], nulls: NullSemantics) -> tuple[int, ...]:
    """Per outcome of a group, which of its operators hold, as bits."""
    return tuple(
        sum(1 << i for i, operator in enumerate(operators) if satisfied(outcome, operator, nulls))
        for outcome in range(4)
    )


def _shift(slot: int) -> np.uint64:
    return np.uint64(2 * (slot % SLOTS_PER_WORD))


def _slot_mask(slots: Sequence[int], words: int) -> Words:
    mask = np.zeros(words, np.uint64)
    for slot in slots:
        mask[slot // SLOTS_PER_WORD] |= np.uint64(3) << _shift(slot)
    return mask


def summed(keys: Words, counts: NDArray[np.int64]) -> tuple[Words, NDArray[np.int64]]:
    """Distinct keys, sorted by words, with the sums of their counts."""
    if not len(keys):
        return keys, counts
    if keys.shape[1] > 1:
        order = np.lexsort(keys.T[::-1])
    else:
        # A few parts in order are quicker to join than to sort anew.
        words = keys[:, 0]
        parts = np.count_nonzero(words[1:] < words[:-1])
        order = np.argsort(words, kind="stable" if parts <= _FEW_PARTS else None)
    keys = keys[order]
    fresh = np.ones(len(keys), np.bool_)
    fresh[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    starts = np.flatnonzero(fresh)
    return keys[starts], np.add.reduceat(counts[order], starts)


@kernel
def is_ascending(keys: Words) -> bool:
    """Whether keys are distinct and sorted by words."""
    for e in range(1, keys.shape[0]):
        k = 0
        while k < keys.shape[1] and keys[e - 1, k] == keys[e, k]:
            k += 1
        if k == keys.shape[1] or keys[e - 1, k] > keys[e, k]:
            return False
    return True


@kernel
def merged(some: Summed, more: Summed) -> Summed:
    """:func:`summed` of keys and counts in two parts, the keys of each distinct and sorted by words."""
    words = some[0].shape[1]
    keys = np.empty((some[1].size + more[1].size, words), np.uint64)
    counts = np.empty(keys.shape[0], np.int64)
    used = i = j = 0
    while i < some[1].size or j < more[1].size:
        k = 0
        if i < some[1].size and j < more[1].size:
            while k < words and some[0][i, k] == more[0][j, k]:
                k += 1
        if j == more[1].size or (i < some[1].size and (k == words or some[0][i, k] < more[0][j, k])):
            keys[used] = some[0][i]
            counts[used] = some[1][i]
            i += 1
            if j < more[1].size and k == words:
                counts[used] += more[1][j]
                j += 1
        else:
            keys[used] = more[0][j]
            counts[used] = more[1][j]
            j += 1
        used += 1
    return keys[:used], counts[:used]
