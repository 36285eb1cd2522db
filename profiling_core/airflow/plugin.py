"""Holdfast's Airflow plugin: its page in the navigation and on each DAG run, and the app that serves it.

Airflow finds it by the entry point ``holdfast`` of the group ``airflow.plugins``, and loads it in every process: so it
imports little, and only the API server builds the app.
"""

import importlib
import os
from typing import Any, ClassVar

from airflow.plugins_manager import AirflowPlugin

from profiling_core.airflow import noting
from profiling_core.airflow.timetable import DatasetTimetable
from profiling_core.airflow.ui.lazy import LazyApp

PREFIX = "/holdfast"
PRELOAD_VARIABLE = "HOLDFAST_PRELOAD"
HEAVY = (
    "great_expectations",
    "pyspark.sql",
    "profiling_core.ingest.normalize",
    "profiling_core.maintain.table",
    "profiling_core.maintain.inclusions",
    "profiling_core.emit.suites",
    "profiling_core.validate.checkpoint",
    "profiling_core.pipeline.steps",
)


class HoldfastPlugin(AirflowPlugin):
    """What Airflow shows of Holdfast."""

    name = "holdfast"
    fastapi_apps: ClassVar[list[Any]] = [{"app": LazyApp(), "url_prefix": PREFIX, "name": "Holdfast"}]
    timetables: ClassVar[list[Any]] = [DatasetTimetable]
    listeners: ClassVar[list[Any]] = [noting]
    external_views: ClassVar[list[Any]] = [
        {"name": "Holdfast", "href": "holdfast/", "destination": "nav", "url_route": "holdfast"},
        {
            "name": "Constraints",
            "href": "holdfast/dag-run?dag_id={DAG_ID}&run_id={RUN_ID}",
            "destination": "dag_run",
            "url_route": "holdfast-run",
        },
        {
            "name": "Constraints",
            "href": "holdfast/dag?dag_id={DAG_ID}",
            "destination": "dag",
            "url_route": "holdfast-dag",
        },
    ]

    @classmethod
    def on_load(cls, *_: Any, **__: Any) -> None:
        """Imports what the tasks need, in a process that asks for it by ``HOLDFAST_PRELOAD=1``.

        For a scheduler with the LocalExecutor: its workers and their tasks are forks, so what it imported before costs
        none of them anything. The imports take several seconds, which is most of a small task's time.
        """
        if os.environ.get(PRELOAD_VARIABLE) == "1":
            for name in HEAVY:
                importlib.import_module(name)
