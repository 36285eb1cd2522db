"""Hydra: the exact set-minimal cover of a table from a small part of its pairs.

Sampled evidences are inverted into a preliminary cover, whose violations bring the evidences that the sample missed;
and again, until nothing of the cover is violated. Then every evidence that matters is known: an evidence that would
refute a DC of the cover would be a violation of it (Theorem 2), and minimality is that of the inversion.
Source: Bleifuß et al., "Efficient Denial Constraint Discovery with Hydra", PVLDB 2017, sections 3 to 6.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.sampled.completion import complete_once
from profiling_core.algorithms.denial.sampled.known_evidences import KnownEvidences, Pairs
from profiling_core.algorithms.denial.sampled.sampling import enough_evidences, sample_focused, sample_randomly
from profiling_core.algorithms.ground.bit_words import Masks
from profiling_core.algorithms.hitting_sets.inversion import minimal_cover
from profiling_core.algorithms.hitting_sets.updating import refine
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.predicate import PredicateSpace

Progress = Callable[[str], None]
# So few new evidences are cheaper to refine a cover by than to invert everything again.
_REFINED = 32
# Of many constraints that part is checked at a time, as long as it brings evidences; so few are checked at once.
_PARTS, _FEW = 8, 256


@dataclass(frozen=True, slots=True, eq=False)
class PinnedCover:
    """A cover and the evidences that pin it.

    ``masks`` uint64[e, w] are distinct evidences of ordered pairs as predicate masks, ``witnesses`` int64[e, 2] a pair
    (t, s) of row positions that has each; ``cover`` is the set-minimal cover as predicate positions, sorted.
    """

    masks: Masks
    witnesses: Pairs
    cover: list[tuple[int, ...]]


def _silent(_: str) -> None:
    """Tell nobody."""


def discover(
    rows: Encoded,
    space: PredicateSpace,
    *,
    max_predicates: int | None,
    seed: int = 0,
    progress: Progress = _silent,
) -> PinnedCover:
    """The set-minimal cover of the rows, exactly that of all their pairs, with the evidences that pin it.

    Args:
        rows: the rows, encoded for the space.
        space: the predicate space.
        max_predicates: the bound on length; None or 0: unbounded.
        seed: of the sample, which decides what evidences are known, but nothing of the cover.
        progress: told each step, in words.
    """
    known, selectivity = sampled_evidences(rows, space, seed=seed)
    progress(f"sampled {len(known):,} distinct evidences")
    return finish(known, rows, space, selectivity, max_predicates=max_predicates, progress=progress)


def complete(
    rows: Encoded,
    space: PredicateSpace,
    witnesses: Pairs,
    *,
    max_predicates: int | None,
    progress: Progress = _silent,
) -> PinnedCover:
    """The same from pairs whose evidences are known to matter, as those that a delete has left; without sampling.

    Args:
        rows: the rows, encoded for the space.
        space: the predicate space.
        witnesses: int64[k, 2], pairs of row positions; may be none.
        max_predicates: the bound on length; None or 0: unbounded.
        progress: told each step, in words.
    """
    known = KnownEvidences(rows, space)
    known.observe(witnesses)
    return finish(known, rows, space, None, max_predicates=max_predicates, progress=progress)


def sampled_evidences(
    rows: Encoded, space: PredicateSpace, *, seed: int = 0, enough: int | None = None
) -> tuple[KnownEvidences, NDArray[np.float64]]:
    """The evidences of random and focused sampling, and per predicate the share of random pairs that satisfy it.

    ``enough`` evidences end the sampling; None: as many as suit the table.
    """
    random = np.random.default_rng(seed)
    known = KnownEvidences(rows, space)
    enough = enough or enough_evidences(rows.rows)
    sample_randomly(known, rows.rows, random, enough)
    selectivity = _selectivity(known, len(space.predicates))
    sample_focused(known, rows, space, random, enough)
    return known, selectivity


def _selectivity(known: KnownEvidences, predicates: int) -> NDArray[np.float64]:
    bits = np.unpackbits(known.masks.view(np.uint8), axis=1, bitorder="little")[:, :predicates]
    return np.asarray(known.seen @ bits, np.float64) / max(1, int(known.seen.sum()))


def finish(
    known: KnownEvidences,
    rows: Encoded,
    space: PredicateSpace,
    selectivity: NDArray[np.float64] | None,
    *,
    max_predicates: int | None,
    progress: Progress = _silent,
) -> PinnedCover:
    """Invert, check, add what was found, until nothing of the cover is violated; ``known`` grows."""
    cover = minimal_cover(known.masks, space, max_predicates=max_predicates)
    holding: set[tuple[int, ...]] = set()
    parts = _PARTS
    while unchecked := [dc for dc in cover if dc not in holding]:
        before = len(known)
        # What a part of them brings mostly ends the others too: they go unchecked.
        chosen = unchecked[:: min(parts, -(-len(unchecked) // _FEW))]
        progress(f"checking {len(chosen):,} of {len(cover):,} constraints by {before:,} evidences")
        checked = complete_once(known, rows, chosen, space, selectivity=selectivity)
        holding.update(checked.holding)
        if checked.new_evidences <= len(chosen) // _PARTS:
            parts = 1
        if checked.new_evidences > _REFINED:
            cover = minimal_cover(known.masks, space, max_predicates=max_predicates)
        elif checked.new_evidences:
            cover = refine(cover, known.masks[before:], space, max_predicates=max_predicates)
    return PinnedCover(known.masks, known.witnesses, cover)
