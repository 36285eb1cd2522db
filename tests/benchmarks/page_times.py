"""How long the pages take: ``python -m benchmarks.page_times``; ``make bench-pages`` runs it.

The morning page over 200 datasets, 20 with an incident, and the rules of a dataset that follows 100,000: each
asked of the pages' app as Airflow's API server asks it, without the network and without Airflow's own database.
"""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from benchmarks import datasets
from benchmarks.pages import table, write_page

DATASETS, BROKEN = 200, 20
REPETITIONS = 15
GOAL = 0.3
RULES = "/datasets/nycflights13/rules"
PAGES = {
    "the morning page, 200 datasets": "/",
    "the morning page, searched": "/?q=distance&state=all",
    "rules, first page of 100,000": RULES,
    "rules, sorted by violations": f"{RULES}?sort=violations",
    "rules, violated ones": f"{RULES}?state=violated",
    "rules, of one table": f"{RULES}?table=flights",
    "rules, searched by a column's name": f"{RULES}?q=column77",
    "rules, of one kind": f"{RULES}?kind=fd",
    "rules, the 500th page": f"{RULES}?first=50000",
}


def main() -> None:
    """Measures, writes the page, and says where it is."""
    from helpers.pages_client import asking

    settings = _project()
    load = os.getloadavg()[0]
    found: dict[str, list[tuple[float, float, int]]] = {}
    with asking(settings, "viewer") as client:
        for _ in range(REPETITIONS + 1):
            for name, path in PAGES.items():
                clock, processor = time.perf_counter(), time.process_time()
                answer = client.get(path)
                took = (time.perf_counter() - clock, time.process_time() - processor)
                if answer.status_code != 200:
                    raise SystemExit(f"{path}: {answer.status_code} {answer.text}")
                found.setdefault(name, []).append((*took, len(answer.content)))
    intro = (
        f"Each page was asked for {REPETITIONS} times after a first one, the pages in turns; a page should be there "
        f"within {GOAL * 1000:.0f} ms by the clock, which counts other programs' work, too: the machine's load was "
        f"{load:.0f} when this began. Between requests nothing is kept but what versions showed and how many rules "
        "they have in each state, which never change."
    )
    header = ("page", "clock: median, ms", "clock: slowest, ms", "CPU: median, ms", "first, ms", "kB")
    out = datasets.REPOSITORY / "docs" / "benchmarks" / "pages.md"
    write_page(out, "Pages", "make bench-pages", [intro, table(header, _rows(found))])
    sys.stderr.write(f"{out}\n")


def _rows(found: dict[str, list[tuple[float, float, int]]]) -> Iterator[tuple[object, ...]]:
    for name, (first, *others) in found.items():
        clocks, processor = [clock for clock, _, _ in others], [cpu for _, cpu, _ in others]
        milliseconds = (median(clocks), max(clocks), median(processor), first[0])
        yield name, *(f"{1000 * value:.0f}" for value in milliseconds), f"{first[2] / 1000:.0f}"


def _project():
    """The seeded catalog with more datasets, and with more constraints that its newest version follows."""
    from helpers import many_rules
    from helpers.catalog import LABELS, _changes, _table, _tracked, _version, seed

    from profiling_core.alert.message import tell

    root = datasets.WORK / "pages"
    shutil.rmtree(root, ignore_errors=True)
    settings = seed(root)
    catalog = settings.catalog()
    for place in range(DATASETS - 1):
        name, last = f"shop{place:03}", 3 if place < BROKEN else 2
        for version in range(1, last + 1):
            label = LABELS[version - 1]
            catalog.commit(replace(_version(version, label), dataset=name))
            changes = replace(_changes(version, label), dataset=name)
            telling = tell(changes, label, {"flights": _table("flights", 1).schema})
            catalog.settle(_tracked(version), changes, (), telling.incidents)
    many_rules.add(settings, "nycflights13", 4)
    return settings


if __name__ == "__main__":
    main()
