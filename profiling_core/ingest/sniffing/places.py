"""The places at which the columns of a text begin that is aligned by blanks and has no delimiter.

A ruled line of several parts says them. Else columns are parted by blanks that stand in all lines at the same places;
lines with text there, such as titles and page headings, are left aside if they are few.
"""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise, zip_longest

from profiling_core.ingest.csv_lines import aligned
from profiling_core.ingest.sniffing.records import RARE

_RULED = re.compile(" *(-+|=+)( +(-+|=+))+ *")
_FEWEST_LINES = 8
"""Lines of text from which columns are seen: a sixth of a text is blanks, which stand above each other by chance."""
_FEWEST_COLUMNS = 3


def ruled_places(lines: Sequence[str]) -> tuple[int, ...]:
    """Where columns begin according to a ruled line; empty if there is none."""
    rule = next((text for text in map(aligned, lines) if _RULED.fullmatch(text)), "")
    return (0, *[found.start() for found in re.finditer(r"\S+", rule)][1:]) if rule else ()


def aligned_places(lines: Sequence[str]) -> tuple[int, ...]:
    """Where columns begin according to blanks that stand above each other; empty if there are not several, or tabs.

    A single blank parts columns only if the first line has text behind it; texts have one between words. If too many
    lines have text where few have, no line is left aside: that text is a column's with few values.
    """
    texts = [text for text in map(aligned, lines) if text.strip()] if "\t" not in "".join(lines) else []
    return _places(texts, int(RARE * len(texts))) or _places(texts, 0)


def _places(texts: Sequence[str], aside: int) -> tuple[int, ...]:
    """Where columns begin if a number of lines may have text between them."""
    rough = _gaps(texts, aside)
    kept = [text for text in texts if not any(text[end - 1 : end].strip() for _, end in rough)]
    if len(kept) < max(_FEWEST_LINES, (1 - RARE) * len(texts)):
        return ()
    gaps = [*_gaps(kept, 0), (0, 0)]
    places = [
        end for (begin, end), (after, _) in pairwise(gaps) if end > begin + 1 or kept[0][end : after or None].strip()
    ]
    return (0, *places) if len(places) + 1 >= _FEWEST_COLUMNS else ()


def _gaps(texts: Sequence[str], most: int) -> list[tuple[int, int]]:
    """Begin and end of the blanks within all lines but ``most``; the end is where most lines have them."""
    filled = [sum(map(bool, map(str.strip, column))) for column in zip_longest(*texts, fillvalue=" ")]
    runs = [[*run] for is_gap, run in groupby(range(len(filled)), lambda place: filled[place] <= most) if is_gap]
    return [
        (run[0], 1 + min(run, key=lambda place: (filled[place], -place)))
        for run in runs
        if 0 < run[0] <= run[-1] < len(filled) - 1
    ]
