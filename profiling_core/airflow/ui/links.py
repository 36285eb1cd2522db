"""Links from the pages into Airflow: to a run, a task with its log, and to our own pages inside Airflow's frame.

Airflow shows a plugin's page in a frame that may not navigate its window; ``page.js`` follows links of the class
``out``
from the window itself. Without the script they open in the frame.
"""

from urllib.parse import quote

from fastapi import Request

from profiling_core.airflow.ui.runs import FailedTask, dag_of

PREFIX = "/holdfast"
# The paths that Airflow 3.3 opens in its frame: the view's route, then the path of the page.
FRAMED = "/plugin/holdfast"


def base(request: Request) -> str:
    """The path that the app is mounted under."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def airflow(request: Request) -> str:
    """The path that Airflow itself is served under: usually empty."""
    return base(request).removesuffix(PREFIX)


def framed(request: Request) -> str:
    """The requested page, as a path that opens it inside Airflow's frame."""
    query = f"?{request.url.query}" if request.url.query else ""
    path = request.url.path.removeprefix(base(request)) or "/"
    return f"{airflow(request)}{FRAMED}{PREFIX}{path}{query}"


def login(request: Request) -> str:
    """Airflow's login, which returns to the requested page."""
    return f"{airflow(request)}/api/v2/auth/login?next={quote(framed(request), safe='')}"


def dag(root: str, dataset: str) -> str:
    """A dataset's DAG in Airflow, which is served under ``root``."""
    return f"{root}/dags/{quote(dag_of(dataset), safe='')}"


def dag_run(root: str, dataset: str, run_id: str) -> str:
    """A run in Airflow."""
    return f"{dag(root, dataset)}/runs/{quote(run_id, safe='')}"


def task(root: str, dataset: str, run_id: str, of: FailedTask) -> str:
    """A task of a run in Airflow, with its log."""
    mapped = f"/mapped/{of.place}" if of.place >= 0 else ""
    return f"{dag_run(root, dataset, run_id)}/tasks/{quote(of.task, safe='')}{mapped}"


def run_page(dataset: str, run_id: str) -> str:
    """Our own page of a run, below the app."""
    return f"/dag-run?dag_id={quote(dag_of(dataset), safe='')}&run_id={quote(run_id, safe='')}"
