"""What is known about one constraint: its figures, its history, what would be expected, and who broke it last."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from profiling_core.maintain.results import read_results
from profiling_core.model.change import Change
from profiling_core.model.constraint import DATASET, Constraint, Kind
from profiling_core.model.decision import UNDECIDED, Decided
from profiling_core.model.errors import InputError
from profiling_core.model.lifecycle import Tracked
from profiling_core.pipeline.lifecycle_step import decisions
from profiling_core.pipeline.workspace import Workspace

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A tracked constraint with its standing over the versions and the changes that concern it, oldest first.

    ``worth`` says what speaks for it. ``key`` are the columns by which people know its table's rows.
    """

    tracked: Tracked
    meaning: str
    worth: str
    history: tuple[Tracked, ...]
    changes: tuple[tuple[int, Change], ...]
    decided: Decided
    key: tuple[str, ...] = ()


def explain(work: Workspace, wanted: str) -> Explanation:
    """Finds a tracked constraint by its id or by its text; raises ``InputError`` where none fits."""
    current = work.catalog.current(work.dataset)
    tracked = work.catalog.tracked(work.dataset, current.number) if current else []
    found = matching(wanted, tracked, lambda t: t.measured.constraint)
    if not found:
        raise InputError(
            f"dataset {work.dataset!r} follows no constraint {wanted!r}",
            remedy=alike(wanted, [t.measured.constraint for t in tracked]),
        )
    chosen = found[0]
    history = work.catalog.history(work.dataset, chosen.fingerprint)
    changes = tuple(
        (change_set.version, change)
        for change_set in work.catalog.change_sets(work.dataset)
        for change in change_set.changes
        if change.measured.constraint.fingerprint == chosen.fingerprint
    )
    decided = decisions(work).get(chosen.fingerprint, UNDECIDED)
    worth = _worth(work, chosen)
    state = current.tables.get(chosen.table) if current else None
    key = (state.schema.key if state else ()) or _found_key(tracked, chosen.table)
    return Explanation(chosen, chosen.measured.constraint.words, worth, tuple(history), changes, decided, key)


def _found_key(tracked: Sequence[Tracked], table: str) -> tuple[str, ...]:
    """The columns of the best key that was found of a table, where nobody has named one."""
    own = (t for t in tracked if t.table == table and t.measured.constraint.kind is Kind.UCC and t.measured.holds)
    best = min((t for t in own if t.rank), key=lambda t: t.rank or 0, default=None)
    return best.measured.constraint.columns if best else ()


def _worth(work: Workspace, tracked: Tracked) -> str:
    """What speaks for a constraint: for an inclusion how it reads as a foreign key, else what would be expected."""
    measured = tracked.measured
    if measured.constraint.kept_with == DATASET:
        version = work.catalog.version(work.dataset, tracked.version)
        reading = read_results(work.store, version, DATASET).readings.get(tracked.fingerprint)
        if reading:
            return reading.text
    partial = bool(tracked.threshold and measured.violations)
    return measured.constraint.worth(tracked.score, measured.support, partial=partial)


def matching(wanted: str, among: Sequence[T], constraint_of: Callable[[T], Constraint]) -> list[T]:
    """Those whose constraint has this id or text; failing that, this beginning of an id, or the text plainly typed."""
    known = [(item, constraint_of(item)) for item in among]
    found = [item for item, c in known if wanted in (c.fingerprint, c.text)]
    return found or [i for i, c in known if c.fingerprint.startswith(wanted) or _plain(wanted) == _plain(c.text)]


def alike(wanted: str, among: Sequence[Constraint]) -> str:
    """What to do where no constraint has this id or text: take the one whose id or text looks most like it."""
    by_text = {_plain(c.text): c for c in among} | {c.fingerprint[: len(wanted)]: c for c in among}
    near = get_close_matches(_plain(wanted), by_text, 1)
    question = f"did you mean {by_text[near[0]].fingerprint}, {by_text[near[0]].text}? " if near else ""
    return f"{question}`holdfast constraints` lists them; give an id from its last column, or the text in quotes"


def _plain(text: str) -> str:
    """The text without what is awkward to type: ``origin,dest->distance`` finds ``{origin, dest} → distance``."""
    for symbol, plain in {"→": "->", "⊆": "<=", "≤": "<=", "≥": ">=", "≠": "!=", "¬": "not", "∧": "and"}.items():
        text = text.replace(symbol, plain)
    return "".join(character for character in text.casefold() if character not in "{}() ")
