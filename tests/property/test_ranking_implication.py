"""What is said to follow from other constraints holds wherever they do."""

import itertools
import random

from oracle.predicates import predicate_space, violations

from profiling_core.algorithms.denial.ranking.implication import KnownConstraints
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

NAMES = ("a", "b", "c")
SCHEMA = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in NAMES))
VALUES = range(3)
SPACE = predicate_space(SCHEMA, [dict.fromkeys(NAMES, v) for v in VALUES], NullSemantics.SQL, cross=True)


def drawn(rng, longest=3):
    chosen = rng.sample(SPACE.predicates, rng.randint(1, longest))
    return DenialConstraint("r", tuple(sorted(chosen, key=SPACE.index.get)))


def holds(constraint, rows):
    return violations(constraint, rows, NullSemantics.SQL)[0] == 0


def test_what_follows_holds_wherever_the_known_ones_do():
    rng = random.Random(5)  # test data
    pairs = [
        [dict(zip(NAMES, row, strict=True)) for row in rows]
        for rows in itertools.product(itertools.product(VALUES, repeat=3), repeat=2)
    ]
    implied = more = 0
    for _ in range(150):
        known = KnownConstraints()
        given = [drawn(rng) for _ in range(4)]
        for constraint in given:
            known.add(constraint)
        obeying = [rows for rows in pairs if all(holds(constraint, rows) for constraint in given)]
        for constraint in (drawn(rng, 4) for _ in range(6)):
            found = known.imply(constraint)
            assert not found or all(holds(constraint, rows) for rows in obeying), (given, constraint)
            alone = KnownConstraints()
            alone.add(given[0])
            implied += found
            more += found and not alone.imply(constraint)
    assert implied > 100
    assert more > 30


def test_what_is_known_follows_from_itself_in_either_form():
    rng = random.Random(7)  # test data
    for _ in range(200):
        constraint = drawn(rng)
        known = KnownConstraints()
        known.add(constraint)
        assert known.imply(constraint)
