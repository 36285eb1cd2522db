"""IncDC's index for two inequalities and its Fetch (sections 5.2 and 6.1), which our trees of bounds are beside.

As printed, OptIndex breaks ties in A by the order that B has in a list, which puts rows of equal A in one list; they
are broken the other way here, so that they never are.
"""

from typing import NamedTuple

import numpy as np

from profiling_core.algorithms.ground.kernel import kernel


class OptIndex(NamedTuple):
    """Lists in which A and B both rise: list i has places ``starts[i]`` to ``starts[i + 1]``; rows of equal A and B.

    ``a``, ``b``: int64[places], the values, which are different in a list; ``members[firsts[p] : firsts[p + 1]]`` are
    the rows at place p.
    """

    starts: np.ndarray
    a: np.ndarray
    b: np.ndarray
    firsts: np.ndarray
    members: np.ndarray

    @property
    def rank(self):
        return len(self.starts) - 1


def opt_index(a, b):
    """The index of the lowest rank, for A and B that rise (a falling one is given negated)."""
    by_both = np.lexsort([-b, a])
    a, b = a[by_both], b[by_both]
    new = np.flatnonzero(np.r_[True, (np.diff(a) != 0) | (np.diff(b) != 0)]) if len(a) else np.empty(0, np.int64)
    chain, rank = chains(b[new])
    placed = np.argsort(chain, kind="stable")
    bounds = np.r_[new, len(a)]
    sizes = (bounds[1:] - bounds[:-1])[placed]
    rows = np.concatenate([np.empty(0, np.int64), *(by_both[bounds[p] : bounds[p + 1]] for p in placed)])
    starts = np.r_[0, np.cumsum(np.bincount(chain, minlength=rank))]
    return OptIndex(starts, a[new][placed], b[new][placed], np.r_[0, np.cumsum(sizes)], rows)


@kernel
def chains(b):
    """To which list each value goes: the one whose last is the nearest below it, else a new one (patience sorting)."""
    last = np.empty(b.size, np.int64)  # falls from list to list
    chain = np.empty(b.size, np.int64)
    rank = 0
    for i in range(b.size):
        low, high = 0, rank
        while low < high:
            middle = (low + high) // 2
            if last[middle] < b[i]:
                high = middle
            else:
                low = middle + 1
        last[low] = b[i]
        chain[i] = low
        rank = max(rank, low + 1)
    return chain, rank


@kernel
def below(values, start, end, value, equal):
    """The number of values, which rise, that are below one, or equal to it."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value or (equal and values[middle] == value):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def fetched(starts, a, b, firsts, members, new_a, new_b):
    """How many old rows are below each new one in A and B, and how many above: IncDC's Algorithm 1, counted."""
    lower, upper = 0, 0
    for row in range(new_a.size):
        for i in range(starts.size - 1):
            start, end = starts[i], starts[i + 1]
            left = min(below(a, start, end, new_a[row], False), below(b, start, end, new_b[row], False))
            right = max(below(a, start, end, new_a[row], True), below(b, start, end, new_b[row], True))
            lower += firsts[left] - firsts[start]
            upper += firsts[end] - firsts[right]
    return lower, upper


@kernel
def checked(starts, a, b, firsts, members, new_a, new_b, c, new_c):  # noqa: PLR0917 -- a kernel in one piece
    """Of the rows that are fetched, how many rise in C as well, from the new row to the old one or back."""
    found = 0
    for row in range(new_a.size):
        for i in range(starts.size - 1):
            start, end = starts[i], starts[i + 1]
            left = min(below(a, start, end, new_a[row], False), below(b, start, end, new_b[row], False))
            right = max(below(a, start, end, new_a[row], True), below(b, start, end, new_b[row], True))
            for place in range(firsts[start], firsts[left]):
                found += c[members[place]] < new_c[row]
            for place in range(firsts[right], firsts[end]):
                found += c[members[place]] > new_c[row]
    return found
