"""Columns that are computed in some categories only: ``country = DE ⇒ gross = 1.19·net``."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.conditions.categories import MATTERS, Candidate, Categories, fails_outside
from profiling_core.algorithms.equations import calendars, moments, products, sums
from profiling_core.algorithms.equations.chance import surprise
from profiling_core.algorithms.equations.constants import constants_of, written_digits
from profiling_core.algorithms.equations.judging import Judged
from profiling_core.algorithms.equations.numbers import Numbers
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.redundancy import Known
from profiling_core.algorithms.equations.sample import Written, numeric_columns, sample_of, spread, varies, written_form
from profiling_core.model.consequent import Calculated, Consequent
from profiling_core.model.expression import Linear, Precision
from profiling_core.model.kinds.equation import Equation

# Rows of a category that are looked at, and the fewest that an equation is taken from.
_ROWS, _FEWEST = 300, 20
# Categories of a column that are looked at, at most.
_MOST_CATEGORIES = 12
# With more columns, equations of three columns are not tried.
_MOST_FOR_TRIPLES = 12
# Columns that are tied in pairs, and digits of an equation's constants, at most.
_PAIR, _MOST_DIGITS = 2, 4


@dataclass
class _Search:
    """The rows that are searched, the columns that may be computed with, and the equations of all rows."""

    rows: pa.Table
    columns: Collection[str]
    known: Sequence[Equation]
    numbers: Mapping[str, Numbers]
    forms: Mapping[str, Written]
    obeyed: Callable[[Consequent], Judged]
    budget: Budget
    given: set[str] = field(init=False)

    def __post_init__(self) -> None:
        """Notes the columns that an equation of all rows gives."""
        self.given = {equation.column for equation in self.known if _gives(equation)}


def _gives(equation: Equation) -> bool:
    """Whether it gives its column from several others, and not as what is left of a sum."""
    value = equation.value
    is_rest = isinstance(value, Linear) and any(factor.startswith("-") for factor, _ in value.terms)
    return len(value.columns) > 1 and not is_rest


def calculated(
    rows: pa.Table,
    conditions: Sequence[Categories],
    columns: Collection[str],
    known: Sequence[Equation],
    obeyed: Callable[[Consequent], Judged],
    budget: Budget = ENDLESS,
) -> Iterator[Candidate]:
    """The equations of categories; of conditions for the same columns the one whose equations cover most rows.

    Args:
        rows: some rows.
        conditions: the columns that make categories.
        columns: numbers and dates that are measured, and identify nothing.
        known: the equations of all rows, which need no condition.
        obeyed: tells which of the rows obey a consequent.
        budget: when to end with what there is.
    """
    numbers = numeric_columns(rows, list(columns))
    forms = {name: written_form(one) for name, one in numbers.items()}
    search = _Search(rows, columns, known, numbers, forms, obeyed, budget)
    best: dict[tuple[str, ...], tuple[int, list[Candidate]]] = {}
    for categories in conditions:
        found: dict[tuple[str, ...], dict[Consequent, tuple[int, Candidate]]] = {}
        for judged, one in _in_categories(search, categories):
            found.setdefault(tuple(sorted(one.then.columns)), {})[one.then] = (judged, one)
        for speaking, each in found.items():
            covered = sum(judged for judged, _ in each.values())
            if covered > best.get(speaking, (0, []))[0]:
                best[speaking] = (covered, [one for _, one in each.values()])
    yield from chain.from_iterable(each for _, each in best.values())


def _in_categories(search: _Search, categories: Categories) -> Iterator[tuple[int, Candidate]]:
    """The candidates of one column, with the number of rows that each judges."""
    for v in search.budget.steps(np.argsort(-categories.counts, kind="stable")[:_MOST_CATEGORIES].tolist()):
        if categories.counts[v] < _FEWEST:
            break
        inside = np.flatnonzero(categories.codes == v)
        for equation in _of_rows(search, inside[spread(len(inside), _ROWS)], categories.column):
            yield from _told(search, categories, v, equation)


def _of_rows(search: _Search, kept: np.ndarray, condition: str) -> Iterator[Equation]:
    """The equations of some rows that do not follow from those of all rows, the plainest per column."""
    some = search.rows.take(pa.array(kept))
    told, special, found = Known(), _tied(search.known, some), set[str]()
    for equation in search.known:
        told.add(equation)
    for proposal in sorted(_proposals(search, some, kept), key=_by_plainness):
        equation = Equation("", proposal.column, proposal.value, _precision(search, proposal))
        needless = (
            equation.is_copy
            or _is_intricate(proposal)
            or condition in equation.columns
            or proposal.column in search.given | found
        )
        if needless or told.has(equation) or len({special.get(name, name) for name in equation.columns}) == 1:
            continue
        told.add(equation)
        found.add(equation.column)
        yield equation


def _by_plainness(proposal: Proposal) -> tuple[object, ...]:
    """The sort key: fewer digits, fewer columns, dates forward in time, shorter text."""
    value = proposal.value
    digits = sum(map(written_digits, constants_of(value)))
    return digits, len(value.columns), not value.is_numeric and "−" in value.text, len(value.text)


def _is_intricate(proposal: Proposal) -> bool:
    """Whether it has a constant of more digits than rates have."""
    return any(written_digits(text) > _MOST_DIGITS for text in constants_of(proposal.value))


def _precision(search: _Search, proposal: Proposal) -> Precision:
    form = search.forms.get(proposal.column) if proposal.value.is_numeric else None
    return form.precision if form else Precision()


def _proposals(search: _Search, some: pa.Table, kept: np.ndarray) -> Iterator[Proposal]:
    numbers = {name: one.at(kept) for name, one in search.numbers.items() if one.there[kept].all()}
    varied = [name for name, one in numbers.items() if varies(one)]
    if len(varied) > 1:
        sample = sample_of(varied, numbers, search.forms)
        targets = tuple(i for i, name in enumerate(varied) if name not in search.given)
        yield from sums.straight_lines(replace(sample, targets=targets))
        if 2 < len(sample.names) <= _MOST_FOR_TRIPLES:
            yield from products.products(replace(sample, targets=targets))
            yield from sums.plain_sums(sample)
    names = [name for name in search.columns if pa.types.is_temporal(some[name].type)]
    if len(names) > 1:
        yield from moments.distances(some, names)
        yield from calendars.further_on(some, names)


def _tied(known: Sequence[Equation], some: pa.Table) -> dict[str, str]:
    """Columns that equations of all rows tie to each other while the equations' other columns are constant here.

    Each is given with the first column that it is tied to. If the yearly price is 12 times the monthly one, which is
    seats
    times the price per seat, then all three are a constant times the seats where the price per seat is constant.
    """
    tied: dict[str, str] = {}
    for equation in known:
        pair = [name for name in equation.columns if not _is_one(some, name)]
        if len(pair) == _PAIR:
            one, other = (tied.setdefault(name, name) for name in pair)
            tied = {name: one if first == other else first for name, first in tied.items()}
    return tied


def _is_one(some: pa.Table, name: str) -> bool:
    return name not in some.column_names or len(some[name].drop_null().unique()) <= 1


def _told(search: _Search, categories: Categories, v: int, equation: Equation) -> Iterator[tuple[int, Candidate]]:
    """One category's equation as a rule of all categories that obey it, if it fails elsewhere and is no chance."""
    then = Calculated(equation.column, equation.value, equation.precision)
    found = search.obeyed(then)
    judged, violating = categories.per_value(found.judged), categories.per_value(found.judged & found.violating)
    chosen = (judged >= _FEWEST) & (violating == 0)
    if not chosen[v] or fails_outside(chosen, judged, judged - violating) < MATTERS:
        return
    own = search.rows.select(list(equation.columns)).filter(pa.array(categories.codes == v))
    rule = Candidate(
        categories.column, categories.named(chosen), then, both_ways=False, surprise=surprise(equation, own)
    )
    yield int(judged[chosen].sum()), rule
