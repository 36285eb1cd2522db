"""Who is in the presented list from one version to the next."""

from helpers.steps import DISTANCE, fd, step

from profiling_core.diff.lifecycle import advance
from profiling_core.diff.places import places
from profiling_core.model.change import LifecycleState

NAMES = [f"n{i}" for i in range(12)]


class Listed:
    """A constraint with a place; only the place counts."""

    def __init__(self, fingerprint: str, rank: int | None) -> None:
        self.fingerprint, self.rank = fingerprint, rank


def shown(ranked, previous=(), length=8):
    found = places([Listed(name, 1) for name in previous], ranked, length)
    assert sorted(found) == sorted(ranked)
    assert sorted(found.values()) == list(range(1, len(ranked) + 1))
    return [name for name, place in sorted(found.items(), key=lambda item: item[1]) if place <= length]


def test_a_new_list_has_the_best():
    assert shown(NAMES) == NAMES[:8]
    assert shown(NAMES[:3]) == NAMES[:3]


def test_one_that_is_presented_stays_until_it_ranks_clearly_below():
    before = NAMES[:8]
    swapped = [*NAMES[:7], "n8", "n7", *NAMES[9:]]
    assert shown(swapped, before) == before
    far = [*NAMES[:7], *NAMES[8:], "other", "n7"]
    assert shown(far, before) == [*NAMES[:7], "n8"]


def test_one_that_ranks_clearly_within_comes_in_for_the_last():
    before = NAMES[:8]
    assert shown(["best", *NAMES], before) == ["best", *NAMES[:7]]


def test_one_that_breaks_and_holds_again_is_presented_within_the_list_only():
    rest = [fd(f"a{i}", "b") for i in range(4)]
    active = advance([], step([DISTANCE], deltas=9))[0]
    violated = advance(active, step(rest, [fd("origin dest", "distance", 3)]))[0]
    after = advance(violated, step([*rest, DISTANCE], [DISTANCE]))[0]
    (again,) = [t for t in after if t.measured.constraint == DISTANCE.constraint]
    assert again.state is LifecycleState.RECOVERED
    assert again.rank is None
