"""A small client for Airflow's REST API (v2): unpause, trigger, and ask how runs and their tasks stand.

The standard library's HTTP client is enough: the server is this machine's own, on the loopback interface. It may be
started again meanwhile, and its SQLite database locked; every request here is safe to send twice, and is.
"""

import http.client
import json
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from profiling_core.model.errors import StateError

FINISHED = frozenset({"success", "failed", "skipped", "upstream_failed", "removed"})
# How often a request is tried again while the database is locked, and the seconds between two tries.
_LOCKED_TRIES, _LOCKED_PAUSE = 10, 2.0
# Seconds for which a server that does not answer is asked again: long enough for it to be started again.
_AWAY_PATIENCE, _AWAY_PAUSE = 120.0, 0.5


class AirflowClient:
    """Speaks to one Airflow as one user.

    Args:
        url: where it listens.
        user: who asks.
        password: the user's.
        tend: called wherever the client waits; it may start parts of Airflow again.
    """

    def __init__(self, url: str, user: str, password: str, *, tend: Callable[[], None] = lambda: None) -> None:
        self._address = urlsplit(url).netloc
        self._credentials = {"username": user, "password": password}
        self._token = ""
        self._tend = tend

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Sends one request to ``/api/v2<path>`` and returns the JSON answer.

        Raises:
            StateError: Airflow refused, with its reason.
        """
        status, answer, _ = self._unlocked(method, path, body)
        return _accepted(method, path, status, answer)

    def rest(self, seconds: float) -> None:
        """Waits, and sees to it that what is waited for still runs."""
        self._tend()
        time.sleep(seconds)

    def await_dag(self, dag_id: str, *, patience: float = 60.0) -> None:
        """Waits until Airflow has parsed the DAG.

        Raises:
            StateError: it is not there after ``patience`` seconds; the import errors say why.
        """
        deadline = time.monotonic() + patience
        while True:
            status, _, _ = self._unlocked("GET", f"/dags/{quote(dag_id)}")
            if status == http.client.OK:
                return
            if time.monotonic() > deadline:
                raise StateError(f"Airflow does not know the DAG {dag_id!r}.", where=self.import_errors() or "dags/")
            self.rest(0.5)

    def import_errors(self) -> str:
        """The DAG files' import errors, as text; empty when there are none."""
        errors = self.call("GET", "/importErrors")["import_errors"]
        return "\n".join(f"{e['filename']}: {e['stack_trace'].strip()}" for e in errors)

    def pause(self, dag_id: str) -> None:
        """Keeps the scheduler's hands off the DAG's runs."""
        self.call("PATCH", f"/dags/{quote(dag_id)}", {"is_paused": True})

    def unpause(self, dag_id: str) -> None:
        """Lets the DAG's runs start."""
        self.call("PATCH", f"/dags/{quote(dag_id)}", {"is_paused": False})

    def trigger(self, dag_id: str, conf: Mapping[str, Any]) -> str:
        """Starts a manual run with the parameters of the trigger form; returns the run's id.

        The id is chosen here: a try whose answer was lost, though it made the run, is known by it.
        """
        run_id = f"holdfast__{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime())}__{secrets.token_hex(4)}"
        body = {"dag_run_id": run_id, "logical_date": None, "conf": dict(conf)}
        path = f"/dags/{quote(dag_id)}/dagRuns"
        status, answer, again = self._unlocked("POST", path, body)
        if not (again and status == http.client.CONFLICT):
            _accepted("POST", path, status, answer)
        return run_id

    def abandon_unfinished(self, dag_id: str) -> list[str]:
        """Fails the runs that an Airflow that was ended left unfinished; returns their ids. Leaves the DAG paused.

        For an Airflow that has just started and had no work yet: it would wait minutes for tasks that died with the
        old one. Paused, since a run that is changed while the scheduler works on it can end the scheduler on SQLite.
        """
        self.pause(dag_id)
        unfinished = [r["dag_run_id"] for r in self.runs(dag_id) if r["state"] not in FINISHED]
        for run_id in unfinished:
            self.call("PATCH", f"/dags/{quote(dag_id)}/dagRuns/{quote(run_id)}", {"state": "failed"})
        return unfinished

    def runs(self, dag_id: str, **filters: Any) -> list[dict[str, Any]]:
        """The DAG's newest hundred runs, newest first."""
        query = urlencode({"limit": 100, "order_by": "-run_after", **filters})
        found: list[dict[str, Any]] = self.call("GET", f"/dags/{quote(dag_id)}/dagRuns?{query}")["dag_runs"]
        return found

    def run(self, dag_id: str, run_id: str) -> dict[str, Any]:
        """One run."""
        found: dict[str, Any] = self.call("GET", f"/dags/{quote(dag_id)}/dagRuns/{quote(run_id)}")
        return found

    def tasks(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """The run's task instances."""
        path = f"/dags/{quote(dag_id)}/dagRuns/{quote(run_id)}/taskInstances?limit=100"
        found: list[dict[str, Any]] = self.call("GET", path)["task_instances"]
        return found

    def _unlocked(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any, bool]:
        """Sends a request, and again while the database is locked; the third value says whether it was sent again."""
        again = False
        for _ in range(_LOCKED_TRIES):
            status, answer, resent = self._reached(method, path, body)
            again |= resent
            if not _may_be_locked(status, answer):
                break
            self.rest(_LOCKED_PAUSE)
            again = True
        return status, answer, again

    def _reached(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, Any, bool]:
        """Sends a request until a server answers; the third value says whether that took more than one try."""
        deadline = time.monotonic() + _AWAY_PATIENCE
        again = False
        while True:
            try:
                return *self._logged_in(method, path, body), again
            except (OSError, http.client.HTTPException) as error:
                if time.monotonic() > deadline:
                    raise StateError(
                        f"Airflow's API server has not answered for {_AWAY_PATIENCE:.0f} s: {error}",
                        where=f"{method} http://{self._address}{path}",
                        remedy="read the end of its api-server.log, and start again",
                    ) from error
            again = True
            self.rest(_AWAY_PAUSE)

    def _logged_in(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, Any]:
        if not self._token:
            self._log_in()
        status, answer = self._send(method, f"/api/v2{path}", body)
        if status == http.client.UNAUTHORIZED:  # the token lives for a day only
            self._log_in()
            status, answer = self._send(method, f"/api/v2{path}", body)
        return status, answer

    def _log_in(self) -> None:
        status, answer = self._send("POST", "/auth/token", self._credentials)
        if status >= http.client.BAD_REQUEST:
            raise StateError(f"Airflow does not let {self._credentials['username']!r} in: {_reason(answer)}")
        self._token = answer["access_token"]

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self._address, timeout=60)
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        finally:
            connection.close()
        try:
            return response.status, json.loads(text) if text else {}
        except json.JSONDecodeError:
            return response.status, {"detail": text[:500]}


def _may_be_locked(status: int, answer: Any) -> bool:
    """Whether a request failed in the database: Airflow says so of a lock, and hides which error it was elsewhere."""
    detail = answer.get("detail") if isinstance(answer, Mapping) else None
    failed = isinstance(detail, Mapping) and detail.get("reason") == "Database error"
    return status == http.client.SERVICE_UNAVAILABLE or (status == http.client.INTERNAL_SERVER_ERROR and failed)


def _accepted(method: str, path: str, status: int, answer: Any) -> Any:
    if status >= http.client.BAD_REQUEST:
        raise StateError(f"Airflow refused: {_reason(answer)}", where=f"{method} {path} (HTTP {status})")
    return answer


def _reason(answer: Any) -> str:
    detail = answer.get("detail", answer) if isinstance(answer, Mapping) else answer
    return detail if isinstance(detail, str) else json.dumps(detail)
