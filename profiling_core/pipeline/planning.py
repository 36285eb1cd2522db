"""What a run is to apply: the deltas that have landed, under an id that follows from them."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from profiling_core.ingest.sources.moment import Moment
from profiling_core.model.delta_ids import in_order
from profiling_core.model.errors import InputError
from profiling_core.model.version import ASIDE, DRY, RELEASED, RunPlan, Version
from profiling_core.pipeline import arriving, damage, extraction
from profiling_core.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from profiling_core.ingest.sources.protocol import Applied, Found

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,120}")


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asks of a run; :func:`profiling_core.pipeline.steps.plan` describes the fields."""

    label: str | None = None
    tables: Sequence[str] | None = None
    rebuild: bool = False
    release: str | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Base:
    """What a run builds on, read once: the current version (None: there is none yet), and the deltas that it holds."""

    version: Version | None
    applied: Mapping[str, "Applied"]

    @classmethod
    def of(cls, work: Workspace) -> "Base":
        """The base of a run that begins now."""
        version = work.catalog.current(work.dataset)
        return cls(version, arriving.applied(work, version))

    @property
    def number(self) -> int:
        """The version's number; 0: there is none."""
        return self.version.number if self.version else 0

    @property
    def label(self) -> str:
        """The version's label; empty: there is none."""
        return self.version.label if self.version else ""


def check(work: Workspace, request: Request) -> None:
    """Raises ``InputError`` where the label is not a delta id, or a table is unknown."""
    label, tables = request.label, [request.release] if request.release else request.tables
    if label is not None and not _LABEL.fullmatch(label):
        raise InputError(
            f"{label!r} is not a delta id", remedy="a delta id is the name of a landing file, without its extension"
        )
    unknown = sorted(set(tables or ()) - set(work.config.tables))
    if unknown:
        raise InputError(
            f"dataset {work.dataset!r} has no table {', '.join(map(repr, unknown))}",
            remedy=f"its tables are {', '.join(work.config.tables)}",
        )


def check_keys(work: Workspace, request: Request, base: Base) -> None:
    """Raises ``ConfigurationError`` where a table that a run looks at has another key than its state."""
    from profiling_core.ingest.table_schema import check_key

    stored = base.version.tables if base.version else {}
    named = [request.release] if request.release else request.tables or work.config.tables
    for table in named:
        if table in stored:
            check_key(work.config.tables[table], stored[table].schema)


def released(work: Workspace, table: str, base: Base) -> RunPlan:
    """The plan of a run that applies nothing but a table's rows that were set aside.

    Raises:
        InputError: there are none.
    """
    current = base.version
    if current is None or not current.files_of(ASIDE, table):
        raise InputError(
            f"no rows of table {table!r} are set aside",
            remedy=f"`holdfast status --dataset {work.dataset}` shows where",
        )
    name = f"{RELEASED}{current.number}"
    run_id = f"{current.label.replace(':', '')}-{name}"
    return RunPlan(work.dataset, run_id, current.label, current.number, {table: (name,)}, released=True)


def arrived(work: Workspace, request: Request, base: Base, mended: damage.Mended) -> tuple[RunPlan, dict[str, "Found"]]:
    """The plan of a run that applies what has arrived, and what was found at the sources.

    The rows of databases' tables are read here, all at one moment.
    """
    with Moment() as moment:
        found = arriving.settled(work, base.applied, request.label, request.tables, moment)
        pending = {table: there.pending for table, there in found.items() if there.pending}
        plan = _plan(work, request, pending, base, mended)
        extraction.extract(work, plan, base.applied, moment)
    return plan, found


def _plan(
    work: Workspace, request: Request, pending: dict[str, tuple[str, ...]], base: Base, mended: damage.Mended
) -> RunPlan:
    newest = [max(ids, key=in_order) for ids in pending.values()]
    label = request.label or max(newest, key=in_order, default=base.label)
    rebuild = request.rebuild
    if not pending and not rebuild:
        labelled = work.catalog.version_labelled(work.dataset, label) if label else None
        if labelled is None:
            return RunPlan(work.dataset, f"{label or 'none'}-nothing", label, base.number)
        return RunPlan(work.dataset, labelled.run_id, label, labelled.number - 1, {}, labelled.number)
    if rebuild and base.version:
        # The rows stay; new ones come after.
        label, pending = base.label, {table: () for table in base.version.tables if table in work.config.tables}
    identity = json.dumps([work.dataset, label, sorted(pending.items()), base.number if rebuild else None])
    run_id = f"{label.replace(':', '')}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}"
    if request.dry_run and pending:
        run_id += DRY
    return RunPlan(
        work.dataset, run_id, label, base.number, pending, None, rebuild, lost=mended.lost, instead=mended.instead
    )
