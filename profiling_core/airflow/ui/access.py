"""Who may see and do what. Airflow does not authenticate a plugin's app, so this module does, and refuses otherwise.

It is the only place that uses Airflow's own (undocumented) security functions. Anonymous requests get 401, or in a
browser the login. A dataset's pages, which show rows, are open to users who may read the dataset's DAG. Decisions about
it are accepted from users who may edit that DAG.
"""

from collections.abc import Iterable
from typing import Any

from fastapi import HTTPException, Request

DAG_PREFIX = "holdfast."

try:
    from airflow.api_fastapi.app import get_auth_manager
    from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity, DagDetails
    from airflow.api_fastapi.core_api.security import GetUserDep
    from airflow.configuration import conf
except ImportError as _error:  # another Airflow: refuse everyone rather than guess
    _reason: str | None = f"Airflow's security functions were not found ({_error})"
    GetUserDep = Any
else:
    _reason = None


def authenticated(request: Request, user: GetUserDep) -> None:
    """Lets known users pass and keeps them on the request; Airflow's dependency answers 401 to anonymous ones."""
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
    return _may(request, dataset, "GET")


def may_edit(request: Request, dataset: str) -> bool:
    """Whether the user may edit the dataset's DAG, and with it decide about the dataset's alerts."""
    return _may(request, dataset, "PUT")


def may_run(request: Request, dataset: str) -> bool:
    """Whether the user may start runs of the dataset's DAG."""
    return _may(request, dataset, "POST", DagAccessEntity.RUN)


def _may(request: Request, dataset: str, method: Any, entity: "DagAccessEntity | None" = None) -> bool:
    details, user = DagDetails(id=f"{DAG_PREFIX}{dataset}"), request.state.holdfast_user
    manager = get_auth_manager()
    return bool(manager.is_authorized_dag(method=method, access_entity=entity, details=details, user=user))


def require(request: Request, dataset: str) -> None:
    """Answers 403 to users who may not read the dataset, whether it exists or not."""
    if not may_read(request, dataset):
        raise HTTPException(403, "Forbidden")


def require_edit(request: Request, dataset: str) -> None:
    """Answers 403 to users who may not edit the dataset's DAG."""
    if not (may_read(request, dataset) and may_edit(request, dataset)):
        raise HTTPException(403, "You may read this dataset; deciding about it needs the right to edit its DAG")


def require_run(request: Request, dataset: str) -> None:
    """Answers 403 to users who may not start runs of the dataset's DAG."""
    if not (may_read(request, dataset) and may_run(request, dataset)):
        raise HTTPException(403, "You may read this dataset, but not start runs of its DAG")


def readable(request: Request, datasets: Iterable[str]) -> list[str]:
    """The datasets that the user may read."""
    return [dataset for dataset in datasets if may_read(request, dataset)]


def who(request: Request) -> str:
    """The user's name, as decisions record it."""
    return str(request.state.holdfast_user.get_name())


def secret() -> str:
    """The key that Airflow's API servers share, for signatures that only they can make."""
    return str(conf.get_mandatory_value("api", "secret_key"))


def hosts(request: Request) -> frozenset[str]:
    """The hosts by which this server is known: the requested one, and that of Airflow's ``base_url``."""
    configured = host_of(str(conf.get("api", "base_url", fallback="") or ""))
    return frozenset({request.headers.get("host", ""), configured} - {""})


def host_of(url: str) -> str:
    """Host and port of an address; empty if it has none."""
    _, separator, rest = url.partition("://")
    return rest.partition("/")[0] if separator else ""
