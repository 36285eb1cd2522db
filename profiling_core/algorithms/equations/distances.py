"""The distance between two columns, or a column without its sign, proposed from a sample."""

from collections.abc import Iterator

import numpy as np

from profiling_core.algorithms.equations.proposing import FIRST_ROWS, Proposal, fits
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.model.expression import Distance


def distances(sample: Sample) -> Iterator[Proposal]:
    """``a = |b − c|`` and ``a = |b|`` where both signs occur; with one sign it is a difference or a copy."""
    b, c = np.triu_indices(len(sample.names), 1)
    signed = np.flatnonzero((sample.values.min(axis=1) < 0) & (sample.values.max(axis=1) > 0))
    for a in sample.targets:
        if sample.values[a].min() < 0:
            continue
        for one in signed:
            if one != a and fits(sample, a, np.abs(sample.values[one])[None])[0]:
                yield Proposal(sample.names[a], Distance(sample.names[one]))
        first = np.abs(sample.values[b, :FIRST_ROWS] - sample.values[c, :FIRST_ROWS])
        for i in np.flatnonzero(fits(sample, a, first) & (b != a) & (c != a)):
            apart = sample.values[b[i]] - sample.values[c[i]]
            if apart.min() < 0 < apart.max() and fits(sample, a, np.abs(apart)[None])[0]:
                yield Proposal(sample.names[a], Distance(sample.names[b[i]], sample.names[c[i]]))
