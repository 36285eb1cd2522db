"""Findings about rows that were not applied: rejects, with reason and place, and rows with a repeated key."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from math import sqrt
from statistics import fmean, pvariance

from profiling_core.model.delta import rejected_column
from profiling_core.model.finding import REJECTS, REPEATED_KEYS, Evidence, Finding
from profiling_core.model.texts import listed
from profiling_core.spark.delta import Tally

# Reasons that a headline names, at most.
_MOST_REASONS = 3
# Standard deviations above the mean that are still usual (Cantelli's inequality: more in at most 1 of 17 loads).
_BEYOND = 4
_FEWEST_LOADS = 3
# The details of a reject for its type, and of one whose value is its column's name.
_VALUE = re.compile(r"""column '.+?' is [^'"]+, not ('.*?'|".*?")""")
_IS_NAME = re.compile(r"column '(.+)' is .+, not '\1'")


def rejects_finding(
    table: str, label: str, tally: Tally, rows: int, redacted: Collection[str], applied: int
) -> Finding | None:
    """The finding about the rejects of a run's deltas of a table; None without any.

    Args:
        table: the table.
        label: what people call the run.
        tally: the result of the deltas.
        rows: how many rows came.
        redacted: columns whose values must not be shown; if there are any, no value is shown.
        applied: how many rows were applied.
    """
    count = tally.rejects.total()
    if not count:
        return None
    reasons: Counter[str] = Counter()
    for (_, reason), number in tally.rejects.items():
        reasons[reason] += number
    commonest = reasons.most_common(_MOST_REASONS)
    several = len(commonest) > 1
    shown = "" if several or redacted else _for_example(tally)
    said = ", ".join(
        f"{reason}{where_rejected(tally, reason)}{shown}{f' {number:,}×' if several else ''}"
        for reason, number in commonest
    )
    more = f" and {len(reasons) - len(commonest)} more reasons" if len(reasons) > len(commonest) else ""
    were = "was" if count == 1 else "were"
    return Finding(
        kind=REJECTS,
        table=table,
        delta=label,
        headline=f"{count:,} of {rows:,} rows {were} rejected: {said}{more}",
        cause=_cause(tally),
        details=(
            f"{applied:,} row{' was' if applied == 1 else 's were'} applied; the rejected rows are in the quarantine.",
            "Corrected rows can be landed in a file of their own.",
        ),
        rows=_rows(tally, shows_values=not redacted),
        count=count,
        arrived=rows,
        values=reject_kinds(tally),
    )


def repeated_keys_finding(table: str, label: str, key: Sequence[str], tally: Tally, rows: int) -> Finding | None:
    """The finding about rows that have the key of a later row of the same delta; None without any.

    Args:
        table: the table.
        label: what people call the run.
        key: the table's key.
        tally: the result of the deltas.
        rows: how many rows came.
    """
    count = tally.superseded
    if not count:
        return None
    same = tally.alike == count
    said = "came twice, the same in all columns" if same else "came again with other values"
    whole = 2 * count >= rows
    return Finding(
        kind=REPEATED_KEYS,
        table=table,
        delta=label,
        headline=f"{count:,} of {rows:,} rows {said} (same {listed(key)})",
        columns=tuple(key),
        cause="the file concatenated with itself?" if whole else "a part of the file repeated?" if same else "",
        details=("Each was applied once." if same else "Of rows with the same key the last was applied.",),
        rows=tuple(Evidence(text, tuple(key), place=f"{file}, line {line}") for file, line, text in tally.repeated),
        count=count,
        arrived=rows,
    )


def _rows(tally: Tally, *, shows_values: bool) -> tuple[Evidence, ...]:
    """The first reject of each reason, the commonest first, then the others: file, line, and error."""
    examples = sorted(
        (place, -tally.rejects[step, reason], example.file, example.line, reason, example.detail)
        for (step, reason), known in tally.examples.items()
        for place, example in enumerate(known)
    )
    return tuple(
        Evidence({"": _said(reason, detail if shows_values else "")}, ("",), place=f"{file}, line {line}")
        for _, _, file, line, reason, detail in examples
    )


def _cause(tally: Tally) -> str:
    """The likely cause of rejects whose values are the names of their columns: a header among the rows."""
    details = [example.detail for known in tally.examples.values() for example in known]
    return "a second header: concatenated files?" if any(_IS_NAME.fullmatch(one) for one in details) else ""


def _for_example(tally: Tally) -> str:
    """``, for example 'far'``: the first value that was rejected for its type."""
    details = (example.detail for known in tally.examples.values() for example in known)
    found = next((value for one in details if (value := _VALUE.match(one))), None)
    return f", for example {found[1]}" if found else ""


def where_rejected(tally: Tally, reason: str) -> str:
    """`` in pieces``: the columns that all examples of a reason name."""
    names = _columns(tally, reason)
    return f" in {listed(names)}" if all(names) else ""


def _columns(tally: Tally, reason: str) -> list[str]:
    """The columns that the examples of a reason name; an empty name where one names none."""
    every = (one for (_, why), known in tally.examples.items() if why == reason for one in known)
    return sorted({rejected_column(one.detail) for one in every})


def reject_kinds(tally: Tally) -> tuple[str, ...]:
    """Each reason beside each column in which rows were rejected for it: what tells these rejects from others."""
    reasons = sorted({reason for _, reason in tally.rejects})
    return tuple(f"{reason} in {name}" if name else reason for reason in reasons for name in _columns(tally, reason))


def _said(reason: str, detail: str) -> str:
    """What is wrong with a row; a detail that names the column already says that the type is wrong."""
    return detail if rejected_column(detail) else f"{reason}: {detail}" if detail else reason


def is_usual(count: int, before: Sequence[int]) -> bool:
    """Whether this number of rejects is usual after those of the loads before, but for what these had alone.

    Args:
        count: rejected rows.
        before: rejected rows of each earlier load. After fewer than three loads, or if none had any, no reject is
            usual.
    """
    others = ((own, [*before[:place], *before[place + 1 :]]) for place, own in enumerate(before))
    return _is_within(count, [own for own, rest in others if len(rest) < _FEWEST_LOADS or _is_within(own, rest)])


def _is_within(count: int, others: Sequence[int]) -> bool:
    """Whether a number lies within what others make usual."""
    if len(others) < _FEWEST_LOADS or not any(others):
        return count == 0
    mean = fmean(others)
    return count <= mean + _BEYOND * sqrt(pvariance(others) + mean)
