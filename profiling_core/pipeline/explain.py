"""What is known about one constraint: its figures, its history, what would be expected, and who broke it last."""

from dataclasses import dataclass

from profiling_core.emit.wording import in_words
from profiling_core.model.change import Change
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
    """Finds a tracked constraint by its id or by its text; raises ``InputError`` where none fits."""
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
    return Explanation(chosen, in_words(chosen.measured.constraint), tuple(history), changes)


def _text(tracked: Tracked) -> str:
    return tracked.measured.constraint.text


def _plain(text: str) -> str:
    """The text without what is awkward to type: ``origin,dest->distance`` finds ``{origin, dest} → distance``."""
    for symbol, plain in {"→": "->", "⊆": "<=", "≤": "<=", "≥": ">=", "≠": "!=", "¬": "not", "∧": "and"}.items():
        text = text.replace(symbol, plain)
    return "".join(character for character in text.casefold() if character not in "{}() ")
