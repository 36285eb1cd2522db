"""Rules in the words of a person who knows the columns' roles."""

from collections.abc import Mapping

from profiling_core.model.constraint import Constraint
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import Beside
from profiling_core.model.predicate import Operator, Predicate
from profiling_core.model.role import ColumnRole

_TEMPORAL = {
    Operator.GT: "{high} is never before {low}",
    Operator.GE: "{high} is always after {low}",
}
_MEASURED = {
    Operator.GT: "{low} is never more than {high}",
    Operator.GE: "{low} is always less than {high}",
}

_BESIDE: Mapping[str, str] = {
    "≥": "is never before",
    "≤": "is never after",
    ">": "is always after",
    "<": "is always before",
}


def in_words(rule: Constraint, roles: Mapping[str, ColumnRole]) -> str:
    """One sentence that states the rule, by the roles of its table's columns; names stand as they are."""
    if len(rule.denied) == 1 and rule.denied[0].is_single_row:
        return _order(rule, rule.denied[0], roles)
    if isinstance(rule, ReferenceRule) and isinstance(rule.relation, Beside) and _is_temporal(rule, roles):
        return rule.words_with(_BESIDE.get(rule.relation.op, "is"))
    return rule.words


def _is_temporal(rule: ReferenceRule, roles: Mapping[str, ColumnRole]) -> bool:
    return rule.relation.column in roles and roles[rule.relation.column].role.is_temporal


def _order(rule: Constraint, denied: Predicate, roles: Mapping[str, ColumnRole]) -> str:
    """``shipped is never before ordered``: an order within a row by the predicate that it denies."""
    if denied.op in (Operator.LT, Operator.LE):
        denied = Predicate(denied.right, denied.op.flipped, denied.left)
    low = denied.left.column
    forms = _TEMPORAL if low in roles and roles[low].role.is_temporal else _MEASURED
    form = forms.get(denied.op)
    return f"{form.format(low=denied.left.words, high=denied.right.words)}." if form else rule.words
