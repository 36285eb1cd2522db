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
# Seconds of a core, fitted to 128 deltas of 15 tables and spaces, and to 108 of 9 with a bound on length
# (docs/tried/engines.md); `make fit-dc-costs` measures them again. Without a bound: for each member that is violated;
# what inverting takes for each member, alone and per evidence; and what updating takes for each share of the evidences
# that came or went, in times of inverting.
_VIOLATED, _INVERTED, _INVERTED_BY_EVIDENCE, _SHARES = 22e-6, 6e-6, 0.8e-9, 6
# With a bound on length, inverting takes this for each member, and for each evidence and predicate of the bound;
# updating for each evidence that went, and for each member that these pinned, if this number of evidences pins it.
_INVERTED_SHORT, _INVERTED_BY_LENGTH, _WENT, _FREED, _PINS = 17e-6, 0.2e-6, 1.5e-6, 30e-6, 20
# Members that are looked at to tell how many are violated.
_LOOKED_AT = 4096


def updating_pays(
    cover: Sequence[DC], came: Masks, gone: Masks, remaining: Evidences, *, max_predicates: int | None
) -> bool:
    """Whether :func:`update` is likely to be quicker than inverting anew."""
    now, members = max(1, len(remaining)), len(cover)
    lost = min(1.0, len(gone) / now)
    if max_predicates:
        inverting = members * _INVERTED_SHORT + now * max_predicates * _INVERTED_BY_LENGTH
        updating = len(gone) * _WENT + members * _FREED * (1 - (1 - lost) ** _PINS)
    else:
        inverting = max(1, members) * (_INVERTED + now * _INVERTED_BY_EVIDENCE)
        updating = _SHARES * (len(came) + len(gone)) / now * inverting
    if updating < inverting and len(came) and cover:
        some = masks_of(cover[:: max(1, members // _LOOKED_AT)], came.shape[1])
        violated = first_satisfying(some, vertical(came, WORD * came.shape[1])) >= 0
        updating += float(violated.mean()) * members * _VIOLATED
    return updating < inverting


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
    cover: Sequence[DC], new_masks: Masks, space: PredicateSpace, *, max_predicates: int | None, maximal: bool = False
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
