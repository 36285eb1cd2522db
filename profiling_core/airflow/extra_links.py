"""Links on tasks, as Airflow's *extra links*: from ``ingest``, ``diff`` and ``alert`` to the page of what each did.

Airflow stores a link when its task ends, well or not. The pages open inside Airflow's frame.
"""

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from airflow.configuration import conf
from airflow.sdk import BaseOperatorLink

Decorated = TypeVar("Decorated")
_PREFIX, _FRAMED = "holdfast.", "/plugin/holdfast/holdfast"


class _PageLink(BaseOperatorLink):
    """A link to one of our pages; Airflow keeps it under the name of its class."""

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """The page's address, below the path that Airflow is served under."""
        served = urlsplit(str(conf.get("api", "base_url", fallback="") or "")).path.rstrip("/")
        return f"{served}{_FRAMED}{self.place(operator, ti_key)}"

    def place(self, operator: Any, ti_key: Any) -> str:
        """The page's path below the app."""
        raise NotImplementedError


class RowsKeptOut(_PageLink):
    """From ``ingest`` to the rows of its table that were rejected or set aside."""

    name = "Rows kept out"

    def place(self, operator: Any, ti_key: Any) -> str:
        """The quarantine of the table that the mapped task was for."""
        table = (getattr(operator, "op_kwargs", None) or {}).get("table", "")
        return f"/datasets/{_dataset(ti_key)}/quarantine" + (f"?table={quote(table, safe='')}" if table else "")


class WhatChanged(_PageLink):
    """From ``diff`` to the page of its run."""

    name = "What changed"

    def place(self, operator: Any, ti_key: Any) -> str:  # noqa: ARG002 - each link is given both
        """The run's page, which leads to the version that it committed."""
        return f"/dag-run?dag_id={quote(ti_key.dag_id, safe='')}&run_id={quote(ti_key.run_id, safe='')}"


class Incidents(_PageLink):
    """From ``alert`` to the dataset with its incidents."""

    name = "Incidents"

    def place(self, operator: Any, ti_key: Any) -> str:  # noqa: ARG002 - each link is given both
        """The dataset's page."""
        return f"/datasets/{_dataset(ti_key)}"


def _dataset(ti_key: Any) -> str:
    return quote(str(ti_key.dag_id).removeprefix(_PREFIX), safe="")


def linked(link: type[_PageLink]) -> Callable[[Decorated], Decorated]:
    """Gives a decorated task, mapped or not, an extra link: Airflow asks the operator's class for them."""

    def with_link(decorated: Any) -> Any:
        plain = decorated.operator_class
        decorated.operator_class = type(plain.__name__, (plain,), {"operator_extra_links": (link(),)})
        return decorated

    return with_link
