"""A table's rules of single columns under a step of deltas: first judged by what came, then learnt anew.

Exact: a rule's violations are those among the table's rows, because each row that comes or goes is judged by bounds
that stay, and a rule is taken up only when no row that ever came violates it.
"""

from collections.abc import Collection, Mapping

from profiling_core.algorithms.columns.arrivals import NAMING, Arrived, Broken, Come, Gone
from profiling_core.algorithms.columns.bounds import LEAST_DELTAS, is_much_closer, is_outgrown
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.kept_rules import ColumnBook, Kept
from profiling_core.algorithms.columns.learning import learnt
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.schema import TableSchema

# Roles are inferred until so many deltas have settled them.
_SETTLED = 28
# Codes of so many kinds are those of kinds, and not of things.
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
    """The rules after a step, and by fingerprint what broke those that are kept.

    Args:
        book: the rules before the step.
        arrived: what the step brings.
        schema: the table's columns.
        followed: fingerprints of the rules that are to be kept even where they are violated.
        anew: the rows are those of the whole table again: they are counted anew, and no delta has come.
        pinned: fingerprints of the rules that stay, whatever the history teaches.
    """
    in_force = [kept for kept in book.kept if not kept.violations or kept.rule.fingerprint in followed]
    come = Come(schema, [kept.rule for kept in in_force], arrived)
    counts = {kept.rule.fingerprint: 0 if anew else kept.violations for kept in in_force}
    rows, valued = (0, {}) if anew else (book.rows, book.valued)
    gone = Gone(schema, [kept.rule for kept in in_force], arrived.gone)
    history = book.history if anew or arrived.late else come.judge_deltas(book.history)
    inferred = book.names | (come.names if book.history.count < _SETTLED else frozenset())
    told = {name for name, role in arrived.declared.items() if role in NAMING}
    names = inferred.difference(arrived.declared) | told
    after = tuple(
        Kept(
            kept.rule,
            come.count(kept.rule) + (0 if kept.rule.rule.of_deltas else _change(kept.rule, counts, gone)),
            kept.age + history.count - book.history.count,
        )
        for kept in in_force
    )
    return ColumnBook(
        history,
        _with_learnt(after, schema, history, names, pinned),
        rows + come.rows - gone.rows,
        {
            column.name: valued.get(column.name, 0) + come.valued(column.name) - gone.valued(column.name)
            for column in schema.profiled
        },
        0 if anew or arrived.late else len(arrived.ids),
        names,
    ), come.broken


def _change(rule: ColumnRule, counts: Mapping[str, int], gone: "Gone") -> int:
    return counts[rule.fingerprint] - gone.violating.get(rule.fingerprint, 0)


def _with_learnt(
    kept: tuple[Kept, ...],
    schema: TableSchema,
    history: TableHistory,
    names: frozenset[str],
    pinned: Collection[str],
) -> tuple[Kept, ...]:
    """The rules in force, and what the history teaches beyond them.

    There is one rule of a sort per column; closer bounds stand beside wider ones until they have proven themselves,
    and a set of values beside the rule on new ones, which is not needed where a set is obeyed.
    """
    by_sort: dict[tuple[object, ...], list[Kept]] = {}
    for known in kept:
        by_sort.setdefault(_sort(known.rule), []).append(known)
    named = {k.rule.column for k in kept if k.rule.rule is Rule.VALUES and k.age >= LEAST_DELTAS and not k.violations}
    ranges = [k.rule for k in kept if k.rule.rule is Rule.RANGE and not k.violations]
    outgrown = {rule for rule in ranges if is_outgrown(rule, history.columns[rule.column])}
    outgrown |= {k.rule for k in kept if k.rule.column in names and _lists_names(k.rule) and not k.violations}
    outdone = (
        outgrown
        | {k.rule for k in kept if k.rule.rule is Rule.NEW_VALUES and k.rule.column in named}
        | {
            weaker.rule
            for alike in by_sort.values()
            for closer in alike[1:]
            for weaker in alike
            if closer.age >= LEAST_DELTAS and not closer.violations and closer.age < weaker.age
        }
    )
    fresh = [
        rule
        for rule in learnt(schema.table, history, keyed=bool(schema.key))
        if not (rule.column in names and _lists_names(rule))
        and all(
            rule.column and is_much_closer(rule, known.rule, history.columns[rule.column])
            for known in by_sort.get(_sort(rule), ())
        )
    ]
    obeyed = [*(known.rule for known in kept if not known.violations), *fresh]
    few = {rule.column for rule in obeyed if rule.rule is Rule.VALUES}
    telling = (Kept(rule) for rule in fresh if rule.rule is not Rule.NEW_VALUES or rule.column not in few)
    stay = (known for known in kept if known.rule not in outdone or known.rule.fingerprint in pinned)
    return (*stay, *telling)


def _lists_names(rule: ColumnRule) -> bool:
    """Whether a rule would be a range of names, or a list of many, of which there is another one any day."""
    return rule.rule is Rule.RANGE or (rule.rule is Rule.VALUES and len(rule.values) > _MOST_NAMES)


def _sort(rule: ColumnRule) -> tuple[object, ...]:
    return rule.column, rule.rule, rule.others if rule.rule is Rule.AT_MOST else ()
