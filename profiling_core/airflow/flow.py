"""The DAG of one dataset: a delta's way from ingest to alert, one task per step, mapped over the tables that have news.

Tasks hand on ids, never data; the steps themselves are ``profiling_core.pipeline.steps``, imported inside the tasks,
so that Airflow parses hundreds of datasets without Spark, pandas or Great Expectations. A problem that a person must
solve fails its task with a plain message and without retries; anything else, such as a database that does not answer,
is retried with growing pauses.
"""

import logging
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from airflow.sdk import DAG, Asset, XComArg, get_current_context, task

from profiling_core.airflow.extra_links import Incidents, RowsKeptOut, WhatChanged, linked
from profiling_core.airflow.form import DRY_RUN, form, label_of
from profiling_core.airflow.moved import DOUBLING, CronDataIntervalTimetable
from profiling_core.airflow.places import airflow_settings
from profiling_core.airflow.sentences import sentence
from profiling_core.model.dataset import DatasetConfig

# What a task hands on is for other tasks: its log says in a sentence what it came to.
step_task = partial(task, show_return_value_in_logs=False)
DAG_PREFIX = "holdfast."
DATASETS = "holdfast_datasets"
RUN_KEY, REFUSED = "run", "refused"
TURN_PAUSE = timedelta(seconds=15)


def build_dag(config: DatasetConfig, datasets: Path) -> DAG:
    """The dataset's DAG, ``holdfast.<dataset>``; its tasks read the dataset's file in ``datasets`` again."""
    with DAG(
        dag_id=f"{DAG_PREFIX}{config.dataset}",
        description=config.description or f"Keeps the constraints of {config.dataset} up to date and says what broke.",
        doc_md=_about(config),
        schedule=_schedule(config),
        start_date=_day(config.start_date),
        catchup=False,
        max_active_runs=1,
        tags=["holdfast"],
        # Never stored: each task has the directory as its own worker's copy of the DAG file found it.
        user_defined_macros={DATASETS: datasets},
        default_args={
            "owner": "holdfast",
            "retries": config.retries,
            "retry_delay": timedelta(seconds=config.retry_delay_seconds),
            "retry_exponential_backoff": DOUBLING,
            "max_retry_delay": timedelta(minutes=10),
            "execution_timeout": timedelta(minutes=config.timeout_minutes),
            # Begun runs come before new ones: if many datasets are due at once, the first ends soon, not all at last.
            "weight_rule": "upstream",
        },
    ) as dag:
        _tasks(config)
    # After the tasks: each would take a deep copy of the parameters, which costs more than all else at parse time.
    dag.params.update(form(config))
    return dag


def _tasks(config: DatasetConfig) -> None:
    dataset = config.dataset
    planned = plan(dataset)
    run = XComArg(planned.operator, key=RUN_KEY)
    ingested = ingest.partial(dataset=dataset, run=run).expand_kwargs(planned)
    refusals(dataset, run, ingested)
    maintained = [maintain_table.partial(dataset=dataset, run=run).expand_kwargs(planned)]
    if config.inclusions == "on":
        maintained.append(maintain_inclusions(dataset, run))
    for step in maintained:
        ingested >> step
    committed = commit(dataset, run)
    maintained >> committed
    asset = Asset(name=f"{DAG_PREFIX}{dataset}", uri=f"holdfast://{dataset}")
    changed = diff(dataset, committed)
    last = alert.override(outlets=[asset])(dataset, changed, asset)
    changed >> emit(dataset, committed) >> validate(dataset, committed) >> last


@step_task
def plan(dataset: str) -> list[dict[str, str]]:
    """Decides which deltas the run applies; each table that has some becomes the argument of a mapped task."""
    context = get_current_context()
    _await_turn(context)
    params, dag_run = context["params"], context["dag_run"]
    label = label_of(params, dag_run.run_type, dag_run.data_interval_start)
    wanted = {
        "tables": params["tables"] or None,
        "rebuild": params["rebuild"],
        "dry_run": params["mode"] == DRY_RUN,
        # Whoever writes an id into the form means one that there is; a schedule names days.
        "known": bool(params["delta"]),
        "release": params.get("release") or None,
    }
    made = _step("plan", lambda steps: steps.plan(dataset, label=label, **wanted))
    for said in made["mended"]:
        logging.getLogger(__name__).warning("%s", said)
    context["ti"].xcom_push(RUN_KEY, made)
    return [{"table": table} for table in made["pending"]]


@step_task(trigger_rule="none_failed")
def refusals(dataset: str, run: dict[str, Any], ingested: Iterable[dict[str, Any]]) -> None:
    """Fails, and with it the run, if deltas are refused; the other deltas are applied all the same."""
    from profiling_core.airflow.moved import AirflowFailException
    from profiling_core.pipeline import steps

    refused = [*run["refused"], *steps.refused(ingested)]
    get_current_context()["ti"].xcom_push(REFUSED, {"refused": refused})
    lines = [f"{held['table']} {held['delta']} {held['reason']}: {held['remedy']}" for held in refused]
    if lines:
        raise AirflowFailException("\n".join([f"Not applied to {dataset}:", *lines]))


@linked(RowsKeptOut)
@step_task(map_index_template="{{ task.op_kwargs['table'] }}")
def ingest(dataset: str, run: dict[str, Any], table: str) -> dict[str, Any]:
    """Reads the table's pending deltas, checks them, and quarantines what is wrong."""
    return _step("ingest", lambda steps: steps.ingest(dataset, run["run_id"], table))


@step_task(map_index_template="{{ task.op_kwargs['table'] }}")
def maintain_table(dataset: str, run: dict[str, Any], table: str) -> dict[str, Any]:
    """Brings the table's denial constraints, FDs and UCCs to the new data."""
    return _step("maintain", lambda steps: steps.maintain_table(dataset, run["run_id"], table))


@step_task
def maintain_inclusions(dataset: str, run: dict[str, Any]) -> dict[str, Any]:
    """Brings the inclusion dependencies across all tables to the new data."""
    return _step("maintain", lambda steps: steps.maintain_inclusions(dataset, run["run_id"]))


@step_task(trigger_rule="none_failed")
def commit(dataset: str, run: dict[str, Any]) -> dict[str, Any]:
    """Makes the staged state the dataset's next version, in one transaction; a dry run reports it and drops it."""
    from profiling_core.airflow.moved import AirflowSkipException

    context = get_current_context()
    if not run["pending"] and run["committed_version"] is None:
        raise AirflowSkipException(f"Nothing has arrived for {dataset} up to {run['label'] or 'now'}.")
    dry = context["params"]["mode"] == DRY_RUN
    if _step("", lambda steps: {"refused": steps.nothing_left(dataset, run["run_id"])})["refused"]:
        if dry:
            _step("", lambda steps: steps.discard(dataset, run["run_id"]))
        raise AirflowSkipException("All deltas are refused: the task refusals says why.")
    if dry:
        preview = _step("preview", lambda steps: steps.preview(dataset, run["run_id"]))
        _step("", lambda steps: steps.discard(dataset, run["run_id"], rejects=True))
        context["ti"].xcom_push("preview", preview)
        raise AirflowSkipException("Dry run: the run's tab Constraints shows what would have changed.")
    return {"run_id": run["run_id"], **_step("commit", lambda steps: steps.commit(dataset, run["run_id"]))}


@linked(WhatChanged)
@step_task
def diff(dataset: str, committed: dict[str, Any]) -> dict[str, Any]:
    """Finds which constraints appeared, broke or recovered, with the rows that show it."""
    return {"run_id": committed["run_id"], **_step("diff", lambda steps: steps.diff(dataset, committed["run_id"]))}


@step_task
def emit(dataset: str, committed: dict[str, Any]) -> dict[str, Any]:
    """Writes the Great Expectations suites of the active and of the changed constraints."""
    return _step("emit", lambda steps: steps.emit(dataset, committed["run_id"]))


@step_task
def validate(dataset: str, committed: dict[str, Any]) -> dict[str, Any]:
    """Runs the change suite's checkpoint and keeps its results."""
    return _step("validate", lambda steps: steps.validate(dataset, committed["run_id"]))


@linked(Incidents)
@step_task
def alert(dataset: str, changed: dict[str, Any], asset: Asset) -> dict[str, Any]:
    """Sends the notifications that are due; the asset event carries the change summary to whoever waits for it."""
    sent = _step("alert", lambda steps: steps.alert(dataset, changed["run_id"]))
    get_current_context()["outlet_events"][asset].extra = changed
    return sent


def _await_turn(context: Any) -> None:
    """Puts the run off while an earlier one of the same dataset is under way.

    ``max_active_runs`` keeps scheduled and manual runs apart, but not those of a backfill, which has a limit of its
    own; and a run that plans while another is about to commit would have to be cleared and started again.
    """
    from profiling_core.airflow.moved import AirflowRescheduleException

    if context["dag_run"].logical_date is not None and context["ti"].get_previous_dagrun(state="running"):
        raise AirflowRescheduleException(datetime.now(UTC) + TURN_PAUSE)


def _step(name: str, call: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """What a step gives, which the log says in a sentence; the steps are imported here, not where DAG files are read.

    A step without a name says nothing.
    """
    from profiling_core.airflow.moved import AirflowFailException
    from profiling_core.model.errors import HoldfastError, UnreachableError
    from profiling_core.pipeline import steps
    from profiling_core.pipeline.arrow_alone import arrow_alone
    from profiling_core.spark.failures import spark_failures_told

    arrow_alone()
    logging.getLogger("great_expectations").setLevel(logging.WARNING)  # else it tells of each metric
    dag = get_current_context()["dag"]
    try:
        with airflow_settings((dag.user_defined_macros or {})[DATASETS]), spark_failures_told():
            result = call(steps)
        if name:
            logging.getLogger(__name__).info("%s", sentence(name, result))
    except UnreachableError:
        raise
    except HoldfastError as error:
        raise AirflowFailException(str(error)) from None
    return result


def _schedule(config: DatasetConfig) -> Any:
    if config.schedule is None:
        return None
    from_past = "start_date" in config.model_fields_set
    if from_past and config.end_date is None:
        return CronDataIntervalTimetable(config.schedule, timezone="UTC")
    from profiling_core.airflow.timetable import DatasetTimetable

    end = _day(config.end_date) if config.end_date else None
    return DatasetTimetable(config.schedule, end=end, from_past=from_past)


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _about(config: DatasetConfig) -> str:
    rows = "\n".join(
        f"| {name} | {table.source.kind} | {table.source.format} | {', '.join(table.key) or 'none'} |"
        for name, table in sorted(config.tables.items())
    )
    return (
        f"**{config.dataset}** {config.description}\n\n"
        "Each run applies the deltas that are pending, commits one new version of the whole dataset, and alerts when a "
        "constraint that held breaks or recovers. Constraints and changes: *Holdfast* in the navigation.\n\n"
        f"| table | source | format | key |\n|---|---|---|---|\n{rows}\n"
    )
