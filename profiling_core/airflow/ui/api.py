"""The API: the content of the pages as JSON, under a versioned path; an OpenAPI document describes it."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse

from profiling_core.airflow.ui import access, checks, dagrun, incident, morning, reading, runs, table_page
from profiling_core.airflow.ui.looking import looks
from profiling_core.airflow.ui.morning import MorningQuery
from profiling_core.airflow.ui.page_routes import Rules, found
from profiling_core.state.versions import GREATEST

PATH = "/api/v1"
VERSION = "1"
_REFUSALS: dict[int | str, dict[str, Any]] = {
    401: {"description": "nobody is logged in"},
    403: {"description": "the user may not read the dataset's DAG"},
}
_MISSING: dict[int | str, dict[str, Any]] = {404: {"description": "there is none of that name or number"}}
Json = dict[str, Any]
First = Annotated[int, Query(ge=0, le=GREATEST)]


def router() -> APIRouter:
    """The API's routes."""
    made = APIRouter(prefix=PATH, responses=_REFUSALS, default_response_class=JSONResponse)
    _add_lists(made)
    _add_single(made)

    @made.get("/openapi.json", include_in_schema=False)
    def description(request: Request) -> Json:
        routes = [route for route in request.app.routes if str(getattr(route, "path", "")).startswith(PATH)]
        about = "What the pages show, as JSON. Requests are authorised as Airflow's own API is."
        document = get_openapi(title="Holdfast", version=VERSION, description=about, routes=routes)
        return document | {"servers": [{"url": str(request.scope.get("root_path", "")) or "/"}]}

    return made


def _add_lists(made: APIRouter) -> None:
    @made.get("/morning", summary="What is wrong in all datasets, worst first, and what is blocked")
    def morning_api(
        request: Request, q: str = "", owner: str = "", state: str = "", table: str = "", kind: str = ""
    ) -> Json:
        allowed = access.readable(request, morning.names())
        wanted = MorningQuery(q, owner, state, table, kind)
        return morning.morning(allowed, wanted, runs.standings(), looks().pending(allowed)).to_json()

    @made.get("/datasets", summary="All datasets at a glance")
    def datasets(request: Request) -> list[Json]:
        names = access.readable(request, reading.dataset_names())
        return [found.to_json() for name in names if (found := reading.summary(name))]

    @made.get("/datasets/{dataset}", summary="A dataset: runs, incidents, columns, what arrives", responses=_MISSING)
    def dataset_api(request: Request, dataset: str) -> Json:
        access.require(request, dataset)
        return found(reading.dataset(dataset), f"There is no dataset {dataset!r} yet.").to_json()

    @made.get("/datasets/{dataset}/rules", summary="The rules of a dataset, in pages", responses=_MISSING)
    def rules_api(request: Request, dataset: str, wanted: Rules, first: First = 0) -> Json:
        access.require(request, dataset)
        return found(reading.rules(dataset, wanted, first), f"{dataset!r} follows no rules yet.").to_json()

    @made.get("/datasets/{dataset}/joins", summary="Which tables refer to which", responses=_MISSING)
    def joins_api(request: Request, dataset: str) -> Json:
        access.require(request, dataset)
        return found(reading.joins(dataset), f"{dataset!r} has no version yet.").to_json()


def _add_single(made: APIRouter) -> None:
    @made.get("/datasets/{dataset}/table", summary="A table: its loads, columns and their rules", responses=_MISSING)
    def table_api(request: Request, dataset: str, name: str) -> Json:
        access.require(request, dataset)
        page = table_page.table_page(dataset, name)
        return found(page, f"{dataset!r} has no table {name!r}.").to_json()

    @made.get("/datasets/{dataset}/column", summary="A column: its usual figures and its rules", responses=_MISSING)
    def column_api(request: Request, dataset: str, table: str, name: str) -> Json:
        access.require(request, dataset)
        page = table_page.column_page(dataset, table, name)
        return found(page, f"{dataset!r} has no column {name!r} in {table!r}.").to_json()

    @made.get("/datasets/{dataset}/incidents/{number}", summary="An incident, with rows per delta", responses=_MISSING)
    def incident_api(request: Request, dataset: str, number: int) -> Json:
        access.require(request, dataset)
        return found(incident.incident(dataset, number), f"{dataset!r} has no incident {number}.").to_json()

    @made.get("/datasets/{dataset}/versions/{version}", summary="What a version changed", responses=_MISSING)
    def version_api(request: Request, dataset: str, version: int) -> Json:
        access.require(request, dataset)
        return found(reading.version(dataset, version), f"{dataset!r} has no version {version}.").to_json()

    @made.get("/datasets/{dataset}/versions/{version}/checks", summary="A version's validation", responses=_MISSING)
    def checks_api(request: Request, dataset: str, version: int, first: First = 0) -> Json:
        access.require(request, dataset)
        page = checks.checks_page(dataset, version, first)
        return found(page, f"Version {version} of {dataset!r} has not been checked.").to_json()

    @made.get("/datasets/{dataset}/constraints/{fingerprint}", summary="A rule's history", responses=_MISSING)
    def constraint_api(request: Request, dataset: str, fingerprint: str) -> Json:
        access.require(request, dataset)
        page = reading.constraint(dataset, fingerprint)
        return found(page, f"{dataset!r} has no constraint {fingerprint!r}.").to_json()

    @made.get("/datasets/{dataset}/runs/{run_id:path}", summary="What became of a run of the DAG", responses=_MISSING)
    def run_api(request: Request, dataset: str, run_id: str) -> Json:
        access.require(request, dataset)
        page = dagrun.run_page(dataset, run_id)
        return found(page if page.state else None, f"{dataset!r} has no run {run_id!r}.").to_json()
