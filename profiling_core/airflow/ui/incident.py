"""One incident's page: the finding, its beginning, rows per delta, the rules and rows behind it, and the decisions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field, PlainSerializer

from profiling_core.airflow.ui import runs, words
from profiling_core.airflow.ui.figures import DeltaRows, rows_per_delta
from profiling_core.airflow.ui.places import catalog
from profiling_core.model.change import LifecycleState
from profiling_core.model.decision import standing
from profiling_core.model.finding import SET_ASIDE, Evidence
from profiling_core.model.incident import Incident
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.message import Delivery
from profiling_core.model.stored import Hidden, Stored
from profiling_core.model.version import ASIDE, Version
from profiling_core.pipeline.incident_handling import undoable
from profiling_core.state.catalog import Catalog
from profiling_core.state.records import AlertRecord


@dataclass(frozen=True, slots=True)
class IncidentPage(Stored):
    """An incident with the content of its page.

    ``rows`` are those of each delta since it began, ``rules`` the constraints that it broke, ``messages`` those sent
    about it, ``waiting`` those that have not reached a channel, ``run`` Airflow's run of its newest version, ``undoes``
    the decision that "undo" would take back (empty: none). ``decided`` counts the decisions about each rule, by its
    fingerprint, ``pinned`` are the pinned rules, ``files`` the names of the files of the delta with which it began,
    ``aside`` the tables whose rows it says were set aside and still are.
    """

    __flat__: ClassVar = ("incident",)

    dataset: str
    incident: Incident
    trend: str
    rows: Annotated[tuple[DeltaRows, ...], Field(alias="rows_per_delta")]
    rules: tuple[Tracked, ...]
    messages: Annotated[tuple[AlertRecord, ...], PlainSerializer(lambda sent: [record.message for record in sent])]
    waiting: Hidden[tuple[Delivery, ...]]
    run: str
    undoes: Hidden[str]
    decided: Hidden[Mapping[str, int]]
    pinned: Hidden[frozenset[str]]
    files: tuple[str, ...]
    aside: Hidden[tuple[str, ...]] = ()

    @property
    def in_all(self) -> int:
        """How many rows all deltas have shown."""
        return sum(delta.rows for delta in self.rows) or self.incident.rows


def incident(dataset: str, number: int) -> IncidentPage | None:
    """The page of an incident; None if the dataset has none with that number."""
    known = catalog()
    found = next((i for i in known.incidents(dataset) if i.number == number), None)
    if found is None:
        return None
    rows = rows_per_delta(dataset, found, known.stamps(dataset, found.version))
    messages = [alert for alert in known.alerts(dataset) if alert.body.get("incident") == number]
    keys = {alert.key for alert in messages}
    waiting = [delivery for delivery in known.outbox.undelivered(dataset) if delivery.key in keys]
    last, decisions = undoable(found), known.decisions(dataset)
    return IncidentPage(
        dataset,
        found,
        words.trend(found, rows),
        tuple(rows),
        _rules(known, dataset, found.constraints),
        tuple(messages),
        tuple(waiting),
        runs.run_of_version(dataset, found.version) if found.version else "",
        last.what if last else "",
        Counter(decision.constraint.fingerprint for decision in decisions),
        frozenset(name for name, stands in standing(decisions, {}).items() if stands.pinned),
        _files(known.version(dataset, found.version), found) if found.version else (),
        _aside(known.current(dataset), found),
    )


def _rules(known: Catalog, dataset: str, names: Sequence[str]) -> tuple[Tracked, ...]:
    """The present rules with these fingerprints, in this order, without retired ones."""
    found = {t.fingerprint: t for t in known.chosen(dataset, None, names)} if names else {}
    there = (found[name] for name in dict.fromkeys(names) if name in found)
    return tuple(rule for rule in there if rule.state is not LifecycleState.RETIRED)


def _aside(current: Version | None, incident: Incident) -> tuple[str, ...]:
    """The tables whose rows an incident says were set aside, as far as rows of them still are."""
    told = dict.fromkeys(finding.table for finding in incident.findings if finding.kind == SET_ASIDE)
    return tuple(table for table in told if current and current.files_of(ASIDE, table))


def _files(version: Version, incident: Incident) -> tuple[str, ...]:
    """The files of the delta with which an incident began; none if its table is not read from files."""
    arrival = version.arrivals.get(incident.table)
    found = arrival.positions.get(incident.opened, {}).get("files", ()) if arrival else ()
    return tuple(file["path"] for file in found)


def columns_of(rows: tuple[Evidence, ...]) -> list[str]:
    """The columns of rows that show a finding, those at fault first."""
    wrong = dict.fromkeys(column for row in rows for column in (*row.wrong, *row.instead))
    others = dict.fromkeys(column for row in rows for column in row.values)
    return list(wrong | others)


def should_be(row: Evidence, column: str) -> tuple[bool, str | None]:
    """Whether a cell should have another value, and the value; where one of several cells is wrong, this of each."""
    expected = {**row.expected, **row.instead}
    return column in expected, expected.get(column)
