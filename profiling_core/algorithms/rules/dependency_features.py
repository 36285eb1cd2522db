"""Features of the score of a functional dependency with one or two columns on the left.

Each feature is a number between 0 and about 1, so that its weight says how much it tells. What rows tell for a
dependency is evidence, which never speaks against one.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from profiling_core.algorithms.equations.sample import spread
from profiling_core.algorithms.roles import names
from profiling_core.algorithms.rules.coded_table import SAMPLED, CodedTable, Groups
from profiling_core.algorithms.rules.determined import Determined, is_in_runs, kinds
from profiling_core.algorithms.rules.order_features import EVIDENCE, up_to
from profiling_core.algorithms.values.encoding import NULL
from profiling_core.model.role import Role

# An unbounded measure becomes several features, each capped at one of these, so that the score may bend.
_POWERS = (1.0, 3.0, 10.0, 30.0, 100.0)
# A quantity of at most this many values is a grade, as impact and urgency are, and not a measurement.
_FEW = 10
# An agreement that chance explains less often than this is as surprising as can be told.
_LEAST_CHANCE = 1e-9


class Dependency(NamedTuple):
    """A dependency that holds, with its evidence.

    ``tests``: the rows beyond the first of each value on the left. ``pairs``: ordered pairs of rows that agree on the
    left. ``by_less``: the chance that two rows agree on the right if they agree on the left without one of its columns.
    """

    left: tuple[str, ...]
    right: str
    tests: int
    pairs: int
    by_less: float

    @property
    def surprise(self) -> float:
        """How improbable the tests' outcome is by chance, as −log₁₀."""
        return -self.tests * math.log10(max(self.by_less, _LEAST_CHANCE))


def measured(table: CodedTable, left: tuple[str, ...], right: str) -> Dependency:
    """A dependency with its evidence from the rows that have values on both sides."""
    groups, codes = table.grouped(left), table.codes[right]
    there = (groups.of != NULL) & (codes != NULL)
    sizes = Groups(groups.of[there], groups.count).sizes
    tests, pairs = int((sizes - 1)[sizes > 0].sum()), int((sizes * (sizes - 1)).sum())
    return Dependency(left, right, tests, pairs, _by_less(table, left, right))


def _by_less(table: CodedTable, left: tuple[str, ...], right: str) -> float:
    rows = spread(table.size, SAMPLED)
    codes, distinct = table.codes[right][rows], table.distinct(right)
    if len(left) == 1:
        there = (table.codes[left[0]][rows] != NULL) & (codes != NULL)
        return Groups(np.zeros(int(there.sum()), np.int64), 1).agreeing(codes[there], distinct)
    return max(table.grouped([name], rows).agreeing(codes, distinct) for name in left)


class Alongside(NamedTuple):
    """What else of a table holds.

    ``single``: by column all that it determines. ``several``: by several columns what they determine together alone.
    ``equations``: the columns of each equation.
    """

    single: Determined
    several: Mapping[frozenset[str], Collection[str]] = {}
    equations: Collection[Collection[str]] = ()

    def told_by(self, left: Collection[str]) -> set[str]:
        """Some columns, and all that they determine."""
        return {*left, *self.several.get(frozenset(left), ())}.union(*(self.single.get(name, ()) for name in left))


def features(table: CodedTable, found: Dependency, known: Alongside) -> dict[str, float]:
    """The features of a dependency by name; those that are 0 may lack.

    Args:
        table: the table.
        found: a dependency that holds.
        known: what else holds.
    """
    told = {
        **_of_values(table, found, known),
        **_of_names(table, found),
        **dict(_of_roles(table, found)),
        **_among(table, found, known),
    }
    if len(found.left) > 1:
        return {**told, "two": 1.0}
    return {**told, **_of_one(table, found, known.single), **dict(_of_words(table, found))}


def _of_values(table: CodedTable, found: Dependency, known: Alongside) -> dict[str, float]:
    """What the rows tell: how surprising it is, of how many kinds of rows, and how coarse either side is."""
    groups = table.grouped(found.left)
    lefts = int((groups.sizes > 0).sum())
    own = kinds(table, (*found.left, found.right), known.single, known.told_by(found.left))
    apart = found._replace(tests=max(0, min(found.tests, own - lefts)))
    evidence = {
        **up_to("surprise", found.surprise, _POWERS),
        **up_to("surprise of kinds", apart.surprise, _POWERS),
        "tests of all rows": found.tests / table.size,
    }
    return {f"{EVIDENCE}{name}": value for name, value in evidence.items()} | {
        "by less, squared": found.by_less**2,
    }


def _among(table: CodedTable, found: Dependency, known: Alongside) -> dict[str, float]:
    """How a dependency stands to the others of its table, and to its equations."""
    left, right = {*found.left}, found.right
    position = table.schema.names.index
    turned = [name for name in found.left if name in known.told_by(left - {name} | {right})]
    twins, coarser = _in_place_of(found, known.single)
    by_way = [n for name, n in coarser if right in known.told_by(left - {name} | {n})]
    return {
        "turned round": len(turned) / len(left),
        "turned round, behind": float(any(position(right) < position(name) for name in turned)),
        "twin in front": float(any(position(n) < position(name) for name, n in twins)),
        "by way of another": min(1.0, len(by_way) / 2),
        "computed": float(_is_computed(right, known.told_by(left) - {right}, known.equations)),
    }


def _in_place_of(found: Dependency, single: Determined) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """What might stand in place of each column on the left: columns that determine it, too, and coarser ones."""
    others = ((name, n) for name in found.left for n in single.get(name, ()) if n not in (found.right, *found.left))
    both: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
    for name, n in others:
        both[name not in single.get(n, ())].append((name, n))
    return both


def _is_computed(right: str, told: Collection[str], equations: Collection[Collection[str]]) -> bool:
    """Whether an equation gives a column by others that are told."""
    return any(right in columns and {*columns} - {right} <= {*told} for columns in equations)


def _of_one(table: CodedTable, found: Dependency, single: Determined) -> dict[str, float]:
    """How one column that determines another one stands to the rest of the table."""
    (left,), right = found.left, found.right
    others = len(table.roles) - 1
    ordered = table.roles[left].role.is_ordered
    return {
        "determined by": sum(right in of for of in single.values()) / others,
        "in runs": float(ordered and is_in_runs(table, left, right)),
        "ordered, not in runs": float(ordered and not is_in_runs(table, left, right)),
    }


def _of_roles(table: CodedTable, found: Dependency) -> Iterator[tuple[str, float]]:
    right = table.roles[found.right].role
    for name in {*found.left}:
        role = _role(table, name)
        share = sum(_role(table, n) is role for n in found.left) / len(found.left)
        yield f"left {role}", share
        yield f"left {role} of few values", share * min(1.0, _FEW / table.distinct(name))
    yield f"right {right}", 1.0


def _role(table: CodedTable, name: str) -> Role:
    """A column's role, in which numbers of few values are a category."""
    role = table.roles[name].role
    return Role.CATEGORY if role is Role.QUANTITY and table.distinct(name) <= _FEW else role


def _of_names(table: CodedTable, found: Dependency) -> dict[str, float]:
    """Features of names and places, and of whether columns say when a row was written."""
    own = _words(table, found.right)
    lefts = [_words(table, name) for name in found.left]
    position = table.schema.names.index
    steps = min((position(found.right) - position(name) for name in found.left), key=abs)
    return {
        "words in common": max(len(own & words) / len(own | words) for words in lefts),
        "left first": float(steps > 0),
    }


def _of_words(table: CodedTable, found: Dependency) -> Iterator[tuple[str, float]]:
    """Features of the words by which the names on either side differ."""
    left, right = _words(table, found.left[0]), _words(table, found.right)
    yield from ((f"word: left {word}", 1.0) for word in left - right)
    yield from ((f"word: right {word}", 1.0) for word in right - left)


def _words(table: CodedTable, name: str) -> set[str]:
    return {*names.words(names.bare(name, table.schema.names))}
