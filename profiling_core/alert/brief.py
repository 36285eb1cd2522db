"""The parts of a message that every format shows: first line, rows by their key, what is behind it, what to do.

Nulls read as ``no value``, so that nobody takes them for a text; texts that would mislead stand in quotation marks.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from profiling_core.alert.text_table import shortened, visible
from profiling_core.alert.wording import spoken
from profiling_core.model.finding import CONSTRAINT, REFUSAL, REJECTS, SET_ASIDE, Evidence
from profiling_core.model.incident import Incident
from profiling_core.model.stored import Stored

MOST_ROWS = 5
_MOST_SAID = 2
# A row fits two lines of a phone: cells shown beside the key and the wrong cells.
_MOST_BESIDE = 3
_WIDEST = 120
_NO_VALUE = "no value"
_LONG_FRACTION = re.compile(r"(-?\d{1,15})\.\d{9,}")
_DECIMAL = re.compile(r"-?\d{1,15}\.\d{1,6}")


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One row in three parts: which it is, what of it is wrong and what it should be, and the rest that matters."""

    key: str
    wrong: str
    rest: str = ""

    @property
    def text(self) -> str:
        """The row on one line, the wrong cell marked."""
        key, rest = f"{self.key}: " if self.key else "", f" ({self.rest})" if self.rest else ""
        return f"{key}▶ {self.wrong}{rest}"


@dataclass(frozen=True, slots=True)
class Action:
    """What a person can do about it: in words, and as a command."""

    what: str
    command: str


@dataclass(frozen=True, slots=True)
class Brief(Stored):
    """A message in parts. ``first`` is the decisive sentence, which no format cuts."""

    first: str
    rows: tuple[ShownRow, ...] = ()
    more_rows: int = 0
    sentences: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    more: int = 0
    owner: str = ""
    actions: tuple[Action, ...] = ()
    link: str = ""
    good_news: bool = False

    @property
    def text(self) -> str:
        """The whole message as plain text."""
        blocks = [[self.first], self.row_lines, list(self.sentences), self.also_lines, self.action_lines]
        return "\n\n".join("\n".join(block) for block in blocks if block)

    @property
    def row_lines(self) -> list[str]:
        """A line for each row, and how many more there are."""
        more = [f"… and {self.more_rows:,} more row{'' if self.more_rows == 1 else 's'}"] if self.more_rows else []
        return [*(f"· {row.text}" for row in self.rows), *more]

    @property
    def also_lines(self) -> list[str]:
        """What else the same cause broke."""
        if not self.also:
            return []
        more = [f"· and {self.more:,} more"] if self.more else []
        return ["The same cause shows in:", *(f"· {line}" for line in self.also), *more]

    @property
    def action_lines(self) -> list[str]:
        """Who looks after it, and what can be done."""
        owner = [f"Owner: {self.owner}"] if self.owner else []
        link = [f"Page: {self.link}"] if self.link else []
        return [*owner, *(f"{action.what}: {action.command}" for action in self.actions), *link]


def brief_of(body: Mapping[str, Any]) -> Brief:
    """The parts of a message as the outbox keeps it; its lines, where it was made without parts."""
    if body.get("brief"):
        return Brief.from_json(body["brief"])
    lines = tuple(line for line in str(body["text"]).splitlines() if line and line != body["title"])
    return Brief(body["title"], sentences=lines, good_news=bool(body.get("good_news")))


def shown_rows(rows: Sequence[Evidence], key: Sequence[str], about: Collection[str]) -> tuple[ShownRow, ...]:
    """Rows as they are shown, without what all of them have in common and none has wrong: the day of a delta.

    Args:
        rows: the rows.
        key: the columns of the table's key.
        about: the columns that the finding is about: all rows may have one wrong, and the cell beside shows it.
    """
    first = rows[0].values if rows else {}
    other = [name for name in first if name not in about]
    same = {name for name in other if all(row.values.get(name, "") == first[name] for row in rows)}
    return tuple(shown_row(row, key, same if len(rows) > 1 else ()) for row in rows)


def shown_row(row: Evidence, key: Sequence[str], without: Collection[str] = ()) -> ShownRow:
    """A row as it is shown: by the table's key where that is known, else by what is not wrong with it.

    Args:
        row: the row.
        key: the columns of the table's key.
        without: columns that tell it from no other row that is shown.
    """
    names, rest = _right_cells(row, key, without)
    place = [row.place] if row.place else []
    identity = ", ".join([*(_cell(name, row.values[name]) for name in names), *place])
    wrong = ", ".join(_wrong(name, row) for name in row.wrong if name in row.values)
    return ShownRow(identity, wrong or _cells(row, rest), _cells(row, rest) if wrong else "")


def _right_cells(row: Evidence, key: Sequence[str], without: Collection[str]) -> tuple[list[str], list[str]]:
    """The columns by which a row is known, and those that are shown beside what is wrong."""
    right = [name for name in row.values if name not in row.wrong and name not in row.instead]
    telling = [name for name in right if name not in without] or right
    names = [name for name in key if name in right] or telling[:3]
    explains = row.expected or row.beside is not None  # what is the same in all rows may say what a cell should be
    return names, [name for name in (right if explains else telling) if name not in names][:_MOST_BESIDE]


def _wrong(name: str, row: Evidence) -> str:
    said = _cell(name, row.values[name])
    if name in row.expected:
        cells = {name: row.expected[name], **row.instead}
        comma = "" if row.instead else ","
        told = [_should_be(other, row.values.get(other), right, comma) for other, right in cells.items()]
        return f"either {', or '.join(told)}" if row.instead else told[0]
    if row.against:
        return f"{said}, and {row.against}"
    if row.beside is not None and row.beside.get(name) != row.values[name]:
        return f"{said}, elsewhere {value(row.beside.get(name))}"
    return said


def _should_be(name: str, text: str | None, right: str | None, comma: str) -> str:
    is_now, should_be = _to_one_length(text, right)
    return f"{_cell(name, is_now)}{comma} should be {value(should_be)}"


def _to_one_length(one: str | None, other: str | None) -> tuple[str | None, str | None]:
    """Two numbers with as many digits after the point, where both have some: 145.20 beside 144.20, and not 145.2."""
    if not (one and other and _DECIMAL.fullmatch(one) and _DECIMAL.fullmatch(other)):
        return one, other
    digits = max(len(text.partition(".")[2]) for text in (one, other))
    return f"{Decimal(one):.{digits}f}", f"{Decimal(other):.{digits}f}"


def _cells(row: Evidence, names: Sequence[str]) -> str:
    return ", ".join(_cell(name, row.values[name]) for name in names)


def _cell(name: str, text: str | None) -> str:
    return f"{shortened(name, _WIDEST)} {value(text)}".lstrip()


def value(text: str | None, width: int = _WIDEST) -> str:
    """A value as people read it: ``no value`` for null, in quotation marks what would be taken for something else."""
    if text is None:
        return _NO_VALUE
    text = _as_people_round(text)
    odd = not text or text != text.strip() or text.casefold() in ("null", "none", "nan", _NO_VALUE)
    return shortened(f'"{visible(text)}"' if odd else text, width)


def _as_people_round(text: str) -> str:
    """A number of more than eight digits after the point with six at most: 153.17355 for 153.1735500527245."""
    found = _LONG_FRACTION.fullmatch(text)
    small = found is None or not found[1].strip("-0")
    return text if small else f"{Decimal(text):.6f}".rstrip("0").rstrip(".")


def first_line(dataset: str, incident: Incident, since: str = "") -> str:
    """Where, what, how many, since when, and what is likely behind it: one sentence that stands alone.

    Args:
        dataset: where.
        incident: what.
        since: since when, where not since the incident was opened.
    """
    found = incident.diagnosis
    # Nothing of a refused delta is there, so nothing lasts since it.
    since = "" if found.kind == REFUSAL else f", since {spoken(since or incident.opened)}"
    said = f"{dataset}.{incident.table}: {found.headline}{since}"
    cause = lasting(incident) or found.cause
    said += f" – {cause}" if cause else ""
    return visible(said if said.endswith("?") else f"{said}.")


def lasting(incident: Incident) -> str:
    """``3 deltas on end, 6 rows, always with dest EGE, distance 1725: changed for good?``; empty before."""
    if not incident.lasts:
        return ""
    rows = f", {incident.total:,} rows" if incident.total else ""
    said = incident.diagnosis.values if incident.diagnosis.kind == CONSTRAINT else ()
    same = f", always with {shortened(' or '.join(said[:_MOST_SAID]), _WIDEST)}" if said else ""
    return f"{incident.steady:,} deltas on end{rows}{same}: changed for good?"


def actions(dataset: str, incident: Incident) -> tuple[Action, ...]:
    """What a person can do about an incident, the nearest first."""
    of = f"--dataset {dataset}"
    aside = dict.fromkeys(finding.table for finding in incident.findings if finding.kind == SET_ASIDE)
    subjects = [finding.subject for finding in incident.findings if finding.kind in ("constraint", SET_ASIDE)]
    right = "Take as many for usual" if incident.diagnosis.kind == REJECTS else "Accept it as right"
    return (
        *(Action(f"Apply the rows of {table}", f"holdfast release {table} {of}") for table in aside),
        *(Action("See more", f"holdfast explain {subject} {of}") for subject in subjects[:1]),
        Action("Look after it", f"holdfast incidents ack {incident.number} {of}"),
        Action(right, f"holdfast incidents accept {incident.number} {of}"),
        Action("Send no more messages", f"holdfast incidents mute {incident.number} {of}"),
    )
