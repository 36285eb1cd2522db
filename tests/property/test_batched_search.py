"""The search in batches, whatever it presumes, against Pyro on the same rows; and how few batches it takes.

Sections of the papers: Pyro 6.
"""

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.position_lists.pair_counts import BatchedCounts
from profiling_core.algorithms.dependencies.search.batched_search import search
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace, Task, search_all
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

COLUMNS = 6


def counted(
    rng: np.random.Generator, rows: int, nulls: NullSemantics
) -> tuple[AgreeingPairs, BatchedCounts, list[int]]:
    names = [f"c{i}" for i in range(COLUMNS)]
    schema = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=False) for name in names))
    values = [rng.integers(0, 2 + i, rows) for i in range(COLUMNS)]
    hidden = [rng.random(rows) < (0.2 if i % 2 else 0.0) for i in range(COLUMNS)]
    table = pa.table({n: pa.array(v, mask=h) for n, v, h in zip(names, values, hidden, strict=True)})
    plain = AgreeingPairs(encode(table, predicate_space.equality_only(schema, nulls)), nulls)
    nullable = sum(1 << i for i in range(COLUMNS) if hidden[i].any()) if nulls is NullSemantics.SQL else 0
    batches: list[int] = []

    def count(sets):
        batches.append(len(sets))
        assert len(set(sets)) == len(sets)
        return [plain.of(columns) for columns in sets]

    return plain, BatchedCounts(COLUMNS, rows, nullable, count), batches


@pytest.mark.parametrize("nulls", NullSemantics)
def test_every_presumption_leads_to_the_same_dependencies(nulls):
    rng = np.random.default_rng(7)
    for _ in range(60):
        rows, longest = int(rng.integers(0, 40)), int(rng.integers(0, COLUMNS + 1))
        limit = int(rng.choice([0, 0, 3, 25]))
        plain, pairs, batches = counted(rng, rows, nulls)
        rights = [*range(COLUMNS), NO_RHS]
        presumed = {rhs: [int(m) & ~(1 << rhs if rhs >= 0 else 0) for m in rng.integers(0, 64, 3)] for rhs in rights}
        spaces = [SearchSpace(rhs, non_dependencies=presumed[rhs]) for rhs in rights]
        search([Task(space, longest, limit) for space in spaces], pairs)
        assert len(batches) <= longest + 2
        for space in spaces:
            alone = SearchSpace(space.rhs)
            search_all([Task(alone, longest, limit)], plain)
            assert space.dependencies == alone.dependencies
            assert all(plain.violations(known, space.rhs) > limit for known in space.non_dependencies)
        # From its own frontier nothing is left to be searched.
        certain = [SearchSpace(s.rhs, non_dependencies=s.non_dependencies) for s in spaces]
        search([Task(space, longest, limit) for space in certain], pairs, certain=True)
        assert [space.dependencies for space in certain] == [space.dependencies for space in spaces]


def test_pairs_that_differ_in_several_columns_follow_from_those_that_agree():
    rng = np.random.default_rng(3)
    for nulls in NullSemantics:
        plain, pairs, _ = counted(rng, 25, nulls)
        codes = plain.codes[:COLUMNS]
        questions = [(0b1, 0b110), (0b1000, 0b110111), (0, 0b111), (0b101, 0), (0b11, 0b10)]
        asked = [
            ([c for c in range(COLUMNS) if equal >> c & 1], [c for c in range(COLUMNS) if different >> c & 1])
            for equal, different in questions
        ]
        missing = min(codes.min(), 0) if nulls is NullSemantics.SQL else -9
        expected = [
            sum(
                all(codes[c, i] == codes[c, j] != missing for c in equal)
                and all(codes[c, i] != codes[c, j] and missing not in (codes[c, i], codes[c, j]) for c in different)
                for i in range(25)
                for j in range(i)
            )
            for equal, different in asked
        ]
        assert pairs.differing_in_each(questions) == expected
