"""A cover of denial constraints carried over evidence that comes and goes, instead of being found anew.

What is violated by evidence that came is refined (:mod:`refinement`); what evidence that is gone stood in the way of is
looked for within it, and takes the place of all that contains it (:mod:`dynamic`). Both serve the
set-minimal cover and the *maximal* cover: its members in which no operator can be
weakened. The others follow from these by strengthening operators, so that keeping these alone loses nothing.
"""

from collections.abc import Iterable, Sequence
from itertools import compress

from profiling_core.algorithms.ground.bit_words import Masks, distinct, masks_of, tuples_of
from profiling_core.algorithms.hitting_sets.dynamic import freed
from profiling_core.algorithms.hitting_sets.evidences import Evidences, MaskedEvidences
from profiling_core.algorithms.hitting_sets.inversion import nontrivial, of_weak
from profiling_core.algorithms.hitting_sets.mirror import canonical, mirror_positions, with_mirrors
from profiling_core.algorithms.hitting_sets.refinement import refined
from profiling_core.algorithms.hitting_sets.set_trie import containing_some
from profiling_core.algorithms.hitting_sets.universe import Universe, parted, predicate_universe, weak_universe
from profiling_core.model.predicate import PredicateSpace

DC = tuple[int, ...]
# If one in this number of evidences came or went, updating a cover takes as long as inverting anew: without a bound on
# length, where sets that are violated may be replaced by very many, and with one (measured on census, tax, abalone,
# bridges, lineitem data and tables of 109 and 222 columns).
_COSTS, _COSTS_BOUNDED = (12, 8), (1, 6)


def updating_pays(came: Masks, gone: Masks, remaining: Evidences, *, max_predicates: int | None) -> bool:
    """Whether :func:`update` is likely to be quicker than inverting anew."""
    each_came, each_gone = _COSTS_BOUNDED if max_predicates else _COSTS
    return len(came) * each_came + len(gone) * each_gone < len(remaining)


def update(
    cover: Sequence[DC],
    came: Masks,
    gone: Masks,
    remaining: Evidences,
    space: PredicateSpace,
    *,
    max_predicates: int | None,
    maximal: bool = False,
) -> list[DC]:
    """The cover once evidences have come and gone, from the one before.

    Exactly :func:`inversion.minimal_cover` of ``remaining`` (``maximal``: :func:`inversion.maximal_cover`), also under
    a bound on length, which must be the one that ``cover`` was found with.

    Args:
        cover: the cover before; ascending predicate positions, one of each mirror pair, sorted.
        came: predicates satisfied by each evidence of ordered pairs that is new, both directions; uint64[e, w].
        gone: those of the evidences that no pair has any more.
        remaining: all evidences now, ``came`` among them.
        space: the predicate space.
        max_predicates: the bound on length; None or 0: unbounded.
        maximal: whether it is the maximal cover.
    """
    known = refine(cover, came, space, max_predicates=max_predicates, maximal=maximal) if len(came) else list(cover)
    if not len(gone) or not space.groups:
        return known
    universe = _universe(space, max_predicates, maximal=maximal)
    # Where all sets have mirrors, so have evidences, and what one of a pair frees is the mirror of what the other does.
    apart = gone if (mirror_positions(space) < 0).any() else canonical(gone, space)
    found = freed(apart, remaining, universe)
    if not len(found):
        return known
    found = distinct(with_mirrors(found, space))
    stays = ~containing_some(_elements(known, universe, space, maximal=maximal), found)
    return _merged(compress(known, stays.tolist()), (of_weak if maximal else canonical)(found, space))


def refine(
    cover: Sequence[DC],
    new_masks: Masks,
    space: PredicateSpace,
    *,
    max_predicates: int | None,
    maximal: bool = False,
) -> list[DC]:
    """The cover once the evidences ``new_masks`` have come to those that ``cover`` is the cover of.

    As :func:`update` where none is gone; some of the evidences may be known already. Trivial DCs are missing from
    ``cover`` and need not be there: no evidence violates them, and whatever contains one is trivial too.
    """
    universe = _universe(space, max_predicates, maximal=maximal)
    family = with_mirrors(_elements(cover, universe, space, maximal=maximal), space)
    stays, fresh = refined(family, MaskedEvidences(new_masks, len(space.predicates)), universe)
    known = compress(cover, stays[: len(cover)].tolist())
    # Those that stay are as they were; only what is new needs a look.
    return _merged(known, nontrivial(of_weak(fresh, space) if maximal else fresh, space))


def _universe(space: PredicateSpace, max_predicates: int | None, *, maximal: bool) -> Universe:
    return (weak_universe if maximal else predicate_universe)(space, max_predicates)


def _elements(cover: Sequence[DC], universe: Universe, space: PredicateSpace, *, maximal: bool) -> Masks:
    masks = masks_of(cover, universe.words)
    return parted(masks, space) if maximal else masks


def _merged(stay: Iterable[DC], fresh: Masks) -> list[DC]:
    """Both together in order; they are in order each, which makes this quicker than to sort all masks."""
    return sorted([*stay, *tuples_of(fresh)])
