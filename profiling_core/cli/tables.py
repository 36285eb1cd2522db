"""Rich tables in which the commands show tracked constraints and changes."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rich.console import Console
from rich.table import Table
from rich.text import Text

from profiling_core.alert.figures import counted
from profiling_core.alert.text_table import shortened, visible
from profiling_core.alert.wording import spoken
from profiling_core.model.change import Change, LifecycleState, Transition
from profiling_core.model.lifecycle import Tracked

_LONGEST = 400
_STYLES = {
    LifecycleState.ACTIVE: "green",
    LifecycleState.VIOLATED: "bold red",
    LifecycleState.RECOVERED: "green",
    LifecycleState.CANDIDATE: "yellow",
    LifecycleState.RETIRED: "dim",
    Transition.BROKE: "bold red",
    Transition.RECOVERED: "green",
    Transition.APPEARED: "cyan",
    Transition.GENERALISED: "cyan",
    Transition.ERROR_CHANGED: "yellow",
    Transition.ERROR_JUMPED: "bold yellow",
    Transition.RETIRED: "dim",
    Transition.SPARED: "bold yellow",
}


def console() -> Console:
    """The console for results; wide enough that a pipe or a log does not break lines of a table apart."""
    found = Console()
    return found if found.is_terminal else Console(width=140)


def safe_text(text: str, style: str = "") -> Text:
    """A text with names or values in it, on one line: nothing is read as markup, or obeyed by a terminal."""
    return Text(visible(text), style=style)


def in_cell(text: str, style: str = "") -> Text:
    """The same for a table's cell, where it does not go on endlessly."""
    return Text(shortened(text, _LONGEST), style=style)


def error_text(error: float) -> str:
    """An error for people: exact zero as a dash."""
    return "–" if error == 0 else f"{error:.3g}"


def tracked_table(
    tracked: Sequence[Tracked], decided: Mapping[str, str], likelihoods: Mapping[str, float] = MappingProxyType({})
) -> Table:
    """Constraints with their rank, state, since when, and by fingerprint what people have decided.

    Where there are inclusions, also how likely each is a foreign key, from ``likelihoods`` by fingerprint.
    """
    table = Table(box=None, header_style="bold", pad_edge=False)
    keys = ["foreign key"] if any(t.fingerprint in likelihoods for t in tracked) else []
    for name in ("rank", "table", "constraint", "state", "since", "deltas held", "error", *keys, "decided", "id"):
        numeric = name in ("rank", "deltas held", "error", "foreign key")
        table.add_column(name, justify="right" if numeric else "left")
    for t in tracked:
        likelihood = likelihoods.get(t.fingerprint)
        table.add_row(
            str(t.rank or "–"),
            t.table,
            in_cell(t.measured.constraint.text),
            Text(t.state.value, style=_STYLES[t.state]),
            spoken(t.since),
            str(t.held_deltas),
            error_text(t.measured.error),
            *(["" if likelihood is None else f"{likelihood:.2f}"] if keys else []),
            in_cell(decided.get(t.fingerprint, "")),
            t.fingerprint,
        )
    return table


def changes_table(changes: Sequence[Change]) -> Table:
    """Changes with their figures before and after."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("change", "table", "constraint", "held for", "violating rows", "error", "alert"):
        table.add_column(name, justify="right" if name in ("held for", "violating rows", "error") else "left")
    for change in changes:
        measured = change.measured
        table.add_row(
            Text(change.transition.value, style=_STYLES[change.transition]),
            change.table,
            in_cell(measured.constraint.text),
            counted(change.held_deltas, "delta"),
            str(change.violating_rows or "–"),
            error_text(measured.error),
            "yes" if change.alerts else "",
        )
    return table
