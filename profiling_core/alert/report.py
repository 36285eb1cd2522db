"""The report over several versions: per day what arrived and what changed, the alerts in full, errors over the days.

Built once from change sets, histories and alerts, then rendered for the terminal (``report_terminal``) or as one
self-contained HTML page (``report_html``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from profiling_core.alert.figures import counted
from profiling_core.alert.message import Alert
from profiling_core.model.change import Change, ChangeSet, Transition

_TOLD_PER_DAY = 3
_MORE_SERIES = 12
_LAST = 1_000_000
_VERBS = {
    Transition.BROKE: "broke",
    Transition.ERROR_JUMPED: "error jumped",
    Transition.SPARED: "kept, with rows set aside",
    Transition.RECOVERED: "holds again",
    Transition.APPEARED: "appeared",
    Transition.ERROR_CHANGED: "is still violated",
}

History = Sequence[tuple[str, float, int]]


@dataclass(frozen=True, slots=True)
class ArrivedRows:
    """What one table received."""

    table: str
    deltas: int
    inserts: int
    updates: int
    deletes: int
    rejects: int

    @property
    def text(self) -> str:
        """``958 new, 3 changed, 1 gone rows`` in the fewest words."""
        parts = [
            f"{number:,} {word}"
            for number, word in (
                (self.inserts, "new"),
                (self.updates, "changed"),
                (self.deletes, "gone"),
                (self.rejects, "rejected"),
            )
            if number
        ]
        several = f" in {self.deltas} deltas" if self.deltas > 1 else ""
        return f"{', '.join(parts) or 'nothing'}{several}"


@dataclass(frozen=True, slots=True)
class News:
    """One change of a day in a few words."""

    transition: Transition
    table: str
    constraint: str
    words: str
    alerts: bool


@dataclass(frozen=True, slots=True)
class Day:
    """One version: what arrived, how many constraints changed in which way, and the few that matter most."""

    label: str
    version: int
    arrived: tuple[ArrivedRows, ...]
    counts: Mapping[Transition, int]
    news: tuple[News, ...]

    def count(self, transition: str) -> int:
        """How many constraints made that transition."""
        return self.counts.get(Transition(transition), 0)

    @property
    def alerts(self) -> int:
        """How many of the day's news alerted."""
        return sum(news.alerts for news in self.news)


@dataclass(frozen=True, slots=True)
class Series:
    """One constraint's error over the days, and the days on which it broke or recovered."""

    fingerprint: str
    table: str
    constraint: str
    unit: str
    points: tuple[tuple[str, float, int], ...]
    broke: tuple[str, ...]
    recovered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All that the two renderings show. ``links`` are (what it is, path or address), in the order to be shown.

    ``judged`` are sentences on what the judges of loads know by now, and what people have taught them.
    """

    dataset: str
    days: tuple[Day, ...]
    series: Mapping[str, Series]
    alerts: tuple[Alert, ...]
    links: tuple[tuple[str, str], ...]
    judged: tuple[str, ...] = ()

    @property
    def span(self) -> str:
        """The first and the last day."""
        if not self.days:
            return "no days yet"
        first, last = self.days[0].label, self.days[-1].label
        return first if first == last else f"{first} … {last}"

    def total(self, transition: str) -> int:
        """How often constraints made that transition, over all days but the first, on which everything appears."""
        return sum(day.count(transition) for day in self.days[1:])

    @property
    def other_series(self) -> tuple[Series, ...]:
        """The series of constraints that broke and that no alert mentions."""
        told = {part.fingerprint for alert in self.alerts for part in alert.told}
        return tuple(s for name, s in self.series.items() if name not in told)[:_MORE_SERIES]


def report(
    dataset: str,
    change_sets: Sequence[ChangeSet],
    labels: Mapping[int, str],
    histories: Mapping[str, History],
    alerts: Sequence[Alert],
    links: Mapping[str, str],
) -> Report:
    """Puts the report together.

    Args:
        dataset: its name.
        change_sets: one per version, oldest first.
        labels: per version what people call it, such as its day.
        histories: by fingerprint, (label, error, violations) per version, oldest first; drawn for those that broke.
        alerts: the alerts of these versions.
        links: where suites, Data Docs, the UI and the like are.
    """
    days = tuple(_day(change_set, labels[change_set.version]) for change_set in change_sets)
    series = _series(change_sets, labels, histories)
    return Report(
        dataset, days, series, tuple(sorted(alerts, key=lambda a: (a.version, a.table))), tuple(links.items())
    )


def _day(change_set: ChangeSet, label: str) -> Day:
    arrived = tuple(
        ArrivedRows(table, *(counts.get(name, 0) for name in ("deltas", "inserts", "updates", "deletes", "rejects")))
        for table, counts in sorted(change_set.arrived.items())
    )
    kinds = [change.transition for change in change_set.changes]
    counts = {transition: kinds.count(transition) for transition in Transition}
    told = sorted(filter(_is_told, change_set.changes), key=_weight)
    return Day(label, change_set.version, arrived, counts, tuple(_news(change) for change in told[:_TOLD_PER_DAY]))


def _is_told(change: Change) -> bool:
    """Whether a day's news have it: more rows of what stands broken are none, unless new rows are at fault."""
    return change.transition in _VERBS and (change.transition is not Transition.ERROR_CHANGED or _more(change) > 0)


def _more(change: Change) -> int:
    return change.diagnosis.standing_out or change.violating_rows


def _weight(change: Change) -> tuple[bool, int, int, str]:
    """Alerting changes first, then breaks, recoveries and newcomers, each by rank."""
    order = list(_VERBS).index(change.transition)
    return not change.alerts, order, change.rank or _LAST, change.measured.constraint.text


def _news(change: Change) -> News:
    words = _VERBS[change.transition]
    if change.transition is Transition.BROKE:
        words = f"{words} after {counted(change.held_deltas, 'delta')}"
    if change.transition is Transition.ERROR_CHANGED:
        words = f"{words}, by {counted(_more(change), 'new row')}"
    return News(change.transition, change.table, change.measured.constraint.text, words, change.alerts)


def _series(
    change_sets: Sequence[ChangeSet], labels: Mapping[int, str], histories: Mapping[str, History]
) -> dict[str, Series]:
    """The histories of constraints that broke, best rank first."""
    found: dict[str, list[tuple[str, Change]]] = {}
    for change_set in change_sets:
        for change in change_set.changes:
            name = change.measured.constraint.fingerprint
            found.setdefault(name, []).append((labels[change_set.version], change))
    broken = {
        name: events
        for name, events in found.items()
        if histories.get(name) and any(change.transition is Transition.BROKE for _, change in events)
    }
    in_order = sorted(broken.items(), key=lambda item: min(_weight(c) for _, c in item[1] if c.transition in _VERBS))
    return {name: _one_series(name, events, histories[name]) for name, events in in_order}


def _one_series(name: str, events: Sequence[tuple[str, Change]], history: History) -> Series:
    last = events[-1][1]
    constraint = last.measured.constraint
    unit = constraint.unit.one

    def days(transition: Transition) -> tuple[str, ...]:
        return tuple(label for label, change in events if change.transition is transition)

    return Series(
        name, last.table, constraint.text, unit, tuple(history), days(Transition.BROKE), days(Transition.RECOVERED)
    )
