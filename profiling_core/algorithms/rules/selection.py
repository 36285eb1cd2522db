"""The choice of the rules that are shown of a table: the next line is the one that adds most to the chosen lines.

A fitted score gives each candidate the log-odds that a person would sign it beside the rules that are chosen already
(:mod:`.gain`). The most probable one is next, unless it follows from those before it; the list ends where fewer than
one rule of three would be signed. So the rules stand in the order of their probability.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.gain import beside, features, is_fitted
from profiling_core.algorithms.rules.implication import Given, KnownRules
from profiling_core.algorithms.rules.lines import Line, parted, with_more
from profiling_core.algorithms.score.logistic import Model, model, probability
from profiling_core.model.constraint import Constraint
from profiling_core.model.role import ColumnRole

# Lines of rules that are shown of a table, at most; a setting.
PRESENTED = 60
SHOWN = math.log(1 / 2)
"""The least log-odds of a shown rule: missing a good rule costs as much as showing two that nobody would sign."""
# A rule may imply another one only if it judges at least this share of the other's rows.
_AS_MANY = 0.9
# Candidates per family that are compared with the others, at most; each pair takes a step.
_COMPARED = 40
# Families without a fitted score, such as rules of single columns, get at most one in this many lines each.
_PART_OF_LINES = 4
_ROWWISE = (Family.ORDER, Family.COLUMN, Family.EQUATION, Family.ALONG_REFERENCES)


class Selection(NamedTuple):
    """A table's rules line by line, the most probable first; the implied ones; and those without a place, best first.

    ``probabilities``: by fingerprint of a shown rule, the probability that a person would sign it.
    """

    lines: tuple[Line, ...]
    implied: tuple[Candidate, ...]
    left_out: tuple[Candidate, ...]
    probabilities: Mapping[str, float] = {}

    @property
    def shown(self) -> tuple[Candidate, ...]:
        """The rules of all lines."""
        return tuple(candidate for line in self.lines for candidate in line)


def select(
    candidates: Iterable[Candidate],
    limit: int = PRESENTED,
    given: Sequence[Given] = (),
    *,
    roles: Mapping[str, ColumnRole] | None = None,
    jointly: bool = False,
    by: Model | None = None,
) -> Selection:
    """Chooses what is shown of one table.

    Args:
        candidates: rules of it that hold, some perhaps within a threshold.
        limit: how many lines are shown at most.
        given: facts that are shown elsewhere: on rows with their parents, and of other tables.
        roles: those of the table's columns, in the order of the columns.
        jointly: whether a line may have several rules (:mod:`.lines`); without it, each has its own.
        by: the score; None: that of this package.
    """
    choice = _chosen(candidates, _Choice(by or model("lines"), limit, given, roles or {}, jointly))
    choice.prune()
    choice.fill()
    rest = [*choice.left_out, *(one.candidate for one in sorted(choice.waiting, key=lambda one: -one.gain))]
    follows = [choice.says(candidate) for candidate in rest]
    implied = (*choice.implied, *(c for c, known in zip(rest, follows, strict=True) if known))
    left_out = tuple(c for c, known in zip(rest, follows, strict=True) if not known)
    return Selection(tuple(choice.lines), implied, (*left_out, *choice.beyond), choice.probabilities)


def choices(
    candidates: Iterable[Candidate],
    by: Model,
    given: Sequence[Given] = (),
    *,
    roles: Mapping[str, ColumnRole] | None = None,
    jointly: bool = False,
) -> Iterator[tuple[Candidate, Mapping[str, float]]]:
    """The candidates with their features beside what a model chooses before them, to fit the next model.

    A model without weights chooses nothing.
    """
    choice = _chosen(candidates, _Choice(by, PRESENTED, given, roles or {}, jointly))
    yield from ((one.candidate, {**one.own, **one.beside}) for one in (*choice.looked_at, *choice.waiting))


class _Waiting(NamedTuple):
    """A candidate, its features by itself and beside the chosen rules, and the log-odds that these give."""

    candidate: Candidate
    own: Mapping[str, float]
    alone: float
    beside: Mapping[str, float]
    gain: float

    def meets(self, other: Constraint) -> bool:
        """Whether another rule shares columns with this one."""
        rule = self.candidate.constraint
        return rule.tables[0] == other.tables[0] and not {*rule.columns}.isdisjoint(other.columns)


@dataclass
class _Choice:
    """The choice so far, in lines, and the candidates that are implied, have no place, or wait."""

    model: Model
    limit: int
    given: Sequence[Given]
    roles: Mapping[str, ColumnRole]
    jointly: bool
    lines: list[Line] = field(default_factory=list)
    chosen: list[Candidate] = field(default_factory=list)
    implied: list[Candidate] = field(default_factory=list)
    left_out: list[Candidate] = field(default_factory=list)
    probabilities: dict[str, float] = field(default_factory=dict)
    waiting: list[_Waiting] = field(default_factory=list)
    looked_at: list[_Waiting] = field(default_factory=list)
    beyond: list[Candidate] = field(default_factory=list)
    unjudged: list[Candidate] = field(default_factory=list)
    key: Candidate | None = None
    known: dict[tuple[int, ...], tuple[int, KnownRules]] = field(default_factory=dict)

    def wait(self, family: Family, candidates: Sequence[Candidate]) -> None:
        """Lets the candidates of a family wait for their turn: those that the score puts first, by themselves."""
        if self.model.weights and not is_fitted(self.model, family):
            self.unjudged += candidates[:_COMPARED]
            self.beyond += candidates[_COMPARED:]
            return
        if family is Family.KEY and candidates:
            self.key = candidates[0]
        scored = [(candidate, features(candidate, self.roles)) for candidate in candidates]
        found = [_Waiting(one, own, gain := self.model.log_odds(own), {}, gain) for one, own in scored]
        found.sort(key=lambda one: -one.gain)
        self.waiting += found[:_COMPARED]
        self.beyond += (one.candidate for one in found[_COMPARED:])

    def next(self) -> bool:
        """Takes the most probable candidate, if it has a place and is not implied; returns whether there was one.

        The first key comes first, since all other rules are about the rows that it identifies.
        """
        best = max(
            self.waiting, key=lambda one: (one.candidate is self.key and one.gain >= SHOWN, one.gain), default=None
        )
        if best is None or best.gain < SHOWN:
            return False
        self.waiting.remove(best)
        self.looked_at.append(best)
        if best.candidate is not self.key and self.says(best.candidate):
            self.implied.append(best.candidate)
        elif self._has_place(best.candidate, alone=best.gain < 0):
            self.chosen.append(best.candidate)
            self.probabilities[best.candidate.constraint.fingerprint] = probability(best.gain)
            self.waiting = [self._beside(one, best.candidate.constraint) for one in self.waiting]
        else:
            self.left_out.append(best.candidate)
        return True

    def prune(self) -> None:
        """Removes chosen rules that follow from the others, the least probable first, except the first key."""
        for candidate in [c for c in self.chosen if c is not self.key][::-1]:
            if self.says(candidate, but=candidate):
                self.chosen = [c for c in self.chosen if c is not candidate]
                self.known = {}
                self.implied.append(candidate)
        kept = {*map(id, self.chosen)}
        left = ([c for c in line if id(c) in kept] for line in self.lines)
        self.lines = [line for rules in left for line in parted(rules)]

    def fill(self) -> None:
        """Adds candidates without a fitted score at the end: a few of each family, or all if no other is chosen."""
        most = self.limit // _PART_OF_LINES if self.chosen else self.limit
        taken: Counter[Family] = Counter()
        for candidate in self.unjudged:
            if self.says(candidate):
                self.implied.append(candidate)
            elif taken[candidate.family] < most and self._has_place(candidate):
                taken[candidate.family] += 1
                self.chosen.append(candidate)
            else:
                self.left_out.append(candidate)

    def _has_place(self, candidate: Candidate, *, alone: bool = False) -> bool:
        """Adds a rule to a line, or a line for it; returns whether there is room.

        A rule that people would rather not sign stands alone: a line is signed only if all its rules are.
        """
        joins = self.jointly and not alone
        lines, rest = with_more(self.lines, [candidate]) if joins else (self.lines, [candidate])
        if rest and len(lines) >= self.limit:
            return False
        self.lines = [*lines, *((one,) for one in rest)]
        return True

    def _beside(self, one: _Waiting, fresh: Constraint) -> _Waiting:
        if not one.meets(fresh):
            return one
        told = beside(one.candidate, self.chosen)
        return one._replace(beside=told, gain=one.alone + self.model.more(told))

    def says(self, candidate: Candidate, but: Candidate | None = None) -> bool:
        """Whether a rule follows from the chosen ones, one of them left out."""
        chosen = ((place, c) for place, c in enumerate(self.chosen) if c is not but)
        others = tuple(place for place, c in chosen if c.measured.holds and _speaks_for(c, candidate))
        return bool(others) and self._known(others).imply(candidate.constraint)

    def _known(self, places: tuple[int, ...]) -> KnownRules:
        """What the chosen rules at some places say: what fewer of them said before the last choice, and the others."""
        if places not in self.known:
            passed = (one for one, (chosen, _) in self.known.items() if chosen < len(self.chosen))
            fewer = max((one for one in passed if places[: len(one)] == one), key=len, default=())
            rules = self.known.pop(fewer)[1] if fewer else KnownRules((), self.given)
            for place in places[len(fewer) :]:
                rules.add(self.chosen[place].constraint)
            self.known[places] = len(self.chosen), rules
        return self.known[places][1]


def _chosen(candidates: Iterable[Candidate], choice: _Choice) -> _Choice:
    ranked: defaultdict[Family, list[Candidate]] = defaultdict(list)
    for candidate in sorted(candidates, key=_by_worth):
        ranked[candidate.family].append(candidate)
    for family in Family:
        choice.wait(family, ranked[family])
    while choice.model.weights and choice.next():
        pass
    return choice


def _by_worth(candidate: Candidate) -> tuple[float, float, str]:
    return (-candidate.worth, -candidate.strength, candidate.constraint.text)


def _speaks_for(other: Candidate, candidate: Candidate) -> bool:
    """Whether a rule may be left out because of another one: that judges as many rows, and belongs to the same table.

    Nothing is inferred through a mostly null column, and a rule within a row is plainer than one on its parents.
    """
    if candidate.constraint.tables[0] != other.constraint.tables[0]:
        return True
    if candidate.family is Family.ORDER and other.family is Family.ALONG_REFERENCES:
        return False
    if candidate.family not in (Family.ORDER, Family.ALONG_REFERENCES) or other.family not in _ROWWISE:
        return True
    return other.measured.support >= _AS_MANY * candidate.measured.support
