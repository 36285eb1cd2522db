"""What is one equation is told once: solved for another column, or put together from those that are known."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from profiling_core.model.expression import (
    Abridged,
    Apart,
    Completed,
    Cut,
    DatePart,
    DaysOn,
    Distance,
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
    WholeParts,
)
from profiling_core.model.kinds.equation import Equation

Row = dict[str, Fraction]


@dataclass
class Span:
    """The linear combinations of vectors, by their reduced rows: each one's first column is in no other row."""

    rows: dict[str, Row] = field(default_factory=dict)

    def holds(self, vector: Mapping[str, Fraction]) -> bool:
        """Whether a vector is one of them."""
        return not self._reduced(vector)

    def leaves_one(self, vector: Mapping[str, Fraction]) -> bool:
        """Whether one column at most is left of a vector: it would be nought, and is what a constant was rounded by."""
        return len(self._reduced(vector)) <= 1

    def add(self, vector: Mapping[str, Fraction]) -> None:
        """Takes one more vector in."""
        rest = self._reduced(vector)
        if rest:
            pivot = next(iter(rest))
            self.rows[pivot] = {column: value / rest[pivot] for column, value in rest.items()}

    def binds(self, columns: Collection[str]) -> bool:
        """Whether some combination of the vectors speaks of no other than these columns."""
        rest = [dict(row) for row in self.rows.values()]
        while place := next(((i, name) for i, row in enumerate(rest) for name in row if name not in columns), None):
            pivot, name = rest.pop(place[0]), place[1]
            alone = Span({name: {column: value / pivot[name] for column, value in pivot.items()}})
            rest = [left for row in rest if (left := alone._reduced(row))]
        return bool(rest)

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
    """Equations that are told already.

    Sums are vectors of the columns' factors, and products, whose logarithms are sums, of exponents: what is a linear
    combination of known ones follows from them; so does a day that is as far from another as both from a third.
    Constants are left out, since the data allow but one.
    """

    columns: set[frozenset[str]] = field(default_factory=set)
    sums: Span = field(default_factory=Span)
    products: Span = field(default_factory=Span)
    exact: Span = field(default_factory=Span)
    days: Span = field(default_factory=Span)
    others: list[Equation] = field(default_factory=list)

    def has(self, equation: Equation) -> bool:
        """Whether an equation says nothing that is not said already."""
        if frozenset(equation.columns) in self.columns:
            return True
        if any(_says(known, equation) for known in self.others) or self._is_told_by_two(equation):
            return True
        if self._adds_share(equation):
            self.products.add(_exponents(equation) or {})
            return True
        summed, multiplied = _summands(equation), _exponents(equation)
        if equation.precision.is_loose and summed is not None and self.exact.binds(equation.columns):
            return True
        if (day := _days(equation)) is not None and self.days.holds(day):
            return True
        by_sums = summed is not None and self.sums.leaves_one(summed)
        return by_sums or (multiplied is not None and self.products.holds(multiplied))

    def add(self, equation: Equation) -> None:
        """Takes an equation as told."""
        self.columns.add(frozenset(equation.columns))
        self.others.append(equation)
        summed, multiplied = _summands(equation), _exponents(equation)
        if summed is not None:
            self.sums.add(summed)
            if not equation.precision.is_loose:
                self.exact.add(summed)
        if (day := _days(equation)) is not None:
            self.days.add(day)
        if multiplied is not None:
            self.products.add(multiplied)

    def _of_products(self, equation: Equation) -> Row | None:
        """A sum of products as one of the columns that these are told to be; None where one is told to be none."""
        if not isinstance(equation.value, Polynomial):
            return None
        row = {equation.column: Fraction(-1)}
        for factor, columns in equation.value.terms:
            known = (k for k in self.others if _is_product(k, columns))
            name, size = (columns[0], Fraction(1)) if len(columns) == 1 else next(map(_named, known), ("", Fraction(1)))
            row[name] = row.get(name, Fraction(0)) + Fraction(factor) / size
        return None if "" in row else row

    def _is_told_by_two(self, equation: Equation) -> bool:
        """Whether two equations that are no sums give it."""
        value = equation.value
        if (made := self._of_products(equation)) is not None:
            return self.sums.leaves_one(made)
        return self._differs_as_known(equation) or (isinstance(value, Stamped) and self._is_cut_as_known(value))

    def _is_cut_as_known(self, value: Stamped) -> bool:
        """Whether a column that is cut from the code is told to be a part of the date."""
        cut = {k.column for k in self.others if isinstance(k.value, Cut) and k.value.column == value.code}
        return any(k.column in cut for k in self.others if isinstance(k.value, Part) and k.value.column == value.date)

    def _differs_as_known(self, equation: Equation) -> bool:
        """Whether ``rate = (price − cost) / price`` is put together from a margin's share, and what the margin is."""
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
        """Whether ``gross = net·(1 + rate)`` is put together from ``vat = rate·net`` and ``gross = net + vat``."""
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
    """What a product is called, and what it is multiplied by."""
    return product.column, Fraction(getattr(product.value, "factor", "1"))


def _says(known: Equation, equation: Equation) -> bool:
    """Whether a known equation says one of texts or dates: what was put together is cut; a part of a date days on."""
    before, value = known.value, equation.value
    if isinstance(value, Abridged | Cut | Inscribed):
        return _says_of_texts(known, equation)
    if (isinstance(value, Distance) and isinstance(before, Distance)) or _count_parts(before, value):
        return known.column == equation.column
    if isinstance(value, Completed | MonthsOn):
        return _says_by_the_calendar(known, equation)
    if isinstance(value, Part | Stamped) and isinstance(before, Part | Stamped):
        return known.column == equation.column
    return False


def _says_of_texts(known: Equation, equation: Equation) -> bool:
    """Whether what is put together of other texts, cut from one or written into it, is told to be so already."""
    before, value = known.value, equation.value
    if isinstance(value, Abridged):
        return isinstance(before, Joined) and known.column == equation.column
    if isinstance(value, Cut):
        whole = isinstance(before, Joined | Abridged) and known.column == value.column
        return whole and equation.column in before.columns
    if not isinstance(value, Inscribed):
        return False
    if isinstance(before, Inscribed) and (before.code, before.start) == (value.code, value.start):
        return True
    in_front = isinstance(before, Cut) and before.side in ("first", "before")
    if in_front and (before.columns[0], 0) == (value.code, value.start):
        return True
    parted = isinstance(before, Cut) and (known.column, before.column) == (value.column, value.code)
    return parted or (known.column == value.code and value.column in before.columns)


def _says_by_the_calendar(known: Equation, equation: Equation) -> bool:
    """Whether a date is told to be months after another one, or a number to be the time from one date to another."""
    before, value = known.value, equation.value
    if isinstance(before, MonthsOn) and isinstance(value, Completed):
        ends = known.column == value.later and before.column == value.earlier
        return ends or before.by == equation.column
    alike = MonthsOn if isinstance(value, MonthsOn) else (Completed, Elapsed)
    return isinstance(before, alike) and known.column == equation.column


def _count_parts(before: Expression, value: Expression) -> bool:
    """Whether both count parts: minutes are those of the seconds, and of whatever takes as long."""
    return isinstance(before, WholeParts) and isinstance(value, WholeParts)


def stands_in_a_sum(equation: Equation, known: Sequence[Equation]) -> bool:
    """Whether a number is cut from one that a weighted sum makes of it: 1530 is 100 times the hour, and the minute.

    Nor are parts counted of what a product says exactly: how often a price goes into what is paid after a discount.
    """
    value = equation.value
    if not isinstance(value, Cut | WholeParts):
        return False
    sums = (other for other in known if isinstance(other.value, Linear) and other.column == value.columns[0])
    if any(equation.column in other.value.columns for other in sums):
        return True
    more = (other for other in known if isinstance(other.value, Product | Polynomial))
    return isinstance(value, WholeParts) and any({*equation.columns} < {*other.columns} for other in more)


def _summands(equation: Equation) -> Row | None:
    value = equation.value
    if isinstance(value, Linear):
        return {equation.column: Fraction(-1)} | {column: Fraction(factor) for factor, column in value.terms}
    if isinstance(value, Product) and len(value.over) == 1 and not value.under and not value.rate:
        return {equation.column: Fraction(-1), value.over[0]: Fraction(value.factor)}
    return None


def _days(equation: Equation) -> Row | None:
    """A date that lies so many days from another one, or from a moment's day; how many, and dates that are the same."""
    value = equation.value
    if isinstance(value, Elapsed) and not isinstance(value, Apart) and value.unit == "days":
        return {equation.column: Fraction(-1), value.later: Fraction(1), value.earlier: Fraction(-1)}
    if isinstance(value, DaysOn):
        return {equation.column: Fraction(-1), f"date({value.column})": Fraction(1), value.by: Fraction(value.each)}
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
    """What a rate multiplies by, as if it were a column."""
    return f"1 + {value.rate} / {value.base}"
