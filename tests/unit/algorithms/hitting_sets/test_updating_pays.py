"""When a cover is updated, and when it is inverted anew."""

import numpy as np

from profiling_core.algorithms.ground.bit_words import masks_of
from profiling_core.algorithms.hitting_sets.evidences import MaskedEvidences
from profiling_core.algorithms.hitting_sets.updating import updating_pays

COVER = [(a, b) for a in range(8) for b in range(8, 16)]
KNOWN = MaskedEvidences(np.arange(10_000, dtype=np.uint64).reshape(-1, 1), 16)
NONE = KNOWN.masks[:0]


def test_evidences_that_violate_most_of_a_cover_are_dear():
    harmless, harmful = masks_of([range(8)] * 300, 1), masks_of([range(16)] * 300, 1)
    assert updating_pays(COVER, harmless, NONE, KNOWN, max_predicates=None)
    assert not updating_pays(COVER, harmful, NONE, KNOWN, max_predicates=None)


def test_with_a_bound_on_length_violated_sets_are_replaced_by_few():
    harmful = masks_of([range(16)] * 300, 1)
    assert updating_pays(COVER, harmful, NONE, KNOWN, max_predicates=4)


def test_many_evidences_that_came_or_went_are_dear():
    few, many = KNOWN.masks[:100], KNOWN.masks[:5_000]
    for bound in (None, 4):
        assert updating_pays(COVER, few[:0], few, KNOWN, max_predicates=bound)
        assert not updating_pays(COVER, many[:0], many, KNOWN, max_predicates=bound)
    assert updating_pays([], few, few, KNOWN, max_predicates=None)
