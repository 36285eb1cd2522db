"""The rows that are blamed for contradictions account for all of them, and are the few wrong ones among many."""

import math

import hypothesis.strategies as st
from helpers.constraints import arrow, table_schema
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle import predicates as naive
from oracle.strategies import tables

from profiling_core.algorithms.denial.checking.blame import MOST_ROWS, to_blame
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.values.encoding import encode_together
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.types import NullSemantics

SCHEMA = table_schema("r", "year integer, day integer")
# no two rows may have the later year and not the later day
RISING = DenialConstraint(
    "r",
    (
        Predicate(Operand("t", "year"), Operator.LT, Operand("s", "year")),
        Predicate(Operand("t", "day"), Operator.GE, Operand("s", "day")),
    ),
)
SPACE = predicate_space.build(SCHEMA, NullSemantics.SQL, cross=False)


def encoded(rows, schema, space):
    table = arrow(rows, schema)
    return encode_together([table], space)[0]


def blamed(pairs):
    rows = [{"year": year, "day": day} for year, day in pairs]
    return set(to_blame(encoded(rows, SCHEMA, SPACE), RISING, NullSemantics.SQL).nonzero()[0].tolist())


@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(sample=tables(columns=3, rows=7), nulls=st.sampled_from(NullSemantics), data=st.data())
def test_without_the_blamed_rows_none_contradict_each_other(sample, nulls, data):
    space = naive.predicate_space(sample.schema, sample.rows, nulls, cross=True)
    chosen = data.draw(st.lists(st.sampled_from(space.predicates), min_size=1, max_size=3, unique=True))
    constraint = DenialConstraint("r", tuple(sorted(chosen, key=space.predicates.index)))
    if constraint.is_single_row:
        return
    rows = sample.rows

    def contradict(t, s):
        return any(all(naive.holds(p, a, b, nulls) for p in constraint.predicates) for a, b in ((t, s), (s, t)))

    pairs = {(i, j) for i in range(len(rows)) for j in range(i) if contradict(rows[i], rows[j])}
    found = set(to_blame(encoded(rows, sample.schema, space), constraint, nulls).nonzero()[0].tolist())
    assert all(i in found or j in found for i, j in pairs)
    involved = {i for pair in pairs for i in pair}
    values = [
        [None if isinstance(value, float) and math.isnan(value) else value for value in row.values()] for row in rows
    ]  # no number is no value
    copies = {i for i, j in pairs if values[i] == values[j]}
    assert copies <= found <= involved
    left = {i for pair in pairs if not copies & set(pair) for i in pair}
    assert 2 * len(found - copies) < len(left) or found == copies | left


def test_one_wrong_row_that_contradicts_all_others_is_blamed_alone():
    assert blamed([(2004, 1)] * 20 + [(204_400, 1)] + [(2004, 1)] * 20) == {20}


def test_of_two_that_contradict_each_other_alone_both_are_blamed():
    assert blamed([(2004, 5), (2005, 1)]) == {0, 1}
    assert blamed([(2004, 1), (2005, 2), (2006, 3)]) == set()


def test_of_rows_that_are_the_same_all_but_the_first_are_blamed():
    rows = encoded([{"year": 1, "day": 2}, {"year": 3, "day": 4}] * 2, SCHEMA, SPACE)
    both = tuple(
        Predicate(Operand("t", c), op, Operand("s", c)) for c, op in (("year", Operator.LE), ("day", Operator.GE))
    )
    found = to_blame(rows, DenialConstraint("r", both), NullSemantics.SQL)
    assert found.tolist() == [False, False, True, True]


def test_where_half_of_the_rows_contradict_the_other_half_all_are_blamed():
    assert blamed([(2004, 5)] * 3 + [(2005, 1)] * 3) == set(range(6))


def test_of_more_rows_than_can_be_compared_all_are_blamed():
    assert len(blamed([(2004, 1)] * MOST_ROWS + [(204_400, 1)])) == MOST_ROWS + 1
