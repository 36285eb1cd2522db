"""The report over a dataset's versions, put together from the catalog and kept as one HTML page."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from profiling_core.alert.message import Alert
from profiling_core.alert.report import Report, report
from profiling_core.alert.report_html import write_html
from profiling_core.model.change import ChangeSet, Transition
from profiling_core.pipeline.incident_handling import taught
from profiling_core.pipeline.learning import learning
from profiling_core.pipeline.workspace import Workspace


def dataset_report(work: Workspace, links: Mapping[str, str]) -> Report:
    """The report over all versions, oldest first; ``links`` are added to the places of suites, docs and alerts."""
    change_sets = work.catalog.change_sets(work.dataset)
    labels = {version.number: version.label for version in work.catalog.versions(work.dataset)}
    made = report(
        work.dataset,
        change_sets,
        labels,
        _histories(work, change_sets, labels),
        _alerts(work),
        {**_places(work), **links},
    )
    return replace(made, judged=_judged(work))


def _judged(work: Workspace) -> tuple[str, ...]:
    current = work.catalog.current(work.dataset)
    known = learning(work.store, current) if current else {}
    said = [f"{lesson.table}: {lesson.words}, {lesson.said.value} by {lesson.who}" for lesson in taught(work)]
    return (*(f"{table}: {words}" for table, words in known.items()), *said)


def write_report(work: Workspace, made: Report) -> Path:
    """Writes the report's HTML page; returns its path."""
    path = work.settings.artifacts(work.dataset) / "reports" / "report.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_html(made, path)
    return path


def _histories(
    work: Workspace, change_sets: list[ChangeSet], labels: Mapping[int, str]
) -> dict[str, list[tuple[str, float, int]]]:
    broken = {
        change.measured.constraint.fingerprint
        for change_set in change_sets
        for change in change_set.changes
        if change.transition is Transition.BROKE
    }
    return {
        fingerprint: [
            (labels[t.version], t.measured.error, t.measured.violations)
            for t in work.catalog.history(work.dataset, fingerprint)
        ]
        for fingerprint in sorted(broken)
    }


def _alerts(work: Workspace) -> list[Alert]:
    return [Alert.from_json(record.body) for record in work.catalog.alerts(work.dataset) if record.version]


def _places(work: Workspace) -> dict[str, str]:
    artifacts = work.settings.artifacts(work.dataset)
    places = {
        "Suites (Great Expectations)": artifacts / "suites",
        "Change suites, per version": artifacts / "changes",
        "Data Docs": next(iter(sorted(artifacts.rglob("index.html"))), artifacts / "gx"),
        "Alerts": artifacts / "alerts",
    }
    return {what: _relative(work, path) for what, path in places.items() if path.exists()}


def _relative(work: Workspace, path: Path) -> str:
    return str(path.relative_to(work.settings.root)) if path.is_relative_to(work.settings.root) else str(path)
