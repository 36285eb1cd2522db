"""The morning page: the open incidents of all datasets, worst first, then blocked datasets, then quiet ones.

It takes a few queries of the catalog and of Airflow's database, whatever the number of datasets.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, PlainSerializer

from profiling_core.airflow.ui import runs, words
from profiling_core.airflow.ui.figures import DeltaRows, rows_per_delta
from profiling_core.airflow.ui.looking import Pending
from profiling_core.airflow.ui.places import catalog
from profiling_core.airflow.ui.runs import DagStanding
from profiling_core.alert.figures import counted
from profiling_core.model.finding import REFUSAL
from profiling_core.model.incident import Incident, IncidentStatus
from profiling_core.model.stored import Hidden, Stored
from profiling_core.state.glance import DatasetGlance

# A run is late after this time; a running scheduler starts it within seconds.
LATE = timedelta(minutes=10)
SHOWN = 200
"""Lines on the page, at most: about 100 kB, and more than a person reads."""
_UNDECIDED = (IncidentStatus.OPEN, IncidentStatus.ACKNOWLEDGED)


@dataclass(frozen=True, slots=True)
class MorningQuery:
    """A person's search; empty fields match all. Without a ``state``: incidents that are open or acknowledged."""

    text: str = ""
    owner: str = ""
    state: str = ""
    table: str = ""
    kind: str = ""

    @property
    def is_narrow(self) -> bool:
        """Whether any field is set."""
        return any(asdict(self).values())


@dataclass(frozen=True, slots=True)
class MorningLine(Stored):
    """One incident: rows in the newest delta and in all, days since it opened, and the state of its dataset's run."""

    dataset: str
    incident: Incident
    today: int
    in_all: int
    trend: str
    run: str


@dataclass(frozen=True, slots=True)
class Trouble(Stored):
    """Something that keeps a dataset from being current: a ``kind`` in a word, a sentence, and a link."""

    dataset: str
    kind: str
    sentence: str
    run_id: str = ""
    incident: int = 0
    page: str = ""


@dataclass(frozen=True, slots=True)
class Morning(Stored):
    """The page: incidents, troubles, and the datasets without either; and the choices of the search."""

    wanted: Hidden[MorningQuery]
    lines: Annotated[tuple[MorningLine, ...], Field(alias="incidents")]
    hidden: Hidden[int]
    troubles: tuple[Trouble, ...]
    quiet: Annotated[tuple[DatasetGlance, ...], PlainSerializer(lambda quiet: [dataset.name for dataset in quiet])]
    datasets: int
    owners: Hidden[tuple[str, ...]]
    tables: Hidden[tuple[str, ...]]
    kinds: Hidden[tuple[str, ...]]


def names() -> list[str]:
    """All datasets: those in the catalog, and those that have a DAG and no version yet."""
    begun = {name for name, standing in runs.standings().items() if standing.is_read}
    return sorted({known.name for known in catalog().in_short()} | begun)


def morning(
    allowed: Iterable[str],
    wanted: MorningQuery,
    standings: Mapping[str, DagStanding],
    pending: Mapping[str, Pending] = MappingProxyType({}),
    now: datetime | None = None,
) -> Morning:
    """The page over the datasets that a person may read.

    Args:
        allowed: the names of these datasets.
        wanted: the person's search.
        standings: the state of each dataset's DAG.
        pending: by dataset and table the deltas that have arrived and are not applied, as far as known.
        now: the time.
    """
    at = now or datetime.now(UTC)
    every = _known(set(allowed), standings)
    incidents = [(found.name, i) for found in every for i in found.incidents]
    troubles = [
        trouble
        for found in every
        for trouble in _troubles(found, standings.get(found.name), pending.get(found.name, {}), at)
    ]
    chosen = [(name, i) for name, i in incidents if _is_wanted(name, i, wanted, at)]
    lines = sorted(_lines(chosen, standings), key=_worst_first)
    return Morning(
        wanted,
        tuple(lines[:SHOWN]),
        max(0, len(lines) - SHOWN),
        tuple(t for t in troubles if _is_of(t, wanted)),
        _quiet(every, {trouble.dataset for trouble in troubles}, at),
        len(every),
        *_choices([i for _, i in incidents], {f"{name}.{i.table}" for name, i in incidents}),
    )


def _known(may: Collection[str], standings: Collection[str]) -> list[DatasetGlance]:
    """Those of these datasets that are in the catalog or have a DAG, by name."""
    known = {found.name: found for found in catalog().in_short() if found.name in may}
    return [known.get(name) or DatasetGlance(name) for name in sorted({*known, *standings}.intersection(may))]


def _is_shown(incident: Incident, now: datetime) -> bool:
    """Whether an incident is shown. An accepted one is not, nor a muted one until the day up to which it is muted."""
    if incident.status is not IncidentStatus.MUTED:
        return incident.status in _UNDECIDED
    try:
        return date.fromisoformat(incident.muted_until) < now.date()
    except ValueError:  # muted for good, or until a delta whose id is no day
        return False


def _quiet(every: Sequence[DatasetGlance], troubled: Collection[str], now: datetime) -> tuple[DatasetGlance, ...]:
    """The datasets with nothing to look at."""
    heard = (found for found in every if not any(_is_shown(i, now) for i in found.incidents))
    return tuple(found for found in heard if found.name not in troubled)


def _choices(
    incidents: Sequence[Incident], tables: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The owners, tables and kinds that the search can choose from."""
    owners, kinds = {i.owner for i in incidents if i.owner}, {i.diagnosis.kind for i in incidents}
    return tuple(sorted(owners)), tuple(sorted(tables)), tuple(sorted(kinds))


def _is_wanted(dataset: str, incident: Incident, wanted: MorningQuery, now: datetime) -> bool:
    heard = incident.status == wanted.state if wanted.state else _is_shown(incident, now)
    if wanted.state != "all" and not heard:
        return False
    if not wanted.state and incident.diagnosis.kind == REFUSAL:
        return wanted.kind == REFUSAL and _matches(dataset, incident, wanted)  # else it is among the blocked
    return _matches(dataset, incident, wanted)


def _matches(dataset: str, incident: Incident, wanted: MorningQuery) -> bool:
    said = " ".join((dataset, incident.table, incident.owner, *(f.headline for f in incident.findings[:20])))
    return (
        wanted.text.casefold() in said.casefold()
        and wanted.owner in ("", incident.owner)
        and wanted.table in ("", f"{dataset}.{incident.table}")
        and wanted.kind in ("", incident.diagnosis.kind)
    )


def _is_of(trouble: Trouble, wanted: MorningQuery) -> bool:
    if wanted.owner or wanted.state or wanted.kind:
        return False
    of_table = wanted.table in ("", trouble.dataset) or wanted.table.startswith(f"{trouble.dataset}.")
    return of_table and wanted.text.casefold() in f"{trouble.dataset} {trouble.kind} {trouble.sentence}".casefold()


def _lines(incidents: Sequence[tuple[str, Incident]], standings: Mapping[str, DagStanding]) -> list[MorningLine]:
    first: dict[str, int] = {}
    for name, incident in incidents:
        first[name] = min(first.get(name, incident.version), incident.version)
    stamps = {name: catalog().stamps(name, since) for name, since in first.items()}
    return [
        _line(name, incident, rows_per_delta(name, incident, stamps[name]), standings.get(name))
        for name, incident in incidents
    ]


def _line(dataset: str, incident: Incident, rows: Sequence[DeltaRows], standing: DagStanding | None) -> MorningLine:
    today = rows[-1].rows if rows else incident.diagnosis.count
    in_all = sum(one.rows for one in rows) or incident.rows
    newest = standing.newest if standing else None
    return MorningLine(dataset, incident, today, in_all, words.trend(incident, rows), newest.state if newest else "")


def _worst_first(line: MorningLine) -> tuple[bool, bool, int, int, str, int]:
    """The sort key: open incidents before acknowledged ones, then those in the newest delta, then by rows."""
    incident = line.incident
    return (
        incident.status is not IncidentStatus.OPEN,
        line.today == 0 and incident.rows > 0,
        -line.today,
        -line.in_all,
        line.dataset,
        incident.number,
    )


def _troubles(found: DatasetGlance, standing: DagStanding | None, pending: Pending, now: datetime) -> list[Trouble]:
    refused = [
        Trouble(found.name, "refused", f"{i.table}: {i.diagnosis.headline}", incident=i.number)
        for i in found.incidents
        if i.diagnosis.kind == REFUSAL and i.status in _UNDECIDED
    ]
    arrived = [Trouble(found.name, "pending", _arrived(pending))] if pending else []
    return [*refused, *_of_run(found, standing), *arrived, *_waiting(found, standing, now)]


def _arrived(pending: Pending) -> str:
    """``2 deltas of orders and parcels, 2024-05-03 to 2024-05-04, have arrived and are not applied``."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for table, ids in pending.items():
        alike.setdefault(tuple(ids), []).append(table)
    said = (
        f"{counted(len(ids), 'delta')} of {words.listing(tables)}, {' to '.join(dict.fromkeys((ids[0], ids[-1])))}"
        for ids, tables in alike.items()
    )
    one = sum(map(len, alike)) == 1
    return f"{'; '.join(said)}, {'has' if one else 'have'} arrived and {'is' if one else 'are'} not applied"


def _of_run(found: DatasetGlance, standing: DagStanding | None) -> list[Trouble]:
    """The troubles of the newest run; none if it ended well and something has been applied."""
    name, newest = found.name, standing.newest if standing else None
    if newest and newest.state == runs.FAILED:
        tasks = ", ".join(dict.fromkeys(task.task for task in newest.failed)) or "no task"
        began = "" if found.version else "; nothing has been applied yet"
        return [Trouble(name, "failed", f"the newest run failed in {tasks}{began}", newest.run_id)]
    if newest and newest.is_under_way:
        since = f" since {words.moment(newest.started)}" if newest.started else ""
        return [Trouble(name, "running", f"a run is under way{since}", newest.run_id)]
    return [] if found.version else [Trouble(name, "not begun", "nothing has been applied yet")]


def _waiting(found: DatasetGlance, standing: DagStanding | None, now: datetime) -> list[Trouble]:
    name, made = found.name, []
    if standing and standing.paused and standing.due:
        made.append(Trouble(name, "paused", "its DAG is paused: no run begins by itself"))
    elif standing and _is_late(standing, now):
        made.append(Trouble(name, "late", f"a run was due at {words.moment(standing.due)} and has not begun"))
    if found.set_aside:
        tables = words.listing(found.set_aside)
        made.append(Trouble(name, "set aside", f"rows of {tables} wait for a decision", page="quarantine"))
    if found.undelivered:
        said = counted(found.undelivered, "message")
        made.append(Trouble(name, "not delivered", f"{said} did not reach a channel", page="messages"))
    return made


def _is_late(standing: DagStanding, now: datetime) -> bool:
    under_way = standing.newest is not None and standing.newest.is_under_way
    return standing.is_read and not under_way and standing.due is not None and standing.due + LATE < now
