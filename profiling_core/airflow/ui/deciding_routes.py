"""The routes that change something: only for forms of our pages, by users who may edit the dataset's DAG.

Each redirects to the page on which the decision was made, so that reloading repeats nothing.
"""

from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from profiling_core.airflow.ui import access, actions, forms, links, runs


def router() -> APIRouter:
    """The routes."""
    made = APIRouter()

    @made.post("/datasets/{dataset}/incidents/{number}/decisions")
    async def decide_on_incident(request: Request, dataset: str, number: int) -> Response:
        access.require_edit(request, dataset)
        fields = await forms.fields(request)
        await run_in_threadpool(actions.on_incident, dataset, number, fields, access.who(request))
        return _back(request, f"/datasets/{dataset}/incidents/{number}?done={actions.done(fields)}")

    @made.post("/datasets/{dataset}/constraints/{fingerprint}/decisions")
    async def decide_on_rule(request: Request, dataset: str, fingerprint: str) -> Response:
        access.require_edit(request, dataset)
        fields = await forms.fields(request)
        await run_in_threadpool(actions.on_rule, dataset, fingerprint, fields, access.who(request))
        return _back(request, f"/datasets/{dataset}/constraints/{fingerprint}?done={actions.done(fields)}")

    @made.post("/datasets/{dataset}/runs")
    async def start_run(request: Request, dataset: str) -> Response:
        access.require_edit(request, dataset)
        access.require_run(request, dataset)
        fields = await forms.fields(request)
        conf = await run_in_threadpool(actions.run_asked_for, dataset, fields)
        run_id = await run_in_threadpool(runs.trigger, dataset, conf, access.who(request))
        return _back(request, links.run_page(dataset, run_id))

    return made


def _back(request: Request, place: str) -> Response:
    return RedirectResponse(f"{links.base(request)}{place}", status_code=HTTPStatus.SEE_OTHER)
