"""Holdfast's app inside Airflow's API server: server-rendered pages, and the same as JSON under ``/api``.

Every route is authenticated by the app's one dependency, and the automatic documentation routes, which would not be,
are off. The pages load nothing: their style and their one script are in the page and named by hash in the content
security policy.
"""

from typing import Any, TypeVar

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from profiling_core.airflow.ui import access, dagruns, reading
from profiling_core.airflow.ui.pages import Pages
from profiling_core.model.errors import HoldfastError


def create_app() -> FastAPI:
    """The app that Airflow mounts under ``/holdfast``."""
    app = FastAPI(
        title="Holdfast",
        dependencies=[Depends(access.guard())],
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    pages = Pages()
    _add_pages(app, pages)
    _add_api(app)

    @app.middleware("http")
    async def _harden(request: Request, call_next: Any) -> Response:
        response: Response = await call_next(request)
        response.headers.update(pages.security_headers)
        return response

    @app.exception_handler(HoldfastError)
    def _explain(request: Request, error: HoldfastError) -> Response:
        if _wants_json(request):
            return JSONResponse({"detail": str(error)}, status_code=503)
        return HTMLResponse(pages.message(request, "That did not work", str(error)), status_code=503)

    @app.exception_handler(404)
    def _missing(request: Request, error: HTTPException) -> Response:
        if _wants_json(request):
            return JSONResponse({"detail": error.detail}, status_code=404)
        return HTMLResponse(pages.message(request, "Nothing is here", str(error.detail)), status_code=404)

    return app


def _wants_json(request: Request) -> bool:
    return request.url.path.removeprefix(request.scope.get("root_path", "")).startswith("/api/")


def _add_pages(app: FastAPI, pages: Pages) -> None:
    @app.get("/", response_class=HTMLResponse)
    def overview(request: Request) -> str:
        names = access.readable(request, reading.dataset_names())
        return pages.overview(request, [reading.summary(name) for name in names])

    @app.get("/datasets/{dataset}", response_class=HTMLResponse)
    def dataset_page(request: Request, dataset: str) -> str:
        access.require(request, dataset)
        return pages.dataset(request, _found(reading.dataset(dataset), f"There is no dataset {dataset!r} yet."))

    @app.get("/datasets/{dataset}/versions/{version}", response_class=HTMLResponse)
    def version_page(request: Request, dataset: str, version: int) -> str:
        access.require(request, dataset)
        found = _found(reading.version(dataset, version), f"{dataset!r} has no version {version}.")
        return pages.version(request, found)

    @app.get("/datasets/{dataset}/constraints/{fingerprint}", response_class=HTMLResponse)
    def constraint_page(request: Request, dataset: str, fingerprint: str) -> str:
        access.require(request, dataset)
        found = _found(reading.constraint(dataset, fingerprint), f"{dataset!r} has no constraint {fingerprint!r}.")
        return pages.constraint(request, found)

    @app.get("/dag")
    def dag_page(request: Request, dag_id: str) -> Response:
        dataset = dagruns.dataset_of(dag_id)
        if dataset is None or not access.readable(request, {dataset}.intersection(reading.dataset_names())):
            text = "This DAG is not one of Holdfast's, so it has no constraints to show."
            return HTMLResponse(pages.message(request, "No dataset", text))
        return RedirectResponse(f"{pages.base(request)}/datasets/{dataset}", status_code=303)

    @app.get("/dag-run")
    def dag_run_page(request: Request, dag_id: str, run_id: str) -> Response:
        dataset = dagruns.dataset_of(dag_id)
        if dataset is None:
            return dag_page(request, dag_id)
        access.require(request, dataset)
        version = dagruns.version_of(dag_id, run_id)
        if version is None:
            text = "This run has committed no version: it is not that far, had nothing to do, was a dry run, or failed."
            return HTMLResponse(pages.message(request, "No changes yet", text, dataset=dataset))
        return RedirectResponse(f"{pages.base(request)}/datasets/{dataset}/versions/{version}", status_code=303)


def _add_api(app: FastAPI) -> None:
    @app.get("/api/datasets")
    def datasets(request: Request) -> list[dict[str, Any]]:
        return [reading.summary(name).to_json() for name in access.readable(request, reading.dataset_names())]

    @app.get("/api/datasets/{dataset}")
    def dataset_api(request: Request, dataset: str) -> dict[str, Any]:
        access.require(request, dataset)
        return _found(reading.dataset(dataset), f"There is no dataset {dataset!r} yet.").to_json()

    @app.get("/api/datasets/{dataset}/versions/{version}")
    def version_api(request: Request, dataset: str, version: int) -> dict[str, Any]:
        access.require(request, dataset)
        return _found(reading.version(dataset, version), f"{dataset!r} has no version {version}.").to_json()

    @app.get("/api/datasets/{dataset}/constraints/{fingerprint}")
    def constraint_api(request: Request, dataset: str, fingerprint: str) -> dict[str, Any]:
        access.require(request, dataset)
        return _found(
            reading.constraint(dataset, fingerprint), f"{dataset!r} has no constraint {fingerprint!r}."
        ).to_json()


Found = TypeVar("Found")


def _found(value: Found | None, otherwise: str) -> Found:
    if value is None:
        raise HTTPException(404, otherwise)
    return value
