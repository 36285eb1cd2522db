"""Small deltas kept as logs, through store and files and without any job: equal to discovery from scratch each time.

Sections of the papers: Attribute clustering 5.1.
"""

import random

import numpy as np
import pyarrow as pa
import pytest
from helpers.inclusions import VersionedDataset

from profiling_core.maintain.inclusion_state import GeneratorOptions
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.errors import StateError
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.state.store import Store

TYPES = {
    "r": {"a": LogicalType.INTEGER, "b": LogicalType.STRING},
    "s": {"a": LogicalType.FLOAT, "b": LogicalType.STRING, "c": LogicalType.INTEGER},
    "t": {"a": LogicalType.INTEGER, "b": LogicalType.STRING},
}
ARROW = {LogicalType.INTEGER: pa.int64(), LogicalType.STRING: pa.string(), LogicalType.FLOAT: pa.float64()}
VALUES = {
    LogicalType.INTEGER: [None, 0, 1, 2, 3, 7],
    LogicalType.STRING: [None, "", "x", "X", "ä", "y" * 4200, "y" * 4100 + "z" + "y" * 99],
    LogicalType.FLOAT: [None, -0.0, 0.0, 1.0, 2.5, float("nan")],
}


def drawn(draw, table, size):
    columns = {name: [draw.choice(VALUES[t]) for _ in range(size)] for name, t in TYPES[table].items()}
    return pa.table({name: pa.array(c, ARROW[TYPES[table][name]]) for name, c in columns.items()})


def new_dataset(folder, draw):
    # Tables of more cells than one have no rules along references, which would take a session to look for.
    tables = {
        t: {"source": {"path": t}, "errors": {"ind_coverage": draw.choice([0.3, 0.6, 1.0])}, "max_cells": 1}
        for t in TYPES
    }
    values, arity = draw.choice(["typed", "text"]), draw.choice([1, 1, 2])
    config = DatasetConfig.model_validate({"dataset": "d", "tables": tables, "values": values, "max_arity": arity})
    schemas = {
        table: TableSchema(table, tuple(Column(name, type_, type_.is_ordered) for name, type_ in types.items()))
        for table, types in TYPES.items()
    }
    options = GeneratorOptions(cells_per_bucket=draw.choice([20, 10**6]), max_files=draw.choice([1, 2, 8]))
    store = Store(folder / "home", "d")
    return VersionedDataset(None, store, config, schemas, options)


@pytest.mark.parametrize("seed", range(40))
def test_every_version_equals_discovery_from_scratch(tmp_path, seed):
    draw = random.Random(seed)
    dataset = new_dataset(tmp_path, draw)
    for number in range(4):
        some = list(TYPES) if number == 0 else draw.sample(list(TYPES), draw.choice([1, 2, 3]))
        share = draw.choice([0.0, 0.3, 1.0])
        deltas, after = dataset.change(
            {t: drawn(draw, t, draw.choice([0, 1, 6])) for t in some},
            lambda _, rows, share=share: np.array([draw.random() < share for _ in range(len(rows))], bool),
        )
        staged = dataset.maintain(deltas)
        assert list(staged.results) == dataset.discovered(after)
        dataset.commit(staged, after)


def test_a_damaged_log_is_refused(tmp_path):
    draw = random.Random(1)
    dataset = new_dataset(tmp_path, draw)
    deltas, after = dataset.change({t: drawn(draw, t, 6) for t in TYPES})
    dataset.commit(dataset.maintain(deltas), after)
    deltas, _ = dataset.change({"r": drawn(draw, "r", 6)})
    (log,) = dataset.version.files_of("generator")
    path = dataset.store.home / log.path
    whole = path.read_bytes()
    path.write_bytes(whole[:-9] + bytes(9))
    with pytest.raises(StateError, match="damaged") as caught:
        dataset.maintain(deltas)
    assert caught.value.where == str(path)
    path.unlink()
    with pytest.raises(StateError, match="missing or damaged"):
        dataset.maintain(deltas)
