"""Whether a list of exact FDs and UCCs is right, told from the rows alone: for tables too wide for brute force.

Validity and minimality are looked up row by row. That nothing is missing is told by duality: every column set that no
listed left side is part of must be part of what some pair of rows agrees on, which random maximal such sets show.
"""

import itertools


def agreements(rows, names, rhs):
    """What pairs of rows that differ in ``rhs`` (None: all pairs) agree on, as sets of columns; nulls are values."""
    return [
        frozenset(c for c in names if t[c] == s[c])
        for t, s in itertools.combinations(rows, 2)
        if rhs is None or t[rhs] != s[rhs]
    ]


def is_valid(rows, lhs, rhs):
    """Whether rows that agree on ``lhs`` agree on ``rhs``; None: whether no two rows agree on ``lhs``."""
    seen = {}
    for row in rows:
        key = tuple(row[c] for c in lhs)
        if key in seen and (rhs is None or seen[key] != row[rhs]):
            return False
        seen[key] = None if rhs is None else row[rhs]
    return True


def check_cover(rows, names, rhs, sides, longest, random, probes=30):
    """Asserts that ``sides`` are the minimal left sides of at most ``longest`` columns for one right side."""
    listed = [frozenset(side) for side in sides]
    assert len(set(listed)) == len(listed)
    for side in listed:
        assert len(side) <= longest
        assert rhs not in side
        assert is_valid(rows, sorted(side), rhs)
        for column in side:
            assert not is_valid(rows, sorted(side - {column}), rhs)
    pairs = agreements(rows, names, rhs)
    others = [name for name in names if name != rhs]
    for _ in range(probes):
        chosen = frozenset()
        for column in random.permutation(others).tolist():
            if len(chosen) == longest:
                break
            if not any(side <= chosen | {column} for side in listed):
                chosen |= {column}
        if not any(side <= chosen for side in listed):
            assert any(chosen <= pair for pair in pairs)
