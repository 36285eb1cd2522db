"""A feed through the product: a project of its own, one delta per run, and what a person would hear of each.

The steps are those of a run (plan, ingest with screening, maintain, commit, diff), one after the other in this process
and its Spark session. A delta with errors takes the same way as a dry run, which commits nothing. Heard is what a
message tells that opens an incident: what continues one is silent, as it is for people. What is left out are the steps
after the diff, which tell nobody anything new: suites are written and checked, messages sent.
"""

import csv
import os
import re
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.datasets import WORK
from benchmarks.signal_feeds import Feed, Row
from benchmarks.spoiling import Spoiled
from profiling_core.diff.incidents import WORSE
from profiling_core.model.change import Change, ChangeSet, Transition
from profiling_core.model.errors import InputError
from profiling_core.model.finding import CONSTRAINT, REFUSAL, Finding
from profiling_core.model.incident import Incident
from profiling_core.pipeline import lifecycle_step, notifications, steps
from profiling_core.pipeline.staging import next_version
from profiling_core.pipeline.workspace import Workspace

DATASET = "feed"
TABLE = "rows"
NUMBER = "row_number"
_TOLD = (Transition.BROKE, Transition.ERROR_JUMPED)
_OLD = 60
# Deltas of some hundred rows: compiling each query, and parting it, takes longer than running it.
_SPARK = "spark.sql.codegen.wholeStage=false;spark.sql.codegen.factoryMode=NO_CODEGEN;spark.sql.shuffle.partitions=1"


@dataclass(frozen=True)
class Heard:
    """One thing that is told: in a line, the rows it shows by their numbers, and how many it says there are."""

    text: str
    shown: frozenset[int] = frozenset()
    count: int = 0


# What a person hears of a delta, by what identifies it.
Day = Mapping[str, Heard]


class _RefusedError(Exception):
    """A delta is not taken, which is told: all that came is named."""


class Product:
    """A project with a feed's table, and beside it the tables that it refers to."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._root = WORK / "signal-projects" / feed.name.replace(" ", "-")
        shutil.rmtree(self._root, ignore_errors=True)
        (self._root / "dags" / "datasets").mkdir(parents=True)
        (self._root / "dags" / "datasets" / f"{DATASET}.yaml").write_text(yaml.safe_dump(self._configuration()))
        os.environ["HOLDFAST_ROOT"] = str(self._root)
        os.environ.setdefault("HOLDFAST_SPARK_CONF", _SPARK)
        os.environ.pop("HOLDFAST_HOME", None)

    def begin(self, labels: Sequence[str]) -> None:
        """Applies the first deltas, all in one run."""
        for column, values in self._feed.references.items():
            self._write(f"known_{column}", labels[0], [{column: value} for value in sorted(values)], [column])
        for label in labels:
            self._land(label, self._feed.deltas[label])
        self._run(commit=True)

    def apply(self, label: str, rows: Sequence[Row]) -> Day:
        """Applies a delta; one that is refused is taken away."""
        path = self._land(label, rows)
        try:
            return self._run(commit=True)
        except _RefusedError as refused:
            path.unlink()
            return _of_all(refused, rows)

    def preview(self, label: str, spoiled: Spoiled) -> Day:
        """What a delta would lead to, which is then taken away."""
        rows = spoiled.rows
        path = self._land(label, rows)
        if spoiled.remade:
            path.write_bytes(spoiled.remade(path.read_text(encoding="utf-8")))
            os.utime(path, (time.time() - _OLD, time.time() - _OLD))
        try:
            return self._run(commit=False)
        except _RefusedError as refused:
            return _of_all(refused, rows)
        except InputError as error:
            return {REFUSAL: _of_refusal(str(error))}
        finally:
            path.unlink()

    def _configuration(self) -> dict[str, Any]:
        types = {column.name: {"type": column.type.value} for column in self._feed.schema.columns}
        source = {"format": "csv", "kind": "append"}
        rows = {"source": {"path": f"landing/{TABLE}", **source}, "columns": types, "leave_out": [NUMBER]}
        known = {
            f"known_{name}": {"source": {"path": f"landing/known_{name}", **source}} for name in self._feed.references
        }
        return {"dataset": DATASET, "tables": {TABLE: rows, **known}, "inclusions": "on" if known else "off"}

    def _land(self, label: str, rows: Sequence[Row]) -> Path:
        numbered = [{**row, NUMBER: str(number)} for number, row in enumerate(rows)]
        return self._write(TABLE, label, numbered, [*self._feed.schema.names, NUMBER])

    def _write(self, table: str, label: str, rows: Sequence[Mapping[str, str | None]], names: Sequence[str]) -> Path:
        path = self._root / "landing" / table / f"{label.replace(':', '')}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows([["" if row[name] is None else row[name] for name in names] for row in rows])
        os.utime(path, (time.time() - _OLD, time.time() - _OLD))  # a file that was just written may not be complete
        return path

    def _run(self, *, commit: bool) -> Day:
        plan = steps.plan(DATASET, dry_run=not commit)
        if plan["refused"] and not plan["pending"]:
            raise _RefusedError(plan["refused"][0]["reason"])
        run_id = plan["run_id"]
        try:
            for held in steps.refused([steps.ingest(DATASET, run_id, table) for table in plan["pending"]]):
                raise _RefusedError(held["reason"])
            for table in plan["pending"]:
                steps.maintain_table(DATASET, run_id, table)
            steps.maintain_inclusions(DATASET, run_id)
            if not commit:
                work = Workspace.open(DATASET)
                made = work.plan(run_id)
                version = next_version(work, made, work.base(made), {})
                changes = lifecycle_step.step(work, version)[1]
                return _heard(changes, notifications.told(work, version, changes).incidents, version.label)
        finally:
            if not commit:
                steps.discard(DATASET, run_id)
        number = steps.commit(DATASET, run_id)["version"]
        steps.diff(DATASET, run_id)
        work = Workspace.open(DATASET)
        work.catalog.mark_published(DATASET, number)  # or the next plan would write and check the suites
        changes = work.catalog.changes(DATASET, number)
        assert changes is not None
        return _heard(changes, work.catalog.incidents(DATASET), work.catalog.version(DATASET, number).label)


def _of_all(refused: _RefusedError, rows: Sequence[Row]) -> Day:
    return {REFUSAL: Heard(str(refused), frozenset(range(len(rows))), len(rows))}


def _heard(changes: ChangeSet, incidents: Iterable[Incident], label: str) -> dict[str, Heard]:
    """What the version's messages tell: all that the incidents show which it opened, or made worse."""
    news = {
        finding.subject if finding.kind == CONSTRAINT else finding.signature
        for incident in incidents
        if (incident.version == changes.version and incident.deltas == 1) or _is_told_again(incident, label)
        for finding in incident.findings
    }
    broke = [change for change in changes.changes if change.alerts and change.transition in _TOLD]
    heard = {change.measured.constraint.fingerprint: _of_change(change) for change in broke}
    heard |= {finding.signature: _of_finding(finding) for finding in changes.findings}
    return {name: what for name, what in heard.items() if name in news}


def _is_told_again(incident: Incident, label: str) -> bool:
    """Whether it has grown with this delta, which is news."""
    return incident.latest == label and incident.events[-1].what == WORSE


def _of_change(change: Change) -> Heard:
    shown = [witness.broken_by.get(NUMBER) for witness in change.witnesses]
    apart = change.diagnosis.standing_out or change.violating_rows
    return Heard(change.measured.constraint.text, _numbers(shown), apart)


def _of_finding(finding: Finding) -> Heard:
    shown = [row.values.get(NUMBER) or _of_line(row.place) for row in finding.rows]
    return Heard(f"{finding.kind}: {finding.headline}", _numbers(shown), finding.count)


def _of_refusal(message: str) -> Heard:
    """The rejected rows that are named by their lines, and how many there are."""
    lines = re.findall(r", line (\d+)", message)
    count = re.search(r": ([\d,]+) of its [\d,]+ rows", message)
    named = frozenset(int(line) - 2 for line in lines)
    return Heard(message, named, int(count.group(1).replace(",", "")) if count else len(named))


def _of_line(place: str) -> str | None:
    """The number of the row on a line of the landed file, below its header: rejected rows are named so."""
    _, _, line = place.rpartition(", line ")
    return str(int(line) - 2) if line else None


def _numbers(shown: Sequence[str | None]) -> frozenset[int]:
    return frozenset(int(number) for number in shown if number is not None)
