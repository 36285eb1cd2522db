"""The kinds that there are. A new one is a line here, and its rooms in the layers that it needs."""

from collections.abc import Mapping

from profiling_core.model.identity import Kind
from profiling_core.model.kinds.column import ColumnRule
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.constraint import Constraint, Renames
from profiling_core.model.kinds.denial import DenialConstraint
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.functional import FunctionalDependency
from profiling_core.model.kinds.inclusion import InclusionDependency
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.sequence import SequenceRule
from profiling_core.model.kinds.unique import UniqueColumnCombination

KINDS: Mapping[Kind, type[Constraint]] = {
    made.kind: made
    for made in (
        DenialConstraint,
        FunctionalDependency,
        UniqueColumnCombination,
        InclusionDependency,
        ColumnRule,
        Conditional,
        Equation,
        ReferenceRule,
        SequenceRule,
    )
}


def renamed(constraint: Constraint, renames: Renames) -> Constraint:
    """The same constraint where columns have been renamed; itself where none of its tables' were.

    Args:
        constraint: a constraint under any names that its columns have had.
        renames: per table, former names of columns and what each is called now.
    """
    return constraint.renamed(renames) if any(renames.get(table) for table in constraint.tables) else constraint
