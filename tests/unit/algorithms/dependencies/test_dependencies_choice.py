"""The way that FDs and UCCs are found by, and that it makes no difference to what is found."""

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.dependencies import choice
from profiling_core.algorithms.dependencies.choice import Question, Way
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.constraint import Kind
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.pipeline.discover import DiscoveryRequest, discover


def chosen_for(rows: int, distinct: list[int], question: Question) -> choice.Choice:
    """The choice for columns with these numbers of random values, the last one a copy of the first."""
    cells = np.random.default_rng(1).integers(0, np.array(distinct)[:, None], (len(distinct), rows))
    cells[-1] = cells[0]
    table = pa.table({f"c{i}": column for i, column in enumerate(cells)})
    schema = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=False) for name in table.column_names))
    space = predicate_space.equality_only(schema, NullSemantics.EQUAL)
    return choice.choose(encode(table, space), space, question)


@pytest.mark.parametrize(
    ("rows", "distinct", "question", "way", "why"),
    [
        (0, [5] * 5, Question(Kind.FD), Way.AGREE_SETS, "0 pairs"),
        (200, [2] * 220, Question(Kind.FD), Way.MAINTAINED, "2^220 sets of columns are too many"),
        (200, [2] * 220, Question(Kind.FD, 2, 0.01), Way.AGREE_SETS, "24,311 sets of columns take at most"),
        (15_000, [2] * 40, Question(Kind.FD, 1, 0.01), Way.PARTITIONS, "too many agree sets to keep"),
        (900, [2] * 24, Question(Kind.UCC, None, 0.01), Way.AGREE_SETS, "16,777,216 sets of columns take"),
        (900, [600] * 24, Question(Kind.FD, None, 0.1), Way.AGREE_SETS, "some 552 dependencies"),
        (900, [2] * 24, Question(Kind.FD, None, 0.00001), Way.PARTITIONS, "the first 536,155 sets"),
        (4_000, [3] * 14, Question(Kind.UCC), Way.AGREE_SETS, "few enough to compare"),
        # Of many columns with few values thousands of sets are minimal; of columns with many values few pairs agree.
        (12_000, [4] * 14, Question(Kind.FD), Way.AGREE_SETS, "4 to 4 distinct values"),
        (12_000, [9_000] * 14, Question(Kind.FD), Way.AGREE_SETS, "to 6,667 distinct values"),
        (12_000, [9_000] * 14, Question(Kind.UCC, max_error=0.01), Way.PARTITIONS, "some 14 dependencies"),
        (12_000, [4] * 14, Question(Kind.FD, max_error=0.2), Way.PARTITIONS, "some 182 dependencies"),
        (12_000, [4] * 14, Question(Kind.FD, longest=1), Way.PARTITIONS, "some 2 dependencies"),
    ],
)
def test_rows_columns_and_what_a_sample_shows_decide(rows, distinct, question, way, why):
    chosen = chosen_for(rows, distinct, question)
    assert chosen.way is way, chosen.reason
    assert why in chosen.reason


@pytest.mark.parametrize("kind", [Kind.FD, Kind.UCC])
@pytest.mark.parametrize("max_error", [0.0, 0.02])
@pytest.mark.parametrize("bound", [1, 3, None])
def test_both_ways_find_the_same_in_files(tmp_path: Path, kind, max_error, bound):
    cells = np.random.default_rng(3).integers(0, [2, 3, 5, 9, 20, 300], (300, 6))
    path = tmp_path / "r.csv"
    lines = [",".join("" if value == 1 else str(value) for value in row) for row in cells]
    path.write_text("\n".join(["a,b,c,d,e,f", *lines]) + "\n", encoding="utf-8")
    request = DiscoveryRequest(kind=kind, max_error=max_error, max_predicates=bound)
    told: list[str] = []
    by_pairs = discover([path], request, told.append).constraints
    with patch.object(choice, "FEW_PAIRS", 100), patch.object(choice, "ROW_AND_DEPENDENCY", 0.0):
        by_partitions = discover([path], request, told.append).constraints
    assert by_partitions == by_pairs
    assert any("by agree sets" in line for line in told)
    assert any("by partitions" in line for line in told)
