"""The sentences of alerts and reports: what happened, since when it had held, how much, and how to read it."""

import re
from collections.abc import Mapping
from enum import StrEnum

from profiling_core.alert.figures import error_text
from profiling_core.alert.text_table import shortened, visible
from profiling_core.model.change import Change, Transition
from profiling_core.model.diagnosis import Concentration, Repair, Replacement

# A constraint's text beyond this is cut: a column may be called anything, and a message is to fit a screen.
LONGEST = 300
_FEW_ROWS = 5
_FEW_SHARE = 0.01
_MANY_SHARE = 0.2
_LONG_RELIABLE = 7
# How tables that keep their own versions call them: the moment, then what makes it unique.
_VERSION_OF_A_TABLE = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)Z(?:[.+].*)?", re.ASCII)
# A rule that 50 rows or pairs have put to the test does not hold by chance, however young it is.
_WELL_SUPPORTED = 50
_SHOWN_REPLACEMENTS = 2
# As many rows that all agree in what they violate are unlikely to be slips.
_MANY_ALIKE = 5
_IF_IT_PERSISTS = "If it goes on, a column may have changed its meaning."


class Likely(StrEnum):
    """What is likely behind a break, as the first line of a message says it."""

    ERROR = "likely a data error"
    CHANGE = "likely a change of meaning"
    ALL_ALIKE = "likely a change of meaning, since all new rows of the kind agree"
    EITHER = "a data error or a change of meaning"
    RARE = "a data error, or a rare value that is right"
    COINCIDENCE = "the rule is young and may have held by chance"
    UNKNOWN = ""


def headline(change: Change, label: str) -> str:
    """``flights: {origin, dest} → distance broke on 2013-03-01 after holding for 59 deltas (since 2013-01-01)``."""
    return f"{change.table}: {shortened(change.measured.constraint.text, LONGEST)} {when(change, label)}"


def when(change: Change, label: str) -> str:
    """``broke on 2013-03-01 after holding for 59 deltas (since 2013-01-01)``."""
    label, since = spoken(label), spoken(change.since)
    if change.transition is Transition.RECOVERED:
        return visible(f"holds again on {label}, after being violated since {since}")
    if change.transition is Transition.ERROR_CHANGED:
        return visible(f"is violated by more rows on {label} (violated since {since})")
    if change.transition is Transition.SPARED:
        held = f"it has held for {deltas(change.held_deltas)}, since {since}"
        return visible(f"holds on {label}, since rows that would break it were set aside ({held})")
    if change.transition is Transition.ERROR_JUMPED and change.before:
        return visible(f"jumped in error on {label}, from {error_text(change.before.error)}")
    return visible(f"broke on {label} after holding for {deltas(change.held_deltas)} (since {since})")


def spoken(label: str) -> str:
    """A delta's id as a sentence says it: ``2026-11-22 08:14:03 UTC`` for ``2026-11-22T08:14:03Z.s98181``."""
    moment = _VERSION_OF_A_TABLE.fullmatch(label)
    return f"{moment[1]} {moment[2]} UTC" if moment else label


def deltas(count: int) -> str:
    """``1 delta``, ``59 deltas``."""
    return f"{count:,} delta{'' if count == 1 else 's'}"


def extent(change: Change) -> str:
    """How much violates the constraint now, in rows and pairs, or that nothing does."""
    measured = change.measured
    if change.transition is Transition.SPARED:
        one = change.violating_rows == 1
        rows = (
            "1 new row would break it and was" if one else f"{change.violating_rows:,} new rows would break it and were"
        )
        return f"{rows} set aside; `holdfast release {change.table}` applies {'it' if one else 'them'}."
    if measured.holds:
        return "Nothing violates it any more."
    unit = measured.constraint.unit.of(measured.violations)
    error = f"{measured.violations:,} {unit} of {measured.population:,} (error {error_text(measured.error)})"
    if change.transition is Transition.RECOVERED:
        return f"It is within its threshold again: {error}."
    if not change.violating_rows:
        return f"Violated by {error}."
    apart = change.diagnosis.standing_out or change.violating_rows
    rows = "row violates" if apart == 1 else "rows violate"
    others = change.violating_rows - apart
    beside = f", and contradict{'s' if apart == 1 else ''} {others:,} more of the same delta" if others else ""
    return f"{apart:,} new {rows} it{beside}: {error}."


def by_the_same(constraint: str) -> str:
    """``The same rows break {category} → vat.``."""
    return f"The same rows break {shortened(constraint, LONGEST)}."


def reading(change: Change, arrived: Mapping[str, int]) -> str:
    """Whether the break looks like an error in the data or like a change of meaning, with the figures that say so."""
    said = (_judgement(change, arrived), in_common(change.diagnosis.concentration), mended(change.diagnosis.repair))
    return visible(" ".join(sentence for sentence in said if sentence))


def in_common(found: Concentration | None) -> str:
    """What the violating rows share: ``All 3 have carrier = UA; so do 17.9% of all new rows.``."""
    if found is None:
        return ""
    many = f"All {found.rows:,}" if found.rows == found.violating else f"{found.rows:,} of the {found.violating:,}"
    if found.rows == found.usual:
        return f"{many} have {found.column} = {_value(found.value)}; no other new row does."
    usual = found.usual / max(1, found.arrived)
    return f"{many} have {found.column} = {_value(found.value)}; so do {usual:.1%} of all new rows."


def mended(repair: Repair | None) -> str:
    """What fixes it: ``Changing distance in 3 rows would fix it (origin=EWR, dest=EGE: 1725 → 1726).``."""
    if repair is None or not repair.rows or not repair.is_sure:
        return ""
    rows = "1 row" if repair.rows == 1 else f"{repair.rows:,} rows"
    if not repair.column:
        return f"Removing {'' if repair.exact else 'at most '}{rows} would fix it."
    examples = "; ".join(_replacement(example) for example in repair.examples[:_SHOWN_REPLACEMENTS])
    return f"Changing {repair.column} in {rows} would fix it ({examples})."


def _replacement(example: Replacement) -> str:
    where = ", ".join(f"{name}={_value(value)}" for name, value in example.where.items())
    change = f"{_value(example.before)} → {_value(example.after)}"
    return f"{where}: {change}" if where else change


def _value(text: str | None) -> str:
    return shortened(text, LONGEST)


def _judgement(change: Change, arrived: Mapping[str, int]) -> str:
    came = came_of(arrived)
    if change.transition is Transition.RECOVERED or not change.violating_rows or not came:
        return ""
    rows, alike = change.diagnosis.standing_out or change.violating_rows, change.diagnosis.alike
    share = min(1.0, rows / came)
    left = shortened(" and ".join(change.measured.constraint.determinant), LONGEST)
    verb = "contradicts" if rows == 1 else "contradict"
    is_more = change.transition is Transition.ERROR_CHANGED
    held = f"a constraint that {'is violated already' if is_more else f'held for {deltas(change.held_deltas)}'}"
    figures = f"{rows:,} of {came:,} new rows ({share:.1%}) {verb} {held}"
    if likely(change, arrived) is Likely.ALL_ALIKE:
        return f"This looks like a change of meaning: {figures}, and so does every new row with the same {left}."
    if left and alike > rows:
        figures += f". {_others(alike - rows)} with the same {left} {'does' if alike == rows + 1 else 'do'} not"
    return {
        Likely.CHANGE: f"This looks like a change of meaning: {figures}.",
        Likely.EITHER: f"This may be a data error or a change of meaning: {figures}.",
        Likely.RARE: f"This may be a data error, or a rare value that is right: {figures}.",
        Likely.COINCIDENCE: f"The constraint is young and may have held by chance: {figures}.",
        Likely.ERROR: f"This looks like a data error: {figures}. {_IF_IT_PERSISTS}",
    }[likely(change, arrived)]


def _others(count: int) -> str:
    return "1 other" if count == 1 else f"{count:,} others"


def likely(change: Change, arrived: Mapping[str, int]) -> "Likely":
    """What is likely behind a break that rows of a delta show."""
    came = came_of(arrived)
    if change.transition is Transition.RECOVERED or not change.violating_rows or not came:
        return Likely.UNKNOWN
    rows = change.diagnosis.standing_out or change.violating_rows
    share = min(1.0, rows / came)
    if change.measured.constraint.determinant and _MANY_ALIKE <= change.diagnosis.alike == rows:
        return Likely.ALL_ALIKE
    if (share >= _MANY_SHARE and rows > _FEW_ROWS) or _is_all_of_its_kind(change.diagnosis.concentration):
        return Likely.CHANGE
    if rows > _FEW_ROWS and share > _FEW_SHARE:
        return Likely.EITHER
    return Likely.ERROR if change.signed else _unsigned(change)


def _unsigned(change: Change) -> "Likely":
    """The likely reason why few rows break a rule that nobody has signed."""
    limits = change.measured.constraint.limits
    if limits is not None and limits.are_usual:  # nothing but the numbers so far is the bound
        return Likely.RARE
    stood_broken = change.transition is Transition.ERROR_CHANGED  # it has held for longer than since its latest break
    young = change.held_deltas < _LONG_RELIABLE and change.measured.support < _WELL_SUPPORTED and not stood_broken
    return Likely.COINCIDENCE if young else Likely.ERROR


def came_of(arrived: Mapping[str, int]) -> int:
    """How many rows came, of what a change set says of a table's arrivals."""
    return sum(arrived.get(kind, 0) for kind in ("inserts", "updates", "set_aside"))


def _is_all_of_its_kind(found: Concentration | None) -> bool:
    """Whether the violating rows are all the rows, and many, that came with some value."""
    return found is not None and _MANY_ALIKE <= found.violating == found.rows == found.usual
