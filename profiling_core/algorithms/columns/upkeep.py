"""A table's rules of single columns after a step of deltas: first judged by the new rows, then learnt anew.

Violations are exact: each row that comes or goes is judged by bounds that do not change, and a rule is learnt only if
no
row that ever came violates it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from profiling_core.algorithms.columns.arrivals import NAMING, Arrived, Broken, Come, Gone
from profiling_core.algorithms.columns.bounds import LEAST_DELTAS, is_much_closer, is_outgrown
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.kept_rules import ColumnBook, Kept
from profiling_core.algorithms.columns.learning import learnt
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.schema import TableSchema

# Roles are inferred until this many deltas have come.
_SETTLED = 28
# A list of more values of a naming column is a list of things, and not of categories.
_MOST_NAMES = 20


def advance(
    book: ColumnBook,
    arrived: Arrived,
    schema: TableSchema,
    followed: Collection[str],
    *,
    anew: bool = False,
    pinned: Collection[str] = (),
) -> tuple[ColumnBook, dict[str, Broken]]:
    """The rules after a step, and by fingerprint the violations of those that are kept.

    Args:
        book: the rules before the step.
        arrived: the step.
        schema: the table's columns.
        followed: fingerprints of the rules that are to be kept even if violated.
        anew: the rows are those of the whole table: they are counted anew, and no delta has come.
        pinned: fingerprints of the rules that stay, whatever the history teaches.
    """
    in_force = [kept for kept in book.kept if not kept.violations or kept.rule.fingerprint in followed]
    come = Come(schema, [kept.rule for kept in in_force], arrived)
    gone = Gone(schema, [kept.rule for kept in in_force], arrived.gone)
    history = book.history if anew or arrived.late else come.judge_deltas(book.history)
    names = _names(book, come, arrived)
    after = tuple(
        Kept(
            kept.rule,
            come.count(kept.rule) + _staying(kept.rule, 0 if anew else kept.violations, gone),
            kept.age + history.count - book.history.count,
        )
        for kept in in_force
    )
    return ColumnBook(
        history,
        _with_learnt(after, schema, history, names, pinned),
        (0 if anew else book.rows) + come.rows - gone.rows,
        _valued({} if anew else book.valued, come, gone, schema),
        0 if anew or arrived.late else len(arrived.ids),
        names,
    ), come.broken


def _names(book: ColumnBook, come: Come, arrived: Arrived) -> frozenset[str]:
    """The columns whose values identify things: by declaration, else by the first deltas."""
    inferred = book.names | (come.names if book.history.count < _SETTLED else frozenset())
    told = {name for name, role in arrived.declared.items() if role in NAMING}
    return inferred.difference(arrived.declared) | told


def _valued(before: Mapping[str, int], come: Come, gone: Gone, schema: TableSchema) -> dict[str, int]:
    """Per column how many rows have a value."""
    names = [column.name for column in schema.profiled]
    return {name: before.get(name, 0) + come.valued(name) - gone.valued(name) for name in names}


def _staying(rule: ColumnRule, before: int, gone: Gone) -> int:
    """How many rows that violated a rule are still there; for rules on whole deltas none."""
    return 0 if rule.rule.of_deltas else before - gone.violating.get(rule.fingerprint, 0)


def _with_learnt(
    kept: tuple[Kept, ...], schema: TableSchema, history: TableHistory, names: frozenset[str], pinned: Collection[str]
) -> tuple[Kept, ...]:
    """The rules in force, and the new rules that the history teaches.

    A rule of deltas that is obeyed stays only while the history would teach it; so a broken one returns only after it
    has
    held for long. There is one rule of a sort per column, with two exceptions: closer bounds stand beside wider ones
    until
    they are proven, and so does a set of values beside the rule on new values, which an obeyed set replaces.
    """
    by_sort: dict[tuple[object, ...], list[Kept]] = {}
    for known in kept:
        by_sort.setdefault(_sort(known.rule), []).append(known)
    obeyed = [known.rule for known in kept if not known.violations]
    outdone = {rule for rule in obeyed if _is_outgrown(rule, history, names)}.union(
        _outlisted(kept), *map(_outdone, by_sort.values())
    )
    taught = _taught(schema, history)
    outdone.update(_forgotten(obeyed, taught))
    fresh = [rule for rule in taught if not _tells_names(rule, names) and _is_news(rule, by_sort, history)]
    few = _listed(obeyed) | _listed(fresh)
    telling = (Kept(rule) for rule in fresh if rule.rule is not Rule.NEW_VALUES or rule.column not in few)
    stay = (known for known in kept if known.rule not in outdone or known.rule.fingerprint in pinned)
    return (*stay, *telling)


def _forgotten(obeyed: Iterable[ColumnRule], taught: Collection[ColumnRule]) -> Iterator[ColumnRule]:
    """The rules of deltas that are obeyed again, but that the history would no longer teach."""
    return (rule for rule in obeyed if rule.rule.of_deltas and rule not in taught)


def _outlisted(kept: Sequence[Kept]) -> set[ColumnRule]:
    """The rules on new values of columns whose set of values is obeyed and proven."""
    named = _listed(known.rule for known in kept if not known.violations and known.age >= LEAST_DELTAS)
    return {known.rule for known in kept if known.rule.rule is Rule.NEW_VALUES and known.rule.column in named}


def _listed(rules: Iterable[ColumnRule]) -> set[str]:
    """The columns whose values are listed by a rule."""
    return {rule.column for rule in rules if rule.rule is Rule.VALUES}


def _is_outgrown(rule: ColumnRule, history: TableHistory, names: frozenset[str]) -> bool:
    """Whether the history would no longer teach an obeyed rule, or its column identifies things."""
    outgrown = rule.rule is Rule.RANGE and is_outgrown(rule, history.columns[rule.column])
    return outgrown or _tells_names(rule, names)


def _outdone(alike: Sequence[Kept]) -> Iterator[ColumnRule]:
    """The rules of one sort that a closer, obeyed and proven rule replaces."""
    for closer in alike[1:]:
        if closer.age >= LEAST_DELTAS and not closer.violations:
            yield from (weaker.rule for weaker in alike if closer.age < weaker.age)


def _is_news(rule: ColumnRule, by_sort: Mapping[tuple[object, ...], Sequence[Kept]], history: TableHistory) -> bool:
    """Whether a rule is much closer than those of its sort; a rule without a column never is."""
    alike = by_sort.get(_sort(rule), ())
    return all(rule.column and is_much_closer(rule, known.rule, history.columns[rule.column]) for known in alike)


def _taught(schema: TableSchema, history: TableHistory) -> list[ColumnRule]:
    return [rule for rule in learnt(schema.table, history, keyed=bool(schema.key)) if not _lists_key(rule, schema)]


def _lists_key(rule: ColumnRule, schema: TableSchema) -> bool:
    """Whether it is on new values of the column that tells the rows apart: a new row has a new one."""
    return rule.rule is Rule.NEW_VALUES and (rule.column,) == schema.key


def _tells_names(rule: ColumnRule, names: frozenset[str]) -> bool:
    """Whether a rule is a range, or a long list, of a column that identifies things; any day brings another one."""
    lists = rule.rule is Rule.RANGE or (rule.rule is Rule.VALUES and len(rule.values) > _MOST_NAMES)
    return lists and rule.column in names


def _sort(rule: ColumnRule) -> tuple[object, ...]:
    return rule.column, rule.rule, rule.others if rule.rule is Rule.AT_MOST else ()
