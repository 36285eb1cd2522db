"""Logistic models: named features times fitted weights are log-odds.

A model is fitted by ``make fit-rules`` (``tests/benchmarks/fitting.py``), which writes its weights beside this module;
``docs/benchmarks/fit.md`` shows how often what is given a probability is right. A feature without a weight counts
nothing, so that features may be measured before they are fitted.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

Features = Mapping[str, float]
# What every candidate has: its weight is the log-odds of one that nothing speaks for or against.
ALWAYS = "always"
# The greatest probability whose log-odds are told.
_SURE = 0.999


@dataclass(frozen=True)
class Model:
    """A fitted model: the weight of each feature, in natural log-odds per unit of the feature."""

    weights: Mapping[str, float]

    def log_odds(self, features: Features) -> float:
        """The log-odds of one candidate against none."""
        return self.weights.get(ALWAYS, 0.0) + self.more(features)

    def more(self, features: Features) -> float:
        """What features add to the log-odds."""
        return sum(self.weights[name] * value for name, value in features.items() if name in self.weights)


@cache
def model(name: str) -> Model:
    """The fitted model of a name, such as ``keys``."""
    text = files("profiling_core.algorithms.score").joinpath("weights", f"{name}.json").read_text(encoding="utf-8")
    return Model(json.loads(text))


def probability(log_odds: float) -> float:
    """The probability of log-odds."""
    return 1.0 / (1.0 + math.exp(-log_odds)) if log_odds > 0 else math.exp(log_odds) / (1.0 + math.exp(log_odds))


def log_odds_of(chance: float) -> float:
    """The log-odds of a probability; those of 0.999 at most, so that they are finite."""
    return math.log(min(chance, _SURE) / (1 - min(chance, _SURE)))


def shares(log_odds: Sequence[float]) -> list[float]:
    """The probabilities of alternatives, at most one of them right, by the log-odds of each against none."""
    most = max(0.0, *log_odds) if log_odds else 0.0
    each = [math.exp(one - most) for one in log_odds]
    whole = math.exp(-most) + sum(each)
    return [one / whole for one in each]
