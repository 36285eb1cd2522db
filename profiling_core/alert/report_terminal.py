"""The report on a terminal, with rich: the days as a table, the alerts in full, the errors as sparklines."""

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from profiling_core.alert.figures import counted, error_text
from profiling_core.alert.message import Alert
from profiling_core.alert.report import Day, News, Report, Series
from profiling_core.alert.text_table import visible
from profiling_core.model.change import Transition

_BARS = "▁▂▃▄▅▆▇█"
_STYLES = {
    Transition.BROKE: "red",
    Transition.ERROR_JUMPED: "yellow",
    Transition.ERROR_CHANGED: "yellow",
    Transition.SPARED: "yellow",
    Transition.RECOVERED: "green",
    Transition.APPEARED: "dim",
}
_SIGNS = {
    Transition.BROKE: "✕",
    Transition.ERROR_JUMPED: "↑",
    Transition.ERROR_CHANGED: "↑",
    Transition.SPARED: "‖",
    Transition.RECOVERED: "✓",
    Transition.APPEARED: "+",
}


def print_report(report: Report, console: Console | None = None) -> None:
    """Prints the report; names and values are never read as rich's markup."""
    out = console or Console()
    out.print(Text.assemble((f"{report.dataset}: ", "bold"), (f"{report.span}", "bold"), "  ", _totals(report)))
    out.print(_days(report))
    for alert in report.alerts:
        out.print(_alert(alert))
    series = [report.series[name] for name in report.series]
    if series:
        out.print(Text("Error over the days", style="bold"))
        out.print(_sparklines(series))
    for line in report.judged:
        out.print(Text(visible(line), style="dim"))
    out.print(_links(report))


def _totals(report: Report) -> Text:
    words = [f"{report.total('broke')} broke", f"{report.total('recovered')} recovered"]
    return Text(f"{', '.join(words)}, {counted(len(report.alerts), 'alert')}", style="dim")


def _days(report: Report) -> Table:
    table = Table(header_style="dim", expand=False, pad_edge=False)
    table.add_column("day", no_wrap=True)
    table.add_column("what arrived", min_width=20)
    for name in ("broke", "recovered", "appeared"):
        table.add_column(name, justify="right")
    table.add_column("what matters most", ratio=1)
    for day in report.days:
        table.add_row(
            Text(visible(day.label), style="bold red" if day.alerts else ""),
            Text("\n".join(f"{visible(a.table)}: {a.text}" for a in day.arrived) or "nothing", style=""),
            *(_count(day, transition) for transition in (Transition.BROKE, Transition.RECOVERED, Transition.APPEARED)),
            Group(*(_news(news) for news in day.news)) if day.news else Text("quiet", style="dim"),
        )
    return table


def _count(day: Day, transition: Transition) -> Text:
    number = day.counts.get(transition, 0)
    return Text(str(number) if number else "·", style=_STYLES[transition] if number else "dim")


def _news(news: News) -> Text:
    style = _STYLES[news.transition]
    return Text.assemble(
        (f"{_SIGNS[news.transition]} ", style),
        (visible(news.constraint), "bold" if news.alerts else ""),
        (f" {news.words}", "dim"),
    )


def _alert(alert: Alert) -> Panel:
    headline, _, body = alert.text.partition("\n\n")
    broke = any(part.transition is not Transition.RECOVERED for part in alert.told)
    return Panel(
        # The headline wraps inside; as the panel's title it would be cut at the terminal's width.
        Text.assemble((headline, "bold"), "\n\n", body.rstrip()),
        title=Text("Alert", style="bold"),
        title_align="left",
        border_style="red" if broke else "green",
    )


def _sparklines(series: list[Series]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for one in series:
        greatest = max(error for _, error, _ in one.points)
        bars = Text.assemble(*(_bar(error, greatest) for _, error, _ in one.points))
        last = one.points[-1]
        now = f"{counted(last[2], one.unit)}, error {error_text(last[1])}" if last[2] else "holds"
        table.add_row(bars, Text(visible(f"{one.table}: {one.constraint}")), Text(now, style="dim"))
    return Padding(table, (0, 0, 1, 2))


def _bar(error: float, greatest: float) -> tuple[str, str]:
    if error == 0 or greatest == 0:
        return "▁", "green"
    return _BARS[max(1, round(error / greatest * (len(_BARS) - 1)))], "red"


def _links(report: Report) -> Table:
    table = Table.grid(padding=(0, 2))
    for what, where in report.links:
        table.add_row(Text(what, style="dim"), Text(where))
    return table
