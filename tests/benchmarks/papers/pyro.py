"""Pyro's questions: rows, columns and thresholds; agree-set samples that are shared, and launch pads by error."""

import time
from collections.abc import Iterator, Sequence
from unittest.mock import patch

from benchmarks import datasets
from benchmarks.pages import seconds
from benchmarks.papers.page import Sizes, asked, cpu, figures, once, questions, yes
from benchmarks.processes import measured
from profiling_core.algorithms.dependencies import from_position_lists
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.position_lists.violating_pairs import (
    SAMPLE,
    AgreeSetSample,
    AgreeSetSamples,
)
from profiling_core.algorithms.dependencies.search import search_space
from profiling_core.algorithms.ground.column_sets import NO_RHS, as_masks
from profiling_core.algorithms.hitting_sets.inversion import minimal_hitting_sets
from profiling_core.algorithms.values.encoding import Encoded, encode

TITLE = "Pyro's questions"
WORDS = (
    "What the paper on Pyro asks in its evaluation, asked of the search by position lists here"
    " (`from_position_lists`): minimal FDs and UCCs with g1 up to a threshold, null = null, left sides of at most 4"
    " columns, beside Desbordante's Pyro (FDs, one thread, from the CSV file), which follows the paper. The paper's"
    " text breaks off in section 5.3 where it was read, so that its own figures are not beside ours."
)
NOT_ASKED = (
    "Figures of the paper's evaluation by their numbers: the text that was read has none.",
    "Memory by threshold: peaks of processes are on [FDs](../fd.md), beside Desbordante's.",
    "Confidence intervals of estimates: [record 19](../../tried/engines.md).",
)
TABLES = ("adult", "tax10k", "ncvoter", "lineitem")
LONGEST = 4


def encoded(sizes: Sizes, name: str, **options) -> tuple[Encoded, object]:
    table = asked(sizes, name, **options)
    return encode(table.rows, table.space), table.space


def found(rows: Encoded, space, error: float) -> list:
    bounds = CoverBounds(LONGEST, LONGEST, error, error)
    return from_position_lists.dependencies(rows, space, bounds, [*range(len(rows.columns)), NO_RHS])


def peer(sizes: Sizes, name: str, rows: int, error: float) -> str:
    if name == "lineitem":
        return ""
    path = datasets.first_rows(datasets.normal_form(sizes.data / f"{name}.csv"), rows)
    program = [datasets.PEERS / "python", datasets.PROGRAMS / "desbordante_fd.py"]
    run = measured([*program, path, "Pyro", str(error), str(LONGEST)], cpu_limit=40)
    return run.failed or f"{seconds(run.run)} ({run.report['count']:,})"


def thresholds(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        rows, space = encoded(sizes, name)
        for error in (0.0, 0.001, 0.01, 0.05):
            known, took = cpu(found, rows, space, error)
            fds = sum(m.constraint.kind == "fd" for m in known)
            yield [
                name,
                *figures([rows.rows, f"{error:g}", fds, len(known) - fds, took]),
                peer(sizes, name, rows.rows, error),
            ]


def growth(sizes: Sizes) -> Iterator[Sequence[str]]:
    for rows in (sizes.tall // 10, sizes.tall // 4, sizes.tall // 2, sizes.tall):
        yield _grown("rows", *encoded(sizes, "lineitem", rows=rows))
    for columns in (6, 9, 12, 16):
        yield _grown("columns", *encoded(sizes, "lineitem", rows=sizes.tall // 2, columns=columns))


def _grown(varied: str, rows: Encoded, space) -> Sequence[str]:
    answers = [cpu(found, rows, space, error) for error in (0.0, 0.01)]
    return [
        varied,
        *figures([rows.rows, len(rows.columns), *(f for known, took in answers for f in (len(known), took))]),
    ]


def own_sample(samples: AgreeSetSamples, columns: int, rhs: int) -> AgreeSetSample:
    return samples._draw(columns, rhs)


class ByError(AgreeSetSamples):
    """Samples that order candidates by the violations they tell of, fewest first."""

    latest: "ByError"

    def __init__(self, pairs: AgreeingPairs) -> None:
        super().__init__(pairs)
        ByError.latest = self

    def estimated(self, columns: int, rhs: int) -> float:
        part = self._part(columns)
        drawn = self._drawn[part] = self._drawn.get(part) or self._draw(part, NO_RHS)
        return drawn.violating(columns, rhs).size / SAMPLE * self._pairs.of(part)


UNCONFIRMED = search_space.Findings.unconfirmed


def by_error(known: search_space.Findings) -> list[int]:
    return sorted(UNCONFIRMED(known), key=lambda columns: ByError.latest.estimated(columns, known._space.rhs))


def variants(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        rows, space = encoded(sizes, name)
        for error in (0.0, 0.01, 0.05):
            ours, *cells = counted(rows, space, error)
            with patch.object(AgreeSetSamples, "violating", own_sample):
                own, *own_cells = counted(rows, space, error)
            with (
                patch.object(search_space, "AgreeSetSamples", ByError),
                patch.object(search_space.Findings, "unconfirmed", by_error),
            ):
                queued, *queued_cells = counted(rows, space, error)
            same = keys_of(ours) == keys_of(own) == keys_of(queued)
            yield [name, f"{error:g}", *figures([len(ours), *own_cells, *cells, *queued_cells]), yes(same)]


def keys_of(known) -> set[str]:
    return {m.constraint.fingerprint for m in known}


def counted(rows: Encoded, space, error: float) -> tuple[list, int, float]:
    """What is found, by how many exact counts, and CPU seconds."""
    counts: list[int] = []
    count = AgreeingPairs._count

    def tallied(pairs, columns):
        counts.append(columns)
        return count(pairs, columns)

    known, took = cpu(found, rows, space, error)
    with patch.object(AgreeingPairs, "_count", tallied):
        found(rows, space, error)
    return known, len(counts), took


EXCLUDE = search_space.Findings.exclude


def exclude_anew(found: search_space.Findings, non_dependencies: Sequence[int]) -> None:
    """Escapes by the hitting sets of all that is known, searched anew."""
    found.excluded += non_dependencies
    edges = [found.universe & ~known for known in search_space.maximal(found.excluded)]
    if edges:
        found._candidates = minimal_hitting_sets(as_masks(edges, found._columns), found._elements, threads=1)


def escapes(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        rows, space = encoded(sizes, name)
        for error in (0.0, 0.01, 0.05):
            ours, *cells = _escaping(rows, space, error, EXCLUDE)
            anew, *anew_cells = _escaping(rows, space, error, exclude_anew)
            same = keys_of(ours) == keys_of(anew)
            yield [name, f"{error:g}", *figures([len(ours), *cells, *anew_cells]), yes(same)]


def _escaping(rows: Encoded, space, error: float, way) -> tuple[list, int, float, float]:
    """What is found, how often the search escaped, and CPU seconds: in all, and of these in escaping."""
    spent: list[float] = []

    def timed(found: search_space.Findings, non_dependencies: Sequence[int]) -> None:
        began = time.thread_time()
        way(found, non_dependencies)
        spent.append(time.thread_time() - began)

    with patch.object(search_space.Findings, "exclude", timed):
        found(rows, space, error)  # loads what is compiled
        spent.clear()
        known, took = once(found, rows, space, error)
    return known, len(spent), took, sum(spent)


QUESTIONS = questions(thresholds, growth, variants, escapes)
