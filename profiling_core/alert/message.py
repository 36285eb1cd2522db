"""One message per table and run: what broke, what recovered, and the rows that show it. It fits on a screen.

The best-ranked constraints are told in full, the next ones in a line each, the rest as a number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from profiling_core.alert.rows import RowTable, row_table
from profiling_core.alert.text_table import render, shortened
from profiling_core.alert.wording import LONGEST, by_the_same, extent, headline, reading, when
from profiling_core.model.change import Change, ChangeSet, Transition
from profiling_core.model.schema import TableSchema

_IN_FULL = 3
_DENIAL = "¬("
_IN_A_LINE = 4
_ROWS_OF_FIRST = 3
_ROWS_OF_OTHERS = 1
_LAST = 1_000_000
_NEWS = {
    Transition.BROKE: ("broke", "broke"),
    Transition.ERROR_JUMPED: ("has a jump in its error", "jumped in error"),
    Transition.SPARED: ("was kept, with rows set aside", "kept with rows set aside"),
    Transition.RECOVERED: ("holds again", "recovered"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """One constraint's part of an alert."""

    fingerprint: str
    constraint: str
    transition: Transition
    headline: str
    when: str
    words: str
    extent: str
    reading: str
    rank: int | None
    in_its_place: tuple[str, ...]
    rows: RowTable
    same_rows_as: str = ""  # the constraint told before it that the same rows break

    def to_json(self) -> dict[str, Any]:
        """The part as plain JSON data."""
        names = ("fingerprint", "constraint", "headline", "when", "words", "extent", "reading", "rank", "same_rows_as")
        return {name: getattr(self, name) for name in names} | {
            "transition": self.transition.value,
            "in_its_place": list(self.in_its_place),
            "rows": self.rows.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        rows = RowTable.from_json(data["rows"])
        transition, place = Transition(data["transition"]), tuple(data["in_its_place"])
        return cls(**{**data, "transition": transition, "in_its_place": place, "rows": rows})


@dataclass(frozen=True, slots=True)
class Alert:
    """The message of one table and run. ``text`` is the whole of it, for any channel that shows text."""

    dataset: str
    version: int
    table: str
    label: str
    title: str
    text: str
    told: tuple[Told, ...]

    def to_json(self) -> dict[str, Any]:
        """The alert as plain JSON data."""
        names = ("dataset", "version", "table", "label", "title", "text")
        told = {"good_news": self.is_good_news, "told": [part.to_json() for part in self.told]}
        return {name: getattr(self, name) for name in names} | told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        fields = {name: value for name, value in data.items() if name != "good_news"}
        return cls(**{**fields, "told": tuple(Told.from_json(part) for part in data["told"])})

    @property
    def is_good_news(self) -> bool:
        """Whether it tells of recoveries alone."""
        return bool(self.told) and all(part.transition is Transition.RECOVERED for part in self.told)


def alerts_of(
    changes: ChangeSet, label: str, schemas: Mapping[str, TableSchema], *, most_rows: int = 10
) -> list[Alert]:
    """The run's alerts, one per table with something to tell; empty on a quiet day.

    Args:
        changes: the run's changes; those marked as alerting are told.
        label: what people call the run, such as its day.
        schemas: per table its columns and key, by which rows are identified.
        most_rows: at most so many violating rows are kept per constraint; the text shows fewer.
    """
    tables = dict.fromkeys(change.table for change in changes.changes if change.alerts)
    return [_alert(changes, table, label, schemas.get(table), most_rows) for table in sorted(tables)]


def _alert(changes: ChangeSet, table: str, label: str, schema: TableSchema | None, most_rows: int) -> Alert:
    news = [change for change in changes.of(table) if change.alerts and change.transition in _NEWS]
    news.sort(key=lambda c: (list(_NEWS).index(c.transition), c.rank or _LAST, c.measured.constraint.text))
    arrived = changes.arrived.get(table, {})
    told = tuple(
        _told(change, label, schema, arrived, most_rows, _told_of_its_rows(change, news[:number]))
        for number, change in enumerate(news)
    )
    title = _title(told, changes.dataset, table, label)
    text = "\n".join(_lines(told, title, changes))
    return Alert(changes.dataset, changes.version, table, label, title, text, told)


def _told_of_its_rows(change: Change, before: Sequence[Change]) -> str:
    """The first constraint before it whose witnesses show all of its own, in its columns; empty where there is none."""
    rows, columns = _breaking(change), set(change.measured.constraint.columns)
    for other in before:
        shown = columns <= set(other.measured.constraint.columns) and other.transition is change.transition
        if rows and shown and rows <= _breaking(other):
            return other.measured.constraint.text
    return ""


def _breaking(change: Change) -> set[tuple[tuple[str, str | None], ...]]:
    return {tuple(sorted(witness.broken_by.items())) for witness in change.witnesses}


def _told(
    change: Change,
    label: str,
    schema: TableSchema | None,
    arrived: Mapping[str, int],
    most_rows: int,
    same_rows_as: str,
) -> Told:
    constraint = change.measured.constraint
    return Told(
        fingerprint=constraint.fingerprint,
        constraint=constraint.text,
        transition=change.transition,
        headline=headline(change, label),
        when=when(change, label),
        words=shortened(constraint.words, 2 * LONGEST),
        extent=extent(change),
        reading=reading(change, arrived),
        rank=change.rank,
        in_its_place=_in_its_place(change) if change.transition is Transition.BROKE else (),
        rows=row_table(change, schema, most_rows=most_rows),
        same_rows_as=same_rows_as,
    )


def _in_its_place(change: Change) -> tuple[str, ...]:
    """What takes its place, in as plain a form: beside a broken FD its refinements by conditions say nothing."""
    plain = not change.measured.constraint.text.startswith(_DENIAL)
    return tuple(text for text in change.replaced_by if not (plain and text.startswith(_DENIAL)))


def _title(told: Sequence[Told], dataset: str, table: str, label: str) -> str:
    first = shortened(told[0].constraint, LONGEST)
    if len(told) == 1:
        return f"{dataset}.{table}, {label}: {first} {_NEWS[told[0].transition][0]}"
    kinds = [part.transition for part in told]
    parts = [f"{kinds.count(kind)} {verb}" for kind, (_, verb) in _NEWS.items() if kind in kinds]
    return f"{dataset}.{table}, {label}: {' and '.join(parts)}, first of all {first}"


def _lines(told: Sequence[Told], title: str, changes: ChangeSet) -> list[str]:
    lines = [title, ""]
    for position, part in enumerate(told[:_IN_FULL]):
        lines += [*_in_full(part, first=position == 0), ""]
    rest = told[_IN_FULL:]
    if rest:
        lines += ["Also:", *(f"  · {part.headline}" for part in rest[:_IN_A_LINE])]
        if len(rest) > _IN_A_LINE:
            lines.append(f"  · and {len(rest) - _IN_A_LINE} more")
        lines.append("")
    explain = f"holdfast explain {told[0].fingerprint} --dataset {changes.dataset}"
    return [*lines, f"Version {changes.version} of {changes.dataset}. More: {explain}"]


def _in_full(part: Told, *, first: bool) -> list[str]:
    lines = [part.headline, f"  {part.words}", f"  {part.extent}"]
    lines += [f"  {part.reading}"] if part.reading and first else []
    lines += [f"  Still holds: {shortened('; '.join(part.in_its_place), 2 * LONGEST)}"] if part.in_its_place else []
    if part.same_rows_as:
        lines.append(f"  {by_the_same(part.same_rows_as)}")
    elif part.rows.rows:
        lines += ["", *render(_first(part.rows, _ROWS_OF_FIRST if first else _ROWS_OF_OTHERS))]
    return lines


def _first(table: RowTable, groups: int) -> RowTable:
    """The first violating rows with their partners."""
    kept = tuple(row for row in table.rows if row.group < groups)
    left_out = len({row.group for row in table.rows}) - len({row.group for row in kept})
    return RowTable(table.columns, table.own, kept, table.more + left_out)
