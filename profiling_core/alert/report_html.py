"""The report as one HTML file that needs nothing else: inline style and SVG, no script, nothing from outside.

All names and values are escaped by the template; the page's own policy forbids scripts and outside resources besides.
"""

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from profiling_core.alert.chart import chart
from profiling_core.alert.figures import counted, error_text
from profiling_core.alert.report import Report, Series
from profiling_core.alert.text_table import visible
from profiling_core.alert.wording import by_the_same
from profiling_core.state.atomic import write_atomically


def to_html(report: Report) -> str:
    """The page's text."""
    environment = Environment(
        loader=PackageLoader("profiling_core.alert"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"visible": visible, "error": error_text, "drawn": _drawn, "by_the_same": by_the_same}
    return environment.get_template("report.html.j2").render(report=report, counted=counted)


def write_html(report: Report, path: Path) -> None:
    """Writes the page, whole or not at all."""
    write_atomically(path, to_html(report).encode("utf-8", "xmlcharrefreplace"))


def _drawn(series: Series) -> Markup:
    """The chart's SVG, whose texts its builder has escaped."""
    return Markup(chart(series))  # noqa: S704 - built by ElementTree, which escapes every text and attribute
