"""One-shot discovery over files: read, profile, return the constraints with their figures. No state, no Spark.

The steps are those of a maintained table's bootstrap on one machine; what differs is that everything is in memory and
that nothing is kept.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.denial import approximate, cover
from profiling_core.algorithms.denial.ranking.exact_figures import measure_by_checking
from profiling_core.algorithms.denial.sampled import cost
from profiling_core.algorithms.denial.sampled import discovery as hydra
from profiling_core.algorithms.denial.sampled.known_evidences import KnownEvidences
from profiling_core.algorithms.denial.sampled.sampling import USUAL, random_pairs, sample_focused, sample_randomly
from profiling_core.algorithms.dependencies import choice, from_agree_sets, from_position_lists
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.upkeep.engine import AgreeSetEngine
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import AllPairs, measured_by, ordered_masks
from profiling_core.algorithms.ground.bit_words import tuples_of
from profiling_core.algorithms.hitting_sets import inversion
from profiling_core.algorithms.inclusions.foreign_keys import KeyReading
from profiling_core.algorithms.values.encoding import encode
from profiling_core.ingest.files import is_parquet, read_table
from profiling_core.model.constraint import Kind, Measured, RowConstraint
from profiling_core.model.dialect import PLAIN_DIALECT
from profiling_core.model.errors import CapacityError, InputError
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics
from profiling_core.pipeline.discover_inclusions import discover_inclusions, two_of_one_name
from profiling_core.pipeline.discover_order import best_first, in_turns, likely_keys_first
from profiling_core.pipeline.discovery_request import DiscoveryRequest, Progress

_NARROWER = (
    "compare each column with itself alone (--space same-column), ask for --kind fd or --kind ucc, "
    "or leave columns out of the file"
)
_Begun = tuple[KnownEvidences, NDArray[np.float64], tuple[list[tuple[int, ...]], int] | None]
# With more predicates, and more comparisons by them, discovery takes more time and memory than a person would give:
# 7,100 predicates over 1,000 rows did not end in three minutes.
_MANY_PREDICATES, _MOST_COMPARISONS = 2_000, 2_000_000_000


@dataclass(frozen=True)
class Discovery:
    """The constraints found, best first, and per table how many rows and columns they were found in.

    ``readings`` tells by fingerprint how inclusions read as foreign keys, ``near_misses`` which columns are included
    but for their types.
    """

    constraints: tuple[Measured, ...]
    sizes: Mapping[str, tuple[int, int]]
    readings: Mapping[str, KeyReading]
    near_misses: Sequence[str] = ()


@dataclass(frozen=True)
class _Table:
    schema: TableSchema
    rows: pa.Table


def discover(
    files: Sequence[Path],
    request: DiscoveryRequest,
    progress: Progress = lambda _: None,
    told: Callable[[str, str], None] = lambda *_: None,
) -> Discovery:
    """Discover the constraints of files; each file is a table with its name.

    Args:
        files: CSV or Parquet files.
        request: what to discover.
        progress: told each step before it begins, in words.
        told: told of a table what was taken for granted, such as rows that are left out.

    Raises:
        CapacityError: a table has more evidences than there is memory for, or too many predicates.
        InputError: a file cannot be read, two of them give one name to their tables, or Hydra is asked for what it
            does not find.
    """
    if request.engine == "hydra" and (request.kind is not Kind.DC or request.max_error > 0):
        raise InputError(
            "Hydra finds exact denial constraints only",
            where="--engine",
            remedy="leave the engine to be chosen, or ask for denial constraints without an error",
        )
    if request.kind is Kind.IND:
        inclusions = discover_inclusions(files, request, progress, told)
        sizes = {n: (inclusions.rows[n], len(schema.columns)) for n, schema in inclusions.schemas.items()}
        likely = tuple(likely_keys_first(inclusions.constraints, inclusions.readings))
        return Discovery(likely, sizes, inclusions.readings, inclusions.near_misses)
    tables = [_Table(schema, rows) for schema, rows in read_files(files, request, progress, told)]
    found = in_turns([_best_first(table, request, progress) for table in tables])
    sizes = {table.schema.table: (table.rows.num_rows, len(table.schema.columns)) for table in tables}
    return Discovery(tuple(found), sizes, {})


def read_files(
    files: Sequence[Path],
    request: DiscoveryRequest,
    progress: Progress,
    told: Callable[[str, str], None] = lambda *_: None,
) -> list[tuple[TableSchema, pa.Table]]:
    """The tables of files, each named after its file.

    Args:
        files: CSV or Parquet files.
        request: how they are read.
        progress: told each step before it begins, in words.
        told: told of a table what was taken for granted, such as the texts that mean null.

    Raises:
        InputError: a file cannot be read, or two of them give one name to their tables.
    """
    tables: dict[str, tuple[TableSchema, pa.Table]] = {}
    for path in files:
        progress(f"reading {path.name}")
        schema, rows = read_table(
            path,
            typed_header=request.typed_header,
            values=request.values,
            null_values=request.null_values,
            dialect=PLAIN_DIALECT if is_parquet(path) else request.dialect_of(path),
            marks=request.marks,
            told=partial(told, path.stem),
        )
        if schema.table in tables:
            raise two_of_one_name(schema.table, path)
        tables[schema.table] = (schema, rows)
    return list(tables.values())


def _best_first(table: _Table, request: DiscoveryRequest, progress: Progress) -> Sequence[Measured]:
    if not table.rows.num_rows:
        return []  # all constraints hold, and nothing speaks for one
    if request.nulls is NullSemantics.SQL:
        table = _Table(with_values(table.schema, table.rows), table.rows)
    if request.kind is Kind.DC:
        shared = predicate_space.shared_fractions(table.rows, table.schema) if request.cross else {}
        space = predicate_space.build(table.schema, request.nulls, cross=request.cross, shared=shared)
        _refuse_too_many(space, table)
        found = _denial_constraints(table, space, request, progress)
    else:
        space = predicate_space.equality_only(table.schema, request.nulls)
        found = _dependencies(table, space, request, progress)
    if not request.ranked:
        return found
    progress(f"{table.schema.table}: ranking {len(found):,} constraints")
    return best_first(found, table.rows, table.schema, space)


def with_values(schema: TableSchema, rows: pa.Table) -> TableSchema:
    """The schema where columns without a value take no part: no row could violate what speaks of them."""
    columns = (replace(c, profiled=c.profiled and rows[c.name].null_count < rows.num_rows) for c in schema.columns)
    return replace(schema, columns=tuple(columns))


def _refuse_too_many(space: PredicateSpace, table: _Table) -> None:
    """Wide tables with cross-column predicates: the evidence of their pairs fits no machine, and takes hours."""
    predicates, pairs = len(space.predicates), table.rows.num_rows * (table.rows.num_rows - 1)
    if predicates <= _MANY_PREDICATES or predicates * pairs <= _MOST_COMPARISONS:
        return
    raise CapacityError(
        f"{predicates:,} predicates over {len(table.schema.columns)} columns are too many to compare all rows by",
        where=f"table {table.schema.table}",
        remedy=_NARROWER,
    )


def _pairs(rows: int) -> str:
    return f"{rows * (rows - 1) // 2:,} pairs of rows"


def _denial_constraints(
    table: _Table, space: PredicateSpace, request: DiscoveryRequest, progress: Progress
) -> list[Measured[RowConstraint]]:
    name, size = table.schema.table, table.rows.num_rows
    rows = encode(table.rows, space)
    pairs = AllPairs(rows, space)
    known = None if request.max_error > 0 else _sampled(pairs, request, partial(_named, progress, name))
    if known is not None:
        dcs = cover.strongest(known, space) if request.reduced else known
        progress(f"{name}: measuring {len(dcs):,} constraints")
        return measure_by_checking(rows, cover.constraints(dcs, space), space.nulls, hold=True)
    progress(f"{name}: comparing {_pairs(size)} by {len(space.predicates)} predicates")
    try:
        masks, counts = ordered_masks(pairs.evidence(), space)
    except CapacityError as error:
        raise CapacityError(error.what, where=f"table {name}", remedy=_NARROWER) from error
    progress(f"{name}: inverting {len(masks):,} distinct evidences")
    bound = request.max_predicates
    if request.max_error > 0:
        dcs = approximate.minimal_approximate_cover(
            masks, counts, space, max_predicates=bound, max_error=request.max_error, pairs=size * (size - 1)
        )
        dcs = cover.reduced_cover(dcs, space) if request.reduced else dcs
    elif request.reduced:
        dcs = cover.reduced_cover_of(masks, space, max_predicates=bound)
    else:
        dcs = inversion.minimal_cover(masks, space, max_predicates=bound)
    progress(f"{name}: measuring {len(dcs):,} constraints")
    constraints = cover.constraints(dcs, space)
    if not request.max_error and cost.rows_tell_supports_sooner(dcs, size, len(masks), len(space.predicates)):
        return measure_by_checking(rows, constraints, space.nulls, hold=True)
    return measured_by(masks, counts, space, constraints, size)


def _named(progress: Progress, table: str, step: str) -> None:
    progress(f"{table}: {step}")


def _sampled(pairs: AllPairs, request: DiscoveryRequest, progress: Progress) -> list[tuple[int, ...]] | None:
    """The cover by Hydra, maximal if the reduced one is wanted, or None where comparing all pairs is the choice."""
    begun: _Begun | None = None
    if request.engine == "auto":
        begun = _worth_sampling(pairs, request, progress)
    elif request.engine == "hydra":
        begun = (*hydra.sampled_evidences(pairs.rows, pairs.space), None)
    if begun is None:
        return None
    known, selectivity, first = begun
    finish = partial(hydra.finish, known, selectivity, max_predicates=request.max_predicates, progress=progress)
    return finish(maximal=request.reduced, begun=first).cover


def _worth_sampling(pairs: AllPairs, request: DiscoveryRequest, progress: Progress) -> _Begun | None:
    """What Hydra's way begins with: evidences, and the cover of the first of them. None: all pairs are cheaper."""
    rows, space = pairs.rows, pairs.space
    if cost.are_few(pairs):
        return None
    progress("sampling pairs of rows")
    random = np.random.default_rng(0)
    known, portions = KnownEvidences(rows, space), random_pairs(rows.rows, random, USUAL)
    known.observe(next(portions))
    compared, growth = cost.seconds_of_pairs(pairs), cost.Growth.of(known)

    def brought(growth: cost.Growth) -> float:
        return cost.seconds_of_evidences(growth.expected(rows.rows), space)

    def estimated(*, decides: bool) -> cost.Estimate:
        found = cost.estimate(
            known,
            pairs,
            compared,
            growth,
            max_predicates=request.max_predicates,
            reduced=request.reduced,
            decides=decides,
        )
        hydra_takes = "more" if math.isinf(found.hydra) else f"{found.hydra:.1f} s"
        progress(f"all pairs would take about {found.pairs:.1f} s of a core, Hydra {hydra_takes}")
        return found

    sampling, at_least = cost.seconds_of_sampling(rows, space, growth), compared + brought(growth)
    if at_least < sampling:
        return None
    if sampling > cost.CHEAP * at_least and not estimated(decides=False).may_pay(sampling):
        return None
    sample_randomly(known, portions, USUAL.evidences(rows.rows))
    growth, selectivity = cost.Growth.of(known), known.shares()
    # Foci that yield go on and on; what they take is estimated by each once.
    most = int((compared + brought(growth)) / cost.seconds_of_sampled(space))
    sample_focused(known, rows, space, random, replace(USUAL, most_focused=most))
    found = estimated(decides=True)
    if found.cover is None or not found.hydra_is_cheaper:
        return None
    return known, selectivity, (tuples_of(found.cover), len(known))


def _dependencies(
    table: _Table, space: PredicateSpace, request: DiscoveryRequest, progress: Progress
) -> list[Measured[RowConstraint]]:
    bound = request.max_predicates
    longest = bound if bound is None or request.kind is Kind.UCC else bound - 1
    codes = encode(table.rows, space)
    question = choice.Question(request.kind, longest, request.max_error)
    chosen = choice.choose(codes, space, question)
    progress(f"{table.schema.table}: searching by {chosen.way.value}; {chosen.reason}")
    if chosen.way is choice.Way.MAINTAINED:
        return _wide_dependencies(table, question, space)
    rights = question.rights(len(codes.columns))
    if chosen.way is choice.Way.PARTITIONS:
        return from_position_lists.dependencies(codes, space, question.bounds, rights)
    agree = from_agree_sets.agree_sets_of_rows(codes, space)
    progress(f"{table.schema.table}: searching in {len(agree):,} agree sets")
    return from_agree_sets.dependencies(agree, question.bounds, rights)


def _wide_dependencies(
    table: _Table, question: choice.Question, space: PredicateSpace
) -> list[Measured[RowConstraint]]:
    """By the engine that maintains wide tables: it counts supports from the rows, and finds all right sides at once."""
    state = AgreeSetState.bootstrapped(table.rows, range(table.rows.num_rows), space)
    engine = AgreeSetEngine(state, question.bounds)
    return engine.unique_column_combinations() if question.kind is Kind.UCC else engine.functional_dependencies()
