"""Features of the score that chooses the next rule of a table's list.

Each feature is a number between 0 and about 1. Some describe the rule by itself, others its relation to the rules that
are chosen already. Each belongs to one family of rules, so that weights of one family do not affect another's.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from profiling_core.algorithms.equations.chance import GENEROUS
from profiling_core.algorithms.roles import names
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.order_features import EVIDENCE, up_to
from profiling_core.algorithms.score.logistic import Model
from profiling_core.model.constraint import Constraint
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import OF_PARENT, Beside, ConditionalBeside
from profiling_core.model.kinds.sequence import SequenceRule
from profiling_core.model.predicate import Operator
from profiling_core.model.role import ColumnRole

Features = Mapping[str, float]
Roles = Mapping[str, ColumnRole]
_NUMBER = re.compile(r"[0-9]+(?:[./][0-9]+)?")
# An unbounded measure becomes several features, each capped at one of these, so that the score may bend.
_POWERS = (3.0, 10.0, 30.0, 300.0, 3000.0)
FORM = "form: "
"""The prefix of features of forms; there are many."""


def features(candidate: Candidate, roles: Roles) -> dict[str, float]:
    """The features of a rule by itself.

    Args:
        candidate: the rule.
        roles: those of its table's columns, in the order of the columns.
    """
    rule, family = candidate.constraint, candidate.family.name.lower()
    evidence = {
        "worth": max(-1.0, min(1.0, candidate.worth / 5)),
        **{f"worth to {limit}": max(-1.0, min(1.0, candidate.worth / limit)) for limit in (1, 3)},
        **up_to("surprise", candidate.strength, _POWERS),
        **up_to("support", candidate.measured.support, (10.0, 100.0, 1000.0)),
        "judged": min(1.0, candidate.measured.support / max(1, candidate.measured.population)),
    }
    told = {
        "": 1.0,
        "by chance": min(1.0, max(0.0, candidate.strength / GENEROUS)),
        "by two references": float(isinstance(rule, ReferenceRule) and bool(rule.via)),
        **_of_columns(rule, roles),
        **_of_constants(rule),
        **_of_step(rule),
        **candidate.told,
    }
    of_family = {f"{family}: {name}": value for name, value in told.items() if value}
    shown = {f"{EVIDENCE}{family}: {name}": value for name, value in evidence.items() if value}
    return {**of_family, **shown, f"{FORM}{family} {form_of(rule)}": 1.0, "upkeep": _upkeep(rule, roles)}


def _upkeep(rule: Constraint, roles: Roles) -> float:
    """How far any of a rule's columns seems to say when a row was written; of other tables by the name alone."""
    own = [roles[name].upkeep for name in rule.columns if name in roles]
    theirs = [name for side in rule.sides for name in side.columns if side.table != rule.tables[0]]
    return max(*own, *(float(names.maintains(names.words(name))) for name in theirs), 0.0, 0.0)


def is_fitted(by: Model, family: Family) -> bool:
    """Whether a model was fitted to rules of a family."""
    return f"{family.name.lower()}: " in by.weights


def beside(candidate: Candidate, chosen: Iterable[Candidate]) -> dict[str, float]:
    """The features of a rule beside others: which of them share its columns, and how many columns they share.

    Of a dependency also how much of its left side its right side tells already.
    """
    own, family = {*candidate.constraint.columns}, candidate.family.name.lower()
    table = candidate.constraint.tables[0]
    told: dict[str, float] = {}
    seen = set[str]()
    chosen = [*chosen]
    for other in chosen:
        if other.constraint.tables[0] != table or not (both := own & {*other.constraint.columns}):
            continue
        theirs, there = other.family.name.lower(), {*other.constraint.columns}
        seen |= both
        if own == there:
            told[f"{family} of the same as {theirs}"] = 1.0
        elif len(own) > 1 and own <= there:
            told[f"{family} within {theirs}"] = 1.0
        elif len(there) > 1 and there <= own:
            told[f"{family} around {theirs}"] = 1.0
        elif len(both) > 1:
            told[f"{family} crosses {theirs}"] = 1.0
        if candidate.constraint.columns[0] == other.constraint.columns[0]:
            told[f"{family} beside {theirs}"] = min(1.0, told.get(f"{family} beside {theirs}", 0.0) + 0.25)
    if turned := _turned_round(candidate.constraint, [other.constraint for other in chosen]):
        told[f"{family}: turned round"] = turned
    return told | {f"{family}: told of": len(seen) / len(own)}


def _turned_round(rule: Constraint, chosen: Sequence[Constraint]) -> float:
    """The share of the left side of a dependency that its right side determines by chosen dependencies."""
    left = {*rule.determinant}
    known, before = {*rule.columns} - left, 0
    while left and len(known) > before:
        before = len(known)
        for other in chosen:
            if other.determinant and other.tables == rule.tables and {*other.determinant} <= known:
                known |= {*other.columns}
    return len(known & left) / max(1, len(left))


def _of_columns(rule: Constraint, roles: Roles) -> dict[str, float]:
    """Features of the names, places and roles of a rule's columns."""
    all_names, own = tuple(roles), [name for name in rule.columns if name in roles]
    words = [{*names.words(names.bare(name, all_names))} for name in own]
    places = sorted(all_names.index(name) for name in own)
    alike = [len(a & b) / len(a | b) for a, b in combinations(words, 2)]
    found = {f"columns {min(4, len(rule.columns))}": 1.0}
    if len(own) > 1:
        found |= {
            "words in common": sum(alike) / len(alike),
            "most in common": max(alike),
            "side by side": (len(places) - 1) / (places[-1] - places[0]),
        }
    if own:
        found["first column"] = 1 / (1 + places[0])
        found[f"of {roles[own[0]].role}"] = 1.0
        found["units"] = float(len({roles[name].unit for name in own} - {None}) == 1)
    for name in own[1:]:
        found[f"and {roles[name].role}"] = found.get(f"and {roles[name].role}", 0.0) + 1 / (len(own) - 1)
    return found


def _of_constants(rule: Constraint) -> dict[str, float]:
    """Features of the number of digits in a rule's constants, and of the number of its categories."""
    digits = [sum(map(str.isdigit, number)) for number in _NUMBER.findall(_masked(rule))]
    told = up_to("digits", sum(digits), (3.0, 10.0))
    return told | (up_to("values", len(_values_of(rule)), (2.0, 6.0)))


def _values_of(rule: Constraint) -> tuple[str, ...]:
    """The values in a rule's condition."""
    if isinstance(rule, ReferenceRule) and isinstance(rule.relation, ConditionalBeside):
        return rule.relation.values
    return rule.values if isinstance(rule, Conditional) else ()


def _of_step(rule: Constraint) -> dict[str, float]:
    """Features of what a rule along a sequence says of the row before: the same, an order, or a computation."""
    if not isinstance(rule, SequenceRule):
        return {}
    step = rule.step
    said = "computed" if not isinstance(step, Beside) else "same" if step.op == Operator.EQ else "order"
    return {f"step {said}": 1.0, "step of itself": float(step.others == (step.column,))}


def form_of(rule: Constraint) -> str:
    """A rule without its names and constants: ``· = · + ·``."""
    if isinstance(rule, Conditional):
        return _form_of_condition(rule)
    if isinstance(rule, ReferenceRule) and isinstance(rule.relation, ConditionalBeside):
        side = OF_PARENT if rule.relation.condition.startswith(OF_PARENT) else ""
        listed = (len(values) for values in (rule.relation.values, getattr(rule.relation.then, "values", ())))
        return f"{side}{_form_of_condition(rule.relation.rule)} {'|'.join(f'{min(2, n)}' for n in listed)}"
    said = _masked(rule)
    return _NUMBER.sub("#", said.partition(" (by ")[0] if isinstance(rule, SequenceRule) else said)


def _form_of_condition(rule: Conditional) -> str:
    """``some ⇔ Present not``."""
    sign, then = "⇔" if rule.both_ways else "⇒", rule.then
    said = type(then).__name__ + ("" if getattr(then, "there", True) else " not")
    kind = getattr(then, "low", None) == "0", getattr(then, "high", None) == "0"
    return f"{'any' if rule.asks_for_any else 'some'} {sign} {said} {'0' if any(kind) else ''}"


def _masked(rule: Constraint) -> str:
    said = {n for side in rule.sides for n in (*side.columns, side.table)} | {*rule.columns}
    longest_first = "|".join(re.escape(name) for name in sorted(said, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{longest_first})(?!\w)", "·", rule.text)
