"""What is known about one constraint: its figures, its history, what would be expected, and who broke it last."""

from dataclasses import dataclass

from profiling_core.model.change import Change
from profiling_core.model.constraint import Constraint, FunctionalDependency, InclusionDependency, Kind
from profiling_core.model.errors import InputError
from profiling_core.model.lifecycle import Tracked
from profiling_core.pipeline.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Explanation:
    """A tracked constraint with its standing over the versions and the changes that concern it, oldest first."""

    tracked: Tracked
    meaning: str
    history: tuple[Tracked, ...]
    changes: tuple[tuple[int, Change], ...]


def explain(work: Workspace, wanted: str) -> Explanation:
    """Finds a tracked constraint by its id or by its text; raises ``InputError`` with the nearest ones where none fits."""
    current = work.catalog.current(work.dataset)
    tracked = work.catalog.tracked(work.dataset, current.number) if current else []
    found = [t for t in tracked if wanted in (t.fingerprint, t.measured.constraint.text)]
    found = found or [t for t in tracked if t.fingerprint.startswith(wanted) or _plain(wanted) == _plain(_text(t))]
    if not found:
        raise InputError(
            f"dataset {work.dataset!r} follows no constraint {wanted!r}",
            remedy="`holdfast constraints` lists them; give an id from its last column, or the text in quotes",
        )
    chosen = found[0]
    history = work.catalog.history(work.dataset, chosen.fingerprint)
    changes = tuple(
        (change_set.version, change)
        for change_set in work.catalog.change_sets(work.dataset)
        for change in change_set.changes
        if change.measured.constraint.fingerprint == chosen.fingerprint
    )
    return Explanation(chosen, meaning(chosen.measured.constraint), tuple(history), changes)


def _text(tracked: Tracked) -> str:
    return tracked.measured.constraint.text


def _plain(text: str) -> str:
    """The text without what is awkward to type: ``origin,dest->distance`` finds ``{origin, dest} → distance``."""
    for symbol, plain in {"→": "->", "⊆": "<=", "≤": "<=", "≥": ">=", "≠": "!=", "¬": "not", "∧": "and"}.items():
        text = text.replace(symbol, plain)
    return "".join(character for character in text.casefold() if character not in "{}() ")


def meaning(constraint: Constraint) -> str:
    """The constraint in plain words."""
    if isinstance(constraint, InclusionDependency):
        return f"Every value of {_side(constraint.lhs.table, constraint.lhs.columns)} occurs in " + _side(
            constraint.rhs.table, constraint.rhs.columns
        )
    if isinstance(constraint, FunctionalDependency):
        if not constraint.lhs.columns:
            return f"All rows of {constraint.lhs.table} have the same {constraint.rhs.columns[0]}."
        return (
            f"Rows of {constraint.lhs.table} that agree on {_names(constraint.lhs.columns)} "
            f"also agree on {constraint.rhs.columns[0]}."
        )
    if constraint.kind is Kind.UCC:
        return f"No two rows of {constraint.tables[0]} agree on {_names(constraint.columns)}."
    parts = " and ".join(str(p) for p in constraint.predicates)
    rows = "No row t" if constraint.is_single_row else "No two rows t and s"
    return f"{rows} of {constraint.table} satisfy {parts}."


def _side(table: str, columns: tuple[str, ...]) -> str:
    return f"{table}.{', '.join(columns)}."[: None if len(columns) > 1 else -1]


def _names(columns: tuple[str, ...]) -> str:
    return columns[0] if len(columns) == 1 else f"{', '.join(columns[:-1])} and {columns[-1]}"
