"""What puts constraints between rows to the test (docs/breaks.md): rows that came again, and neighbours."""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise

Row = tuple[Hashable, float, float]  # what rows have to agree on, the first column and the second one


def margins(rows: Sequence[Row]) -> list[float]:
    """Per value of the first column that has a next one in its group."""
    found = []
    for group in {row[0] for row in rows}:
        values = sorted({first for of, first, _ in rows if of == group})
        for value, following in pairwise(values):
            most = max(second for of, first, second in rows if of == group and first == value)
            least = min(second for of, first, second in rows if of == group and first == following)
            found.append(most - least)
    return sorted(found)


def chance_of_a_break(
    known: Sequence[tuple[Hashable, object]], come: Sequence[tuple[Hashable, object]]
) -> tuple[float, bool]:
    """By rows that came again; by values that did, where all these have one value on the right."""
    before, after = ([row for row in rows if None not in row] for rows in (known, [*known, *come]))
    counts = Counter(left for left, _ in before)
    again = {left for left, count in counts.items() if count > 1}
    maps = len({right for left, right in before if left in again}) > 1
    tests = sum(counts[left] - 1 for left in again) if maps else len(again)
    now = sum(count - 1 for count in Counter(left for left, _ in after).values()) - tests if maps else 1
    return max(1, now) / ((tests + 1) * (tests + 2)), maps


def rows_contradicted(known: Sequence[tuple[Hashable, object]], come: Sequence[tuple[Hashable, object]]) -> int:
    there = [row for row in known if None not in row]
    values = {left: {r for of, r in (*there, *come) if of == left and r is not None} for left, _ in there}
    return max((sum(of == left for of, _ in there) for left in values if len(values[left]) > 1), default=0)
