"""What every kind of constraint says of itself, so that no other code asks of which kind it is.

A kind is a frozen dataclass in a module of its own, listed in ``registry.py``. What is abstract here each kind writes;
the rest has what holds for most. How a kind becomes SQL, and how its violating rows are found, is said in rooms of the
same names in ``emit/kinds`` and ``spark/kinds``.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from profiling_core.model.identity import Kind
from profiling_core.model.predicate import Predicate
from profiling_core.model.stored import Stored

if TYPE_CHECKING:
    from profiling_core.model.dataset import Thresholds

Renames = Mapping[str, Mapping[str, str]]


class Nouns(NamedTuple):
    """The words for one constraint of a kind, for several, and for the kind in a narrow column."""

    one: str
    many: str
    short: str

    def of(self, count: int) -> str:
        """The words for a count."""
        return self.one if count == 1 else self.many


class Limits(NamedTuple):
    """Between which bounds a column's numbers lie, or how long its texts are; without either: as far as is usual."""

    column: str
    low: str | None
    high: str | None
    of_lengths: bool

    @property
    def are_usual(self) -> bool:
        """Whether there are no bounds but what has come so far."""
        return self.low is None and self.high is None


class Unit(NamedTuple):
    """The unit of violations: one, several, and "3 of 7 …"."""

    one: str
    many: str
    among: str

    def of(self, count: int) -> str:
        """The word for a count."""
        return self.one if count == 1 else self.many


PAIRS = Unit("ordered pair", "ordered pairs", "ordered pairs")
ROWS = Unit("row", "rows", "rows")
DELTAS = Unit("delta", "deltas", "deltas")
MISSING_VALUES = Unit("missing value", "missing values", "values missing")


class About(StrEnum):
    """The common part of constraints that a person says in one sentence."""

    DETERMINED = "determined"
    REFERRING = "referring"
    WHERE = "where"
    THERE = "there"
    BANDS = "bands"
    ALIKE = "alike"
    OF_ONE = "of one"
    PARENT = "parent"
    CHILDREN = "children"
    WHERE_ALONG = "where along"
    AS_IT_RISES = "as it rises"
    ALONG = "along"


Subject = tuple[object, ...]
"""What a constraint is about: :class:`About`, then what others of its kind have to have in common with it."""


@dataclass(frozen=True, slots=True, order=True)
class ColumnList(Stored):
    """Columns of one table, in order: one side of a dependency."""

    table: str
    columns: tuple[str, ...]

    def renamed(self, renames: Renames) -> "ColumnList":
        """The same columns under the names that they have now."""
        names = renames.get(self.table, {})
        return ColumnList(self.table, tuple(names.get(name, name) for name in self.columns))


class Constraint(Stored, ABC):
    """A rule that data keep, of any kind.

    No field of a kind's dataclass may have the name of a property here: dataclasses would take that for its default.
    """

    __tag__ = "kind"
    __derived__: ClassVar[tuple[str, ...]] = ("text",)
    kind: ClassVar[Kind]
    nouns: ClassVar[Nouns]
    # False: it alerts whatever its rank, since it was taken up only because the table's history supports it.
    needs_rank: ClassVar[bool] = True

    @property
    @abstractmethod
    def tables(self) -> tuple[str, ...]:
        """The tables that the constraint speaks of, its own first."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns of its own table that the constraint speaks of, each once, in order of appearance."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the constraint within its dataset."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The constraint in the field's notation."""

    @property
    @abstractmethod
    def words(self) -> str:
        """One sentence that says what the constraint asks of the data; names stand as they are."""

    @abstractmethod
    def renamed(self, renames: Renames) -> Self:
        """The same constraint under the names that its columns have now.

        Args:
            renames: per table, former names of columns and what each is called now.
        """

    @abstractmethod
    def worth(self, score: float, support: int, *, partial: bool) -> str:
        """The evidence for the constraint, in words; empty where it is read otherwise.

        Args:
            score: how surprising it is.
            support: how many cases put it to the test.
            partial: whether it is violated within its threshold.
        """

    @property
    def familiar(self) -> "Constraint":
        """The constraint of another kind that says the same in a form that people know, where there is one."""
        return self

    @property
    def sides(self) -> tuple[ColumnList, ...]:
        """All columns that the constraint speaks of, by table."""
        return (ColumnList(self.tables[0], self.columns),)

    @property
    def kept_with(self) -> str:
        """The table whose results it is among; ``DATASET`` where it stands with the dataset."""
        return self.tables[0]

    @property
    def unit(self) -> Unit:
        """The unit of its violations."""
        return ROWS

    @property
    def telling(self) -> tuple[str, ...]:
        """The columns in which a violation shows."""
        return self.columns

    @property
    def determinant(self) -> tuple[str, ...]:
        """The columns on which rows have to agree for the constraint to speak of them; the left side of an FD."""
        return ()

    @property
    def about(self) -> tuple[str, ...]:
        """The columns whose values say which things a violation is about: its rows agree on them."""
        return self.determinant

    @property
    def naming(self) -> tuple[str, ...]:
        """The columns whose values name a violation, since they have to be equal or to be there.

        None: it compares sizes, which differ from row to row.
        """
        return ()

    @property
    def measuring(self) -> tuple[str, ...]:
        """The columns whose values it takes for amounts or moments: it computes with them, or says which is greater."""
        return ()

    @property
    def against(self) -> tuple[tuple[str, ...], str]:
        """The columns of another row that a row is compared with, and whose they are; none: those that it tells."""
        return (), ""

    @property
    def limits(self) -> Limits | None:
        """How far a column may go, where that is what it asks; None: it asks something else."""
        return None

    @property
    def denied(self) -> tuple[Predicate, ...]:
        """The predicates it denies of pairs of rows; of two constraints the one with fewer of them is more general."""
        return ()

    @property
    def entails(self) -> tuple[tuple[Predicate, ...], ...]:
        """The denials that follow from it: no two rows of its table satisfy all predicates of one."""
        return (self.denied,) if self.denied else ()

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Its subjects; constraints that all have one of them in common may be told in one line."""
        return ()

    @property
    def size(self) -> int:
        """Of how many parts it is made: short ones come first."""
        return len(self.columns)

    @property
    def of_deltas(self) -> bool:
        """Whether a delta obeys it, rather than rows."""
        return False

    @property
    def reads_plainly(self) -> bool:
        """Whether a person can say of a row that violates it whether it is wrong: else its breaks are not told."""
        return True

    @property
    def needs_surprise(self) -> bool:
        """Whether its break alerts only where chance would lead one to expect many violations."""
        return False

    @property
    def may_hold_by_accident(self) -> bool:
        """Whether nothing speaks for it but that it has held so far: it breaks in the next of n deltas once in n."""
        return False

    @property
    def can_set_aside(self) -> bool:
        """Whether a policy can keep out the rows that violate it: one delta's rows alone tell which they are."""
        return True

    @property
    def breaks_once(self) -> bool:
        """Whether what violates it again, once it is violated, is mostly the same as before, and no news."""
        return False

    @property
    def excused_by_lists(self) -> bool:
        """Whether values break it only because they are new: those that another table lists are no news."""
        return False

    def fault(self, rows: str, *, one: bool) -> str:
        """The fault of violating rows: ``3 new rows have another distance than …``.

        Args:
            rows: which rows, as the sentence begins; empty where a delta as a whole violates it.
            one: whether it is a single row.
        """
        words = self.words.rstrip(".")
        return f"{rows} {'breaks' if one else 'break'} the rule “{words}”" if rows else f"the delta breaks “{words}”"

    @property
    def question(self) -> Hashable:
        """The question it answers; rejecting a constraint rejects all other answers to the same question, too."""
        return self.fingerprint

    def threshold(self, errors: "Thresholds") -> float:  # noqa: ARG002 - most kinds hold exactly
        """The error that an approximate constraint of the kind may have."""
        return 0.0

    def described(self) -> dict[str, Any]:
        """The JSON of a constraint for programs: the common fields, then those of its kind."""
        said = {"kind": self.kind.value, "table": self.tables[0], "columns": list(self.columns)}
        return said | {"text": self.text, "words": self.words} | self.to_json()


class RowConstraint(Constraint):
    """A constraint on pairs of rows, or on rows, that a denial constraint says."""

    @property
    @abstractmethod
    def denied(self) -> tuple[Predicate, ...]:
        """The predicates that no two rows may satisfy together."""

    @property
    def familiar(self) -> "RowConstraint":
        """The UCC or FD that says the same, where one does; else the constraint itself."""
        return self

    @property
    def is_single_row(self) -> bool:
        """Whether all predicates speak of one row."""
        return all(p.is_single_row for p in self.denied)

    @property
    def needs_surprise(self) -> bool:
        """Between rows. Columns of one row rise together: how their values would meet by chance says little of them.

        Whether two numbers of a row are in order by chance, the rows themselves say.
        """
        return not self.is_single_row

    @property
    def unit(self) -> Unit:
        """Ordered pairs of rows, or rows."""
        return ROWS if self.is_single_row else PAIRS

    def worth(self, score: float, support: int, *, partial: bool) -> str:
        """How many violations chance would lead one to expect."""
        expected = 10 ** (score / 2 if self.is_single_row else score)
        times = f"about {expected:,.0f} times as many" if partial else f"about {expected:,.0f}"
        return f"Score {score:.2f}: by chance there would be {times} violations; {support:,} cases tested it."
