"""Holdfast's Airflow plugin: its page in the navigation and on each DAG run, and the app that serves it.

Airflow executes every file of the plugins folder by its stem, so this one is thin and uniquely named; the page's code is the
package ``holdfast_ui``, which ``.airflowignore`` keeps from being executed as plugins. Only the API server builds the app.
"""

from typing import Any, ClassVar
from urllib.parse import quote

from airflow.plugins_manager import AirflowPlugin
from holdfast_ui.lazy import LazyApp

PREFIX = "/holdfast"


def _icon(colour: str) -> str:
    """A hitch knot around a post, as a data URI, so that it is not one more route to guard."""
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="{colour}" stroke-width="2" '
        'stroke-linecap="round" stroke-linejoin="round"><path d="M12 2v20"/><path d="M3 8c5-3 13-3 18 0"/>'
        '<path d="M3 16c5 3 13 3 18 0"/><path d="M5 7l14 10M19 7L5 17"/></svg>'
    )
    return f"data:image/svg+xml;utf8,{quote(svg)}"


class HoldfastPlugin(AirflowPlugin):
    """What Airflow shows of Holdfast."""

    name = "holdfast"
    fastapi_apps: ClassVar[list[Any]] = [{"app": LazyApp(), "url_prefix": PREFIX, "name": "Holdfast"}]
    external_views: ClassVar[list[Any]] = [
        {
            "name": "Holdfast",
            "href": "holdfast/",
            "destination": "nav",
            "url_route": "holdfast",
            "icon": _icon("#3b5b8c"),
            "icon_dark_mode": _icon("#c9d8ec"),
        },
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
