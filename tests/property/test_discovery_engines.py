"""The ways to a table's denial constraints: the same figures by either, and the choice between them."""

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
    path = table_of(tmp_path, 500)
    monkeypatch.setattr(cost, "LEAST_SECONDS", 0.0)
    steps: dict[float, list[str]] = {}
    found = {}
    for checked in (1.0, 1e-12):
        monkeypatch.setattr(cost, "CHECKED_ROW", checked)
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
    known = KnownEvidences(few, space)
    small, large = (cost.estimate(known, n, space, max_predicates=2, compared=1.0) for n in (1_000, 1_000_000))
    assert large.hydra / small.hydra == pytest.approx(1000)
    assert large.pairs == small.pairs > 1


def test_covers_that_take_long_to_invert_are_left_to_pairs():
    space = space_of(NullSemantics.SQL)
    table = Encoded(NAMES, np.random.default_rng(1).integers(0, 9, (4, 60)).astype(np.int32))
    known = KnownEvidences(table, space)
    known.observe(np.array([(i, i + 1) for i in range(59)]))
    found = cost.estimate(known, 60, space, max_predicates=None, compared=-cost.LOOK_SECONDS / cost.LOOK_SHARE)
    assert not found.hydra_may_be_cheaper
    assert cost.estimate(known, 60, space, max_predicates=None, compared=1e9).hydra_is_cheaper


def test_evidences_that_most_pairs_bring_anew_make_pairs_dear():
    space = space_of(NullSemantics.SQL)
    table = Encoded(NAMES, np.random.default_rng(1).integers(0, 9, (4, 60)).astype(np.int32))
    known = KnownEvidences(table, space)
    known.observe(np.array([(i, i + 1) for i in range(59)]))
    expected = cost.evidences_of_pairs(known)
    assert len(known) < expected <= 60 * 59
    options = {"max_predicates": None, "compared": 0.0}
    few, many = (cost.estimate(known, 60, space, **options, evidences=some) for some in (expected, 1e12))
    assert few.hydra == many.hydra
    assert few.pairs < many.pairs


@pytest.mark.parametrize("request_", [{"kind": Kind.FD}, {"max_error": 0.1}])
def test_hydra_is_refused_what_it_does_not_find(tmp_path: Path, request_: dict[str, object]):
    with pytest.raises(InputError, match="exact denial constraints only"):
        discover([table_of(tmp_path, 10)], DiscoveryRequest(engine="hydra", **request_))
