"""One way to write a same-column denial constraint, so that those of different programs compare as lines of text."""

from collections.abc import Iterable

_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def canonical(predicates: Iterable[tuple[str, str]]) -> str:
    """The smaller of a constraint and its mirror, from its columns and operators (``=``, ``≠``, ``<``, ``<=``, …)."""
    forward = sorted(predicates)
    mirror = sorted((column, _FLIPPED.get(op, op)) for column, op in forward)
    return " and ".join(f"{column} {op}" for column, op in min(forward, mirror))


def inclusion(included: str, lhs: Iterable[str], referenced: str, rhs: Iterable[str]) -> str:
    """One way to write an inclusion dependency: both tables, then the paired columns in order."""
    return f"{included} {referenced} {' '.join(sorted(f'{a}={b}' for a, b in zip(lhs, rhs, strict=True)))}"
