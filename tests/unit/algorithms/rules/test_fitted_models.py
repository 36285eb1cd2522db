"""What a fitted model says: log-odds of named features, and the probabilities of alternatives."""

import math

import pytest
from benchmarks.fitting_lines import kept
from benchmarks.fitting_orders import fitted

from profiling_core.algorithms.rules.gain import FORM
from profiling_core.algorithms.rules.order_features import EVIDENCE
from profiling_core.algorithms.score.logistic import ALWAYS, Model, model, probability, shares


def test_log_odds_are_the_sum_of_weighted_features_and_of_what_every_candidate_has():
    told = Model({ALWAYS: -1.0, "called id": 2.0})
    assert told.log_odds({"called id": 0.5, "never fitted": 9.0}) == pytest.approx(0.0)


def test_the_probabilities_of_alternatives_leave_room_for_none():
    assert shares([0.0]) == [pytest.approx(0.5)]
    assert shares([0.0, 0.0]) == [pytest.approx(1 / 3)] * 2
    assert shares([]) == []
    assert sum(shares([800.0, 790.0])) == pytest.approx(1.0)


def test_one_alternative_is_as_likely_as_its_log_odds_say():
    assert shares([1.3])[0] == pytest.approx(probability(1.3))
    assert probability(-800.0) == pytest.approx(0.0)
    assert probability(math.log(3)) == pytest.approx(0.75)


@pytest.mark.parametrize(
    "name",
    ["parts", "keys-alone", "keys", "references-alone", "references"],
)
def test_fitted_weights_come_with_the_package(name):
    assert len(model(name).weights) > len([ALWAYS])


@pytest.mark.parametrize("name", ["dependencies", "lines"])
def test_more_evidence_never_speaks_against_a_rule(name):
    of_evidence = {feature: weight for feature, weight in model(name).weights.items() if feature.startswith(EVIDENCE)}
    assert len(of_evidence) > 3
    assert min(of_evidence.values()) >= 0


def test_the_weights_of_lines_are_what_their_table_gives():
    assert fitted(kept("lines"), FORM) == model("lines").weights
