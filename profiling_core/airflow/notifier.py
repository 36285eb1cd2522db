"""An Airflow notifier that tells what a run of a dataset changed, through Airflow connections or Apprise URLs.

For people who keep their channels in Airflow, or want to hear of failed runs too; routes in a dataset's file need
none of this. Use it as ``on_success_callback`` (says what broke and recovered; silent on quiet days) and as
``on_failure_callback``::

    from profiling_core.airflow import HoldfastNotifier

    with DAG(..., on_failure_callback=HoldfastNotifier(connections=["data_team"])):
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.sdk import BaseNotifier, Context

from profiling_core.airflow.flow import DAG_PREFIX, DATASETS
from profiling_core.airflow.places import airflow_settings

if TYPE_CHECKING:
    from profiling_core.alert.delivery import Channel
    from profiling_core.model.message import Message
    from profiling_core.pipeline.workspace import Workspace

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
        """Sends what there is to say about the run, and what its channels did not take before.

        The messages go through the dataset's outbox: each to each channel once, whoever calls this how often.
        """
        macros = getattr(context["dag"], "user_defined_macros", None) or {}
        with airflow_settings(macros.get(DATASETS)):
            self._tell(context)

    def _tell(self, context: Context) -> None:
        from profiling_core.alert.delivery import Patience, drain
        from profiling_core.pipeline.workspace import Workspace

        work = Workspace.open(self.dataset or _dag_id(context).removeprefix(DAG_PREFIX))
        channels = self._channels(work)
        found = _messages(work, context, tuple(channels))
        if not found:
            self.log.info("Nothing broke and nothing recovered: nothing is sent.")
        work.catalog.outbox.put(work.dataset, found, datetime.now(UTC))
        patience = Patience(timedelta(0), timedelta(hours=work.config.alerts.give_up_hours))
        for key, said in drain(work.catalog.outbox, work.dataset, channels, patience).items():
            for channel, outcome in said.items():
                self.log.info("Channel %s, message %s: %s", channel, key, outcome)

    def _channels(self, work: "Workspace") -> "dict[str, Channel]":
        from profiling_core.alert.channels import to_route
        from profiling_core.model.dataset import AlertRoute

        urls = {f"notifier url {number}": url for number, url in enumerate(self.urls, start=1)}
        routes = {name: AlertRoute(url=url) for name, url in urls.items()}
        routes |= {f"notifier connection {id_}": AlertRoute(url_connection=id_) for id_ in self.connections}
        return {name: partial(to_route, route, work.config.alerts.allow_private) for name, route in routes.items()}


def _messages(work: "Workspace", context: Mapping[str, Any], channels: tuple[str, ...]) -> "list[Message]":
    """What is to be sent: that the run failed, or the messages of the version that it committed."""
    from profiling_core.model.message import Message

    if _has_failed(context):
        return [_failure(work.dataset, context, channels)]
    version = _version(context)
    known = [] if version is None else work.catalog.alerts(work.dataset, version)
    return [Message(record.key, record.version, record.table, record.body, channels) for record in known]


def _dag_id(context: Mapping[str, Any]) -> str:
    return str(context["dag"].dag_id)


def _has_failed(context: Mapping[str, Any]) -> bool:
    if context.get("exception") is not None:
        return True
    run = context.get("dag_run")
    return str(getattr(run, "state", "")) in FAILED or context.get("reason") == "task_failure"


def _failure(dataset: str, context: Mapping[str, Any], channels: tuple[str, ...]) -> "Message":
    from profiling_core.alert.message import Alert
    from profiling_core.model.identity import fingerprint
    from profiling_core.model.message import Message

    title = f"{dataset}: a run failed"
    lines = [title, f"Run {context['run_id']} ended without committing, or without telling, a new version."]
    task = context.get("task_instance") or context.get("ti")
    if task is not None:
        lines.append(f"task: {task.task_id}")
    if (problem := context.get("exception") or context.get("reason")) is not None:
        lines.append(str(problem))
    text = "\n".join(lines)
    # A run that is cleared and fails once more is news once more.
    began = str(getattr(context.get("dag_run"), "start_date", ""))
    body = Alert(dataset, 0, "", str(context["run_id"]), title, text, ()).to_json()
    return Message(f"failed-{fingerprint(text, began)}", 0, "", body, channels)


def _version(context: Mapping[str, Any]) -> int | None:
    """The version that the run committed, by the result of its ``commit`` task; None when it committed nothing."""
    task = context.get("task_instance") or context.get("ti")
    committed = task.xcom_pull(task_ids="commit") if task is not None else None
    return committed.get("version") if isinstance(committed, Mapping) else None
