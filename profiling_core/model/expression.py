"""The right sides of equations within a row (docs/semantics.md, "Equations within a row"), from the module of each."""

from profiling_core.model.expressions.calendar import MOST_DAYS, MOST_MONTHS, Completed, MonthsOn
from profiling_core.model.expressions.checked import CheckDigits
from profiling_core.model.expressions.combined import Late, Polynomial
from profiling_core.model.expressions.expression import Expression, Precision, constant_text
from profiling_core.model.expressions.logarithmic import Logarithm
from profiling_core.model.expressions.numeric import (
    Elapsed,
    Linear,
    Product,
    RelativeDifference,
    SumOfWhatIsThere,
    WholeParts,
)
from profiling_core.model.expressions.temporal import (
    MONTHS,
    STAMPS,
    WEEKDAYS,
    DatePart,
    OnDay,
    Part,
    Shifted,
    Stamped,
    written_pieces,
)
from profiling_core.model.expressions.textual import LAST, PIECE, WHOLE, Abridged, Cut, Inscribed, Joined

__all__ = [
    "LAST",
    "MONTHS",
    "MOST_DAYS",
    "MOST_MONTHS",
    "PIECE",
    "STAMPS",
    "WEEKDAYS",
    "WHOLE",
    "Abridged",
    "CheckDigits",
    "Completed",
    "Cut",
    "DatePart",
    "Elapsed",
    "Expression",
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
    "WholeParts",
    "constant_text",
    "written_pieces",
]
