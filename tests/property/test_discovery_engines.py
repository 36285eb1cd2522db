"""The ways to a table's denial constraints: the same figures by either, and the choice between them."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

from profiling_core.algorithms.denial.ranking.exact_figures import measure_by_checking
from profiling_core.algorithms.denial.sampled import cost
from profiling_core.algorithms.denial.sampled.known_evidences import KnownEvidences
from profiling_core.algorithms.evidence.multiset import AllPairs, measure, self_evidence
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import DenialConstraint, Kind
from profiling_core.model.errors import InputError
from profiling_core.model.predicate import Operand, PredicateGroup, PredicateSpace
from profiling_core.model.types import NullSemantics
from profiling_core.pipeline.discover import DiscoveryRequest, discover

NAMES = tuple("ABCD")


def space_of(nulls: NullSemantics) -> PredicateSpace:
    groups = [PredicateGroup(Operand("t", c), Operand("s", c), ordered=c != "D") for c in NAMES]
    groups += [PredicateGroup(Operand("t", a), Operand("s", b), ordered=True) for a, b in (("A", "B"), ("B", "A"))]
    groups.append(PredicateGroup(Operand("t", "A"), Operand("t", "B"), ordered=True))
    return PredicateSpace("r", nulls, tuple(groups))


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("rows", [0, 1, 2, 40])
def test_figures_by_checking_are_those_of_the_evidence(nulls: NullSemantics, rows: int):
    rng = np.random.default_rng(rows)
    table = Encoded(NAMES, rng.integers(-1, 6, (4, rows)).astype(np.int32))
    space = space_of(nulls)
    sizes = rng.integers(1, 5, 120)
    chosen = [np.sort(rng.choice(len(space.predicates), size, replace=False)) for size in sizes]
    constraints = [DenialConstraint("r", tuple(space.predicates[i] for i in dc)) for dc in chosen]
    constraints += [DenialConstraint("r", space.groups[-1].predicates[2:4])]
    expected = measure(self_evidence(table, space), space, constraints, rows)
    assert measure_by_checking(table, constraints, nulls) == expected
    holding = [m for m in expected if not m.violations]
    assert holding
    assert measure_by_checking(table, [m.constraint for m in holding], nulls, hold=True) == holding


def table_of(folder: Path, rows: int) -> Path:
    """A key, what follows from it, and few values: few evidences, few constraints."""
    key = np.arange(rows)
    columns = {"key": key, "half": key // 2, "kind": key % 3, "name": [f"n{i // 7}" for i in range(rows)]}
    path = folder / "r.csv"
    pa_csv.write_csv(pa.table(columns), path)
    return path


def test_engines_find_the_same_in_the_same_words(tmp_path: Path):
    path = table_of(tmp_path, 500)
    pairs = discover([path], DiscoveryRequest(engine="pairs"))
    assert discover([path], DiscoveryRequest(engine="hydra")) == pairs
    assert len(pairs.constraints) > 3
    unranked = discover([path], DiscoveryRequest(engine="pairs", ranked=False)).constraints
    assert {m.constraint: m for m in unranked} == {m.constraint: m for m in pairs.constraints}


def test_the_choice_is_made_by_estimates_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = table_of(tmp_path, 1_000)
    monkeypatch.setattr(cost, "SAMPLED", 1e-15)
    monkeypatch.setattr(cost, "SAMPLED_GROUP", 0.0)
    steps: dict[float, list[str]] = {}
    found = {}
    for checked in (1.0, 1e-12):
        for one in ("CHECKED", "CHECKED_ROW", "COUNTED"):
            monkeypatch.setattr(cost, one, checked)
        monkeypatch.setattr(cost, "PAIR_AND_GROUP", 1e-12 / checked)
        steps[checked] = []
        found[checked] = discover([path], DiscoveryRequest(max_predicates=2), steps[checked].append)
        assert any("Hydra" in step for step in steps[checked])
    assert found[1.0] == found[1e-12]
    assert any("comparing" in step for step in steps[1.0])
    assert not any("comparing" in step for step in steps[1e-12])


def test_small_tables_are_not_sampled(tmp_path: Path):
    told: list[str] = []
    discover([table_of(tmp_path, 100)], DiscoveryRequest(), told.append)
    assert not any("sampling" in step for step in told)


def test_estimates_grow_with_rows_and_pairs():
    space = space_of(NullSemantics.SQL)
    rng = np.random.default_rng(2)
    few, many = (
        Encoded(NAMES, rng.permuted(np.tile(np.arange(n), (4, 1)), axis=1).astype(np.int32)) for n in (50, 500)
    )
    assert 50 < cost.seconds_of_pairs(AllPairs(many, space)) / cost.seconds_of_pairs(AllPairs(few, space)) < 200
    assert cost.seconds_of_sampling(many, space) == pytest.approx(10 * cost.seconds_of_sampling(few, space))
    small, large = (cost.seconds_of_counts(np.full(3, 2), rows, len(space.predicates)) for rows in (10**6, 10**9))
    assert large / small == pytest.approx(1000, rel=0.1)


def sampled(pairs: list[tuple[int, int]]) -> tuple[KnownEvidences, AllPairs, cost.Growth]:
    """The evidences of some pairs of 60 rows, all pairs, and how evidences grow."""
    space = space_of(NullSemantics.SQL)
    rows = Encoded(NAMES, np.random.default_rng(1).integers(0, 9, (4, 60)).astype(np.int32))
    known = KnownEvidences(rows, space)
    known.observe(np.array(pairs))
    return known, AllPairs(rows, space), cost.Growth.of(known)


NEIGHBOURS = [(i, i + 1) for i in range(59)]


def test_covers_that_take_long_to_invert_are_left_to_pairs(monkeypatch: pytest.MonkeyPatch):
    known, pairs, growth = sampled(NEIGHBOURS)
    assert cost.estimate(known, pairs, 1e9, growth, max_predicates=None).hydra_is_cheaper
    monkeypatch.setattr(cost, "LOOK_SHARE", 0.0)
    assert not cost.estimate(known, pairs, 0.0, growth, max_predicates=None).may_pay(0.0)


def test_what_sampling_costs_is_not_paid_for_less():
    assert cost.Estimate(pairs=1.0, hydra=0.1).may_pay(0.5)
    assert not cost.Estimate(pairs=1.0, hydra=0.1).may_pay(0.999)


def test_evidences_that_most_pairs_bring_anew_make_pairs_dear():
    known, pairs, growth = sampled(NEIGHBOURS)
    assert len(known) < growth.expected(60) <= 60 * 59
    assert growth.needed(growth.expected(60)) == pytest.approx(60 * 59 / 2)
    less = cost.Growth(growth.evidences, growth.pairs, 0.0)
    assert less.expected(60) == len(known)
    assert less.needed(len(known) + 1) == math.inf
    few, many = (cost.estimate(known, pairs, 1.0, one, max_predicates=None) for one in (less, growth))
    assert few.hydra == many.hydra
    assert few.pairs < many.pairs


@pytest.mark.parametrize("measured", ["rows", "evidences"])
def test_all_pairs_give_the_same_figures_from_rows_and_from_evidences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: str
):
    path = table_of(tmp_path, 300)
    expected = discover([path], DiscoveryRequest(engine="hydra"))
    monkeypatch.setattr(cost, "COUNTED_WORD", 1e9 if measured == "rows" else 0.0)
    assert discover([path], DiscoveryRequest(engine="pairs")) == expected


def test_short_constraints_ask_for_each_predicate_once():
    space = space_of(NullSemantics.SQL)
    dcs = [(a, b) for a in range(20) for b in range(20, 40)]
    assert list(cost.asked_counts(np.full(len(dcs), 2), len(space.predicates))) == [(len(space.predicates), 1)]
    assert not cost.rows_tell_supports_sooner(dcs, 10**6, 100, len(space.predicates))
    assert cost.rows_tell_supports_sooner(dcs * 100, 100, 10**6, len(space.predicates))


@pytest.mark.parametrize("request_", [{"kind": Kind.FD}, {"max_error": 0.1}])
def test_hydra_is_refused_what_it_does_not_find(tmp_path: Path, request_: dict[str, object]):
    with pytest.raises(InputError, match="exact denial constraints only"):
        discover([table_of(tmp_path, 10)], DiscoveryRequest(engine="hydra", **request_))
