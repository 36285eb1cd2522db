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
from profiling_core.model.texts import listed

Relation = BesideRow | Summary


@dataclass(frozen=True)
class ReferenceRule(Constraint):
    """A rule along the reference of ``child`` columns to ``parent`` columns."""

    child: ColumnList
    parent: ColumnList
    relation: Annotated[Relation, BeforeValidator(Related.from_json)]
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
        return ColumnList(self.far.table, tuple(dict.fromkeys((*self.far.columns, *self.relation.others))))

    @property
    def tables(self) -> tuple[str, ...]:
        """Its own table, then the other one."""
        return tuple(dict.fromkeys((self.own.table, self.far.table)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its own table."""
        return tuple(dict.fromkeys((*self.own.columns, *self.relation.columns)))

    @property
    def sides(self) -> tuple[ColumnList, ...]:
        """Its own columns, and those of the other side."""
        return (ColumnList(self.own.table, self.columns), self.other)

    @property
    def kept_with(self) -> str:
        """The dataset, since both tables' deltas change it."""
        return DATASET

    @property
    def telling(self) -> tuple[str, ...]:
        """The column that is not as the other side wants it."""
        return (self.relation.column,)

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
        if not isinstance(relation, Beside | ComputedBeside):
            return ()
        if isinstance(relation, Beside) and not relation.gives_column:
            return ()
        if isinstance(relation, ComputedBeside) and relation.precision.is_loose:
            return ()
        given = (name for name in relation.columns if name != relation.column)
        agree = (same_column(name, Operator.EQ) for name in dict.fromkeys((*self.child.columns, *given)))
        return ((*agree, same_column(self.relation.column, Operator.NE)),)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The comparison with the parent's columns, the condition, or the reference alone for rules that compute."""
        relation = self.relation
        if isinstance(relation, ConditionalBeside):
            where = (relation.condition, relation.values, relation.both_ways)
            return ((About.WHERE_ALONG, self.child, self.parent, *where),)
        if not isinstance(relation, Beside):
            return ((About.CHILDREN, self.child, self.parent),)
        compared = () if relation.op == Operator.EQ else (relation.op, relation.other)
        return ((About.PARENT, self.child, self.parent, *compared),)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the rule within its dataset."""
        pairs = sorted(zip(self.child.columns, self.parent.columns, strict=True))
        tables = (self.child.table, self.parent.table)
        said = self.relation.to_json()
        if isinstance(self.relation, Beside | Summary):
            del said["form"]
        return fingerprint(self.kind, *tables, pairs, sorted(said.items()))

    @property
    def text(self) -> str:
        """``payments.paid ≥ orders.ordered``, ``orders.total = sum(items.price)``."""
        left, right = f"{self.own.table}.{self.relation.column}", self.far.table
        if isinstance(self.relation, Beside):
            other = f"{right}.{self.relation.other}"
            left, other = (
                f"date({n})" if day else n for n, day in zip((left, other), self.relation.by_day, strict=True)
            )
            return f"{left} {self.relation.op} {other} (by {', '.join(self.child.columns)})"
        if isinstance(self.relation, ComputedBeside):
            made = self.relation.precision.text(self._computed(f"{right}.{{}}").text)
            return f"{left} = {made} (by {', '.join(self.child.columns)})"
        if isinstance(self.relation, ConditionalBeside):
            return (
                f"{self._row_rule(f'{self.own.table}.{{}}', f'{right}.{{}}').text} (by {', '.join(self.child.columns)})"
            )
        of = f"{right}.{self.relation.other}" if self.relation.other else right
        of += f" where {among(self.relation.among, self.relation.values)}" if self.relation.among else ""
        return f"{left} = {self.relation.aggregate}({of}) (by {', '.join(self.child.columns)})"

    @property
    def words(self) -> str:
        """``Each total in orders is the sum of price of its rows in items.``."""
        column, far = f"{self.relation.column} in {self.own.table}", self.far.table
        if isinstance(self.relation, Beside):
            return self.words_with(VERBS[Operator(self.relation.op)])
        if isinstance(self.relation, ComputedBeside):
            made = self._computed(f"the {{}} of {self._beside}").words
            return f"Each {column} is {made}{self.relation.precision.words}."
        if isinstance(self.relation, ConditionalBeside):
            return self._row_rule(f"{{}} in {self.own.table}", f"the {{}} of {self._beside}").words
        if self.relation.aggregate == Aggregate.COUNT:
            with_one = f" that have a value of {self.relation.other}" if self.relation.other else ""
            return f"Each {column} is the number of its rows in {far}{with_one}{self._among}."
        joint = "of" if self.relation.aggregate == Aggregate.SUM else ""
        summed = " ".join(filter(None, (self.relation.aggregate, joint, self.relation.other)))
        return f"Each {column} is the {summed} of its rows in {far}{self._among}."

    @property
    def _among(self) -> str:
        """Which of the children a summary counts, in words; empty: all."""
        if not isinstance(self.relation, Summary) or not self.relation.among:
            return ""
        return f" whose {self.relation.among} is {listed(self.relation.values, 'or')}"

    def words_with(self, verb: str) -> str:
        """How a row stands to its parent: ``Each paid in payments is at least the ordered of its row in orders.``."""
        own, far = self.relation.by_day if isinstance(self.relation, Beside) else (False, False)
        each, others = "The day of each" if own else "Each", listed(self.relation.others)
        of_other = f"the day of the {others}" if far else f"the {others}"
        return f"{each} {self.relation.column} in {self.own.table} {verb} {of_other} of {self._beside}."

    @property
    def _beside(self) -> str:
        """What a row is beside, in words."""
        if self.far.table == self.own.table:
            return f"the row that its {listed(self.child.columns)} names"
        return f"its row in {self.far.table}"

    def _computed(self, called: str) -> Expression:
        """What a column is computed as, the parent's columns under names that people read."""
        if not isinstance(self.relation, ComputedBeside):
            raise TypeError(f"nothing is computed: {self.text}")
        return self.relation.value.renamed({OF_PARENT + n: called.format(n) for n in self.relation.others})

    def _row_rule(self, own: str, far: str) -> Constraint:
        """The conditional rule of a row beside its parent, its columns under names that people read."""
        if not isinstance(self.relation, ConditionalBeside):
            raise TypeError(f"no condition is part of it: {self.text}")
        names = {name: own.format(name) for name in self.relation.columns}
        names |= {OF_PARENT + name: far.format(name) for name in self.relation.others}
        return self.relation.rule.renamed({"": names})

    def worth(self, score: float, support: int, *, partial: bool) -> str:  # noqa: ARG002 - the same for all
        """How many rows put it to the test."""
        return f"{support:,} rows of {self.own.table} tested it."

    def renamed(self, renames: Renames) -> Self:
        """The same rule under the names that its columns have now."""
        own, far = (renames.get(side.table, {}) for side in (self.own, self.far))
        child, parent = (side.renamed(renames) for side in (self.child, self.parent))
        return replace(self, child=child, parent=parent, relation=self.relation.renamed(own, far))
