"""A cover of denial constraints carried over evidence that comes and goes, instead of being found anew.

What is violated by evidence that came is refined (:mod:`refinement`); what evidence that is gone stood in the way of is
looked for within it, and takes the place of all that contains it (:mod:`dynamic`). Both serve the
set-minimal cover and the *maximal* cover: its members in which no operator can be
weakened. The others follow from these by strengthening operators, so that keeping these alone loses nothing.
"""

from collections.abc import Iterable, Sequence
from itertools import compress

from profiling_core.algorithms.ground.bit_words import WORD, Masks, distinct, masks_of, tuples_of, vertical
from profiling_core.algorithms.hitting_sets.dynamic import freed
from profiling_core.algorithms.hitting_sets.evidences import Evidences, MaskedEvidences
from profiling_core.algorithms.hitting_sets.inversion import nontrivial, of_weak
from profiling_core.algorithms.hitting_sets.mirror import canonical, mirror_positions, with_mirrors
from profiling_core.algorithms.hitting_sets.refinement import first_satisfying, refined
from profiling_core.algorithms.hitting_sets.set_trie import containing_some
from profiling_core.algorithms.hitting_sets.universe import Universe, parted, predicate_universe, weak_universe
from profiling_core.model.predicate import PredicateSpace

DC = tuple[int, ...]
# What updating takes for each share of the evidences that came and that went, in times of inverting anew: without a
# bound on length and with one. Measured as all below in 128 deltas of 1, 10 and 30 %, of 15 tables and spaces: the way
# that took less was told in 114, and elsewhere the other took up to 2.4 times as long.
_SHARES, _SHARES_BOUNDED = (6, 6), (1, 4)
# Seconds of a core for each member that is violated, where what replaces it has no bound; and what inverting takes for
# each member, alone and per evidence.
_VIOLATED, _INVERTED, _INVERTED_BY_EVIDENCE = 22e-6, 6e-6, 0.8e-9
# Members that are looked at to tell how many are violated.
_LOOKED_AT = 4096


def updating_pays(
    cover: Sequence[DC], came: Masks, gone: Masks, remaining: Evidences, *, max_predicates: int | None
) -> bool:
    """Whether :func:`update` is likely to be quicker than inverting anew."""
    each_came, each_gone = _SHARES_BOUNDED if max_predicates else _SHARES
    takes = (len(came) * each_came + len(gone) * each_gone) / max(1, len(remaining))
    if takes < 1 and len(came) and cover and not max_predicates:
        some = masks_of(cover[:: max(1, len(cover) // _LOOKED_AT)], came.shape[1])
        violated = first_satisfying(some, vertical(came, WORD * came.shape[1])) >= 0
        inverted = _INVERTED + len(remaining) * _INVERTED_BY_EVIDENCE
        takes += float(violated.mean()) * _VIOLATED / inverted
    return takes < 1


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
