"""Keys of rows by number, beside dictionaries and sets; and what is built on them."""

import numpy as np
import pytest

from profiling_core.algorithms.conditions.categories import Categories
from profiling_core.algorithms.conditions.facts import some_has_none
from profiling_core.algorithms.ground.hashed_keys import numbered, repeats
from profiling_core.algorithms.rules.coded_table import Groups


@pytest.mark.parametrize("seed", range(30))
def test_keys_are_numbered_as_they_come(seed: int):
    rng = np.random.default_rng(seed)
    keys = rng.integers(-1, rng.integers(1, 400), rng.integers(0, 300)) * int(rng.choice([1, 1 << 20, (1 << 53) + 7]))
    keys = np.where(keys < 0, -1, keys).astype(np.int64)
    first: dict[int, int] = {}
    expected = [-1 if key < 0 else first.setdefault(key, len(first)) for key in keys.tolist()]
    of, count = numbered(keys)
    assert (of.tolist(), count) == (expected, len(first))
    there = keys[keys >= 0].tolist()
    assert repeats(keys) == (len(set(there)) < len(there))


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_told_apart_where_no_two_rows_of_one_agree(seed: int):
    rng = np.random.default_rng(seed)
    of, codes = rng.integers(-1, 12, 40), rng.integers(-1, 60, 40).astype(np.int32)
    rows = [(int(a), int(b)) for a, b in zip(of, codes, strict=True) if a >= 0 and b >= 0]
    assert Groups(of.astype(np.int64), 12).are_told_apart(codes, 60) == (len(set(rows)) == len(rows))


@pytest.mark.parametrize("seed", range(20))
def test_a_category_without_marked_rows_is_never_said_to_have_one(seed: int):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 4, 5_000)
    rows = rng.random(5_000) < 0.5
    rows[codes == seed % 4] = False
    counts = np.bincount(codes[codes >= 0], minlength=4)
    kinds = Categories("kind", ("a", "b", "c", "d"), codes, counts)
    assert some_has_none(kinds, [rows, np.ones(5_000, np.bool_)]).tolist() == [True, False]
