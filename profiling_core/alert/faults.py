"""Broken constraints as findings: what is wrong in a sentence, the rows that show it, and what is likely behind it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from profiling_core.alert.brief import value
from profiling_core.alert.figures import error_text
from profiling_core.alert.rows import various
from profiling_core.alert.text_table import shortened, visible
from profiling_core.alert.wording import LONGEST, Likely, came_of, deltas, in_common, likely, mended, spoken
from profiling_core.diff.redaction import HIDDEN
from profiling_core.model.change import Change, ChangeSet, Transition, Witness
from profiling_core.model.diagnosis import Concentration, Repair
from profiling_core.model.finding import CONSTRAINT, NAMES_THE_CELL, SET_ASIDE, Evidence, Finding, row_identity
from profiling_core.model.kinds.constraint import ROWS, Constraint
from profiling_core.model.schema import TableSchema
from profiling_core.model.texts import listed

MOST_ROWS = 10
# Values in a headline, at most.
_EXAMPLES = 3
_TELLING_APART = 2
_LAST = 1_000_000
_FAULTS = (Transition.BROKE, Transition.ERROR_JUMPED, Transition.SPARED, Transition.ERROR_CHANGED)


def findings_of(changes: ChangeSet, label: str, schemas: Mapping[str, TableSchema]) -> list[Finding]:
    """All that a version shows: what checks of its deltas found, the constraints that alert, by rank, and more rows.

    These violate what stood broken already, and are no news by themselves.

    Args:
        changes: the version's changes.
        label: what people call the version.
        schemas: per table its columns and key.
    """
    broken = [c for c in changes.changes if c.transition in _FAULTS and (c.alerts or _is_more(c))]
    broken.sort(
        key=lambda c: (not c.alerts, c.table, _FAULTS.index(c.transition), c.rank or _LAST, c.measured.constraint.text)
    )
    arrived = changes.arrived
    own = (_finding(change, label, schemas.get(change.table), arrived) for change in broken)
    return [*changes.findings, *own]


def _is_more(change: Change) -> bool:
    return change.transition is Transition.ERROR_CHANGED and change.violating_rows > 0


def _finding(
    change: Change, label: str, schema: TableSchema | None, came_with: Mapping[str, Mapping[str, int]]
) -> Finding:
    arrived = came_with.get(change.table, {})
    if likely(change, arrived) is Likely.ALL_ALIKE:  # what all are meant to be nobody is to change back
        change = replace(change, diagnosis=replace(change.diagnosis, repair=None))
    constraint, reading = change.measured.constraint, change.diagnosis
    rows, came = reading.standing_out or change.violating_rows, came_of(arrived)
    said = constraint.fault(_new_rows(rows, came) or _old_rows(change), one=rows == 1)
    if change.transition is Transition.SPARED:
        one = rows == 1
        said = constraint.fault("it" if one else "they", one=one)
        said = f"{_new_rows(rows, came)} {'was' if one else 'were'} set aside: {said}"
    return Finding(
        kind=SET_ASIDE if change.transition is Transition.SPARED else CONSTRAINT,
        table=change.table,
        delta=change.delta or label,
        headline=visible(
            shortened(said, 2 * LONGEST)
            + _such_as(change, rows)
            + (_group(reading.concentration) or _whose(change, rows))
        ),
        columns=_at_fault(change),
        cause=_cause(change, arrived, came_with),
        details=tuple(sentence for sentence in _details(change, said) if sentence),
        mended=_mended(change),
        rows=tuple(_evidence(witness, change, schema) for witness in _shown(change)),
        count=rows,
        arrived=came,
        magnitude=_directness(change),
        subject=constraint.fingerprint,
        refers_to=constraint.tables[1:],
        refers_at=tuple(name for side in constraint.sides[1:] for name in side.columns),
        values=_said(change),
        signed=change.signed,
        again=not change.alerts,
    )


def _group(found: Concentration | None) -> str:
    """What the rows at fault have in common, for the headline."""
    return replace(found, value=found.value and shortened(found.value, LONGEST)).words if found else ""


def _such_as(change: Change, rows: int) -> str:
    """``: 0.85 g and 1 g``, ``, for example 0.85 g``: the values of one column that violate a rule."""
    names, there = change.measured.constraint.naming, change.witnesses
    texts = list(dict.fromkeys(value(w.broken_by.get(name)) for name in names for w in there))
    if len(names) != 1 or not texts or HIDDEN in texts:
        return ""
    every = len(there) >= rows and len(texts) <= _EXAMPLES
    return f"{':' if every else ', for example'} {listed(texts[:_EXAMPLES])}"


def _whose(change: Change, rows: int) -> str:
    """`` (zone Guiscard and Vermand)``: the few things that rows at fault are about, if all of these are known."""
    names, there = change.measured.constraint.about, change.witnesses
    texts = list(dict.fromkeys(value(w.broken_by.get(name)) for name in names for w in there))
    if len(names) != 1 or len(there) < rows or not 0 < len(texts) <= _EXAMPLES or HIDDEN in texts:
        return ""
    return f" ({names[0]} {listed(texts)})"


def _said(change: Change) -> tuple[str, ...]:
    """What the rows at fault say in the columns whose values name a violation; empty without these, or if hidden."""
    names = change.measured.constraint.naming
    said = [[value(witness.broken_by.get(name)) for name in names] for witness in change.witnesses]
    if not names or any(HIDDEN in values for values in said):
        return ()
    texts = (", ".join(f"{name} {v}" for name, v in zip(names, values, strict=True)) for values in said)
    return tuple(dict.fromkeys(visible(text) for text in texts))


def _directness(change: Change) -> float:
    """How surely it says which cell is wrong: best what mends it, then what asks something of one column alone.

    A state that is misspelt breaks what holds for that state, too, where another column would be blamed.
    """
    repair, constraint = change.diagnosis.repair, change.measured.constraint
    if repair and repair.column:
        return NAMES_THE_CELL
    return 1.0 if len(constraint.columns) == 1 and constraint.limits is None and not constraint.of_deltas else 0.0


def _new_rows(rows: int, came: int) -> str:
    """``1 of 958 new rows``, ``all 12 new rows``; ``97 rows`` if fewer came; empty where no row is at fault."""
    if not rows:
        return ""
    if came == rows > 1:
        return f"all {rows:,} new rows"
    new = "new " if came >= rows else ""  # rows that were there lack what they refer to once that is gone
    return f"{rows:,} of {came:,} new rows" if came > rows else f"{rows:,} {new}row{'' if rows == 1 else 's'}"


def _old_rows(change: Change) -> str:
    """The rows that violate a signed rule from before it was signed; empty where it is not of rows."""
    now = change.measured
    if not change.signed or now.constraint.unit is not ROWS:
        return ""
    return f"{now.violations:,} of the {now.population:,} rows that were there already"


def _at_fault(change: Change) -> tuple[str, ...]:
    """The columns in which it shows; where values of one mend it, that one."""
    repair = change.diagnosis.repair
    return (repair.column,) if repair and repair.column else change.measured.constraint.telling


def _cause(change: Change, arrived: Mapping[str, int], came_with: Collection[str]) -> str:
    found, repair = likely(change, arrived), change.diagnosis.repair
    late = [name for name in change.measured.constraint.tables[1:] if name not in came_with]
    if late and found in (Likely.CHANGE, Likely.EITHER):
        return f"no delta of {visible(late[0])} came with it: is one missing?"
    if repair and not repair.is_sure:
        return _undecided(repair)
    if found is Likely.ERROR and repair and repair.column:
        return f"{found.value} in {shortened(repair.column, LONGEST)}"
    return found.value


def _undecided(repair: Repair) -> str:
    """``1 row has Chur and 2 rows have Zug: which is right cannot be told``."""
    unsure = next(one for one in repair.examples if not one.is_sure)
    sides = ((unsure.count, unsure.before), (unsure.backed, unsure.after))
    said = " and ".join(f"{rows:,} {'row has' if rows == 1 else 'rows have'} {value(text)}" for rows, text in sides)
    return visible(f"{said}: which is right cannot be told")


def _details(change: Change, said: str) -> tuple[str, ...]:
    """The sentences below what is ``said`` first, which do not say it again."""
    has = "has" if change.transition is Transition.SPARED else "had"
    held = f" {has} held for {deltas(change.held_deltas)}, since {visible(spoken(change.since))}"
    words = change.measured.constraint.words.rstrip(".")
    rule = "The rule" if words in said else f"The rule: {shortened(words, 2 * LONGEST)}"
    proven = change.held_deltas > 0 and change.transition is not Transition.ERROR_CHANGED
    told = f"{rule}{held if words in said else f'; it{held}'}." if proven else f"{rule}."
    jumped = ""
    if change.transition is Transition.ERROR_JUMPED and change.before:
        jumped = f"Its error went from {error_text(change.before.error)} to {error_text(change.measured.error)}."
    common = visible(in_common(change.diagnosis.concentration))
    signed = "A person has asked for this rule: it is told with the first row." if change.signed else ""
    return ("" if words in said and not proven else told, signed, jumped, common)


def _mended(change: Change) -> str:
    """What would fix it, as far as the rows shown do not say it; to remove the rows at fault is no advice."""
    repair = change.diagnosis.repair
    there = change.witnesses[:MOST_ROWS]
    if repair and there and repair.rows <= MOST_ROWS and all(_expected(w.broken_by, repair) for w in there):
        return ""
    if repair and not repair.column and repair.rows >= (change.diagnosis.standing_out or change.violating_rows):
        return ""
    if repair and any(_expected(witness.broken_by, repair) for witness in _shown(change)[:1]):
        rows = "1 row" if repair.rows == 1 else f"{repair.rows:,} rows"
        return visible(f"Changing {shortened(repair.column, LONGEST)} in {rows} would fix it.")
    return visible(mended(repair))


def _shown(change: Change) -> Sequence[Witness]:
    return various(change.witnesses, change.measured.constraint.columns)[:MOST_ROWS]


def _evidence(witness: Witness, change: Change, schema: TableSchema | None) -> Evidence:
    constraint, row = change.measured.constraint, witness.broken_by
    partner = witness.contradicts[0] if witness.contradicts else None
    expected = _expected(row, change.diagnosis.repair)
    wrong = tuple(expected) or _differing(constraint.telling, row, partner)
    shown = _columns_shown(row, change, schema)
    beside = {name: partner.get(name) for name in shown} if partner is not None else None
    same, other = (row_identity(change.table, some) for some in (row, partner or {}))
    return Evidence(
        {n: row[n] for n in shown},
        wrong or constraint.telling,
        expected,
        beside,
        place=witness.place,
        identity=same,
        beside_place=witness.places[1] if beside is not None and len(witness.places) > 1 else "",
        beside_identity=other if partner else "",
        against=_against(constraint, partner or {}),
    )


def _differing(
    names: Sequence[str], row: Mapping[str, str | None], partner: Mapping[str, str | None] | None
) -> tuple[str, ...]:
    return tuple(name for name in names if partner is None or row.get(name) != partner.get(name))


def _against(constraint: Constraint, partner: Mapping[str, str | None]) -> str:
    """What of another row a row contradicts: ``the end of the row before is 2024-03-07``."""
    names, whose = constraint.against
    return visible(
        " and ".join(f"the {name} of {whose} is {value(partner[name])}" for name in names if name in partner)
    )


def _columns_shown(row: Mapping[str, str | None], change: Change, schema: TableSchema | None) -> list[str]:
    """What is shown of a row: what tells it from others, what the rule speaks of, and what is at fault."""
    key = (schema.key if schema else ()) or _telling_apart(change)
    columns = change.measured.constraint.columns or [name for name in row if not name.startswith("_")]  # the whole row
    return [name for name in dict.fromkeys((*key, *columns, *_at_fault(change))) if name in row]


def _telling_apart(change: Change) -> tuple[str, ...]:
    """What tells a row from others where there is no key: its first columns, before these those that differ."""
    shown, own = [witness.broken_by for witness in _shown(change)], change.measured.constraint.columns
    names = [name for name in (shown[0] if shown else ()) if name not in own and not name.startswith("_")]
    same = [name for name in names if len({row.get(name) for row in shown}) == 1 and len(shown) > 1]
    return tuple(sorted(names, key=lambda name: name in same)[:_TELLING_APART])


def _expected(row: Mapping[str, str | None], repair: Repair | None) -> dict[str, str | None]:
    for example in repair.examples if repair and repair.column and repair.is_sure else ():
        column = repair.column if repair else ""
        if all(_same(row.get(name), v) for name, v in {**example.where, column: example.before}.items()):
            return {column: example.after}
    return {}


def _same(one: str | None, other: str | None) -> bool:
    """Whether two texts are one value: 99 and 99.0 are, as a decimal and a float write it."""
    if one is None or other is None or one == other:
        return one == other
    try:
        return float(one) == float(other)
    except ValueError:
        return False
