"""Holdfast's Airflow plugin: its page in the navigation and on each DAG run, and the app that serves it.

Airflow executes every file of the plugins folder by its stem, so this one is thin and uniquely named; the page's code
is the package ``holdfast_ui``, which ``.airflowignore`` keeps from being executed as plugins. Only the API server
builds the app.
"""

from typing import Any, ClassVar

from airflow.plugins_manager import AirflowPlugin
from holdfast_timetable import EndingCronTimetable
from holdfast_ui.lazy import LazyApp

PREFIX = "/holdfast"


class HoldfastPlugin(AirflowPlugin):
    """What Airflow shows of Holdfast."""

    name = "holdfast"
    fastapi_apps: ClassVar[list[Any]] = [{"app": LazyApp(), "url_prefix": PREFIX, "name": "Holdfast"}]
    timetables: ClassVar[list[Any]] = [EndingCronTimetable]
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
