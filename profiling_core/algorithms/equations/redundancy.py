"""Drops equations that follow from known ones: solved for another column, or combined from several."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from profiling_core.model.expression import (
    Abridged,
    CheckDigits,
    Completed,
    Cut,
    DatePart,
    Elapsed,
    Expression,
    Inscribed,
    Joined,
    Linear,
    MonthsOn,
    OnDay,
    Part,
    Polynomial,
    Product,
    RelativeDifference,
    Shifted,
    Stamped,
)
from profiling_core.model.kinds.equation import Equation

Row = dict[str, Fraction]


@dataclass
class Span:
    """The linear span of vectors, as reduced rows: a row's first column stands in no other row."""

    rows: dict[str, Row] = field(default_factory=dict)

    def holds(self, vector: Mapping[str, Fraction]) -> bool:
        """Whether a vector is a linear combination of them."""
        return not self._reduced(vector)

    def leaves_one(self, vector: Mapping[str, Fraction]) -> bool:
        """Whether at most one column is left of a vector, as where a constant was rounded."""
        return len(self._reduced(vector)) <= 1

    def add(self, vector: Mapping[str, Fraction]) -> None:
        """Adds one more vector."""
        rest = self._reduced(vector)
        if rest:
            pivot = next(iter(rest))
            self.rows[pivot] = {column: value / rest[pivot] for column, value in rest.items()}

    def _reduced(self, vector: Mapping[str, Fraction]) -> Row:
        rest = dict(vector)
        while pivot := next((column for column in rest if column in self.rows), None):
            factor = rest[pivot]
            for column, value in self.rows[pivot].items():
                rest[column] = rest.get(column, Fraction(0)) - factor * value
            rest = {column: value for column, value in rest.items() if value}
        return rest


@dataclass
class Known:
    """The equations that are kept so far.

    Sums are vectors of the columns' factors. Products are vectors of exponents, since their logarithms are sums. A
    linear
    combination of known vectors follows from them, as does the distance of two days that both have one to a third.
    Constants are left out: the data allow only one.
    """

    columns: set[frozenset[str]] = field(default_factory=set)
    sums: Span = field(default_factory=Span)
    products: Span = field(default_factory=Span)
    days: Span = field(default_factory=Span)
    others: list[Equation] = field(default_factory=list)

    def has(self, equation: Equation) -> bool:
        """Whether an equation follows from the known ones."""
        if frozenset(equation.columns) in self.columns:
            return not isinstance(equation.value, CheckDigits)  # a code may have several check digits
        if any(_says(known, equation) for known in self.others) or self._differs_as_known(equation):
            return True
        if (made := self._of_products(equation)) is not None and self.sums.leaves_one(made):
            return True
        if self._adds_share(equation):
            self.products.add(_exponents(equation) or {})
            return True
        summed, multiplied = _summands(equation), _exponents(equation)
        if (day := _days(equation)) is not None and self.days.holds(day):
            return True
        by_sums = summed is not None and self.sums.leaves_one(summed)
        return by_sums or (multiplied is not None and self.products.holds(multiplied))

    def add(self, equation: Equation) -> None:
        """Adds an equation to the known ones."""
        self.columns.add(frozenset(equation.columns))
        self.others.append(equation)
        summed, multiplied = _summands(equation), _exponents(equation)
        if summed is not None:
            self.sums.add(summed)
        if (day := _days(equation)) is not None:
            self.days.add(day)
        if multiplied is not None:
            self.products.add(multiplied)

    def _of_products(self, equation: Equation) -> Row | None:
        """A sum of products with each product replaced by the column that equals it; None if one has no such column."""
        if not isinstance(equation.value, Polynomial):
            return None
        row = {equation.column: Fraction(-1)}
        for factor, columns in equation.value.terms:
            known = (k for k in self.others if _is_product(k, columns))
            name, size = (columns[0], Fraction(1)) if len(columns) == 1 else next(map(_named, known), ("", Fraction(1)))
            row[name] = row.get(name, Fraction(0)) + Fraction(factor) / size
        return None if "" in row else row

    def _differs_as_known(self, equation: Equation) -> bool:
        """Whether ``rate = (price − cost) / price`` follows: ``rate = margin / price``, ``margin = price − cost``."""
        value = equation.value
        if not isinstance(value, RelativeDifference):
            return False
        shares = (k.value for k in self.others if k.column == equation.column and isinstance(k.value, Product))
        return any(
            self.sums.holds({over: Fraction(-1), value.more: Fraction(1), value.less: Fraction(-1)})
            for share in shares
            for over in share.over
            if share.under == value.of
        )

    def _adds_share(self, equation: Equation) -> bool:
        """Whether ``gross = net·(1 + rate)`` follows from ``vat = rate·net`` and ``gross = net + vat``."""
        value = equation.value
        if not (isinstance(value, Product) and value.rate):
            return False
        factor = 1 / Fraction(value.base)
        shares = [known.column for known in self.others if _is_product(known, (*value.over, value.rate), abs(factor))]
        bases = [value.over[0]] if len(value.over) == 1 else []
        bases += [known.column for known in self.others if _is_product(known, value.over, Fraction(1))]
        return any(
            self.sums.holds(
                {equation.column: Fraction(-1), base: Fraction(1), share: Fraction(1 if factor > 0 else -1)}
            )
            for share in shares
            for base in bases
        )


def _is_product(equation: Equation, columns: tuple[str, ...], factor: Fraction | None = None) -> bool:
    value = equation.value
    if not isinstance(value, Product) or value.under or value.rate or factor not in (None, Fraction(value.factor)):
        return False
    return sorted(value.over) == sorted(columns)


def _named(product: Equation) -> tuple[str, Fraction]:
    """The column that equals a product, and the product's constant factor."""
    return product.column, Fraction(getattr(product.value, "factor", "1"))


def _says(known: Equation, equation: Equation) -> bool:
    """Whether one known equation implies an equation of texts or dates."""
    before, value = known.value, equation.value
    if isinstance(value, Abridged | Cut | Inscribed):
        return _says_of_texts(known, equation)
    if isinstance(value, Completed | MonthsOn):
        return _says_by_the_calendar(known, equation)
    if isinstance(value, Part | Stamped) and isinstance(before, Part | Stamped):
        return known.column == equation.column
    return False


def _says_of_texts(known: Equation, equation: Equation) -> bool:
    """Whether one known equation implies that a text is composed, cut from another or written into it."""
    before, value = known.value, equation.value
    if isinstance(value, Abridged):
        return _is_whole(before) and known.column == equation.column
    if isinstance(value, Cut):
        whole = isinstance(before, Joined | Abridged) and known.column == value.column
        return whole and equation.column in before.columns
    if not isinstance(value, Inscribed):
        return False
    if isinstance(before, Inscribed) and (before.code, before.start) == (value.code, value.start):
        return True
    if isinstance(before, Cut) and before.is_in_front and (before.columns[0], 0) == (value.code, value.start):
        return True
    parted = isinstance(before, Cut) and (known.column, before.column) == (value.column, value.code)
    return parted or (known.column == value.code and value.column in before.columns)


def _is_whole(value: Expression) -> bool:
    """Whether a text is put together of whole columns."""
    return isinstance(value, Joined) or (isinstance(value, Abridged) and value.is_whole)


def _says_by_the_calendar(known: Equation, equation: Equation) -> bool:
    """Whether one known equation implies a date some months after another, or a number that counts the time between."""
    before, value = known.value, equation.value
    if isinstance(before, MonthsOn) and isinstance(value, Completed):
        ends = known.column == value.later and before.column == value.earlier
        return ends or before.by == equation.column
    alike = MonthsOn if isinstance(value, MonthsOn) else (Completed, Elapsed)
    return isinstance(before, alike) and known.column == equation.column


def _summands(equation: Equation) -> Row | None:
    value = equation.value
    if isinstance(value, Linear):
        return {equation.column: Fraction(-1)} | {column: Fraction(factor) for factor, column in value.terms}
    if isinstance(value, Product) and len(value.over) == 1 and not value.under and not value.rate:
        return {equation.column: Fraction(-1), value.over[0]: Fraction(value.factor)}
    return None


def _days(equation: Equation) -> Row | None:
    """The row of a date at a number of days from another date or a moment's day, of that number, or of equal dates."""
    value = equation.value
    if isinstance(value, Elapsed) and value.unit == "days":
        return {equation.column: Fraction(-1), value.later: Fraction(1), value.earlier: Fraction(-1)}
    if equation.is_copy:
        return {equation.column: Fraction(-1), value.columns[0]: Fraction(1)}
    if isinstance(value, Shifted) or (isinstance(value, MonthsOn) and not value.by and not value.first):
        return {equation.column: Fraction(-1), value.column: Fraction(1)}
    if isinstance(value, OnDay) or (isinstance(value, Part) and value.part == DatePart.DATE):
        return {equation.column: Fraction(-1), f"date({value.column})": Fraction(1)}
    return None


def _exponents(equation: Equation) -> Row | None:
    value = equation.value
    if isinstance(value, Linear) and len(value.terms) == 1 and value.constant == "0":
        return {equation.column: Fraction(-1), value.terms[0][1]: Fraction(1)}
    if not isinstance(value, Product):
        return None
    row: Row = {equation.column: Fraction(-1)}
    if value.rate:
        row[_growth(value)] = Fraction(1)
    for column in value.over:
        row[column] = row.get(column, Fraction(0)) + 1
    return row | {value.under: Fraction(-1)} if value.under else row


def _growth(value: Product) -> str:
    """The factor of a rate, as if it were a column."""
    return f"1 + {value.rate} / {value.base}"
