"""Entries by the hash of their values: what is looked up is what is there, and what was changed since is noticed."""

import hashlib
import random

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.inclusions import sorted_entries as module
from profiling_core.algorithms.inclusions.sorted_entries import entries_of, look_up, sorted_entries
from profiling_core.algorithms.inclusions.value_generator import (
    attribute_entries,
    in_order,
    joined,
    no_entries,
    summed,
    value_hashes,
)
from profiling_core.spark.generator_files import BASE, StoredFile, find_entries, read_entries, write_entries

LONG = "x" * 5000


def entries(rows=40):
    texts = pa.chunked_array([pa.array([None, "", LONG, LONG[:-600] + "y" + LONG[:599], *map(str, range(rows))])])
    numbers = pa.chunked_array([pa.array([0.5, -0.0, *map(float, range(rows))])])
    parts = [attribute_entries([column], i, "typed") for i, column in enumerate([texts, numbers, texts])]
    return summed(joined(parts))


def stored(folder):
    path = folder / BASE
    data = path.read_bytes()
    return StoredFile(str(path), hashlib.sha256(data).hexdigest(), len(data))


def by_hash(table, wanted):
    return in_order(table.filter(pa.array(np.isin(value_hashes(table), wanted))))


def test_what_is_looked_up_is_what_is_there():
    all_entries = entries()
    hashes = np.unique(value_hashes(all_entries))
    absent = np.array([0, 1, 2**63, 2**64 - 1], np.uint64)
    table = sorted_entries(all_entries)
    assert in_order(entries_of(table)).equals(in_order(all_entries))
    draw = np.random.default_rng(1)
    for _ in range(50):
        wanted = np.unique(np.concatenate([draw.choice(hashes, 3), draw.choice(absent, 2)]))
        assert in_order(look_up(table, wanted)).equals(by_hash(all_entries, wanted))
    assert look_up(table, hashes[:0]).num_rows == look_up(sorted_entries(no_entries()), hashes).num_rows == 0


def test_the_order_does_not_depend_on_how_entries_came(monkeypatch):
    monkeypatch.setattr(module, "value_hashes", lambda table: np.full(len(table), 7, np.uint64))  # all collide
    all_entries = entries(10)
    turned = all_entries.take(pa.array(range(len(all_entries))[::-1]))
    assert sorted_entries(all_entries).equals(sorted_entries(turned))
    assert in_order(look_up(sorted_entries(turned), np.array([7], np.uint64))).equals(in_order(all_entries))


def test_each_changed_bit_of_what_is_read_is_noticed(tmp_path):
    all_entries = entries(12)
    write_entries(all_entries, tmp_path, BASE)
    file = stored(tmp_path)
    whole, path = (tmp_path / BASE).read_bytes(), tmp_path / BASE
    hashes = np.unique(value_hashes(all_entries))
    present = np.sort(hashes)
    draw = random.Random(3)
    noticed = 0
    for _ in range(250):
        data = bytearray(whole)
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        path.write_bytes(data)
        with pytest.raises(OSError, match="base"):
            read_entries(file)
        try:
            found = find_entries([file], present)
        except OSError:
            noticed += 1
        else:  # padding, or a name that nobody reads
            assert in_order(found).equals(in_order(all_entries))
    assert noticed > 150
    path.write_bytes(whole[:-1])
    with pytest.raises(OSError, match="base"):
        find_entries([file], present)
    path.unlink()
    with pytest.raises(OSError, match="base"):
        find_entries([file], present)


def test_a_value_that_damage_hides_is_not_taken_for_a_new_one(tmp_path):
    all_entries = entries(200)
    write_entries(all_entries, tmp_path, BASE)
    table, file = sorted_entries(all_entries), stored(tmp_path)
    whole, hashes = (tmp_path / BASE).read_bytes(), np.unique(value_hashes(all_entries))
    draw = random.Random(5)
    for _ in range(150):  # a hash on the way of the search becomes another
        at = whole.index(table["hash"][draw.randrange(len(table))].as_py().to_bytes(8, "little")) + draw.randrange(8)
        (tmp_path / BASE).write_bytes(whole[:at] + bytes([whole[at] ^ (1 << draw.randrange(8))]) + whole[at + 1 :])
        wanted = hashes[[draw.randrange(len(hashes))]]
        try:
            found = find_entries([file], wanted)
        except OSError:
            continue
        assert in_order(found).equals(by_hash(all_entries, wanted))
