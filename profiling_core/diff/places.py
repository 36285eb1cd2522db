"""Which constraints are presented: the best ones, without any that hops in and out.

Scores move a little with every delta. So one that is presented stays until it ranks clearly below the list, and one
that is not takes its place only when it ranks clearly within.
"""

from collections.abc import Sequence

from profiling_core.model.lifecycle import Tracked

# Shares of the list's length: the rank to which one in the list stays, and from which on one outside of it comes in.
_STAYS = 1.5
_ENTERS = 0.75


def places(previous: Sequence[Tracked], ranked: Sequence[str], length: int) -> dict[str, int]:
    """The places of the ranked constraints, from 1, those that are presented first.

    Args:
        previous: the constraints followed so far, with their places.
        ranked: fingerprints, best first.
        length: how many constraints are presented.
    """
    listed = {t.fingerprint for t in previous if t.rank is not None}
    ranks = {name: rank for rank, name in enumerate(ranked, start=1)}
    sure = [name for name in ranked if ranks[name] <= length * (_STAYS if name in listed else _ENTERS)][:length]
    others = [name for name in ranked if name not in set(sure)]
    room = length - len(sure)
    shown = sorted((*sure, *others[:room]), key=ranks.__getitem__)
    return {name: place for place, name in enumerate((*shown, *others[room:]), start=1)}
