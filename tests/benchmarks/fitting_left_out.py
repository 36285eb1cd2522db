"""Lets the keys and references of a source be chosen by models that were fitted without it."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from benchmarks.fitting import Fit, fitted, kept
from benchmarks.fitting_schema import MODELS
from profiling_core.algorithms.rules.schema import choice
from profiling_core.algorithms.score.logistic import Model

# The penalty that tells most of sources that are left out.
_PENALTY = 3.0
_kept = cache(kept)


@cache
def models_without(dropped: frozenset[str]) -> Mapping[str, Model]:
    """The models of keys and references that all sources but some give."""
    tables = {name: (_kept(table), but) for name, (table, but, _) in MODELS.items()}
    return {name: _without(fit.but(but) if but else fit, dropped) for name, (fit, but) in tables.items()}


def _without(fit: Fit, dropped: Collection[str]) -> Model:
    weights = fitted(fit.where(~np.isin(fit.sources, [*dropped])), _PENALTY)
    return Model(dict(zip(fit.names, map(float, weights), strict=True)))


@contextmanager
def leaving_out(dropped: Collection[str]) -> Iterator[None]:
    """Lets keys and references be chosen by what sources but some give."""
    watched: Any = choice
    before, watched.model = watched.model, models_without(frozenset(dropped)).__getitem__
    try:
        yield
    finally:
        watched.model = before
