"""Of all rules that were found the few that a person is shown, each family with its fair share.

Families take turns, each giving its best, until there are enough lines: what computes and orders, and references, more
often than conditions; then they are put in reading order. What reads as one sentence takes one line (:mod:`.lines`).
What follows from the others is not shown, but kept apart, for those who ask.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from profiling_core.algorithms.rules.beside_equations import bounds_a_rest, is_part_of_a_part
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.implication import Given, KnownRules
from profiling_core.algorithms.rules.lines import Line, in_lines, with_more
from profiling_core.algorithms.rules.order_names import in_series
from profiling_core.model.consequent import Bounded, Ordered, Present
from profiling_core.model.expression import (
    WHOLE,
    Abridged,
    Completed,
    Cut,
    DaysOn,
    Elapsed,
    Inscribed,
    Linear,
    MonthsOn,
    Part,
    Product,
    RelativeDifference,
)
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.constraint import Constraint
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.reference import ReferenceRule, Summary
from profiling_core.model.predicate import Operator

PRESENTED = 20
_ORDERS = (Family.ORDER, Family.COLUMN)
_ROWWISE = (*_ORDERS, Family.EQUATION, Family.ALONG_REFERENCES)
# A rule speaks for another one where it judges so large a part of the rows at least.
_AS_MANY = 0.9
# So many of each family are compared with the others, which takes a step for each pair.
_COMPARED = 40
_OF_ONE_PAIR = 2
# How often a family's turn comes beside the others'.
_SHARES = {Family.EQUATION: 3.0, Family.ORDER: 1.5, Family.REFERENCE: 1.5, Family.ALONG_REFERENCES: 1.5}
# What speaks for an order of points in time, or of columns that are called opposites, at least.
_EXPECTED_WORTH = 3.0
# Where there is room, so many lines tell orders that leave a rest, or are expected, after all else.
_BESIDE = 3
# Where there is room, so many more lines say what is there where something else is.
_MORE = 5
MOST: Mapping[Family, int] = {Family.KEY: 4, Family.CONDITIONAL: 7, Family.RARE: 3, Family.COLUMN: 5}
"""Of what is rare, or beside the primary key, a few are enough whatever room there is; and nobody lives by more
conditions than that."""


class Selection(NamedTuple):
    """A table's rules line by line in reading order; what follows from them; what had no place, the best first."""

    lines: tuple[Line, ...]
    implied: tuple[Candidate, ...]
    left_out: tuple[Candidate, ...]

    @property
    def shown(self) -> tuple[Candidate, ...]:
        """The rules of all lines."""
        return tuple(candidate for line in self.lines for candidate in line)


def select(
    candidates: Iterable[Candidate],
    limit: int = PRESENTED,
    most: Mapping[Family, int] = MOST,
    given: Sequence[Given] = (),
    *,
    jointly: bool = False,
) -> Selection:
    """Chooses what is shown of one table.

    Args:
        candidates: rules of it that hold, some perhaps within a threshold.
        limit: how many lines are shown at most.
        most: how many of some families are.
        given: what holds besides, and is said elsewhere: of rows with those that they refer to, of other tables.
        jointly: whether a line may tell several rules (:mod:`.lines`); without it, each has its own.
    """
    ranked: defaultdict[Family, list[Candidate]] = defaultdict(list)
    for candidate in sorted(candidates, key=_by_worth):
        ranked[candidate.family].append(candidate)
    compared = [c for family in Family for c in ranked[family][:_COMPARED]]
    telling, implied, parts = _parted(compared, given)
    put = in_lines if jointly else _each_in_its_own
    few = [put(_in_turns([c for c in telling if c.family is family]))[: most.get(family, limit)] for family in Family]
    lines = _by_turns(few)[:limit]
    beside = put([c for c in parts if bounds_a_rest(c, _rules(lines)) or _is_expected(c)])
    beside = beside[: max(0, min(limit - len(lines), _BESIDE))]
    room = limit - len(lines) - len(beside)
    lines, more = _joined(lines, _together_besides(_rules(lines), telling, parts), jointly=jointly)
    lines += put(more)[: max(0, min(room, _MORE))]
    lines.sort(key=lambda line: min(map(compared.index, line)))
    lines += beside
    shown = _rules(lines)
    left_out = [c for c in (*telling, *parts) if c not in shown]
    beyond = (c for f in Family for c in ranked[f][_COMPARED:])
    return Selection(tuple(lines), tuple(implied), (*left_out, *beyond))


def _joined(lines: list[Line], more: list[Candidate], *, jointly: bool) -> tuple[list[Line], list[Candidate]]:
    """Lines with what may be told in them, where they tell several rules, and the rest."""
    return with_more(lines, more) if jointly else (lines, more)


def _is_expected(candidate: Candidate) -> bool:
    """Whether it is an order of time, or of a start and an end, though an equation has both."""
    return candidate.family is Family.ORDER and candidate.worth >= _EXPECTED_WORTH


def _by_turns(families: Sequence[Sequence[Line]]) -> list[Line]:
    """The families' lines as their turns come, of which some come more often."""
    turns = [(place / _SHARES.get(line[0].family, 1.0), line) for own in families for place, line in enumerate(own)]
    return [line for _, line in sorted(turns, key=lambda turn: turn[0])]


def _each_in_its_own(candidates: Sequence[Candidate]) -> list[Line]:
    return [(candidate,) for candidate in candidates]


def _rules(lines: Iterable[Line]) -> list[Candidate]:
    return [candidate for line in lines for candidate in line]


def _together_besides(
    shown: Sequence[Candidate], telling: Sequence[Candidate], parts: Sequence[Candidate]
) -> list[Candidate]:
    """More conditions that columns are there in the same rows, one where the other is not, or is above nought.

    ``parts``: what says less than equations do, which leave open whether two columns are there together.
    """
    rest = [c for c in telling if isinstance(c.constraint, Conditional) and c not in shown]
    rest += [c for c in parts if isinstance(c.constraint, Conditional) and _says_where(c.constraint)]
    both = [c for c in rest if c.constraint.both_ways]
    return [c for c in both if isinstance(c.constraint.then, Present) or _is_sign(c.constraint)]


def _says_where(rule: Conditional) -> bool:
    return rule.asks_for_any or isinstance(rule.then, Present)


def _in_turns(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates so that of conditions of two columns, bands of points for each mark, the first few come first."""
    seen: Counter[tuple[str, ...]] = Counter()
    first: list[Candidate] = []
    later: list[Candidate] = []
    for candidate in candidates:
        rule = candidate.constraint
        if not isinstance(rule, Conditional):
            first.append(candidate)
            continue
        # What comes together is told once before it is told in full.
        # So it is of what a state has, or lacks: a whole form is filled in where it was accepted.
        present = isinstance(rule.then, Present)
        spoken = ("", rule.column, *rule.values) if present or rule.asks_for_any else tuple(sorted(rule.columns))
        seen[spoken] += 1
        (later if seen[spoken] > (1 if rule.asks_for_any else _OF_ONE_PAIR) else first).append(candidate)
    return [*first, *later]


def _by_worth(candidate: Candidate) -> tuple[float, float, str]:
    return (-candidate.worth, -candidate.strength, candidate.constraint.text)


def _parted(
    candidates: Sequence[Candidate], given: Sequence[Given]
) -> tuple[list[Candidate], list[Candidate], list[Candidate]]:
    """What says something of its own, what the rest together says, and what is no more than a part of an equation.

    What is worth least goes first, so that of rules which follow from each other the best one stays: of orders the
    steps of a chain imply the way from end to end, wherever that stands.
    """
    telling, implied, parts = [*candidates], list[Candidate](), list[Candidate]()
    for candidate in _but_the_key(telling)[::-1]:
        others = [c for c in telling if c is not candidate and c.measured.holds and _speaks_for(c, candidate)]
        if KnownRules((c.constraint for c in others), given).imply(candidate.constraint):
            (parts if _goes_by_states(candidate, others, given) else implied).append(candidate)
        elif _says_less(candidate, others):
            parts.append(candidate)
        else:
            continue
        telling.remove(candidate)
    return telling, implied[::-1], parts[::-1]


def _goes_by_states(candidate: Candidate, others: Sequence[Candidate], given: Sequence[Given]) -> bool:
    """Whether columns are there together as far as states alone tell, each of which has both: a new state may not."""
    rule = candidate.constraint
    if not isinstance(rule, Conditional) or not rule.asks_for_any or not rule.both_ways:
        return False
    by_others = (c.constraint for c in others if not isinstance(c.constraint, Conditional) or c.constraint.asks_for_any)
    return not KnownRules(by_others, given).imply(rule)


def _but_the_key(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """All but what rows are known by, which is said, whatever it follows from."""
    return candidates[int(bool(candidates) and candidates[0].family is Family.KEY) :]


def _says_less(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    return _is_part(candidate, others) or is_part_of_a_part(candidate, others)


def _speaks_for(other: Candidate, candidate: Candidate) -> bool:
    """Whether an order may be left out for a rule's sake: it speaks of as many rows, and of no other table's.

    By way of a column that is mostly null nothing follows, and what a row says by itself is plainer than its parents.
    What is said of a parent's first child is said of parents, and no child's table has it.
    """
    if candidate.family is Family.ORDER and other.family is Family.ALONG_REFERENCES:
        return False
    if _is_of_children(other.constraint) and candidate.constraint.tables[0] != other.constraint.tables[0]:
        return False
    if candidate.family not in (Family.ORDER, Family.ALONG_REFERENCES) or other.family not in _ROWWISE:
        return True
    if candidate.constraint.tables[0] != other.constraint.tables[0]:
        return True  # few parents speak for all of their children
    least = 1.0 if candidate.family is Family.ORDER and other.family in _ORDERS else _AS_MANY
    return other.measured.support >= least * candidate.measured.support


def _is_of_children(rule: Constraint) -> bool:
    return isinstance(rule, ReferenceRule) and isinstance(rule.relation, Summary)


def _leaves(equation: Candidate, candidate: Candidate) -> bool:
    """Whether an equation leaves an order to be said: that of two moments, of a part and its whole, of what is weighed.

    That a mean is half the sum of the least and the greatest does not tell which of the two is which; nor a code that
    is cut from a name, or begins with a part of it, that no other name begins so; nor a month that it has one day.
    """
    value = equation.constraint.value if isinstance(equation.constraint, Equation) else None
    if candidate.family is Family.DEPENDENCY and isinstance(equation.constraint, Equation):
        return _leaves_dependency(equation.constraint, candidate.constraint.determinant)
    if candidate.family is not Family.ORDER:
        return False
    ratio = isinstance(value, Product) and {*value.over, value.under} == {*candidate.constraint.columns}
    weighed = isinstance(value, Linear) and len(value.terms) > 1 and any(f not in {"1", "-1"} for f, _ in value.terms)
    asked = isinstance(value, DaysOn) or (isinstance(value, MonthsOn) and bool(value.by))
    return isinstance(value, Elapsed | Completed | RelativeDifference) or asked or ratio or weighed


def _is_of_a_series(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether two columns are numbered in the order of their values, which no sum tells: those that are drawn."""
    if candidate.family is not Family.ORDER:
        return False
    pairs = {_in_order(c) for c in (candidate, *others) if c.family is Family.ORDER}
    return _in_order(candidate) in in_series(pairs, {name for pair in pairs for name in pair})


def _in_order(order: Candidate) -> tuple[str, str]:
    """The lesser column of an order, and the greater one."""
    (denied,) = order.constraint.predicates
    left, right = denied.left.column, denied.right.column
    return (left, right) if denied.op in (Operator.GT, Operator.GE) else (right, left)


def _leaves_dependency(equation: Equation, determinant: tuple[str, ...]) -> bool:
    """Whether an equation leaves to be said what a code tells: it is cut from a text, or has a part of one in it."""
    value = equation.value
    if isinstance(value, Inscribed):
        return value.length != WHOLE and determinant == (value.code,)
    return isinstance(value, Abridged | Cut | Part) and len(value.columns) == 1 and determinant == (equation.column,)


def _is_sign(rule: Conditional) -> bool:
    return isinstance(rule.then, Bounded) and "0" in (rule.then.low, rule.then.high)


def _is_part(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether an equation tells what columns of it have to do with each other: parts say less than their sum."""
    if not _may_be_part(candidate, others):
        return False
    columns = set(candidate.constraint.columns)
    equations = [{*c.constraint.columns} for c in others if c.family is Family.EQUATION and not _leaves(c, candidate)]
    if candidate.family is Family.CONDITIONAL:
        if isinstance(candidate.constraint.then, Ordered) and candidate.constraint.both_ways:
            # Of which parts a sum is made does not tell which of them is more; that the third is zero does.
            equations = [e for e in equations if any(_is_of_a_part(c, candidate, e) for c in others)]
        if not candidate.constraint.asks_for_any:
            columns.discard(candidate.constraint.column)
    return len(columns) > 1 and any(columns <= equation for equation in equations)


def _may_be_part(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    of_such = candidate.family in {Family.ORDER, Family.DEPENDENCY, Family.CONDITIONAL}
    return of_such and not _is_calculated(candidate) and not _is_of_a_series(candidate, others)


def _is_calculated(candidate: Candidate) -> bool:
    """Whether it is what a category computes, which was held against the equations of all rows where it was found."""
    return isinstance(candidate.constraint, Conditional) and candidate.constraint.equation is not None


def _is_of_a_part(other: Candidate, candidate: Candidate, equation: set[str]) -> bool:
    """Whether the same condition says of a single column of an equation within which bounds it is."""
    rule = other.constraint
    if not isinstance(rule, Conditional) or not isinstance(rule.then, Bounded) or not rule.both_ways:
        return False
    return rule.column == candidate.constraint.column and rule.then.columns[0] in equation
