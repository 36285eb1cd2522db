"""A table that begins by pieces: whoever runs them, in however many segments, its cover is the oracle's."""

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from helpers.constraints import arrow as as_arrow
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle import denial
from oracle import predicates as naive
from oracle.strategies import COLUMNS, DOMAINS

from profiling_core.algorithms.denial.indexed import beginning
from profiling_core.algorithms.denial.indexed.first_rows import FirstRows
from profiling_core.algorithms.denial.indexed.table import IndexedTable
from profiling_core.algorithms.ground.array_place import HeldArrays
from profiling_core.algorithms.ground.pieces import in_threads, in_turn
from profiling_core.algorithms.hitting_sets import inversion
from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.model.errors import HoldfastError
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics
from profiling_core.state.array_folder import ArrayFolder

MOST_GROUPS = 4


class Coming:
    """Rows of a table with ids in no order."""

    def __init__(self, table: pa.Table, ids: np.ndarray) -> None:
        self.table, self.row_ids = table, ids
        self.schema, self.num_rows = table.schema, table.num_rows

    def ids(self) -> np.ndarray:
        return self.row_ids

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        return self.table[column]


@st.composite
def tables(draw):
    """A schema and rows."""
    columns = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3, unique_by=lambda c: c.name))
    cells = [st.sampled_from(DOMAINS[column.type]) for column in columns]
    row = st.fixed_dictionaries({column.name: cell for column, cell in zip(columns, cells, strict=True)})
    return TableSchema("r", tuple(columns)), draw(st.lists(row, max_size=12))


@pytest.fixture(scope="module", autouse=True)
def small_measures():
    """Few rows are looked at where the table begins, as of large ones, and pieces are small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beginning, "MOST_HERE", 4)
        patch.setattr(beginning, "_RUN", 2)
        patch.setattr(beginning, "_FEW", 1)
        yield


def begun(coming, space, bound, segment_rows, places=(HeldArrays, HeldArrays), run=in_turn):
    first = FirstRows(space, coming, *(place() for place in places), segment_rows)
    return beginning.begin(first, run, max_predicates=bound)


@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    table=tables(),
    nulls=st.sampled_from(NullSemantics),
    bound=st.sampled_from([1, 2, 3, None]),
    cross=st.booleans(),
    segment_rows=st.integers(1, 12),
    seed=st.integers(0, 9),
)
def test_the_cover_is_the_oracles(table, nulls, bound, cross, segment_rows, seed):
    schema, rows = table
    space = naive.predicate_space(schema, rows, nulls, cross=cross)
    if len(space.groups) > MOST_GROUPS:  # the oracle tries every set of predicates
        bound = 2
    arrow = as_arrow(rows, schema)
    ids = np.random.default_rng(seed).permutation(3 * len(rows))[: len(rows)].astype(np.int64)
    found = begun(Coming(arrow, ids), space, bound, segment_rows)
    evidence = naive.evidence(rows, space)
    assert found.cover == denial.set_minimal_cover(evidence, space, bound)
    assert found.cover == inversion.minimal_cover(found.known.masks, space, max_predicates=bound)
    asked = list(denial.set_minimal_cover(evidence, space, 2))[:3] + [(p,) for p in range(len(space.predicates))][:3]
    assert found.counted(asked) == [sum(n for e, n in evidence.items() if set(dc) <= e) for dc in asked]
    assert [len(s.ids) for s in found.rows.segments] == found.first.sizes
    assert np.concatenate([[], *(s.ids for s in found.rows.segments)]).tolist() == sorted(ids.tolist())
    by_id = dict(zip(ids.tolist(), rows, strict=True))
    for left, right, mask in _witnessed(found.known):
        pair = by_id[left], by_id[right]
        assert mask == {i for i, p in enumerate(space.predicates) if naive.holds(p, *pair, nulls)}


def _witnessed(known):
    for mask, pairs in zip(known.masks, known.witnesses, strict=True):
        bits = frozenset(int(p) for p in np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little")))
        yield from ((int(left), int(right), bits) for left, right in pairs if left >= 0)


def several_columns(rows: int) -> tuple[TableSchema, pa.Table]:
    chosen = {column.name: column for column in COLUMNS}
    schema = TableSchema("r", tuple(chosen[name] for name in ("A", "B", "E", "C")))
    random = np.random.default_rng(3)
    columns = {}
    for column in schema.columns:
        values = [v for v in DOMAINS[column.type] if v is not None]
        columns[column.name] = pa.array([values[i] for i in random.integers(0, len(values), rows)], arrow_type(column))
    return schema, pa.table(columns)


@pytest.mark.parametrize("nulls", list(NullSemantics))
def test_it_is_the_same_whoever_runs_the_pieces_and_wherever_arrays_lie(tmp_path, nulls):
    schema, table = several_columns(500)
    space = naive.predicate_space(schema, table.slice(0, 20).to_pylist(), nulls, cross=True)
    coming = Coming(table, np.arange(500)[::-1].copy())

    def folder():
        number = len(list(tmp_path.iterdir()))
        (tmp_path / str(number)).mkdir()
        return ArrayFolder(tmp_path / str(number))

    states = []
    for rows, places, run in ((100, (HeldArrays, HeldArrays), in_turn), (100, (folder, folder), in_threads)):
        found = IndexedTable.begun(begun(coming, space, 3, rows, places, run))
        states.append({name: array.tobytes() for name, array in found.arrays().items()})
    assert states[0] == states[1]
    whole = begun(coming, space, 3, 1_000)
    assert len(whole.rows.segments) == 1
    assert whole.cover == IndexedTable.begun(begun(coming, space, 3, 100)).cover


def test_ids_that_repeat_are_refused():
    schema, table = several_columns(3)
    space = naive.predicate_space(schema, table.to_pylist(), NullSemantics.SQL, cross=False)
    with pytest.raises(HoldfastError, match="taken or repeated"):
        begun(Coming(table, np.array([1, 2, 1])), space, 2, 2)
