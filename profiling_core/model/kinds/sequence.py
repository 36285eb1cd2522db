"""Rules from one row of a sequence to the next (docs/semantics.md, "Rules along a sequence").

Compare: sequential dependencies, which bound the distance of a column's neighbours in the order of another, in Golab,
Karloff, Korn, Saha, Srivastava, "Sequential dependencies" (PVLDB 2009), section 2.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator

from profiling_core.model.identity import Kind, fingerprint
from profiling_core.model.kinds.constraint import About, Constraint, Nouns, Renames, Subject
from profiling_core.model.kinds.relation import OF_PARENT, VERBS, Beside, ComputedBeside, Related
from profiling_core.model.predicate import Operator
from profiling_core.model.texts import listed

Step = Beside | ComputedBeside


@dataclass(frozen=True)
class SequenceRule(Constraint):
    """How a row stands to the row before it: the last one with a lesser ``by`` that agrees with it on ``group``.

    In ``step`` the row before takes the place of the parent.
    """

    table: str
    group: tuple[str, ...]
    by: str
    step: Annotated[Step, BeforeValidator(Related.from_json)]
    kind = Kind.SEQUENCE
    nouns: ClassVar[Nouns] = Nouns("rule along a sequence", "rules along sequences", "sequence")

    @property
    def tables(self) -> tuple[str, ...]:
        """The table that the rule speaks of."""
        return (self.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the group, the one that orders it, and those that are compared."""
        return tuple(dict.fromkeys((*self.group, self.by, *self.step.columns, *self.step.others)))

    @property
    def telling(self) -> tuple[str, ...]:
        """The column that is not as the row before wants it."""
        return (self.step.column,)

    @property
    def about(self) -> tuple[str, ...]:
        """Those of the group."""
        return self.group

    @property
    def against(self) -> tuple[tuple[str, ...], str]:
        """Those of the row before."""
        return self.step.others, "the row before"

    @property
    def can_set_aside(self) -> bool:
        """Not: which rows violate it depends on the other rows of their group."""
        return False

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The sequence that it runs along."""
        return ((About.ALONG, self.group, self.by),)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the rule within its dataset."""
        return fingerprint(self.kind, self.table, sorted(self.group), self.by, sorted(self.step.to_json().items()))

    @property
    def text(self) -> str:
        """``start = previous end (by room, start)``."""
        step, along = self.step, f"(by {', '.join((*self.group, self.by))})"
        if isinstance(step, Beside):
            return f"{step.column} {step.op} previous {step.other} {along}"
        value = step.value.renamed({OF_PARENT + name: f"previous {name}" for name in step.others})
        return f"{step.column} = {step.precision.text(value.text)} {along}"

    @property
    def words(self) -> str:
        """``For the same room, in the order of start, each start in stays is the end of the row before.``."""
        step, each = self.step, f"each {self.step.column} in {self.table}"
        if isinstance(step, Beside):
            said = f"{each} {VERBS[Operator(step.op)]} the {step.other} of the row before"
        else:
            value = step.value.renamed({OF_PARENT + name: f"the {name} of the row before" for name in step.others})
            said = f"{each} is {value.words}{step.precision.words}"
        order = f"in the order of {self.by}, {said}."
        return f"For the same {listed(self.group)}, {order}" if self.group else order[0].upper() + order[1:]

    def worth(self, score: float, support: int, *, partial: bool) -> str:  # noqa: ARG002 - the same for all
        """How many rows put it to the test."""
        return f"{support:,} rows with a row before them tested it."

    def renamed(self, renames: Renames) -> Self:
        """The same rule under the names that its columns have now."""
        names = renames.get(self.table, {})
        group = tuple(names.get(name, name) for name in self.group)
        return replace(self, group=group, by=names.get(self.by, self.by), step=self.step.renamed(names, names))
