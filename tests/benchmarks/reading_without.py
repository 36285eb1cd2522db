"""What each decision of the look at a CSV file moves: ``python -m benchmarks.reading_without`` takes each away in turn.

A decision is a function whose answer is replaced by the one that decides nothing. The files are the polluted ones,
those of ``--data`` (as ``benchmarks.reading`` takes them) and some that are made at random. Printed are how many files
are read otherwise without the decision, how many of these were or are equal, and how many more are wrong without a
word.
"""

import argparse
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.reading import described, holdfast, published, score
from benchmarks.reading_at_random import made
from benchmarks.reading_cases import Case, cases
from profiling_core.ingest.sniffing import doubts, encodings, escapes, places, records, sniffer, structure, sums


def _always(answer: Any) -> Callable[..., Any]:
    return lambda *_, **__: answer


def _first(value: Any, *_: Any) -> Any:
    return value


def _as_made(_: Any, __: Any, width: int) -> tuple[tuple[str, ...], list[str]]:
    return tuple(f"col_{i}" for i in range(width)), []


NOT, NONE, ZERO, EMPTY, NOTHING = map(_always, (False, None, 0, "", []))
_LISTS, _PLACES = _always([]), _always(())

DECISIONS: dict[Any, dict[str, Any]] = {
    sniffer: {
        "prose_width": ZERO,
        "ruled_places": _PLACES,
        "aligned_places": _PLACES,
        "_by_other_quotes": NONE,
        "_evident": EMPTY,
        "_unusual": EMPTY,
        "_longer": EMPTY,
        "_are_codes": NOT,
        "_has_values": _always(True),
        "_doubt_of_doubled": NOTHING,
        "_doubt_of_formulas": NOTHING,
        "_are_text": NOT,
        "_enclose_few": NOT,
        "_without_escaped": _first,
        "_inner_quotes": _always("doubled"),
        "_is_trimmed": NOT,
        "_has_single_quotes": NOT,
        "escape_of": _always(("", [])),
        "_with_other_signs": _always(b""),
    },
    structure: {
        "_comment": EMPTY,
        "_rule": EMPTY,
        "_are_rows": NOT,
        "_marked_names": NONE,
        "_names_in_comments": _as_made,
        "_naming": len,
        "_are_framed": NOT,
        "_are_different": _always(True),
        "_width_beyond_names": ZERO,
        "_page_ends": NOTHING,
        "_without": lambda rows, _: [*rows],
        "_totals": EMPTY,
        "_is_of_names": NOT,
        "_is_ruled": NOT,
        "_numbers_columns": NOT,
        "_breaks": NOTHING,
        "_repeats": NOT,
        "_counts": NOT,
        "_counts_below": NOT,
        "_name_more": NOT,
        "_goes_on": NOT,
        "_has_sign_of_all": NOT,
        "_header_of_texts": _always((1, [])),
        "_footers": ZERO,
        "_is_foreign": NOT,
        "_is_title": NOT,
        "_are_shortened": NOT,
        "_doubts_of_width": NOTHING,
        "doubts_of_ends": NOTHING,
        "doubts_of_front": NOTHING,
        "doubts_of_names": NOTHING,
        "doubts_of_pages": NOTHING,
        "doubts_of_rows": NOTHING,
    },
    structure._Table: {
        "_with_groups": lambda _, at: at,
        "_may_group": NOT,
        "_after_other_rows": NONE,
        "_names_above": NONE,
        "_may_be_row": NOT,
        "_is_header_line_before": NOT,
        "_is_title": NOT,
        "_main_part": ZERO,
        "_continues": NOT,
        "has_names": NOT,
    },
    encodings: {
        "_of_several_bytes": EMPTY,
        "_of_one_byte": EMPTY,
        "_is_japanese": NOT,
        "_with_euro": _first,
        "_is_mark": NOT,
        "_is_mixed": NOT,
        "_is_odd": NOT,
        "_OF_MACS": encodings._CANDIDATES,
    },
    escapes: {"_unusual": NOTHING},
    places: {"_gaps": _LISTS},
    records: {"_is_mistaken": NOT},
    sums: {"_is_mean": NOT, "_is_within": _always(True), "_unit": ZERO},
    doubts: {
        "_doubts_of_unnamed": NOTHING,
        "_doubts_of_blanks": NOTHING,
        "_doubts_of_aligned": NOTHING,
        "_stand_out": NOT,
        "has_sum": NOT,
    },
}
"""By module the functions that decide, and what stands in their place."""


@contextmanager
def without(where: Any, name: str, other: Any) -> Iterator[None]:
    """Takes a decision away for a while."""
    records.kind_of.cache_clear()
    encodings._is_odd.cache_clear()
    with patch.object(where, name, other):
        yield


def read(found: Sequence[Case], paths: Sequence[Path]) -> list[str]:
    """What becomes of each file: equal, told, refused, or wrong without a word."""
    sniffer._sniffed.cache_clear()
    scores = [score(case, holdfast, path) for case, path in zip(found, paths, strict=True)]
    return ["equal" if one.equal else "silent" if one.silent else "told" if one.loaded else "refused" for one in scores]


def main() -> None:
    """Measures, and prints a line per decision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--random", type=int, default=400, help="how many files made at random")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    found = [*cases("one pollution", "later", "portals"), *map(made, range(30_000, 30_000 + options.random))]
    for folder in options.data:
        found += described(folder) if (folder / "files.csv").is_file() else published(folder)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{i}.csv") for i in range(len(found))]
        for case, path in zip(found, paths, strict=True):
            path.write_bytes(case.content)
        usual = read(found, paths)
        sys.stdout.write(f"{len(found)} files, {usual.count('equal')} equal, {usual.count('silent')} silent\n")
        for where, names in DECISIONS.items():
            for name, other in names.items():
                with without(where, name, other):
                    now = read(found, paths)
                pairs = [pair for pair in zip(usual, now, strict=True) if pair[0] != pair[1]]
                lost, won = (sum(pair[i] == "equal" for pair in pairs) for i in (0, 1))
                silent = now.count("silent") - usual.count("silent")
                title = f"{where.__name__.rpartition('.')[2]}.{name}"
                sys.stdout.write(f"| `{title}` | {len(pairs)} | {lost} | {won} | {silent:+} |\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
