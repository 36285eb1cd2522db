"""Counts of pairs that satisfy conjunctions, by agreement: every operator on every column beside every other."""

from itertools import product

import numpy as np
import pytest
from oracle.predicates import holds

from profiling_core.algorithms.denial.ranking.agreement_counts import AgreementCounts
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.predicate import ORDERED, UNORDERED, Operand, Predicate
from profiling_core.model.types import NullSemantics

COLUMNS = {"A": ORDERED, "B": ORDERED, "C": ORDERED, "D": UNORDERED}
ROWS = 45


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("least", [-1, 0])
def test_counts_are_those_of_all_pairs(nulls: NullSemantics, least: int):
    rng = np.random.default_rng(least + 1)
    codes = np.stack([rng.integers(least, most, ROWS) for most in (40, 5, 12, 3)]).astype(np.int32)
    rows = [{name: None if c < 0 else int(c) for name, c in zip(COLUMNS, row, strict=True)} for row in codes.T]
    options = [
        [None, *(Predicate(Operand("t", name), op, Operand("s", name)) for op in operators)]
        for name, operators in COLUMNS.items()
    ]
    different = ~np.eye(ROWS, dtype=np.bool_)
    satisfied = {
        p: np.array([[holds(p, t, s, nulls) for s in rows] for t in rows])
        for predicates in options
        for p in predicates
        if p is not None
    }
    counts = AgreementCounts(Encoded(tuple(COLUMNS), codes), nulls)
    for chosen in product(*options):
        asked = tuple(p for p in chosen if p is not None)
        expected = np.logical_and.reduce([different, *(satisfied[p] for p in asked)])
        untold = nulls is NullSemantics.EQUAL and least < 0 and any(p.op not in UNORDERED for p in asked)
        assert counts.of(asked) == (None if untold else expected.sum()), asked


def test_what_agreement_does_not_tell():
    codes = np.arange(8, dtype=np.int32).reshape(4, 2)
    counts = AgreementCounts(Encoded(tuple(COLUMNS), codes), NullSemantics.SQL)
    within, across = Operand("t", "B"), Operand("s", "B")
    assert counts.of([Predicate(Operand("t", "A"), ORDERED[0], across)]) is None
    assert counts.of([Predicate(Operand("t", "A"), ORDERED[0], within)]) is None
    assert counts.of([Predicate(within, op, across) for op in ORDERED[2:4]]) is None
    orders = [Predicate(Operand("t", name), ORDERED[2], Operand("s", name)) for name in COLUMNS]
    assert counts.of(orders) is None
    assert counts.of(orders[:3]) == 1
