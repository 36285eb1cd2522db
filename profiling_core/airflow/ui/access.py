"""Who may see what. Airflow does not authenticate a plugin's app, so this module does, and closes when it cannot.

It is the only place that touches Airflow's own (undocumented) security functions: anonymous requests get 401, and a
dataset's pages, which show rows, are open to those who may read the dataset's DAG.
"""

from collections.abc import Iterable
from typing import Any

from fastapi import HTTPException, Request

DAG_PREFIX = "holdfast."

try:
    from airflow.api_fastapi.app import get_auth_manager
    from airflow.api_fastapi.auth.managers.models.resource_details import DagDetails
    from airflow.api_fastapi.core_api.security import GetUserDep
except ImportError as _error:  # another Airflow: refuse everyone rather than guess
    _reason: str | None = f"Airflow's security functions were not found ({_error})"
    GetUserDep = Any
else:
    _reason = None


def authenticated(request: Request, user: GetUserDep) -> None:
    """Lets known users pass and keeps them on the request; anonymous ones get 401."""
    if _reason is not None or user is None:
        raise HTTPException(503, _reason or "no user")
    request.state.holdfast_user = user


def refused() -> None:
    """Lets nobody pass."""
    raise HTTPException(503, f"Holdfast's pages are closed: {_reason}")


def guard() -> Any:
    """The dependency of every route: :func:`authenticated`, or :func:`refused` where Airflow offers no security."""
    return authenticated if _reason is None else refused


def may_read(request: Request, dataset: str) -> bool:
    """Whether the user may read the dataset's DAG, and with it the dataset's rows."""
    user = request.state.holdfast_user
    details = DagDetails(id=f"{DAG_PREFIX}{dataset}")
    return bool(get_auth_manager().is_authorized_dag(method="GET", details=details, user=user))


def require(request: Request, dataset: str) -> None:
    """Answers 403 to users who may not read the dataset, whether it exists or not."""
    if not may_read(request, dataset):
        raise HTTPException(403, "Forbidden")


def readable(request: Request, datasets: Iterable[str]) -> list[str]:
    """The datasets that the user may read."""
    return [dataset for dataset in datasets if may_read(request, dataset)]
