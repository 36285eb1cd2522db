"""An Airflow notifier that tells what a run of a dataset changed, through Airflow connections or Apprise URLs.

For people who keep their channels in Airflow, or want to hear of failed runs too; routes in a dataset's file need
none of this. Use it as ``on_success_callback`` (says what broke and recovered; silent on quiet days) and as
``on_failure_callback``::

    from holdfast_notifier import HoldfastNotifier

    with DAG(..., on_failure_callback=HoldfastNotifier(connections=["data_team"])):
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.sdk import BaseHook, BaseNotifier, Context

if TYPE_CHECKING:
    from profiling_core.alert.message import Alert
    from profiling_core.model.dataset import AlertRoute

DAG_PREFIX = "holdfast."
FAILED = ("failed", "upstream_failed")


class HoldfastNotifier(BaseNotifier):
    """Sends the alerts of a run's version, or says that the run failed, to each channel.

    Args:
        connections: ids of Airflow connections; each is a channel, by ``apprise_url`` in its extra or by its own URI.
        urls: Apprise URLs; templates, so that they can come from variables: ``{{ var.value.team_url }}``.
        dataset: the dataset; by default the one whose DAG it is attached to.
    """

    template_fields: ClassVar[Sequence[str]] = ("urls",)

    def __init__(
        self, *, connections: Sequence[str] = (), urls: Sequence[str] = (), dataset: str | None = None
    ) -> None:
        super().__init__()
        self.connections = tuple(connections)
        self.urls = list(urls)
        self.dataset = dataset

    def notify(self, context: Context) -> None:
        """Sends what there is to say about the run; one channel that fails does not keep the others from theirs."""
        alerts = self.alerts(context)
        if not alerts:
            self.log.info("Nothing broke and nothing recovered: nothing is sent.")
            return
        names, routes = self._channels()
        for alert in alerts:
            for name, outcome in zip(names, _deliver(alert, routes), strict=True):
                self.log.info("Channel %s, %r: %s", name, alert.title, outcome)

    def alerts(self, context: Mapping[str, Any]) -> "list[Alert]":
        """What is to be sent: that the run failed, or the alerts of the version that it committed."""
        dataset = self.dataset or _dag_id(context).removeprefix(DAG_PREFIX)
        if _has_failed(context):
            return [_failure(dataset, context)]
        version = _version(context)
        return [] if version is None else _alerts(dataset, version)

    def _channels(self) -> "tuple[list[str], list[AlertRoute]]":
        from profiling_core.model.dataset import AlertRoute

        found = [(f"url {number}", url) for number, url in enumerate(self.urls, start=1)]
        for connection_id in self.connections:
            connection = BaseHook.get_connection(connection_id)
            found.append((connection_id, connection.extra_dejson.get("apprise_url") or connection.get_uri()))
        return [name for name, _ in found], [AlertRoute(url=url) for _, url in found]


def _deliver(alert: "Alert", routes: "Sequence[AlertRoute]") -> list[str]:
    from profiling_core.alert.channels import SENT, deliver
    from profiling_core.state.settings import Settings

    # The run's alert step has written the file and the log; here it is the routes alone.
    artifacts = Settings.discover().home / "artifacts"
    return list(deliver(alert, routes, artifacts, already={"file": SENT, "log": SENT}).values())


def _alerts(dataset: str, number: int) -> "list[Alert]":
    from profiling_core.alert.message import alerts_of
    from profiling_core.state.settings import Settings

    catalog = Settings.discover().catalog()
    changes, version = catalog.changes(dataset, number), catalog.version(dataset, number)
    if changes is None:
        return []
    return alerts_of(changes, version.label, {name: table.schema for name, table in version.tables.items()})


def _dag_id(context: Mapping[str, Any]) -> str:
    return str(context["dag"].dag_id)


def _has_failed(context: Mapping[str, Any]) -> bool:
    if context.get("exception") is not None:
        return True
    run = context.get("dag_run")
    return str(getattr(run, "state", "")) in FAILED or context.get("reason") == "task_failure"


def _failure(dataset: str, context: Mapping[str, Any]) -> "Alert":
    from profiling_core.alert.message import Alert

    title = f"{dataset}: a run failed"
    lines = [title, f"Run {context['run_id']} ended without committing, or without telling, a new version."]
    task = context.get("task_instance") or context.get("ti")
    if task is not None:
        lines.append(f"task: {task.task_id}")
    if (problem := context.get("exception") or context.get("reason")) is not None:
        lines.append(str(problem))
    return Alert(dataset, 0, "", str(context["run_id"]), title, "\n".join(lines), ())


def _version(context: Mapping[str, Any]) -> int | None:
    """The version that the run committed, by the result of its ``commit`` task; None when it committed nothing."""
    task = context.get("task_instance") or context.get("ti")
    committed = task.xcom_pull(task_ids="commit") if task is not None else None
    return committed.get("version") if isinstance(committed, Mapping) else None
