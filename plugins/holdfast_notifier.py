"""An Airflow notifier that tells what a run of a dataset changed, through Airflow connections or Apprise URLs.

For people who keep their channels in Airflow, or want to hear of failed runs too; routes in a dataset's file need none of this. Use it as
``on_success_callback`` (says what broke and recovered; silent on quiet days) and as ``on_failure_callback``::

    from holdfast_notifier import HoldfastNotifier

    with DAG(..., on_failure_callback=HoldfastNotifier(connections=["data_team"])):
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from airflow.sdk import BaseHook, BaseNotifier, Context

DAG_PREFIX = "holdfast."
FAILED = ("failed", "upstream_failed")


class HoldfastNotifier(BaseNotifier):
    """Sends the alerts of a run's version, or says that the run failed, to each channel.

    Args:
        connections: ids of Airflow connections; each names a channel by ``apprise_url`` in its extra, or by its own URI.
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
        messages = self.messages(context)
        if not messages:
            self.log.info("Nothing broke and nothing recovered: nothing is sent.")
            return
        for name, url in self._channels():
            for title, text in messages:
                if not _send(url, title, text):
                    self.log.error("Channel %s did not take the message %r", name, title)

    def messages(self, context: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Title and text of what is to be sent: the run's failure, or the alerts of the version that it committed."""
        dataset = self.dataset or _dag_id(context).removeprefix(DAG_PREFIX)
        if _has_failed(context):
            return [(f"{dataset}: a run failed", _failure(dataset, context))]
        version = _version(context)
        if version is None:
            return []
        return [_parted(alert.message) for alert in _catalog().alerts(dataset, version)]

    def _channels(self) -> list[tuple[str, str]]:
        found = [(f"url {number}", url) for number, url in enumerate(self.urls, start=1)]
        for connection_id in self.connections:
            connection = BaseHook.get_connection(connection_id)
            found.append((connection_id, connection.extra_dejson.get("apprise_url") or connection.get_uri()))
        return found


def _send(url: str, title: str, text: str) -> bool:
    import apprise

    channel = apprise.Apprise()
    return bool(channel.add(url) and channel.notify(body=text, title=title, body_format=apprise.NotifyFormat.TEXT))


def _catalog() -> Any:
    from profiling_core.state.settings import Settings

    return Settings.discover().catalog()


def _dag_id(context: Mapping[str, Any]) -> str:
    return str(context["dag"].dag_id)


def _has_failed(context: Mapping[str, Any]) -> bool:
    if context.get("exception") is not None:
        return True
    run = context.get("dag_run")
    return str(getattr(run, "state", "")) in FAILED or context.get("reason") == "task_failure"


def _failure(dataset: str, context: Mapping[str, Any]) -> str:
    lines = [f"Run {context['run_id']} of dataset {dataset} failed; its last committed version is unchanged."]
    task = context.get("task_instance") or context.get("ti")
    if task is not None:
        lines.append(f"task: {task.task_id}")
    if (problem := context.get("exception") or context.get("reason")) is not None:
        lines.append(str(problem))
    return "\n".join(lines)


def _version(context: Mapping[str, Any]) -> int | None:
    """The version that the run committed, by the result of its ``commit`` task; None when it committed nothing."""
    task = context.get("task_instance") or context.get("ti")
    committed = task.xcom_pull(task_ids="commit") if task is not None else None
    return committed.get("version") if isinstance(committed, Mapping) else None


def _parted(message: str) -> tuple[str, str]:
    title, _, text = message.partition("\n")
    return title, text.strip() or title
