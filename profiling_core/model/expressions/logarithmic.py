"""Logarithms, as statisticians keep them beside what they are of: of a wage, of one more than a count, of odds."""

from dataclasses import dataclass
from math import log

from profiling_core.model.expressions.expression import Expression

_SUBSCRIPTS = {"e": "ln", "10": "log₁₀", "2": "log₂"}
_SAID = {"e": "the logarithm of", "10": "the decimal logarithm of", "2": "the binary logarithm of"}


@dataclass(frozen=True)
class Logarithm(Expression):
    """The logarithm to a ``base`` (``e``, ``10`` or ``2``) of a column, of ``plus`` more than it, or over another."""

    over: str
    under: str = ""
    base: str = "e"
    plus: int = 0
    form = "logarithm"
    is_numeric = True
    naming = ("over", "under")

    @property
    def per_unit(self) -> float:
        """The base's natural logarithm, by which one is divided."""
        return 1.0 if self.base == "e" else log(float(self.base))

    @property
    def text(self) -> str:
        """``ln(wage)``, ``log₁₀(visits + 1)``."""
        return f"{_SUBSCRIPTS[self.base]}({self._of()})"

    @property
    def words(self) -> str:
        """``the logarithm of wage``."""
        return f"{_SAID[self.base]} {self._of()}"

    def _of(self) -> str:
        more = f" + {self.plus}" if self.plus else ""
        return f"{self.over} / {self.under}" if self.under else f"{self.over}{more}"
