"""What deltas cost where inclusions are maintained: ``python -m benchmarks.ind_deltas``; ``make bench-ind`` runs it.

Each scale factor of TPC-H is a run of its own, kept in ``build/benchmarks/ind-deltas``: the page shows what is there.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks import datasets
from benchmarks.pages import seconds, table, write_page
from benchmarks.processes import GIB, measured

PROGRAM = datasets.PROGRAMS / "holdfast_ind_deltas.py"
KEPT = datasets.WORK / "ind-deltas"
PAGE = datasets.REPOSITORY / "docs" / "benchmarks" / "ind-deltas.md"
MEMORY = 20 * GIB
CHANGES = (("one tuple", "tuple"), ("100 rows", "hundred"), ("1 % of the rows", "percent"))
CHANGE_HEADER = ("change of lineitem", "inserted", "of bootstrap", "deleted", "of bootstrap", "deleted / inserted")
GROWTH_HEADER = ("TPC-H", "lineitem, rows", "state, MiB", "bootstrap", "one tuple", "100 rows", "of bootstrap")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures the scale factors that the arguments name, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scales", nargs="*", default=["0.1", "1", "3"], help="TPC-H's scale factors; none: only the page"
    )
    parser.add_argument("--limit", type=int, default=300, help="CPU seconds that a process gets")
    options = parser.parse_args(arguments)
    KEPT.mkdir(parents=True, exist_ok=True)
    for scale in options.scales:
        run = measured(
            [sys.executable, PROGRAM, *datasets.tpch(scale, "parquet")], cpu_limit=options.limit, memory_limit=MEMORY
        )
        (KEPT / f"{scale}.json").write_text(json.dumps(asdict(run)), encoding="utf-8")
    runs = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(KEPT.glob("*.json"))}
    write_page(PAGE, "Inclusion dependencies under deltas", "make bench-ind", page_parts(runs))
    sys.stderr.write(f"{PAGE}\n")


def page_parts(runs: dict[str, Any]) -> Iterator[str]:
    """The page below its title, from runs by scale factor."""
    yield (
        "Here, though, times are seconds by the clock, as the work is that of several processes: on Spark with two"
        " threads, typed values, from Parquet files; the fastest of three. Of bootstraps Spark's start is left out."
        " Every step writes a whole version's state durably, with results and readings, unless said otherwise. The"
        " shares are of our own bootstrap, which writes a state. Beside static discovery, which writes none, stand"
        " [100,000 tuples one by one](papers/inds.md), their state opened once."
    )
    ended = {scale: run["report"] for scale, run in runs.items() if not run["failed"]}
    for scale, run in runs.items():
        if run["failed"]:
            yield f"TPC-H {scale} did not end: {run['failed']}."
    for scale, told in ended.items():
        yield from _scale_parts(scale, told)
    if len(ended) > 1:
        yield "## Growth\n\nThe same deltas of `lineitem` on ever larger tables."
        yield table(GROWTH_HEADER, (_growth(scale, told) for scale, told in ended.items()))


def _scale_parts(scale: str, told: dict[str, float]) -> Iterator[str]:
    yield (
        f"## TPC-H {scale}\n\nBootstrap of {told['count']} inclusion dependencies: {seconds(told['bootstrap'])} s,"
        f" after {seconds(told['spark'])} s of Spark's start; peak memory {told['jvm_peak']:.0f} MiB in the JVM,"
        f" {told['worker_peak']:.0f} in a worker, {told['driver_peak']:.0f} in the driver."
    )
    yield table(CHANGE_HEADER, (_change(told, *change) for change in CHANGES))
    yield (
        f"24 deltas of 100 new rows one after the other, each on the version before: {seconds(told['row_mean'])} s in"
        f" the mean, {seconds(told['row_most'])} s at most (eight logs are made one). The job that then folds their log"
        f" into the buckets, with the next delta: {seconds(told['fold'])} s."
    )


def _change(told: dict[str, float], words: str, name: str) -> tuple[str, ...]:
    inserted, deleted = told[f"{name}_inserted"], told[f"{name}_deleted"]
    figures = [(f"{seconds(took)} s", f"{took / told['bootstrap']:.2%}") for took in (inserted, deleted)]
    return (words, *figures[0], *figures[1], f"{deleted / inserted:.2f}")


def _growth(scale: str, told: dict[str, float]) -> tuple[str, ...]:
    return (
        scale,
        f"{told['rows']:,.0f}",
        f"{told['state']:,.0f}",
        *(f"{seconds(told[name])} s" for name in ("bootstrap", "tuple_inserted", "hundred_inserted")),
        f"{told['hundred_inserted'] / told['bootstrap']:.2%}",
    )


if __name__ == "__main__":
    main()
