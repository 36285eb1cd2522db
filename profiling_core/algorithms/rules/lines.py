"""Rules that one sentence can state together are shown in one line.

Examples: the columns that one column determines, values in the same rows, dates that follow each other, references to
the
same table, columns equal to the parent's, numbers computed alike from the same column. Each stays a rule of its own for
measuring, following and decisions; only the display is joint.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from profiling_core.algorithms.rules.candidate import Candidate
from profiling_core.algorithms.rules.words import in_words
from profiling_core.model.constraint import Constraint, DenialConstraint
from profiling_core.model.kinds.constraint import About, Subject
from profiling_core.model.kinds.denial import in_sequence
from profiling_core.model.predicate import Operator
from profiling_core.model.role import ColumnRole
from profiling_core.model.texts import listed

Line = tuple[Candidate, ...]
# Rules in a line, at most; nobody reads more at once.
_MOST = 6
_LESS = {Operator.GT: "≤", Operator.GE: "<"}


def with_more(lines: Sequence[Line], candidates: Sequence[Candidate]) -> tuple[list[Line], list[Candidate]]:
    """Lines with those further rules that fit in, and the rest."""
    told, rest = [*lines], []
    for candidate in candidates:
        places = (i for i, line in enumerate(told) if len(line) < _MOST and _may_be_told(line, candidate))
        if (place := next(places, None)) is None:
            rest.append(candidate)
        else:
            told[place] = _in_order((*told[place], candidate))
    return told, rest


def parted(rules: Sequence[Candidate]) -> list[Line]:
    """The remaining rules of a line in the fewest lines: a chain of orders may have lost its middle."""
    told: list[Line] = []
    while rules:
        (line,), rules = with_more([(rules[0],)], rules[1:])
        told.append(line)
    return told


def _may_be_told(line: Line, candidate: Candidate) -> bool:
    if candidate.family is not line[0].family:
        return False
    if all(_is_order(c.constraint) for c in (*line, candidate)):
        return bool(_chain((*line, candidate)))
    return bool(_common((*line, candidate)))


def _common(line: Line) -> frozenset[Subject]:
    """The subjects that all rules of a line share."""
    return frozenset.intersection(*(frozenset(c.constraint.subjects) for c in line))


def _is_order(rule: Constraint) -> bool:
    return isinstance(rule, DenialConstraint) and len(rule.denied) == 1 and rule.denied[0].is_single_row


def _steps(line: Line) -> dict[str, tuple[str, str, Candidate]]:
    """By the lesser column of each order: its sign, the greater column, and the order."""
    found = {}
    for candidate in line:
        (denied,) = candidate.constraint.denied
        low, high, op = denied.left.text, denied.right.text, denied.op
        if op not in _LESS:
            low, high, op = high, low, op.flipped
        if low in found or op not in _LESS:
            return {}
        found[low] = (_LESS[op], high, candidate)
    return found


def _chain(line: Line) -> list[tuple[str, str, str, Candidate]]:
    """Orders as a chain, each with its columns and its sign; empty if they form none."""
    steps = _steps(line)
    firsts = set(steps) - {high for _, high, _ in steps.values()}
    if len(firsts) != 1:
        return []
    low, found = firsts.pop(), []
    while low in steps:
        sign, high, candidate = steps.pop(low)
        found.append((low, sign, high, candidate))
        low = high
    return found if not steps else []


def _in_order(line: Line) -> Line:
    """Orders along their chain; other rules as they are."""
    return tuple(c for *_, c in _chain(line)) if all(_is_order(c.constraint) for c in line) else line


def text_of(line: Line) -> str:
    """``{zip} → city, state``; ``ordered ≤ shipped ≤ delivered``; ``status = paid ⇔ day is there, method is there``."""
    texts: list[str] = [c.constraint.text for c in line]
    if len(line) == 1:
        return texts[0]
    if all(_is_order(c.constraint) for c in line):
        chain = _chain(line)
        return chain[0][0] + "".join(f" {sign} {high}" for _, sign, high, _ in chain)
    told = _told(line)
    if told & {About.DETERMINED, About.WHERE}:
        ends = [c.constraint.rhs.columns[0] if About.DETERMINED in told else c.constraint.then.text for c in line]
        return texts[0] + "".join(f", {end}" for end in ends[1:])
    if About.WHERE_ALONG in told:
        return _where_along(line[0].constraint, texts)
    if told & {About.REFERRING, About.PARENT, About.CHILDREN}:
        shared = _ending(texts)
        return ", ".join(text.removesuffix(shared) for text in texts) + shared
    return "; ".join(texts)


def _where_along(first: Any, texts: Sequence[str]) -> str:
    """Conditional rules along a reference, with their condition and the reference once."""
    shared, sign = f" (by {', '.join(first.child.columns)})", " ⇔ " if first.relation.both_ways else " ⇒ "
    said = [text.removesuffix(shared) for text in texts]
    return ", ".join([said[0], *(one.partition(sign)[2] for one in said[1:])]) + shared


def _told(line: Line) -> set[object]:
    return {about for about, *_ in _common(line)}


def _ending(texts: Sequence[str]) -> str:
    """The whole words that all texts end with."""
    words, same = [text.split(" ") for text in texts], 0
    while same + 1 < min(map(len, words)) and len({each[-1 - same] for each in words}) == 1:
        same += 1
    return "".join(f" {word}" for word in words[0][len(words[0]) - same :])


def words_of(line: Line, roles: Mapping[str, ColumnRole]) -> str:
    """A line as a person would say it: one sentence for all rules if possible, else one each."""
    rules = [c.constraint for c in line]
    joint = _in_one_sentence(rules, _told(line)) if len(line) > 1 else ""
    return joint or " ".join(in_words(rule, roles) for rule in rules)


def _in_one_sentence(rules: Sequence[Any], told: Collection[object]) -> str:
    """Some rules as one sentence, by their shared subject; empty if there is none."""
    first = rules[0]
    if About.DETERMINED in told and first.lhs.columns:
        rights = listed([rule.rhs.columns[0] for rule in rules])
        return f"Rows of {first.lhs.table} that agree on {listed(first.lhs.columns)} have the same {rights}."
    if About.REFERRING in told:
        lefts = " and every ".join(rule.lhs.columns[0] for rule in rules)
        return f"Every {lefts} in {first.lhs.table} occurs as {first.rhs.columns[0]} in {first.rhs.table}."
    if About.THERE in told:
        names = list(dict.fromkeys(name for rule in rules for name in rule.columns))
        return f"Either all of {listed(names)} have a value, or none has."
    if About.AS_IT_RISES in told:
        return in_sequence(first.table, [rule.sequence for rule in rules])
    if About.WHERE in told:
        elsewhere = ", and nowhere else" if first.both_ways else ""
        condition = "there" if first.asks_for_any else listed(first.values, "or")
        return f"Where {first.column} is {condition}, {listed([rule.then.words for rule in rules])}{elsewhere}."
    return ""
