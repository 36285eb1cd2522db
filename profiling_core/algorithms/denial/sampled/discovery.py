"""Hydra: the exact set-minimal cover of a table from a small part of its pairs.

Sampled evidences are inverted into a preliminary cover, whose violations bring the evidences that the sample missed;
and again, until nothing of the cover is violated. Then every evidence that matters is known: an evidence that would
refute a DC of the cover would be a violation of it (Theorem 2), and minimality is that of the inversion.
Source: Bleifuß et al., "Efficient Denial Constraint Discovery with Hydra", PVLDB 2017, sections 3 to 6.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.cover import reduced_cover, strongest
from profiling_core.algorithms.denial.sampled.completion import CHECKED_ROW, violations_of
from profiling_core.algorithms.denial.sampled.known_evidences import KnownEvidences, Pairs
from profiling_core.algorithms.denial.sampled.parts import DC, Parts, samples_of
from profiling_core.algorithms.denial.sampled.sampling import (
    USUAL,
    Sampling,
    random_pairs,
    sample_focused,
    sample_randomly,
)
from profiling_core.algorithms.ground.bit_words import Masks, masks_of, word_count
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.algorithms.hitting_sets.evidences import MaskedEvidences
from profiling_core.algorithms.hitting_sets.inversion import maximal_cover, minimal_cover
from profiling_core.algorithms.hitting_sets.mirror import with_mirrors
from profiling_core.algorithms.hitting_sets.set_trie import containing_some
from profiling_core.algorithms.hitting_sets.universe import parted
from profiling_core.algorithms.hitting_sets.updating import refine, updating_pays
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.predicate import PredicateSpace

Progress = Callable[[str], None]
# Of the constraints that hold among these, about that share or more is checked on all rows (lineitem, 10⁵ and 3·10⁵).
_LASTING = 1 / 8
# Once they have been looked at, a cover is at most twice as large as the last one (1.8: 26 tables and spaces).
_SETTLED = 2


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


def _unseen(_: list[DC]) -> None:
    """Look at none."""


def discover(
    rows: Encoded,
    space: PredicateSpace,
    *,
    max_predicates: int | None,
    seed: int = 0,
    sampling: Sampling = USUAL,
    progress: Progress = _silent,
    effort: Effort | None = None,
) -> PinnedCover:
    """The set-minimal cover of the rows, exactly that of all their pairs, with the evidences that pin it.

    Args:
        rows: the rows, encoded for the space.
        space: the predicate space.
        max_predicates: the bound on length; None or 0: unbounded.
        seed: of the sample, which decides what evidences are known, but nothing of the cover.
        sampling: how much is sampled.
        progress: told each step, in words.
        effort: what it may cost; None: no matter what.

    Raises:
        EffortError: it costs more.
    """
    known, selectivity = sampled_evidences(rows, space, seed=seed, sampling=sampling, effort=effort)
    progress(f"sampled {len(known):,} distinct evidences")
    return finish(known, selectivity, max_predicates=max_predicates, progress=progress, effort=effort)


def complete(
    rows: Encoded, space: PredicateSpace, witnesses: Pairs, *, max_predicates: int | None, progress: Progress = _silent
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
    return finish(known, None, max_predicates=max_predicates, progress=progress)


def sampled_evidences(
    rows: Encoded, space: PredicateSpace, *, seed: int = 0, sampling: Sampling = USUAL, effort: Effort | None = None
) -> tuple[KnownEvidences, NDArray[np.float64]]:
    """The evidences of random and focused sampling, and per predicate the share of random pairs that satisfy it."""
    random = np.random.default_rng(seed)
    known = KnownEvidences(rows, space, effort)
    sample_randomly(known, random_pairs(rows.rows, random, sampling), sampling.evidences(rows.rows))
    selectivity = known.shares()
    sample_focused(known, rows, space, random, sampling)
    return known, selectivity


def foresee(
    sample: Encoded, space: PredicateSpace, rows: int, *, max_predicates: int | None, effort: Effort, seed: int = 0
) -> None:
    """Sees by some rows of a large table whether discovery may cost more than is allowed, before it is held whole.

    Args:
        sample: some of its rows, encoded for the space.
        space: the predicate space.
        rows: how many rows it has.
        max_predicates: the bound on length; None or 0: unbounded.
        effort: what it may cost; stays as it is.
        seed: of the pairs that are looked at first.

    Raises:
        EffortError: it costs more.
    """
    left = replace(effort)
    known, selectivity = sampled_evidences(sample, space, seed=seed, effort=left)
    checks = Completion(known, space, max_predicates, effort=left)
    look = Among(known, sample, space, selectivity, left)
    cover = checks.completed(checks.inverted(), look, lambda some: foresee_checks(left, len(some) // _SETTLED, rows))
    foresee_checks(left, len(checks.strongest(cover)), rows)


def foresee_checks(effort: Effort, holding: int, rows: int) -> None:
    """Sees whether the effort pays for checking ``holding`` constraints, which hold among some rows, on all rows.

    Raises:
        EffortError: it costs more than what is left.
    """
    effort.foresee(_LASTING * holding * rows * CHECKED_ROW)


def finish(
    known: KnownEvidences,
    selectivity: NDArray[np.float64] | None,
    *,
    max_predicates: int | None,
    progress: Progress = _silent,
    effort: Effort | None = None,
    maximal: bool = False,
    begun: tuple[list[DC], int] | None = None,
) -> PinnedCover:
    """Invert, check, add what was found, until nothing of the cover is violated; ``known`` grows.

    Large tables are checked among some of their rows first, then among more (:func:`samples_of`): most wrong
    constraints are violated there, at a small part of the price. With ``maximal`` the cover is the maximal one: far
    fewer constraints, the reduced cover among them.
    ``begun``, where it has been found before, is the cover of the first known evidences, and how many these are.
    """
    rows, space = known.rows, known.space
    checks = Completion(known, space, max_predicates, progress, effort, maximal)
    cover = checks.inverted() if begun is None else checks.refined(begun[0], known.masks[begun[1] :])
    for some in samples_of(rows.rows):
        cover = checks.completed(cover, Among(known, rows, space, selectivity, effort, some))
        if effort:
            foresee_checks(effort, len(checks.strongest(cover)), rows.rows)
    cover = checks.completed(cover, Among(known, rows, space, selectivity, effort))
    return PinnedCover(known.masks, known.witnesses, cover)  # all that the checks have brought pins the cover, too


class KnownMasks(Protocol):
    """KnownMasks that are known."""

    def __len__(self) -> int:
        """How many there are."""

    @property
    def masks(self) -> Masks:
        """uint64[e, w]: what each satisfies."""


class Look(Protocol):
    """Looks for what violates constraints among some rows, and learns the evidences of what it finds.

    A constraint is *settled* once all evidences that violate it there are known: none where it holds. What contains one
    is violated by known evidences alone.
    """

    @property
    def rows(self) -> int:
        """How many rows there are."""

    def __call__(self, dcs: Sequence[DC]) -> set[DC]:
        """The constraints that are settled; of each other one at least one violating pair is known from now on."""


@dataclass(frozen=True, slots=True, eq=False)
class Among:
    """Looks among rows that are here, all or those at some ``places``: ascending positions."""

    known: KnownEvidences
    encoded: Encoded
    space: PredicateSpace
    selectivity: NDArray[np.float64] | None
    effort: Effort | None
    places: NDArray[np.int64] | None = None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.encoded.rows if self.places is None else len(self.places)

    def __call__(self, dcs: Sequence[DC]) -> set[DC]:
        """The constraints that are settled."""
        rows = self.encoded
        if self.places is not None:
            rows = Encoded(rows.columns, np.ascontiguousarray(rows.codes[:, self.places]))
        found = violations_of(rows, dcs, self.space, selectivity=self.selectivity, effort=self.effort)
        pairs = np.concatenate([violations.pairs for violations in found])
        self.known.observe(pairs if self.places is None else self.places[pairs])
        return {dc for dc, violations in zip(dcs, found, strict=True) if violations.complete}


@dataclass(frozen=True, slots=True, eq=False)
class Completion:
    """Inverts what is known, and has what comes of it checked; ``known`` grows by what looks find."""

    known: KnownMasks
    space: PredicateSpace
    max_predicates: int | None
    progress: Progress = _silent
    effort: Effort | None = None
    maximal: bool = False
    parts: Parts = field(default_factory=Parts)

    def inverted(self) -> list[DC]:
        """The cover of the evidences that are known."""
        invert = maximal_cover if self.maximal else minimal_cover
        return invert(self.known.masks, self.space, max_predicates=self.max_predicates, effort=self.effort)

    def strongest(self, cover: list[DC]) -> list[DC]:
        """The constraints that imply all others of a cover: if these hold, nothing else needs to be checked."""
        return (strongest if self.maximal else reduced_cover)(cover, self.space)

    def refined(self, cover: list[DC], came: Masks) -> list[DC]:
        """The cover once these evidences are known as well, in the way that costs less."""
        if not len(came):
            return cover
        known = MaskedEvidences(self.known.masks, len(self.space.predicates))
        if updating_pays(cover, came, came[:0], known, max_predicates=self.max_predicates):
            return refine(cover, came, self.space, max_predicates=self.max_predicates, maximal=self.maximal)
        return self.inverted()

    def completed(self, cover: list[DC], look: Look, came: Callable[[list[DC]], None] = _unseen) -> list[DC]:
        """The cover once nothing of it is violated where it is looked.

        Constraints that others imply are not checked (section 6.4): they hold once the others do.

        Args:
            cover: the cover of the evidences that are known.
            look: looks for violations.
            came: sees, after each look, the constraints that imply all others.
        """
        settled: set[DC] = set()
        strongest = self.strongest(cover)
        while unchecked := self.unsettled(strongest, settled):
            before = len(self.known)
            chosen = self.parts.of(unchecked)
            self.progress(
                f"checking {len(chosen):,} of {len(cover):,} constraints by {before:,} evidences, {look.rows:,} rows"
            )
            settled |= look(chosen)
            new = len(self.known) - before
            self.parts.brought(new, chosen)
            if new:
                cover = self.refined(cover, self.known.masks[before:])
                strongest = self.strongest(cover)
            came(strongest)
        return cover

    def unsettled(self, dcs: list[DC], settled: Collection[DC]) -> list[DC]:
        """The constraints that contain none that is settled, in terms of weak predicates, neither way round."""
        if not dcs or not settled:
            return dcs
        words = word_count(len(self.space.predicates))
        own, those = (parted(masks_of(list(some), words), self.space) for some in (dcs, settled))
        inside = containing_some(own, with_mirrors(those, self.space))
        return list(compress(dcs, (~inside).tolist()))
