"""The pages: Jinja templates with everything escaped, and headers that keep a page from loading or sending anything.

Column names and values come from untrusted data. They are escaped by default and isolated from the surrounding text's
direction, and a page can run or load only what is named here by its hash.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from profiling_core.airflow.ui import access, actions, forms, incident, links, reading, runs, words
from profiling_core.airflow.ui.checks import ChecksPage
from profiling_core.airflow.ui.dagrun import RunPage
from profiling_core.airflow.ui.drawing import bars, history_chart
from profiling_core.airflow.ui.incident import IncidentPage
from profiling_core.airflow.ui.kept_rows import QuarantinePage, RowsPage
from profiling_core.airflow.ui.morning import Morning
from profiling_core.airflow.ui.reading import ConstraintPage, DatasetPage, RulesPage, VersionPage
from profiling_core.airflow.ui.small_charts import course_chart, reach_chart, span
from profiling_core.airflow.ui.table_page import ColumnPage, TablePage
from profiling_core.model.decision import Decided, standing
from profiling_core.model.incident import IncidentStatus
from profiling_core.pipeline.column_story import Reach, place_of
from profiling_core.pipeline.join_drawing import drawn_in_a_page, said
from profiling_core.pipeline.joins import JoinGraph

TEMPLATES = Path(__file__).with_name("templates")


class Pages:
    """Renders the templates; one per app."""

    def __init__(self) -> None:
        self._style = (TEMPLATES / "style.css").read_text("utf-8")
        self._script = (TEMPLATES / "page.js").read_text("utf-8")
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(
            style=Markup(self._style),  # noqa: S704 - our own file
            script=Markup(self._script),  # noqa: S704 - our own file
            words=words,
            links=links,
            urlencode=urlencode,
        )

    @property
    def security_headers(self) -> dict[str, str]:
        """For every response: nothing is loaded, nothing is framed from elsewhere, and no cache on the way keeps it."""
        policy = (
            "default-src 'none'; "
            f"style-src '{_source_hash(self._style)}'; script-src '{_source_hash(self._script)}'; "
            "img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'self'"
        )
        return {
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            # Without any referrer browsers would not send the origin of a form either.
            "Referrer-Policy": "same-origin",
            "Cache-Control": "no-store",
        }

    def morning(self, request: Request, found: Morning) -> str:
        """The incidents and troubles of all datasets that the user may read."""
        states = [status.value for status in IncidentStatus if status.goes_on]
        return self._render(request, "morning.html.j2", page=found, states=states)

    def dataset(self, request: Request, found: DatasetPage, before: int | None = None) -> str:
        """One dataset: its incidents, its arriving deltas, its runs."""
        name = found.summary.name
        older = reading.runs_before(name, before) if before else list(found.runs)
        return self._render(
            request,
            "dataset.html.j2",
            page=found,
            runs=older,
            standing=runs.standings().get(name),
            **self._acting(request, name),
        )

    def version(self, request: Request, found: VersionPage) -> str:
        """One version: the arrived deltas, and the changes with rows."""
        run = runs.run_of_version(found.dataset, found.run.version)
        return self._render(request, "version.html.j2", page=found, name=found.dataset, run=run)

    def checks(self, request: Request, found: ChecksPage) -> str:
        """The results of a version's validation."""
        return self._render(request, "checks.html.j2", page=found, name=found.dataset)

    def run(self, request: Request, found: RunPage) -> str:
        """A run that committed nothing, or that refused something: the reason and the remedy."""
        would = reading.by_transition(found.would.changes) if found.would else {}
        return self._render(request, "run.html.j2", page=found, name=found.dataset, would=would)

    def incident(self, request: Request, found: IncidentPage, done: str = "") -> str:
        """One incident: the finding, its beginning, its rows, its decisions and the possible ones."""
        return self._render(
            request,
            "incident.html.j2",
            page=found,
            chart=bars(found.rows),
            cells=incident,
            done=_done(actions.INCIDENT_ACTIONS, done),
            actions=_possible_for_incident(found),
            **self._acting(request, found.dataset),
        )

    def rules(self, request: Request, found: RulesPage) -> str:
        """Some of a dataset's rules."""
        return self._render(request, "rules.html.j2", page=found, name=found.dataset, wanted=asdict(found.wanted))

    def joins(self, request: Request, found: JoinGraph) -> str:
        """Which tables refer to which, as a picture and as a list."""
        here = f"{links.base(request)}/datasets/{quote(found.dataset, safe='')}"
        picture = drawn_in_a_page(found, lambda join: f"{here}/constraints/{join.inclusion.fingerprint}")
        shown = Markup(picture)  # noqa: S704 - made by an XML builder, which escapes
        return self._render(request, "joins.html.j2", page=found, name=found.dataset, picture=shown, said=said)

    def table(self, request: Request, found: TablePage) -> str:
        """A table: its rows load by load, its columns and their rules."""
        odd = self._incidents(request, found.dataset, found.odd)
        chart = course_chart(found.story.rows, f"Rows per load of {found.table}", words.whole, odd)
        return self._render(request, "table.html.j2", page=found, name=found.dataset, chart=chart, span=span)

    def column(self, request: Request, found: ColumnPage) -> str:
        """A column: its role, its usual figures, its rules."""
        column, odd = found.column, self._incidents(request, found.dataset, found.odd)
        bounds = None if column.redacted else found.bounds
        between = (bounds.low or "", bounds.high or "") if bounds else None
        low, high = (place_of(end, column.type) for end in between) if between else (0.0, 0.0)
        band = Reach("", low, high, *between) if between else None
        charts = {
            "empty": course_chart(column.empty, f"Rows per load without {column.name}", words.share, odd),
            "different": course_chart(
                column.different, f"Different values of {column.name} per load", words.whole, odd
            ),
            "reach": reach_chart(column.reach, f"Least and greatest {column.name} per load", band, odd),
        }
        return self._render(
            request, "column.html.j2", page=found, name=found.dataset, charts=charts, between=between, span=span
        )

    def _incidents(self, request: Request, dataset: str, odd: Mapping[str, int]) -> dict[str, str]:
        """The address of the incident of each load."""
        here = f"{links.base(request)}/datasets/{quote(dataset, safe='')}"
        return {label: f"{here}/incidents/{number}" for label, number in odd.items()}

    def constraint(self, request: Request, found: ConstraintPage, done: str = "") -> str:
        """One rule through time, and the possible decisions about it."""
        stands = next(iter(standing(found.decisions, {}).values()), None)
        return self._render(
            request,
            "constraint.html.j2",
            page=found,
            chart=history_chart(found.history),
            newly=bars(found.newly),
            stands=stands.words if stands else "",
            done=_done(actions.RULE_ACTIONS, done),
            actions=_possible_for_rule(stands or Decided()),
            **self._acting(request, found.dataset),
        )

    def rows(self, request: Request, found: RowsPage) -> str:
        """The rows that violate a rule."""
        return self._render(request, "rows.html.j2", page=found, name=found.dataset)

    def quarantine(self, request: Request, found: QuarantinePage) -> str:
        """The rows that a dataset keeps out."""
        return self._render(request, "quarantine.html.j2", page=found, **self._acting(request, found.dataset))

    def message(self, request: Request, title: str, text: str, dataset: str = "") -> str:
        """A page that says why there is nothing to show."""
        return self._render(request, "message.html.j2", title=title, text=text, name=dataset)

    def _acting(self, request: Request, dataset: str) -> dict[str, Any]:
        """The values that forms need; none for users who may not decide."""
        may = access.may_edit(request, dataset)
        may_run = may and access.may_run(request, dataset)
        return {"name": dataset, "may_edit": may, "may_run": may_run, "token": forms.token(request) if may else ""}

    def _render(self, request: Request, template: str, **values: Any) -> str:
        root = links.airflow(request)
        places = {"base": links.base(request), "airflow": root, "framed": links.framed(request)}
        return self._templates.get_template(template).render(**places, **values)


def _possible_for_incident(found: IncidentPage) -> list[actions.PageAction]:
    """The actions that are possible for an incident in its state."""
    status = found.incident.status
    closed = not status.goes_on
    hidden = {
        "acknowledge": closed or status is not IncidentStatus.OPEN,
        "accept": closed or status is IncidentStatus.ACCEPTED,
        "reject": status is IncidentStatus.REJECTED,
        "mute": closed or status is IncidentStatus.MUTED,
        "close": closed,
        "reopen": status is IncidentStatus.OPEN,
        "undo": not found.undoes,
    }
    return [action for action in actions.INCIDENT_ACTIONS if not hidden.get(action.value, False)]


def _possible_for_rule(stands: Decided) -> list[actions.PageAction]:
    """The possible decisions about a rule after those taken; an accepted rule may be accepted with a new error."""
    hidden = {
        "pin": stands.pinned,
        "unpin": not stands.pinned,
        "unmute": stands.muted_until is None,
        "unaccept": not stands.accepted,
        "reject": stands.rejected,
        "restore": not stands.rejected,
    }
    return [action for action in actions.RULE_ACTIONS if not hidden.get(action.value, False)]


def _done(among: tuple[actions.PageAction, ...], value: str) -> actions.PageAction | None:
    return next((action for action in among if action.value == value), None)


def _source_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
