"""The routes of the pages; other modules read their content, and the templates define their look."""

from http import HTTPStatus
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from profiling_core.airflow.ui import (
    access,
    checks,
    dagrun,
    incident,
    kept_rows,
    links,
    morning,
    reading,
    runs,
    table_page,
)
from profiling_core.airflow.ui.looking import looks
from profiling_core.airflow.ui.morning import MorningQuery
from profiling_core.airflow.ui.pages import Pages
from profiling_core.state.rule_list import SORTS, RuleQuery

Found = TypeVar("Found")


def found(value: Found | None, otherwise: str) -> Found:
    """The value; answers 404 if it is None."""
    if value is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, otherwise)
    return value


def rules_wanted(q: str = "", table: str = "", kind: str = "", state: str = "", sort: str = "") -> RuleQuery:
    """The rules that a request asks for; an unknown sort counts as none."""
    return RuleQuery(q.strip(), table, kind, state, sort if sort in SORTS else "")


Rules = Annotated[RuleQuery, Depends(rules_wanted)]


def router(pages: Pages) -> APIRouter:
    """The routes of all pages."""
    made = APIRouter(default_response_class=HTMLResponse)
    _add_morning(made, pages)
    _add_dataset(made, pages)
    _add_rows(made, pages)
    _add_airflow(made, pages)
    return made


def _add_morning(made: APIRouter, pages: Pages) -> None:
    @made.get("/")
    def morning_page(
        request: Request, q: str = "", owner: str = "", state: str = "", table: str = "", kind: str = ""
    ) -> str:
        allowed = access.readable(request, morning.names())
        wanted = MorningQuery(q.strip(), owner, state, table, kind)
        return pages.morning(request, morning.morning(allowed, wanted, runs.standings(), looks().pending(allowed)))

    @made.get("/datasets/{dataset}/incidents/{number}")
    def incident_page(request: Request, dataset: str, number: int, done: str = "") -> str:
        access.require(request, dataset)
        page = found(incident.incident(dataset, number), f"{dataset!r} has no incident {number}.")
        return pages.incident(request, page, done)


def _add_dataset(made: APIRouter, pages: Pages) -> None:
    @made.get("/datasets/{dataset}")
    def dataset_page(request: Request, dataset: str, before: int | None = None) -> str:
        access.require(request, dataset)
        page = reading.dataset(dataset)
        if page is None and dataset not in runs.standings():
            raise HTTPException(HTTPStatus.NOT_FOUND, f"There is no dataset {dataset!r} yet.")
        return pages.dataset(request, page or reading.not_begun(dataset), before)

    @made.get("/datasets/{dataset}/versions/{version}")
    def version_page(request: Request, dataset: str, version: int) -> str:
        access.require(request, dataset)
        page = found(reading.version(dataset, version), f"{dataset!r} has no version {version}.")
        return pages.version(request, page)

    @made.get("/datasets/{dataset}/versions/{version}/checks")
    def version_checks(request: Request, dataset: str, version: int, first: int = 0) -> str:
        access.require(request, dataset)
        page = checks.checks_page(dataset, version, max(0, first))
        return pages.checks(request, found(page, f"Version {version} of {dataset!r} has not been checked."))

    @made.get("/datasets/{dataset}/rules")
    def rules_page(request: Request, dataset: str, wanted: Rules, first: int = 0) -> str:
        access.require(request, dataset)
        page = found(reading.rules(dataset, wanted, max(0, first)), f"{dataset!r} follows no rules yet.")
        return pages.rules(request, page)

    @made.get("/datasets/{dataset}/table")
    def table_page_(request: Request, dataset: str, name: str) -> str:
        access.require(request, dataset)
        page = found(table_page.table_page(dataset, name), f"{dataset!r} has no table {name!r}.")
        return pages.table(request, page)

    @made.get("/datasets/{dataset}/column")
    def column_page_(request: Request, dataset: str, table: str, name: str) -> str:
        access.require(request, dataset)
        page = found(table_page.column_page(dataset, table, name), f"{dataset!r} has no column {name!r} in {table!r}.")
        return pages.column(request, page)

    @made.get("/datasets/{dataset}/joins")
    def joins_page(request: Request, dataset: str) -> str:
        access.require(request, dataset)
        return pages.joins(request, found(reading.joins(dataset), f"{dataset!r} has no version yet."))

    @made.get("/datasets/{dataset}/constraints/{fingerprint}")
    def constraint_page(request: Request, dataset: str, fingerprint: str, done: str = "") -> str:
        access.require(request, dataset)
        page = found(reading.constraint(dataset, fingerprint), f"{dataset!r} has no constraint {fingerprint!r}.")
        return pages.constraint(request, page, done)


def _add_rows(made: APIRouter, pages: Pages) -> None:
    @made.get("/datasets/{dataset}/constraints/{fingerprint}/rows")
    def rows_page(request: Request, dataset: str, fingerprint: str, first: int = 0) -> str:
        access.require(request, dataset)
        page = kept_rows.violating_page(dataset, fingerprint, max(0, first))
        return pages.rows(request, found(page, f"{dataset!r} follows no constraint {fingerprint!r}."))

    @made.get("/datasets/{dataset}/constraints/{fingerprint}/rows.csv")
    def rows_csv(request: Request, dataset: str, fingerprint: str) -> Response:
        access.require(request, dataset)
        page = kept_rows.violating_page(dataset, fingerprint, 0, kept_rows.MOST_IN_A_FILE)
        return _csv(found(page, f"{dataset!r} follows no constraint {fingerprint!r}."), f"{dataset}-{fingerprint}")

    @made.get("/datasets/{dataset}/quarantine")
    def quarantine_page(request: Request, dataset: str, table: str = "", reason: str = "", first: int = 0) -> str:
        access.require(request, dataset)
        page = kept_rows.quarantine_page(dataset, table, reason, max(0, first))
        return pages.quarantine(request, found(page, f"There is no dataset {dataset!r} yet."))

    @made.get("/datasets/{dataset}/quarantine.csv")
    def quarantine_csv(request: Request, dataset: str, table: str, reason: str = "") -> Response:
        access.require(request, dataset)
        page = kept_rows.quarantine_page(dataset, table, reason, 0, kept_rows.MOST_IN_A_FILE)
        return _csv(found(page, f"There is no dataset {dataset!r} yet.").rows, f"{dataset}-{table}-quarantine")


def _csv(rows: kept_rows.RowsPage | kept_rows.ShownRows, name: str) -> Response:
    text = kept_rows.csv_text(rows)
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name)
    headers = {"Content-Disposition": f'attachment; filename="{safe}.csv"'}
    return PlainTextResponse(text, media_type="text/csv; charset=utf-8", headers=headers)


def _add_airflow(made: APIRouter, pages: Pages) -> None:
    @made.get("/dag")
    def dag_page(request: Request, dag_id: str) -> Response:
        dataset = runs.dataset_of(dag_id)
        if dataset is None or not access.readable(request, {dataset}.intersection(morning.names())):
            text = "This DAG is not one of Holdfast's, so it has no constraints to show."
            return HTMLResponse(pages.message(request, "No dataset", text))
        return RedirectResponse(f"{links.base(request)}/datasets/{dataset}", status_code=HTTPStatus.SEE_OTHER)

    @made.get("/dag-run")
    def dag_run_page(request: Request, dag_id: str, run_id: str) -> Response:
        dataset = runs.dataset_of(dag_id)
        if dataset is None:
            return dag_page(request, dag_id)
        access.require(request, dataset)
        page = dagrun.run_page(dataset, run_id)
        if page.version and not page.refused:
            place = f"{links.base(request)}/datasets/{dataset}/versions/{page.version}"
            return RedirectResponse(place, status_code=HTTPStatus.SEE_OTHER)
        return HTMLResponse(pages.run(request, page))
