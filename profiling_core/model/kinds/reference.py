"""Rules along references: a row beside its parent, a parent beside its children (docs/semantics.md)."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator

from profiling_core.model.consequent import among
from profiling_core.model.expression import Expression
from profiling_core.model.identity import DATASET, Kind, fingerprint
from profiling_core.model.kinds.constraint import About, ColumnList, Constraint, Nouns, Renames, Subject
from profiling_core.model.kinds.relation import (
    OF_PARENT,
    ON_THE_WAY,
    VERBS,
    Aggregate,
    Beside,
    BesideRow,
    ComputedBeside,
    ConditionalBeside,
    Related,
    Summary,
)
from profiling_core.model.predicate import Operator, Predicate, same_column
from profiling_core.model.stored import Sparse
from profiling_core.model.texts import listed

Relation = BesideRow | Summary


@dataclass(frozen=True)
class ReferenceRule(Constraint):
    """A rule along the reference of ``child`` columns to ``parent`` columns.

    ``via``: the two sides of a first reference of the child. The child then has the columns of the row that it leads
    to, with :data:`ON_THE_WAY` before their names: it may refer by them, and the rule may speak of them.
    """

    child: ColumnList
    parent: ColumnList
    relation: Annotated[Relation, BeforeValidator(Related.from_json)]
    via: Sparse[tuple[ColumnList, ...]] = ()
    kind = Kind.REFERENCE
    __derived__: ClassVar[tuple[str, ...]] = ("other", "text")
    nouns: ClassVar[Nouns] = Nouns("rule along a reference", "rules along references", "reference")

    @property
    def own(self) -> ColumnList:
        """The side whose rows violate it: the child beside its parent, the parent beside its children."""
        return self.parent if isinstance(self.relation, Summary) else self.child

    @property
    def far(self) -> ColumnList:
        """The side that rows are compared with."""
        return self.child if isinstance(self.relation, Summary) else self.parent

    @property
    def other(self) -> ColumnList:
        """All columns of the other side that the rule speaks of."""
        return self._spoken_of(self.far, self.relation.others)

    @property
    def tables(self) -> tuple[str, ...]:
        """Its own table, then the others."""
        return tuple(dict.fromkeys((self.own.table, self.far.table, *(side.table for side in self.via))))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its own table."""
        return self._spoken_of(self.own, self.relation.columns).columns

    @property
    def sides(self) -> tuple[ColumnList, ...]:
        """Its own columns, those of the other side, and those of the row on the way."""
        return (ColumnList(self.own.table, self.columns), self.other, *self._on_the_way)

    def _spoken_of(self, side: ColumnList, names: tuple[str, ...]) -> ColumnList:
        """The columns that a side's table itself has, of those that the rule names."""
        first = self.via[0].columns if self.via and side == self.child else ()
        named = (name for name in (*side.columns, *names) if not name.startswith(ON_THE_WAY))
        return ColumnList(side.table, tuple(dict.fromkeys((*first, *named))))

    @property
    def _on_the_way(self) -> tuple[ColumnList, ...]:
        """All columns that the rule speaks of of the row that the first reference leads to, if there is one."""
        names = (*self.child.columns, *self.relation.columns, *self.relation.others)
        taken = (name.removeprefix(ON_THE_WAY) for name in names if name.startswith(ON_THE_WAY))
        return tuple(ColumnList(s.table, tuple(dict.fromkeys((*s.columns, *taken)))) for s in self.via[1:])

    @property
    def kept_with(self) -> str:
        """The dataset, since both tables' deltas change it."""
        return DATASET

    @property
    def telling(self) -> tuple[str, ...]:
        """The column that is not as the other side wants it; of a row on the way, what refers to it."""
        return self.via[0].columns if self.relation.column.startswith(ON_THE_WAY) else (self.relation.column,)

    @property
    def against(self) -> tuple[tuple[str, ...], str]:
        """Those of the parent."""
        return ((), "") if isinstance(self.relation, Summary) else (self.relation.others, self._beside)

    @property
    def can_set_aside(self) -> bool:
        """Not: which rows violate it depends on the other table's delta too."""
        return False

    @property
    def may_hold_by_accident(self) -> bool:
        """Whether the conditional rule of a row and its parent may."""
        return isinstance(self.relation, ConditionalBeside) and self.relation.rule.may_hold_by_accident

    @property
    def entails(self) -> tuple[tuple[Predicate, ...], ...]:
        """Children of one parent agree on what is the same as the parent's, or computed of that; parents are unique."""
        relation = self.relation
        if not isinstance(relation, Beside | ComputedBeside) or relation.column.startswith(ON_THE_WAY):
            return ()
        if isinstance(relation, Beside) and not relation.gives_column:
            return ()
        if isinstance(relation, ComputedBeside) and relation.precision.is_loose:
            return ()
        agree = (same_column(name, Operator.EQ) for name in self.columns if name != relation.column)
        return ((*agree, same_column(self.relation.column, Operator.NE)),)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The comparison with the parent's columns, the condition, or the reference alone for rules that compute."""
        relation = self.relation
        if isinstance(relation, ConditionalBeside):
            where = (relation.condition, relation.values, relation.both_ways)
            return ((About.WHERE_ALONG, self.child, self.parent, *self.via, *where),)
        if not isinstance(relation, Beside):
            return ((About.CHILDREN, self.child, self.parent, *self.via),)
        compared = () if relation.op == Operator.EQ else (relation.op, relation.other)
        return ((About.PARENT, self.child, self.parent, *self.via, *compared),)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the rule within its dataset."""
        pairs = sorted(zip(self.child.columns, self.parent.columns, strict=True))
        tables = (self.child.table, self.parent.table)
        said = self.relation.to_json()
        if isinstance(self.relation, Beside | Summary):
            del said["form"]
        way = [sorted(zip(*(side.columns for side in self.via), strict=True)), self.via[1].table] if self.via else []
        return fingerprint(self.kind, *tables, pairs, sorted(said.items()), *way)

    @property
    def text(self) -> str:
        """``payments.paid ≥ orders.ordered``, ``orders.total = sum(items.price)``."""
        left, other = self._called(self.own.table, self.relation.column), f"{self.far.table}.{{}}"
        if isinstance(self.relation, Beside):
            sides = zip((left, other.format(self.relation.other)), self.relation.by_day, strict=True)
            left, right = (f"date({name})" if day else name for name, day in sides)
            return f"{left} {self.relation.op} {right} ({self._by})"
        if isinstance(self.relation, ComputedBeside):
            return f"{left} = {self.relation.precision.text(self._computed('{0}.{1}', other).text)} ({self._by})"
        if isinstance(self.relation, ConditionalBeside):
            return f"{self._row_rule('{0}.{1}', other).text} ({self._by})"
        of = self._called(self.far.table, self.relation.other) if self.relation.other else self.far.table
        kind = self.relation.among
        kind = self._called("", kind) if kind.startswith(ON_THE_WAY) else kind
        of += f" where {among(kind, self.relation.values)}" if kind else ""
        return f"{left} = {self.relation.aggregate}({of}) ({self._by})"

    def _called(self, table: str, name: str) -> str:
        """A column with its table before it."""
        table = self.via[1].table if name.startswith(ON_THE_WAY) else table
        return f"{table}.{name.removeprefix(ON_THE_WAY)}"

    @property
    def _by(self) -> str:
        """By which columns rows belong together; whose they are where the rule begins with another table's."""
        names = [*(self.via[0].columns if self.via else ()), *self.child.columns]
        by = ", ".join(self._called("", name) if name.startswith(ON_THE_WAY) else name for name in names)
        return f"by {by}" if not self.relation.column.startswith(ON_THE_WAY) else f"by {by} of {self.child.table}"

    @property
    def words(self) -> str:
        """``Each total in orders is the sum of price of its rows in items.``."""
        column, far = self._of_table(self.own.table, self.relation.column), self.far.table
        if isinstance(self.relation, Beside):
            return self.words_with(VERBS[Operator(self.relation.op)])
        if isinstance(self.relation, ComputedBeside):
            made = self._computed("the {1} of its row in {0}", f"the {{}} of {self._beside}").words
            return f"Each {column} is {made}{self.relation.precision.words}."
        if isinstance(self.relation, ConditionalBeside):
            return self._row_rule("{1} in {0}", f"the {{}} of {self._beside}").words
        if self.relation.aggregate == Aggregate.COUNT:
            with_one = f" that have a value of {self._of_table('', self.relation.other)}" if self.relation.other else ""
            return f"Each {column} is the number of its rows in {far}{with_one}{self._among}."
        joint = "of" if self.relation.aggregate == Aggregate.SUM else ""
        other = self._of_table("", self.relation.other)
        summed = " ".join(filter(None, (self.relation.aggregate, joint, other)))
        return f"Each {column} is the {summed} of its rows in {far}{self._among}."

    def _of_table(self, table: str, name: str) -> str:
        """A column in words, with its table where one is given, or where it is that of the row on the way."""
        table = self.via[1].table if name.startswith(ON_THE_WAY) else table
        return f"{name.removeprefix(ON_THE_WAY)} in {table}" if table else name

    @property
    def _among(self) -> str:
        """Which of the children a summary counts, in words; empty: all."""
        if not isinstance(self.relation, Summary) or not self.relation.among:
            return ""
        return f" whose {self._of_table('', self.relation.among)} is {listed(self.relation.values, 'or')}"

    def words_with(self, verb: str) -> str:
        """How a row stands to its parent: ``Each paid in payments is at least the ordered of its row in orders.``."""
        own, far = self.relation.by_day if isinstance(self.relation, Beside) else (False, False)
        each, others = "The day of each" if own else "Each", listed(self.relation.others)
        of_other = f"the day of the {others}" if far else f"the {others}"
        if self.relation.column.startswith(ON_THE_WAY):
            column = f"{'the day of ' if own else ''}the {self.relation.column.removeprefix(ON_THE_WAY)}"
            of = self._named(self.via[1].table, self.via[0])
            return f"For each row in {self.child.table} {column} of {of} {verb} {of_other} of {self._beside}."
        return f"{each} {self.relation.column} in {self.own.table} {verb} {of_other} of {self._beside}."

    @property
    def _beside(self) -> str:
        """What a row is beside, in words."""
        if any(name.startswith(ON_THE_WAY) for name in self.child.columns):
            return f"the row in {self.far.table} of {self._named(self.via[1].table, self.via[0])}"
        return self._named(self.far.table, self.child)

    def _named(self, table: str, referring: ColumnList) -> str:
        """The row that a row's columns refer to: by them, where its table alone does not tell."""
        if table == referring.table:
            return f"the row that its {listed(referring.columns)} names"
        if self.via and self.via[1].table == self.parent.table:
            return f"the row in {table} that its {listed(referring.columns)} names"
        return f"its row in {table}"

    def _names(self, called: str, far: str) -> dict[str, str]:
        """The columns of other rows under names that people read; ``called``: by table and column on the way."""
        names = (*self.relation.columns, *self.relation.others)
        taken = ((n, n.removeprefix(ON_THE_WAY)) for n in names if n.startswith(ON_THE_WAY))
        mine = {n: called.format(self.via[1].table, plain) for n, plain in taken}
        return mine | {OF_PARENT + n: far.format(n) for n in self.relation.others}

    def _computed(self, called: str, far: str) -> Expression:
        """What a column is computed as, other rows' columns under names that people read."""
        if not isinstance(self.relation, ComputedBeside):
            raise TypeError(f"nothing is computed: {self.text}")
        return self.relation.value.renamed(self._names(called, far))

    def _row_rule(self, called: str, far: str) -> Constraint:
        """The conditional rule of a row beside its parent, its columns under names that people read."""
        if not isinstance(self.relation, ConditionalBeside):
            raise TypeError(f"no condition is part of it: {self.text}")
        names = {name: called.format(self.own.table, name) for name in self.relation.columns}
        return self.relation.rule.renamed({"": names | self._names(called, far)})

    def worth(self, score: float, support: int, *, partial: bool) -> str:  # noqa: ARG002 - the same for all
        """How many rows put it to the test."""
        return f"{support:,} rows of {self.own.table} tested it."

    def renamed(self, renames: Renames) -> Self:
        """The same rule under the names that its columns have now."""
        taken = renames.get(self.via[1].table, {}) if self.via else {}
        on_the_way = {ON_THE_WAY + name: ON_THE_WAY + new for name, new in taken.items()}
        wide = {**renames, self.child.table: {**renames.get(self.child.table, {}), **on_the_way}}
        sides = (wide if side == self.child else renames for side in (self.own, self.far))
        own, far = (names.get(side.table, {}) for names, side in zip(sides, (self.own, self.far), strict=True))
        return replace(
            self,
            child=self.child.renamed(wide),
            parent=self.parent.renamed(renames),
            relation=self.relation.renamed(own, far),
            via=tuple(side.renamed(renames) for side in self.via),
        )
