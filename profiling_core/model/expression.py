"""The right sides of equations within a row (docs/semantics.md, "Equations within a row"), from the module of each."""

from collections.abc import Mapping
from typing import Any

from profiling_core.model.expressions.calendar import MOST_DAYS, MOST_MONTHS, Completed, DaysOn, MonthsOn, WeeksOn
from profiling_core.model.expressions.combined import Extreme, Late, Polynomial
from profiling_core.model.expressions.expression import Expression, Precision, constant_text
from profiling_core.model.expressions.logarithmic import Logarithm
from profiling_core.model.expressions.numeric import (
    Apart,
    Distance,
    Elapsed,
    Linear,
    Product,
    RelativeDifference,
    SumOfWhatIsThere,
    WholeParts,
)
from profiling_core.model.expressions.temporal import STAMPS, DatePart, OnDay, Part, Shifted, Stamped, written_pieces
from profiling_core.model.expressions.textual import PIECE, WHOLE, Abridged, Cased, Cut, Inscribed, Joined

__all__ = [
    "MOST_DAYS",
    "MOST_MONTHS",
    "PIECE",
    "STAMPS",
    "WHOLE",
    "Abridged",
    "Apart",
    "Cased",
    "Completed",
    "Cut",
    "DatePart",
    "DaysOn",
    "Distance",
    "Elapsed",
    "Expression",
    "Extreme",
    "Inscribed",
    "Joined",
    "Late",
    "Linear",
    "Logarithm",
    "MonthsOn",
    "OnDay",
    "Part",
    "Polynomial",
    "Precision",
    "Product",
    "RelativeDifference",
    "Shifted",
    "Stamped",
    "SumOfWhatIsThere",
    "WeeksOn",
    "WholeParts",
    "constant_text",
    "expression_from_json",
    "written_pieces",
]

_FORMS: Mapping[str, type[Expression]] = {
    form.form: form
    for form in (
        *(Linear, SumOfWhatIsThere, Distance, Product, WholeParts, RelativeDifference, Elapsed, Apart),
        *(Late, Polynomial, Extreme, Logarithm, Completed, MonthsOn, DaysOn, WeeksOn),
        *(Shifted, OnDay, Part, Stamped, Joined, Abridged, Inscribed, Cut, Cased),
    )
}


def expression_from_json(data: Mapping[str, Any]) -> Expression:
    """The inverse of the expressions' ``to_json``."""
    return _FORMS[data["form"]].from_json(data)
