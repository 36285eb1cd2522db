"""Rules along references, kept through store and files: after any deltas their figures are the oracle's."""

import random

import numpy as np
import pyarrow as pa
import pytest
from helpers.inclusions import VersionedDataset
from oracle import references as oracle
from test_references_equal_oracle import TYPES, some_row, some_rule, some_rule_on_the_way

from profiling_core.ingest.infer import schema_of
from profiling_core.maintain.inclusions import StagedInclusions
from profiling_core.maintain.orphaned_rows import RowsAfter
from profiling_core.maintain.reference_rules import ReferenceStep, maintain_references
from profiling_core.model.constraint import Measured
from profiling_core.model.dataset import DatasetConfig
from profiling_core.state.store import Store

TABLES = "cqw"


def rows_of(tables: dict[str, pa.Table]) -> list[list[dict]]:
    return [[{n: row[n] for n in TYPES.names} for row in tables[table].to_pylist()] for table in TABLES]


@pytest.mark.parametrize("made", [some_rule, some_rule_on_the_way])
@pytest.mark.parametrize("seed", range(60))
def test_figures_follow_the_deltas_of_all_tables(tmp_path, seed, made):
    rng = random.Random(seed)
    rule = made(rng)
    config = DatasetConfig.model_validate(
        {"dataset": "d", "tables": {t: {"source": {"path": t}, "max_cells": 1} for t in TABLES}}
    )
    schemas = {t: schema_of(t, TYPES, "here") for t in TABLES}
    dataset = VersionedDataset(None, Store(tmp_path / "home", "d"), config, schemas)
    measured: Measured = Measured(rule, 0, 0)
    for number in range(4):
        some = TABLES if number == 0 else rng.sample(TABLES, rng.choice([1, 2, 3]))
        deltas, after = dataset.change(
            {t: pa.Table.from_pylist([some_row(rng) for _ in range(rng.randint(0, 5))], schema=TYPES) for t in some},
            lambda _, rows: np.array([rng.random() < 0.3 for _ in range(len(rows))], bool),
        )
        rows = RowsAfter(None, dataset.store, dataset.version, deltas)
        found = maintain_references(ReferenceStep(rows, schemas, f"run-{number}", config, (), [measured]))
        (now,) = found.tracked
        assert (now.population, now.violations) == oracle.figures(rule, *rows_of(after))
        assert bool(found.breaks) <= (now.violations > measured.violations)
        measured = now
        dataset.commit(StagedInclusions(found.files, (), {}), after)
