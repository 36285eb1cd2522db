"""Conditional rules, straight from docs/semantics.md, "Conditional rules"."""

import math
import operator
from decimal import Decimal

OPERATORS = {"=": operator.eq, "≠": operator.ne, "<": operator.lt, "≤": operator.le, ">": operator.gt, "≥": operator.ge}


def missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_one_of(value, texts):
    """As text, but of numbers with fractions, which are written in more than one way."""
    if isinstance(value, float | Decimal):
        return any(number(value) == type(number(value))(text) for text in texts)
    return text(value) in texts


def number(value):
    return value if isinstance(value, float) else Decimal(value)


def judge(rule, row):
    """None: the row is not judged; else whether it violates the rule."""
    if missing(row[rule.column]) and rule.values:
        return None
    inside = is_one_of(row[rule.column], rule.values) if rule.values else not missing(row[rule.column])
    if not inside and not rule.both_ways:
        return None
    holds = obeys(rule.then, row)
    return None if holds is None else holds != inside


def obeys(then, row):
    values = [row[name] for name in then.columns]
    if then.asks == "present":
        return missing(values[0]) != then.there
    if any(missing(value) for value in values):
        return None
    if then.asks == "one of":
        return text(values[0]) in then.values
    if then.asks == "ordered":
        return OPERATORS[then.op](*values)
    value = number(values[0])
    kind = float if isinstance(value, float) else Decimal
    low = then.low is None or (value > kind(then.low) if then.strict else value >= kind(then.low))
    high = then.high is None or (value < kind(then.high) if then.strict else value <= kind(then.high))
    return low and high


def figures(rule, rows):
    """Population, violations and support."""
    judged = [found for row in rows if (found := judge(rule, row)) is not None]
    return len(judged), sum(judged), len(judged)
