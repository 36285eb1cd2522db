"""One way to write a same-column denial constraint, so that those of different programs compare as lines of text."""

from collections.abc import Iterable

_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def canonical(predicates: Iterable[tuple[str, str]]) -> str:
    """The smaller of a constraint and its mirror, from its columns and operators (``=``, ``≠``, ``<``, ``<=``, …)."""
    forward = sorted(predicates)
    mirror = sorted((column, _FLIPPED.get(op, op)) for column, op in forward)
    return " and ".join(f"{column} {op}" for column, op in min(forward, mirror))
