"""Evidence, predicate spaces and exact figures of constraints against the brute-force oracle.

Sections of the papers: DynASt 3; Hydra 4.1; IncDC 3, 8.
"""

import datetime as dt
import itertools
from collections import Counter
from decimal import Decimal

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import HealthCheck, assume, given, settings
from oracle import predicates as naive

from profiling_core.algorithms.evidence import contexts, multiset, pairs, predicate_space
from profiling_core.algorithms.evidence.keyed import KeyedEvidences
from profiling_core.algorithms.evidence.keys import KeyLayout
from profiling_core.algorithms.evidence.multiset import (
    changed_evidence,
    combine,
    cross_evidence,
    measure,
    ordered_masks,
    self_evidence,
)
from profiling_core.algorithms.evidence.pairs import collapsed
from profiling_core.algorithms.values.encoding import encode, encode_together
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

DAY = dt.date(2013, 3, 1)
MIDNIGHT = dt.datetime(2013, 3, 1, tzinfo=dt.UTC)
# Per column: its type, whether it is ordered, its Arrow type, and values that are easily taken for each other.
COLUMNS = {
    "i": (LogicalType.INTEGER, True, pa.int64(), [None, 0, 1, 2**53, 2**53 + 1]),
    "f": (LogicalType.FLOAT, True, pa.float64(), [None, 0.0, -0.0, 1.0, 2.0**53, float("nan")]),
    "d": (
        LogicalType.DECIMAL,
        True,
        pa.decimal128(20, 2),
        [None, Decimal("0.00"), Decimal("1.00"), Decimal(2**53 + 1)],
    ),
    "u": (LogicalType.INTEGER, False, pa.int64(), [None, 0, 1]),
    "y": (LogicalType.DATE, True, pa.date32(), [None, DAY, DAY + dt.timedelta(1)]),
    "z": (LogicalType.TIMESTAMP, True, pa.timestamp("us", tz="UTC"), [None, MIDNIGHT, MIDNIGHT.replace(microsecond=1)]),
    "s": (LogicalType.STRING, False, pa.string(), [None, "", "x", "X", "x ", "ä", "a\u0308"]),
    "o": (LogicalType.STRING, True, pa.string(), [None, "x", "Z", "é", "\U0001f600", "\uffee"]),
    "b": (LogicalType.BOOLEAN, False, pa.bool_(), [None, True, False]),
    "r": (LogicalType.BINARY, False, pa.binary(), [None, b"", b"\x00", b"\xff"]),
}


@st.composite
def tables(draw, most_rows=7):
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=5, unique=True))
    row = st.fixed_dictionaries({name: st.sampled_from(COLUMNS[name][3]) for name in names})
    rows = draw(st.lists(row, max_size=most_rows))
    schema = TableSchema("r", tuple(Column(name, COLUMNS[name][0], ordered=COLUMNS[name][1]) for name in names))
    arrow = pa.table({name: pa.array([r[name] for r in rows], COLUMNS[name][2]) for name in names})
    return schema, rows, arrow


def spaces(schema, arrow, nulls, cross):
    return predicate_space.build(schema, nulls, cross=cross, shared=predicate_space.shared_fractions(arrow, schema))


def as_oracle(evidence, space):
    masks, counts = ordered_masks(evidence, space)
    found = Counter()
    for mask, count in zip(masks.tolist(), counts.tolist(), strict=True):
        bits = frozenset(i for i in range(len(space.predicates)) if mask[i // 64] >> (i % 64) & 1)
        assert bits not in found
        found[bits] = count
    return found


def assert_same(a, b):
    assert np.array_equal(a.keys, b.keys)
    assert np.array_equal(a.counts, b.counts)


many = settings(max_examples=examples(400), deadline=None, suppress_health_check=list(HealthCheck))


@many
@given(tables(most_rows=14), st.sampled_from(NullSemantics), st.booleans(), st.integers(1, 8))
def test_contexts_give_the_evidence_of_all_pairs(table, nulls, cross, most):
    """Whatever counts as rare: values of one row, of a few, or all of them."""
    schema, rows, arrow = table
    assume(rows)
    space = spaces(schema, arrow, nulls, cross)
    layout = KeyLayout(space)
    side = collapsed(encode(arrow, space), layout)
    parts = contexts.context_evidence(side, contexts.plan_with(side, layout, most), layout, 1)
    found = combine((layout.canonical(part), sign) for part, sign in parts)
    assert as_oracle(found, space) == naive.evidence(rows, space)


@many
@given(tables(), st.sampled_from(NullSemantics), st.booleans(), st.booleans())
def test_space_and_evidence_are_the_oracles(table, nulls, cross, in_cells):
    schema, rows, arrow = table
    space = spaces(schema, arrow, nulls, cross)
    assert space == naive.predicate_space(schema, rows, nulls, cross=cross)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "PAIRS_WORTH_CELLS", 0 if in_cells else pairs.PAIRS_WORTH_CELLS)
        evidence = self_evidence(encode(arrow, space), space)
    assert as_oracle(evidence, space) == naive.evidence(rows, space)


KEYS = st.tuples(st.integers(0, 2), st.integers(0, 9))


@many
@given(
    st.dictionaries(KEYS, st.integers(1, 3), min_size=10, max_size=30),
    st.lists(st.tuples(st.lists(st.tuples(KEYS, st.integers(1, 3)), max_size=3), st.sampled_from([-1, 1])), max_size=2),
    st.booleans(),
)
def test_signed_sums_of_evidence(large, others, is_sorted):
    """Of one large multiset and small ones: merged with it where it is in order."""
    parts = [(sorted(large.items(), reverse=not is_sorted), 1), *others]
    expected = Counter()
    for items, sign in parts:
        for key, count in items:
            expected[key] += sign * count
    summed = combine(
        (
            EvidenceSet(
                np.array([key for key, _ in items], np.uint64).reshape(-1, 2), np.array([n for _, n in items], np.int64)
            ),
            sign,
        )
        for items, sign in parts
    )
    found = zip(map(tuple, summed.keys.tolist()), summed.counts.tolist(), strict=True)
    assert list(found) == sorted((key, count) for key, count in expected.items() if count)


@settings(many, max_examples=examples(150))
@given(tables(most_rows=14), st.sampled_from(NullSemantics), st.booleans(), st.integers(0, 2**64 - 1))
def test_evidences_by_their_keys_are_those_of_masks(table, nulls, cross, wanted):
    """Each at its place, transposed for some of the predicates; more of them than a word has bits, and fewer."""
    schema, _, arrow = table
    space = spaces(schema, arrow, nulls, cross)
    evidence = self_evidence(encode(arrow, space), space)
    keyed = KeyedEvidences(evidence, space)
    masks, _ = ordered_masks(evidence, space)
    each = keyed.at(np.arange(len(keyed)))
    assert {tuple(mask) for mask in each.tolist()} == {tuple(mask) for mask in masks.tolist()}
    assert sorted(keyed.masks.tolist()) == sorted(masks.tolist())
    chosen = np.full(each.shape[1], wanted, np.uint64)
    hits = keyed.hits(chosen)
    for predicate, places in enumerate(np.unpackbits(hits.view(np.uint8), axis=1, bitorder="little")):
        is_wanted = wanted >> (predicate % 64) & 1
        expected = [is_wanted and mask[predicate // 64] >> (predicate % 64) & 1 for mask in each.tolist()]
        assert places[: len(each)].tolist() == expected
        assert not places[len(each) :].any()


@many
@given(tables(), st.sampled_from(NullSemantics), st.booleans(), st.data())
def test_evidence_does_not_depend_on_row_order_or_partition(table, nulls, cross, data):
    schema, rows, arrow = table
    space = spaces(schema, arrow, nulls, cross)
    whole = self_evidence(encode(arrow, space), space)
    shuffled = arrow.take(pa.array(data.draw(st.permutations(range(len(rows)))), pa.int64()))
    cut = data.draw(st.integers(0, len(rows)))
    first, second = encode_together([shuffled.slice(0, cut), shuffled.slice(cut)], space)
    parts = [(self_evidence(part, space), 1) for part in (first, second)]
    assert_same(whole, combine([*parts, (cross_evidence(first, second, space), 1)]))
    without = combine([(whole, 1), (cross_evidence(second, first, space), -1), (parts[1][0], -1)])
    assert_same(without, parts[0][0])


@many
@given(tables(), st.sampled_from(NullSemantics), st.booleans(), st.booleans(), st.data())
def test_evidence_of_updates_is_the_oracles(table, nulls, cross, in_cells, data):
    """Rows that change in some columns, whether few or all, beside rows that only come or only go."""
    schema, rows, arrow = table
    space = spaces(schema, arrow, nulls, cross)
    ends = sorted(data.draw(st.tuples(*[st.integers(0, len(rows))] * 2)))
    kept, gone = rows[: ends[0]], rows[ends[0] :]
    values = {name: st.sampled_from(COLUMNS[name][3]) for name in arrow.column_names}
    changes = [data.draw(st.fixed_dictionaries({}, optional=values)) for _ in rows[ends[0] : ends[1]]]
    came = [{**row, **change} for row, change in zip(gone, changes, strict=False)]
    came += data.draw(st.lists(st.fixed_dictionaries(values), max_size=2))
    came = data.draw(st.permutations(came))
    tables = [pa.Table.from_pylist(part, arrow.schema) for part in (kept, gone, came)]
    stay, go, come = encode_together(tables, space)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "PAIRS_WORTH_CELLS", 0 if in_cells else pairs.PAIRS_WORTH_CELLS)
        patch.setattr(multiset, "COLLAPSE_AGAINST", data.draw(st.sampled_from([1, 1_000])))
        patch.setattr(multiset, "MOST_CHANGING", data.draw(st.sampled_from([0.3, 1.0])))
        patch.setattr(multiset, "ROWS_WORTH_A_PLAN", data.draw(st.sampled_from([0, 1_000])))
        patch.setattr(contexts, "_FEWEST_PAIRS", 0)
        after = changed_evidence(self_evidence(encode(arrow, space), space), stay, go, come, space)
    assert as_oracle(after, space) == naive.evidence(kept + came, space)


@many
@given(tables(), st.sampled_from(NullSemantics), st.booleans(), st.data())
def test_measured_constraints_have_the_oracles_figures(table, nulls, cross, data):
    schema, rows, arrow = table
    space = spaces(schema, arrow, nulls, cross)
    chosen = data.draw(st.lists(st.lists(st.sampled_from(space.predicates), min_size=1, max_size=3, unique=True)))
    constraints = [DenialConstraint("r", tuple(predicates)) for predicates in chosen]
    evidence = self_evidence(encode(arrow, space), space)
    for constraint, found in zip(constraints, measure(evidence, space, constraints, len(rows)), strict=True):
        assert found.constraint == constraint
        violations, population = naive.violations(constraint, rows, nulls)
        if len(rows) > 1:
            assert (found.violations, found.population) == (violations, population)
        if not any(predicate.is_single_row for predicate in constraint.predicates):
            assert found.support == min(near_misses(constraint.predicates, rows, nulls))


def near_misses(predicates, rows, nulls):
    """For each predicate, the ordered pairs that satisfy all the others."""
    for i in range(len(predicates)):
        others = predicates[:i] + predicates[i + 1 :]
        yield sum(all(naive.holds(p, t, s, nulls) for p in others) for t, s in itertools.permutations(rows, 2))
