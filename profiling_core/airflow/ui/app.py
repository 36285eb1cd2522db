"""Holdfast's app inside Airflow's API server: server-rendered pages, their decisions, and the same content as JSON.

Every route is authenticated by the app's one dependency. The automatic documentation routes, which would not be, are
off: the API describes itself at ``/api/v1/openapi.json``. The pages load nothing: their style and their one script
are in the page and named by hash in the content security policy.
"""

from http import HTTPStatus
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from profiling_core.airflow.ui import access, api, deciding_routes, forms, links, page_routes
from profiling_core.airflow.ui.pages import Pages
from profiling_core.model.errors import ChangedMeanwhileError, HoldfastError, InputError


def create_app() -> FastAPI:
    """The app that Airflow mounts under ``/holdfast``."""
    app = FastAPI(
        title="Holdfast", dependencies=[Depends(access.guard())], docs_url=None, redoc_url=None, openapi_url=None
    )
    pages = Pages()
    app.include_router(page_routes.router(pages))
    app.include_router(deciding_routes.router())
    app.include_router(api.router())

    @app.middleware("http")
    async def _harden(request: Request, call_next: Any) -> Response:
        response: Response = await call_next(request)
        response.headers.update(pages.security_headers)
        forms.keep_session(request, response)
        return response

    @app.exception_handler(HoldfastError)
    def _explain(request: Request, error: HoldfastError) -> Response:
        return _answer(pages, request, _status(error), "That did not work", str(error))

    @app.exception_handler(HTTPException)
    def _refuse(request: Request, error: HTTPException) -> Response:
        if error.status_code == HTTPStatus.UNAUTHORIZED and _is_looked_at(request):
            return RedirectResponse(links.login(request), status_code=HTTPStatus.SEE_OTHER)
        title = {404: "Nothing is here", 403: "Not allowed", 401: "Not logged in"}.get(
            error.status_code, "Not possible"
        )
        return _answer(pages, request, error.status_code, title, str(error.detail))

    return app


def _status(error: HoldfastError) -> int:
    if isinstance(error, ChangedMeanwhileError):
        return HTTPStatus.CONFLICT
    return HTTPStatus.BAD_REQUEST if isinstance(error, InputError) else HTTPStatus.SERVICE_UNAVAILABLE


def _answer(pages: Pages, request: Request, status: int, title: str, text: str) -> Response:
    if _wants_json(request):
        return JSONResponse({"detail": text}, status_code=status)
    return HTMLResponse(pages.message(request, title, text), status_code=status)


def _wants_json(request: Request) -> bool:
    return request.url.path.removeprefix(links.base(request)).startswith("/api/")


def _is_looked_at(request: Request) -> bool:
    """Whether a browser asked for a page; its user can log in."""
    return request.method == "GET" and "text/html" in request.headers.get("accept", "") and not _wants_json(request)
