"""The form of every kind of constraint."""

from collections.abc import Mapping

from profiling_core.emit.kinds import (
    column,
    conditional,
    denial,
    equation,
    functional,
    inclusion,
    reference,
    sequence,
    unique,
)
from profiling_core.emit.kinds.form import Form
from profiling_core.model.constraint import Constraint, Kind

FORMS: Mapping[Kind, Form] = {
    Kind.DC: denial.FORM,
    Kind.FD: functional.FORM,
    Kind.UCC: unique.FORM,
    Kind.IND: inclusion.FORM,
    Kind.COLUMN: column.FORM,
    Kind.EQUATION: equation.FORM,
    Kind.CONDITIONAL: conditional.FORM,
    Kind.REFERENCE: reference.FORM,
    Kind.SEQUENCE: sequence.FORM,
}


def form_of(constraint: Constraint) -> Form:
    """The form in which other programs take a constraint: that of its familiar form."""
    return FORMS[constraint.familiar.kind]
