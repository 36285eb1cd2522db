"""From evidence keys to predicates: masks for inversion and ranking, exact figures of given constraints."""

from collections.abc import Sequence

import numpy as np

from profiling_core.algorithms.evidence.keys import KeyLayout, summed
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import lowest, vertical
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.model.constraint import DenialConstraint, Measured, RowConstraint
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.predicate import PredicateSpace


def ordered_masks(evidence: EvidenceSet, space: PredicateSpace) -> tuple[Words, Counts]:
    """The distinct sets of predicates that ordered pairs satisfy.

    Returns:
        uint64[e, w] masks, bit i of word i div 64 standing for ``space.predicates[i]``, and int64[e] counts of ordered
        pairs, both directions included.
    """
    layout = KeyLayout(space)
    mirrored = layout.mirrored(evidence.keys)
    symmetric = (mirrored == evidence.keys).all(axis=1)
    keys = np.concatenate([evidence.keys, mirrored[~symmetric]])
    counts = np.concatenate([evidence.counts * (1 + symmetric), evidence.counts[~symmetric]])
    if layout.of_right:
        keys, counts = summed(keys & layout.visible, counts)
    # Different outcomes of a group satisfy different predicates, so that distinct keys give distinct masks.
    return masks_of_keys(keys, layout.predicate_bits()), counts


@kernel
def masks_of_keys(keys: Words, predicate_bits: Words) -> Words:
    """The predicates that hold for each key, uint64[e, mask words]; ``predicate_bits``: those of its layout."""
    first, table = _bytewise(predicate_bits)
    masks = np.zeros((keys.shape[0], predicate_bits.shape[2]), np.uint64)
    for e in range(keys.shape[0]):
        for at in range(first.size):
            value = (keys[e, at >> 3] >> np.uint64(8 * (at & 7))) & np.uint64(255)
            for word in range(table.shape[2]):
                masks[e, first[at] + word] |= table[at, value, word]
    return masks


@kernel
def _bytewise(predicate_bits: Words) -> tuple[Counts, Words]:
    """The predicates that each value of each byte of a key satisfies, uint64[bytes, 256, words], and the first word."""
    groups, _, words = predicate_bits.shape
    first = np.zeros((groups + 3) // 4, np.int64)
    span = 1
    for at in range(first.size):
        bits = predicate_bits[4 * at : 4 * at + 4]
        there = [word for word in range(words) if bits[:, :, word].any()]
        first[at] = there[0]
        span = max(span, there[-1] - there[0] + 1)
    first = np.minimum(first, words - span)
    table = np.zeros((first.size, 256, span), np.uint64)
    for group in range(groups):
        at, shift = group // 4, 2 * (group % 4)
        for value in range(256):
            table[at, value] |= predicate_bits[group, (value >> shift) & 3, first[at] : first[at] + span]
    return first, table


def measure(
    evidence: EvidenceSet, space: PredicateSpace, constraints: Sequence[DenialConstraint], rows: int
) -> list[Measured[RowConstraint]]:
    """Exact figures of denial constraints over the space's predicates.

    Violations and support count ordered pairs of n·(n−1), those of single-row constraints rows of n; support is the
    least number of pairs that satisfy all predicates but one.

    Args:
        evidence: the evidence multiset of the table.
        space: its predicate space.
        constraints: what to measure.
        rows: the table's number of rows, n.

    Raises:
        KeyError: a constraint has a predicate outside the space.
    """
    return measured_by(*ordered_masks(evidence, space), space, constraints, rows)


def measured_by(
    masks: Words, counts: Counts, space: PredicateSpace, constraints: Sequence[DenialConstraint], rows: int
) -> list[Measured[RowConstraint]]:
    """:func:`measure` from what :func:`ordered_masks` makes of the evidence."""
    chosen = [[space.index[p] for p in constraint.predicates] for constraint in constraints]
    bounds = np.cumsum([0, *(len(predicates) for predicates in chosen)], dtype=np.int64)
    flat = np.array([p for predicates in chosen for p in predicates], np.int64)
    violating, others = satisfying(masks, counts, flat, bounds, len(space.predicates))
    measured: list[Measured[RowConstraint]] = []
    for i, constraint in enumerate(constraints):
        violations = int(violating[i])
        support = min(others[bounds[i] : bounds[i + 1]].tolist(), default=0)
        population = rows * (rows - 1)
        if constraint.is_single_row and rows > 1:
            # What a row satisfies by itself is counted once for each of the other rows.
            violations, support, population = violations // (rows - 1), support // (rows - 1), rows
        measured.append(Measured(constraint, violations, population, support))
    return measured


def satisfying(masks: Words, counts: Counts, flat: Counts, bounds: Counts, predicates: int) -> tuple[Counts, Counts]:
    """Per constraint the pairs that satisfy all its predicates; per predicate those that satisfy all the others.

    Args:
        masks: uint64[e, w], distinct predicate masks of ordered pairs.
        counts: int64[e], ordered pairs per mask.
        flat: int64, the predicates of all constraints, one constraint after the other.
        bounds: int64, where each constraint's predicates begin; one more entry for the end.
        predicates: how many predicates the space has.

    Returns:
        int64 per constraint, int64 per entry of ``flat``.
    """
    return _satisfying(vertical(masks, predicates), counts, flat, bounds)


@kernel
def _satisfying(hits: Words, counts: Counts, flat: Counts, bounds: Counts) -> tuple[Counts, Counts]:
    """The same from the bit sets of masks that have each predicate, uint64[predicates, ⌈e / 64⌉]."""
    violating = np.zeros(bounds.size - 1, np.int64)
    others = np.zeros(flat.size, np.int64)
    longest = 0
    for c in range(bounds.size - 1):
        longest = max(longest, bounds[c + 1] - bounds[c])
    before = np.empty(longest + 1, np.uint64)
    for c in range(bounds.size - 1):
        first, last = bounds[c], bounds[c + 1]
        for word in range(hits.shape[1]):
            before[0] = ~np.uint64(0)
            for k in range(first, last):
                before[k - first + 1] = before[k - first] & hits[flat[k], word]
            violating[c] += _weight(before[last - first], word, counts)
            after = ~np.uint64(0)
            for k in range(last - 1, first - 1, -1):
                others[k] += _weight(before[k - first] & after, word, counts)
                after &= hits[flat[k], word]
                if after == 0:
                    # Whatever else is left out, this word's masks lack one of the rest.
                    break
    return violating, others


@kernel
def _weight(bits: np.uint64, word: int, counts: Counts) -> np.int64:
    """The sum of the counts of the masks that a word of a bit set names."""
    total = np.int64(0)
    while bits:
        at = 64 * word + lowest(bits)
        if at < counts.size:
            total += counts[at]
        bits &= bits - np.uint64(1)
    return total
