"""The right sides of equations within a row (docs/semantics.md, "Equations within a row"), from the module of each."""

from collections.abc import Mapping
from typing import Any

from profiling_core.model.expressions.expression import Expression, Precision, constant_text
from profiling_core.model.expressions.numeric import Elapsed, Linear, Product, RelativeDifference
from profiling_core.model.expressions.temporal import DatePart, OnDay, Part, Shifted
from profiling_core.model.expressions.textual import WHOLE, Abridged, Cased, Cut, Joined

__all__ = [
    "WHOLE",
    "Abridged",
    "Cased",
    "Cut",
    "DatePart",
    "Elapsed",
    "Expression",
    "Joined",
    "Linear",
    "OnDay",
    "Part",
    "Precision",
    "Product",
    "RelativeDifference",
    "Shifted",
    "constant_text",
    "expression_from_json",
]

_FORMS: Mapping[str, type[Expression]] = {
    form.form: form
    for form in (Linear, Product, RelativeDifference, Elapsed, Shifted, OnDay, Part, Joined, Abridged, Cut, Cased)
}


def expression_from_json(data: Mapping[str, Any]) -> Expression:
    """The inverse of the expressions' ``to_json``."""
    return _FORMS[data["form"]].from_json(data)
