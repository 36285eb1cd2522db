"""The pages: Jinja templates with everything escaped, and headers that keep a page from loading or sending anything.

Column names and values come from data that nobody vouches for. They are escaped by default, isolated from the
surrounding text's direction, and no page can run or load what is not named here by its hash.
"""

import base64
import hashlib
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from profiling_core.airflow.ui import formats
from profiling_core.airflow.ui.drawing import history_chart
from profiling_core.airflow.ui.reading import ConstraintPage, DatasetPage, DatasetSummary, VersionPage

TEMPLATES = Path(__file__).with_name("templates")


class Pages:
    """Renders the templates; one per app."""

    def __init__(self) -> None:
        self._style = (TEMPLATES / "style.css").read_text("utf-8")
        self._script = (TEMPLATES / "theme.js").read_text("utf-8")
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(
            style=Markup(self._style),  # noqa: S704 - our own file
            script=Markup(self._script),  # noqa: S704 - our own file
            formats=formats,
        )

    @property
    def security_headers(self) -> dict[str, str]:
        """For every response: nothing is loaded, nothing framed from elsewhere, nothing kept by caches on the way."""
        policy = (
            "default-src 'none'; "
            f"style-src '{_source_hash(self._style)}'; script-src '{_source_hash(self._script)}'; "
            "img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
        )
        return {
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        }

    def base(self, request: Request) -> str:
        """The path that the app is mounted under, for links."""
        return str(request.scope.get("root_path", "")).rstrip("/")

    def overview(self, request: Request, datasets: list[DatasetSummary]) -> str:
        """All datasets that the user may read."""
        return self._render(request, "overview.html.j2", datasets=datasets)

    def dataset(self, request: Request, found: DatasetPage) -> str:
        """One dataset: what is broken, its constraints, its runs."""
        return self._render(request, "dataset.html.j2", page=found, name=found.summary.name)

    def version(self, request: Request, found: VersionPage) -> str:
        """One run: what arrived, what changed, with rows."""
        return self._render(request, "version.html.j2", page=found, name=found.dataset)

    def constraint(self, request: Request, found: ConstraintPage) -> str:
        """One constraint through time."""
        chart = history_chart(found.history)
        return self._render(request, "constraint.html.j2", page=found, name=found.dataset, chart=chart)

    def message(self, request: Request, title: str, text: str, dataset: str = "") -> str:
        """A page that says why there is nothing to show."""
        return self._render(request, "message.html.j2", title=title, text=text, name=dataset)

    def _render(self, request: Request, template: str, **values: Any) -> str:
        return self._templates.get_template(template).render(base=self.base(request), **values)


def _source_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
