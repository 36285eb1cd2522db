"""Numbers that are computed from numbers, and from dates: sums, products, the time between."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from profiling_core.model.expressions.expression import Expression, constant_text
from profiling_core.model.of_columns import Names
from profiling_core.model.texts import listed

_PERCENT = 100
# A rate of at least 1/20 reads as 5 %; a smaller one reads as a fraction. A percentage has at most 5 characters.
_EASILY_SHARED, _PLAIN = 20, 5


@dataclass(frozen=True)
class Linear(Expression):
    """A sum of columns times constants, and a constant: ``terms`` are pairs (factor, column)."""

    terms: tuple[tuple[str, str], ...]
    constant: str = "0"
    form = "linear"
    is_numeric = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the terms."""
        return tuple(column for _, column in self.terms)

    @property
    def text(self) -> str:
        """``net + vat``, ``100·hour + minute``."""
        return _signed([(Fraction(f), _times(f, column)) for f, column in self.terms], Fraction(self.constant))

    @property
    def words(self) -> str:
        """``net plus vat``, ``20 % of net``."""
        if len(self.terms) == 1 and self.constant == "0" and (share := _share(Fraction(self.terms[0][0]))):
            return share.format(self.terms[0][1])
        said = [(Fraction(f), _times(f, column, " times ")) for f, column in self.terms]
        return _signed(said, Fraction(self.constant), " plus ", " minus ")

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise."""
        return replace(self, terms=tuple((f, names.get(column, column)) for f, column in self.terms))


def _share(factor: Fraction) -> str:
    """A factor below one as people say it: ``6.4 % of {}``, ``{} divided by 160``; empty where they would not."""
    if not 0 < factor < 1:
        return ""
    if factor.numerator == 1 and factor.denominator > _EASILY_SHARED:
        return f"{{}} divided by {factor.denominator}"
    percent = constant_text(_PERCENT * factor)
    return f"{percent} % of {{}}" if len(percent) <= _PLAIN and "/" not in percent else ""


def _times(factor: str, column: str, sign: str = "·") -> str:
    size = abs(Fraction(factor))
    return column if size == 1 else f"{constant_text(size)}{sign}{column}"


def _signed(terms: list[tuple[Fraction, str]], constant: Fraction, plus: str = " + ", minus: str = " − ") -> str:
    if constant:
        last = (constant, constant_text(abs(constant)))
        terms = [last, *terms] if terms[0][0] < 0 < constant else [*terms, last]
    first = ("−" if terms[0][0] < 0 else "") + terms[0][1]
    return first + "".join((minus if factor < 0 else plus) + said for factor, said in terms[1:])


@dataclass(frozen=True)
class SumOfWhatIsThere(Linear):
    """A sum in which nulls of the columns ``may_lack`` count as zero, such as a fee that few pay."""

    may_lack: tuple[str, ...] = ()
    form = "sum_of_what_is_there"

    @property
    def optional(self) -> tuple[str, ...]:
        """The columns that may lack."""
        return self.may_lack

    @property
    def text(self) -> str:
        """``net + (fee or 0)``."""
        return self._said(lambda column: f"({column} or 0)").text

    @property
    def words(self) -> str:
        """``net plus fee, if there is one``."""
        return f"{self._said(str).words}, where {listed(self.may_lack)} may be missing"

    def _said(self, call: Callable[[str], str]) -> Linear:
        """The sum, with columns that may lack called so."""
        terms = ((factor, call(name) if name in self.may_lack else name) for factor, name in self.terms)
        return Linear(tuple(terms), self.constant)

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise."""
        return replace(super().renamed(names), may_lack=tuple(names.get(c, c) for c in self.may_lack))


@dataclass(frozen=True)
class Product(Expression):
    """``factor · Π over / under · (1 ± rate / base)``: one to three columns, over another one, with a rate on top.

    ``under`` and ``rate`` may be empty. ``base`` is what the rate is out of, signed: ``-1`` for a discount that is a
    fraction, ``100`` for a tax in percent.
    """

    over: tuple[str, ...]
    factor: str = "1"
    under: str = ""
    rate: str = ""
    base: str = "1"
    form = "product"
    is_numeric = True
    naming = ("over", "under", "rate")
    dividing = "under"

    @property
    def text(self) -> str:
        """``100·part / whole``."""
        sign = "−" if Fraction(self.factor) < 0 else ""
        size = constant_text(abs(Fraction(self.factor)))
        above = "·".join([*([] if size == "1" else [size]), *self.over])
        return f"{sign}{above}{f' / {self.under}' if self.under else ''}{self._rate_text()}"

    def _rate_text(self) -> str:
        if not self.rate:
            return ""
        base = Fraction(self.base)
        shown = self.rate if abs(base) == 1 else f"{self.rate} / {constant_text(abs(base))}"
        return f"·(1 {'−' if base < 0 else '+'} {shown})"

    @property
    def words(self) -> str:
        """``100 times part divided by whole``."""
        size = Fraction(self.factor)
        share = _share(size) if not self.under else ""
        said = share.format(" times ".join(self.over)) if share else _multiplied(size, self.over)
        below = f" divided by {self.under}" if self.under else ""
        if not self.rate:
            return said + below
        percent = " percent" if abs(Fraction(self.base)) == _PERCENT else ""
        return f"{said}{below}, {'less' if Fraction(self.base) < 0 else 'plus'} {self.rate}{percent} of it"


def _multiplied(factor: Fraction, columns: tuple[str, ...]) -> str:
    return " times ".join([*([] if factor == 1 else [constant_text(factor)]), *columns])


@dataclass(frozen=True)
class WholeParts(Expression):
    """How many parts of a ``unit``, or of ``under`` units, ``over`` has: begun ones if ``up``, else whole ones."""

    over: str
    under: str = ""
    unit: str = "1"
    up: bool = True
    form = "whole_parts"
    is_numeric = True
    naming = ("over", "under")
    dividing = "under"

    @property
    def text(self) -> str:
        """``⌈pieces / per_box⌉``, ``⌊days / 7⌋``."""
        by = self.under or self.unit
        return f"⌈{self.over} / {by}⌉" if self.up else f"⌊{self.over} / {by}⌋"

    @property
    def words(self) -> str:
        """``pieces divided by per_box, rounded up``."""
        return f"{self.over} divided by {self.under or self.unit}, rounded {'up' if self.up else 'down'}"


@dataclass(frozen=True)
class RelativeDifference(Expression):
    """``factor · (more − less) / of``: a margin of a price, how much has grown since; ``of`` may be one of the two."""

    more: str
    less: str
    of: str
    factor: str = "1"
    form = "relative_difference"
    is_numeric = True
    naming = ("more", "less", "of")
    dividing = "of"

    @property
    def columns(self) -> tuple[str, ...]:
        """The two columns, and the one below where it is another."""
        return tuple(dict.fromkeys(super().columns))

    @property
    def text(self) -> str:
        """``100·(price − cost) / price``."""
        sign = "−" if Fraction(self.factor) < 0 else ""
        size = abs(Fraction(self.factor))
        return f"{sign}{'' if size == 1 else f'{constant_text(size)}·'}({self.more} − {self.less}) / {self.of}"

    @property
    def words(self) -> str:
        """``how much more price is than cost, in percent of price``."""
        said = f"how much more {self.more} is than {self.less}"
        size = Fraction(self.factor)
        if size == _PERCENT:
            return f"{said}, in percent of {self.of}"
        times = "" if size == 1 else f"{constant_text(size)} times "
        return f"{times}{said}, divided by {self.of}"


@dataclass(frozen=True)
class Elapsed(Expression):
    """The time from one column to another, in units, plus a constant."""

    later: str
    earlier: str
    unit: str = "days"
    plus: int = 0
    form = "elapsed"
    is_numeric = True
    naming = ("later", "earlier")

    @property
    def text(self) -> str:
        """``days(left − entered)``."""
        more = f" {'−' if self.plus < 0 else '+'} {abs(self.plus)}" if self.plus else ""
        return f"{self.unit}({self.later} − {self.earlier}){more}"

    @property
    def words(self) -> str:
        """``the number of days from entered to left``."""
        more = f", {'less' if self.plus < 0 else 'plus'} {abs(self.plus)}" if self.plus else ""
        return f"the number of {self.unit} from {self.earlier} to {self.later}{more}"
