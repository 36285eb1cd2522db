"""Rules on a single column, or on how many rows there are, that are learnt from a table's history (docs/semantics.md).

Rules *of rows* ask something of every row's value, with bounds that stay as they were learnt: another bound is another
rule. Rules *of deltas* ask whether a delta is like those before it; what is like them moves with the history, so that
such a rule has no bounds of its own.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import ClassVar, Self

from profiling_core.model.identity import Kind, fingerprint
from profiling_core.model.kinds.constraint import DELTAS, ROWS, Constraint, Limits, Nouns, Renames, Unit
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.texts import listed, with_article


class Rule(StrEnum):
    """The rule that is asked of each row, or of each delta.

    Earlier releases learnt ``NULL_SHARE`` and ``FRESH``: what they followed is read and shown, and judged no more.
    """

    NOT_NULL = "not null"
    VALUES = "values"
    RANGE = "range"
    LENGTH = "length"
    PATTERN = "pattern"
    NULL_SHARE = "null share"
    RISING = "rising"
    FRESH = "fresh"
    ONE_VALUE = "one value"
    NEW_VALUES = "new values"
    NEW_WORDS = "new words"
    EXTREMES = "extremes"
    REPEATED = "repeated rows"
    NULL_WITH = "null with"
    AT_MOST = "at most"

    @property
    def of_deltas(self) -> bool:
        """Whether a delta obeys it, rather than a row."""
        return self not in _OF_ROWS


_OF_ROWS = (Rule.NOT_NULL, Rule.VALUES, Rule.RANGE, Rule.LENGTH, Rule.PATTERN, Rule.NULL_WITH, Rule.AT_MOST)
_SHOWN_VALUES = 20
_LISTED_VALUES = 5  # in a headline


@dataclass(frozen=True)
class ColumnRule(Constraint):
    """A rule on one column of a table.

    ``low`` and ``high`` are the inclusive bounds of values (``RANGE``) or of lengths in characters (``LENGTH``), as
    text; None: unbounded. ``values`` are the values allowed (``VALUES``), or their shapes (``PATTERN``), sorted. Nulls
    violate ``NOT_NULL`` and ``NULL_WITH`` only, the latter where one of ``others`` has a value. ``AT_MOST`` compares
    with the only one of ``others``. ``column`` is empty for a rule on a delta as a whole.
    """

    table: str
    column: str
    rule: Rule
    low: str | None = None
    high: str | None = None
    values: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    kind = Kind.COLUMN
    nouns: ClassVar[Nouns] = Nouns("column rule", "column rules", "column")
    needs_rank = False

    @property
    def tables(self) -> tuple[str, ...]:
        """The table that the rule speaks of."""
        return (self.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rule speaks of; none where it speaks of whole rows."""
        return (self.column, *self.others) if self.column else ()

    @property
    def denied(self) -> tuple[Predicate, ...]:
        """What a bound by another column denies of a row; nothing where values are compared with none of the table."""
        if self.rule is not Rule.AT_MOST:
            return ()
        return (Predicate(Operand("t", self.column), Operator.GT, Operand("t", self.others[0])),)

    @property
    def of_deltas(self) -> bool:
        """Whether a delta obeys it, rather than rows."""
        return self.rule.of_deltas

    @property
    def unit(self) -> Unit:
        """Rows, or deltas."""
        return DELTAS if self.of_deltas else ROWS

    @property
    def can_set_aside(self) -> bool:
        """Whether rows violate it, rather than a delta as a whole."""
        return not self.of_deltas

    @property
    def question(self) -> Hashable:
        """The columns and what is asked of them, without bounds: to a person another bound is the same rule."""
        return self.table, self.columns, self.rule

    @property
    def limits(self) -> Limits | None:
        """Those of ranges, of lengths, and of usual extremes."""
        far = self.rule in (Rule.RANGE, Rule.LENGTH, Rule.EXTREMES)
        return Limits(self.column, self.low, self.high, self.rule is Rule.LENGTH) if far else None

    @property
    def breaks_once(self) -> bool:
        """Whether it is a set of values: the value that violates it again is mostly the one that did before."""
        return self.rule is Rule.VALUES

    @property
    def naming(self) -> tuple[str, ...]:
        """The column of a set of values."""
        return (self.column,) if self.rule is Rule.VALUES else ()

    @property
    def excused_by_lists(self) -> bool:
        """Whether it asks only that values are known."""
        return self.rule is Rule.NEW_VALUES

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the rule within its dataset."""
        said = (self.kind, self.table, self.column, self.rule, self.low, self.high, list(self.values))
        return fingerprint(*said, list(self.others)) if self.others else fingerprint(*said)

    @property
    def some_values(self) -> str:
        """The values as people see them: all, or the first of many."""
        more = len(self.values) - _SHOWN_VALUES
        return ", ".join(_by_size(self.values)[:_SHOWN_VALUES]) + (f" and {more} more" if more > 0 else "")

    @property
    def _known_values(self) -> str:
        many = len(self.values) > _LISTED_VALUES
        return f"the {len(self.values)} known ones" if many else listed(_by_size(self.values), "or")

    @property
    def text(self) -> str:
        """The rule in a few words."""
        return {
            Rule.NOT_NULL: f"{self.column} not null",
            Rule.VALUES: f"{self.column} ∈ {{{self.some_values}}}",
            Rule.PATTERN: f"{self.column} ~ {' | '.join(self.values)}",
            Rule.RANGE: _between(self.low, self.column, self.high),
            Rule.LENGTH: _between(self.low, f"length of {self.column}", self.high),
            Rule.NULL_WITH: f"{self.column} null only with {', '.join(self.others)}",
            Rule.AT_MOST: f"{self.column} ≤ {', '.join(self.others)}",
            Rule.NULL_SHARE: f"usual share of nulls in {self.column}",
            Rule.RISING: f"{self.column} rises from delta to delta",
            Rule.FRESH: f"{self.column} as recent as usual",
            Rule.ONE_VALUE: f"one {self.column} in each delta",
            Rule.NEW_VALUES: f"usual new values of {self.column}",
            Rule.NEW_WORDS: f"usual new words in {self.column}",
            Rule.EXTREMES: f"usual extremes of {self.column}",
            Rule.REPEATED: "usual number of repeated rows in a delta",
        }[self.rule]

    @property
    def words(self) -> str:
        """``Every row of flights has a value in dest.``."""
        column, table = self.column, self.table
        return {
            Rule.NOT_NULL: f"Every row of {table} has a value in {column}.",
            Rule.VALUES: f"{column} in {table} is one of {self.some_values}.",
            Rule.RANGE: f"{column} in {table} is {self._bounds}.",
            Rule.LENGTH: f"{column} in {table} has {self._bounds} characters.",
            Rule.PATTERN: f"{column} in {table} looks like {' or '.join(self.values)} (9: digits, a and A: letters).",
            Rule.NULL_SHARE: f"No more rows of a delta of {table} than usual lack a value in {column}.",
            Rule.RISING: f"No delta of {table} brings values of {column} that lie before those of earlier deltas.",
            Rule.FRESH: f"The newest {column} in a delta of {table} is as recent as usual.",
            Rule.ONE_VALUE: f"All rows of a delta of {table} have the same {column}.",
            Rule.NEW_VALUES: f"A delta of {table} brings no unusual new {column}: too many, or misspelt.",
            Rule.NEW_WORDS: f"A delta of {table} brings no unusual new words in {column}: too many, or misspelt.",
            Rule.EXTREMES: f"A delta of {table} brings no {column} far beyond those of the deltas before, as it moves.",
            Rule.NULL_WITH: f"A row of {table} without {column} has no {listed(self.others, 'or')} either.",
            Rule.AT_MOST: f"In a row of {table}, {column} is at most {listed(self.others)}.",
            Rule.REPEATED: f"No more rows than usual come twice in a delta of {table}.",
        }[self.rule]

    @property
    def _bounds(self) -> str:
        if self.low == self.high:
            return f"exactly {self.low}"
        bounds = {"at least": self.low, "at most": self.high}
        return " and ".join(f"{words} {bound}" for words, bound in bounds.items() if bound is not None)

    @property
    def _outside(self) -> str:
        if self.low is None or self.high is None:
            return f"below {self.low}" if self.high is None else f"above {self.high}"
        return f"other than {self.low}" if self.low == self.high else f"outside {self.low} to {self.high}"

    @property
    def _shapes(self) -> str:
        """``A9 (A capital letters, 9 digits)``."""
        signs = {"A": "capital letters", "a": "small letters", "9": "digits"}
        told = ", ".join(f"{sign} {what}" for sign, what in signs.items() if any(sign in v for v in self.values))
        return f"{listed(self.values, 'or')}{f' ({told})' if told else ''}"

    def fault(self, rows: str, *, one: bool) -> str:
        """``5 new rows have no dest``; of a delta as a whole ``more rows than usual come twice``."""
        column, others = self.column, listed(self.others, "or")
        rows, have = rows or "rows of the delta", "has" if one else "have"
        a_column = with_article(column)
        new = "a new " if one else "new values of "
        odd = ", misspelt or out of place" if one else ": misspelt, out of place, or too many"
        return {
            Rule.NOT_NULL: f"{rows} {have} no {column}",
            Rule.VALUES: f"{rows} {have} {a_column} other than {self._known_values}",
            Rule.RANGE: f"{rows} {have} {column} {self._outside}",
            Rule.LENGTH: f"{rows} {have} {a_column} that is not {self._bounds} characters long",
            Rule.PATTERN: f"{rows} {have} {a_column} that is not written as {self._shapes}",
            Rule.NULL_SHARE: f"more rows than usual have no {column}",
            Rule.RISING: f"{rows} {have} {a_column} before those of earlier deltas",
            Rule.FRESH: f"the newest {column} is older than usual",
            Rule.ONE_VALUE: f"the delta has more than one {column}",
            Rule.NEW_VALUES: f"{rows} {have} {new}{column}{odd}",
            Rule.NEW_WORDS: f"{rows} {have} new words in {column}{odd}",
            Rule.EXTREMES: f"{rows} {have} {a_column} far beyond those of the deltas before",
            Rule.NULL_WITH: f"{rows} {have} {with_article(others)} and no {column}",
            Rule.AT_MOST: f"{rows} {have} {column} above {others}",
            Rule.REPEATED: "more rows than usual come twice",
        }[self.rule]

    def worth(self, score: float, support: int, *, partial: bool) -> str:  # noqa: ARG002 - it holds, or is violated
        """How many rows or deltas have obeyed it."""
        told = f"it was learnt from {support:,} deltas" if self.of_deltas else f"{support:,} rows obey it"
        return f"Score {score:.2f}: {told}."

    def renamed(self, renames: Renames) -> Self:
        """The same rule under the names that its columns have now."""
        return self.under(renames.get(self.table, {}))

    def under(self, names: Mapping[str, str]) -> Self:
        """The same rule where columns are called otherwise: former names, and what each is called now."""
        others = tuple(sorted(names.get(name, name) for name in self.others))
        return replace(self, column=names.get(self.column, self.column), others=others)


def _by_size(values: Sequence[str]) -> Sequence[str]:
    """Numbers by their size, and texts as they are."""
    try:
        return sorted(values, key=float)
    except ValueError:
        return values


def _between(low: str | None, what: str, high: str | None) -> str:
    if low == high:
        return f"{what} = {low}"
    return f"{'' if low is None else f'{low} ≤ '}{what}{'' if high is None else f' ≤ {high}'}"
