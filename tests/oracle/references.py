"""Rules along references, straight from docs/semantics.md, "Rules along references"."""

import math
from datetime import datetime
from fractions import Fraction
from types import SimpleNamespace

from oracle import conditionals, equations
from oracle.conditionals import OPERATORS, missing


def figures(rule, children, parents, on_the_way=()):
    """Population and violations."""
    children = with_the_way(rule, children, on_the_way) if rule.via else children
    form = rule.relation.to_json()["form"]
    judged = list(
        {"beside": beside, "computed": computed, "conditional": conditional, "summary": summaries}[form](
            rule, children, parents
        )
    )
    return len(judged), sum(judged)


def with_the_way(rule, children, rows):
    """Each child with the columns of each row that its first reference leads to, with an arrow before their names."""
    first, then = rule.via
    return [
        child | {f"→{name}": value for name, value in row.items()}
        for child in children
        for row in rows
        if agree([child[c] for c in first.columns], [row[c] for c in then.columns])
    ]


def agree(left, right):
    return not any(map(missing, left + right)) and left == right


def belongs(rule, child, parent):
    return agree([child[c] for c in rule.child.columns], [parent[c] for c in rule.parent.columns])


def beside(rule, children, parents):
    for child in children:
        for parent in parents:
            values = child[rule.relation.column], parent[rule.relation.other]
            if rule.relation.day_of:
                values = [value.date() if isinstance(value, datetime) else value for value in values]
            if belongs(rule, child, parent) and not any(map(missing, values)):
                yield not OPERATORS[rule.relation.op](*values)


def computed(rule, children, parents):
    """A child and its parent are one row, the parent's columns with an arrow before their names."""
    relation = rule.relation
    equation = SimpleNamespace(
        column=relation.column,
        value=relation.value,
        precision=relation.precision,
        columns=(relation.column, *relation.value.columns),
    )
    for child in children:
        for parent in parents:
            if belongs(rule, child, parent):
                wrong = equations.judge(equation, child | {f"↑{name}": value for name, value in parent.items()})
                if wrong is not None:
                    yield wrong


def conditional(rule, children, parents):
    """A child and its parent are one row of a conditional rule."""
    for child in children:
        for parent in parents:
            if belongs(rule, child, parent):
                row = child | {f"↑{name}": value for name, value in parent.items()}
                wrong = conditionals.judge(rule.relation.rule, row)
                if wrong is not None:
                    yield wrong


def summaries(rule, children, parents):
    relation = rule.relation
    for parent in parents:
        own = [child for child in children if belongs(rule, child, parent)]
        if relation.among:
            own = [child for child in own if conditionals.text(child[relation.among]) in relation.values]
        values = [child[relation.other] if relation.other else 1 for child in own]
        values = [value for value in values if not missing(value)]
        if missing(parent[relation.column]) or (not values and relation.aggregate != "count"):
            continue
        target = parent[relation.column]
        if relation.aggregate in ("first", "last"):
            if not isinstance(target, datetime) and isinstance(values[0], datetime):
                values = [value.date() for value in values]
            yield target != (min if relation.aggregate == "first" else max)(values)
        else:
            yield apart(target, [1] * len(values) if relation.aggregate == "count" else values, relation)


def apart(target, values, relation):
    half = Fraction(1, 2 * 10**relation.decimals) if relation.decimals else Fraction(0)
    if not any(isinstance(value, float) for value in [target, *values]):
        return abs(Fraction(target) - sum(map(Fraction, values))) > half
    total, size = math.fsum(map(float, values)), abs(float(target))
    room = float(half) + 1e-12 * (size + abs(total)) if relation.decimals is not None else 1e-9 * (size + abs(total))
    return abs(float(target) - total) > room
