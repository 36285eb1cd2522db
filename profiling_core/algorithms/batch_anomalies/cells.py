"""Whether as many cells of each column changed as usual; of rows that were there before, each is its own witness.

What happened to the cells is read off the rows before: the likeliest change that gives most of the new values.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, DeltaPart, Mask, values_of
from profiling_core.algorithms.batch_anomalies.renamed import WRITINGS
from profiling_core.algorithms.batch_anomalies.sources import MOST_GROUPS, numbers_of
from profiling_core.algorithms.batch_anomalies.surprise import LATEST, Figures, by_luck, counted_by_luck, odds
from profiling_core.algorithms.batch_anomalies.undoing import WAYS, Undoing, likeliest, offset
from profiling_core.algorithms.columns.changed_cells import CellChange, changes, values_before
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import LogicalType, TypeClass

KIND = "changes"
# An explanation gives this share of the new values from the old ones; what is left was to change anyway.
_MOST = 0.8
# Numbers that were rounded after a change of unit lie within this share of what the change gives.
_ROUNDED = 0.01


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges how many cells of each column have another value, have one where none was, or have none any more."""
    if case.part is not DeltaPart.CHANGED or len(case.history.loads) < LEAST_LOADS:
        return
    own = replace(case, level=case.level / (len(CellChange) * max(1, len(case.found.columns))))
    for name, column in case.found.columns.items():
        for kind in map(CellChange, column.cells):
            yield from _many(own.of(name), name, kind)


def _many(case: Case, name: str, kind: CellChange) -> Iterator[Anomaly]:
    now = case.found.columns[name].cells[kind]
    counts = np.array([column.cells.get(kind, 0) for column in case.history.column(name)], np.float64)
    if len(counts) < LEAST_LOADS:  # a column that came later
        return
    found = case.surprise(np.sqrt(counts)[:, None], np.sqrt([float(now)]), unit=0.5)  # chance moves all roots equally
    usual = max(0.0, float(found.expected[0])) ** 2
    luck = counted_by_luck(now, max(float(counts[-LATEST:].mean()), 0.5 / len(counts)))
    chance = max(float(found.chance[0]), luck)
    if chance >= case.level or now <= usual:
        return
    rows = case.found.sample
    cells = changes(rows, name)[kind]
    said, cause = _happened(case, name, kind, rows.filter(pa.array(cells)))
    yield Anomaly(
        KIND,
        f"{values_of(now, case.found.rows, name)} {said}{_of_one_group(case, name, cells)}, "
        f"usually {'none' if usual < 1 / 2 else f'about {usual:,.0f}'}",
        (name,),
        cause=cause,
        suspect_rows=lambda rows: changes(rows, name)[kind],
        magnitude=odds(chance) / odds(case.level),
        subject=kind.name.casefold(),
        size=float(np.sqrt(now) - np.sqrt(usual)),
        room=float(found.spread[0]),
    )


def _happened(case: Case, name: str, kind: CellChange, rows: pa.Table) -> tuple[str, str]:
    """What happened to changed cells, in words, and its likely cause."""
    if kind is CellChange.EMPTIED:
        return "are empty and were not", "a field that was not filled?"
    bare = "changed" if kind is CellChange.OTHER else "are there and were not"
    return next(_likeliest(case, name, rows), (bare, ""))


def _likeliest(case: Case, name: str, rows: pa.Table) -> Iterator[tuple[str, str]]:
    """What gives most of the new values, the likelier first."""
    own, before, now = case.schema.column(name), values_before(rows, name), rows[name].to_pylist()
    old = before.to_pylist()
    yield from (
        (f"are those of {other.name}", f"{other.name} in place of {name}?")
        for other in case.schema.profiled
        if other.name != name
        and other.type is own.type
        and _are_most(pc.equal(rows[name], values_before(rows, other.name)))
    )
    if own.type is LogicalType.STRING:
        yield from _written_otherwise(old, now)
    commonest, count = Counter(now).most_common(1)[0]
    if count >= _MOST * len(now) > 1:
        yield f"became {case.shown(name, str(commonest))}", "a default?" if len({*old}) > 1 or None in old else ""
    if (Counter(old) & Counter(now)).total() >= _MOST * len(now) > 1:
        yield "are in other rows", "the values of other rows?"
    if own.type.type_class is TypeClass.NUMERIC and (way := _way(numbers_of(before), numbers_of(rows[name]))):
        yield way.said, way.cause


def _written_otherwise(old: Sequence[str | None], now: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The forms of writing in which most of the texts differ from those before, and in nothing else."""
    for writing in WRITINGS:
        same = sum(writing.same(was or "") == writing.same(text) for was, text in zip(old, now, strict=True))
        if same >= _MOST * len(now):
            yield f"changed in {writing.said} alone", "written otherwise?"


def _are_most(mask: pa.ChunkedArray) -> bool:
    return float(pc.fill_null(mask, fill_value=False).to_numpy().mean()) >= _MOST


def _way(old: Figures, now: Figures) -> Undoing | None:
    """The change that gives most of the new numbers from the old ones."""

    def unusual(undone: Figures) -> float:
        return 0.0 if np.mean(np.abs(undone - old) <= _ROUNDED * np.abs(old)) >= _MOST else np.inf

    return likeliest((*WAYS, offset(float(np.median(now - old)))), now, unusual)


def _of_one_group(case: Case, name: str, cells: Mask) -> str:
    """The value of another column that most of these rows have, if that is no chance among the changed rows."""
    rows, most = case.found.sample, int(cells.sum())
    best = case.level, ""
    for column in case.schema.profiled:
        if column.name == name or column.type is not LogicalType.STRING:
            continue
        texts = rows[column.name].to_pylist()
        counts = Counter(text for text, cell in zip(texts, cells, strict=True) if cell)
        value, count = counts.most_common(1)[0]
        if value is None or count < _MOST * most or len(set(texts)) > MOST_GROUPS:
            continue
        share = texts.count(value) / len(texts)
        chance = by_luck(count / most, most, share) if count / most > share else 1.0
        best = min(best, (chance, f" (with {column.name} {case.shown(column.name, value)})"))
    return best[1]
