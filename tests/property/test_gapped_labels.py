"""Dictionaries that grow: labels keep the order of the values, and stay what they are unless the dictionary says so."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.denial.indexed import labels
from profiling_core.algorithms.denial.indexed.labels import empty_dictionary

NUMBERS = st.one_of(st.none(), st.integers(-60, 60))
WORDS = st.one_of(st.none(), st.text("ab", max_size=6).map(lambda word: word.encode()))


def checked(batches, type_):
    dictionary, known = empty_dictionary([type_], plain=True), {}
    for batch in batches:
        before = dictionary
        dictionary, found, moved = before.extended(pa.array(batch, type_))
        if moved is not None:
            changed = dict(zip(before.labels.tolist(), moved.tolist(), strict=True))
            known = {value: changed[label] for value, label in known.items()}
        for value, label in zip(batch, found.tolist(), strict=True):
            assert label == -1 if value is None else known.setdefault(value, label) == label
        assert sorted(known, key=known.get) == sorted(known)
        assert dictionary.labels.tolist() == sorted(known.values())
        assert dictionary.ranks_of(np.array([-1, *known.values()])).tolist() == [-1, *map(sorted(known).index, known)]


@pytest.mark.parametrize("gap", [labels.GAP, 2])
@pytest.mark.parametrize(("values", "type_"), [(NUMBERS, pa.int64()), (WORDS, pa.large_binary())])
def test_labels_keep_the_order_of_values(gap, values, type_, monkeypatch):
    @settings(deadline=None)
    @given(st.lists(st.lists(values, max_size=30), max_size=8))
    def check(batches):
        checked(batches, type_)

    monkeypatch.setattr(labels, "GAP", gap)
    check()


def test_a_few_new_values_leave_the_old_ones_as_they_lie():
    dictionary, _, _ = empty_dictionary([pa.int64()], plain=True).extended(pa.array(range(0, 2_000, 2)))
    after, _, moved = dictionary.extended(pa.array([7, 8, 4_000]))
    assert moved is None
    assert after.old is dictionary.old
    assert after.young.values.to_pylist() == [7, 4_000]
