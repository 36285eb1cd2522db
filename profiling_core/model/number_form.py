"""How the numbers of a column are written beside their digits: with a unit, and how negative ones are marked."""

from dataclasses import dataclass
from enum import StrEnum

from profiling_core.model.stored import Stored

DURATION = "duration"
"""The unit of texts that are durations, such as 36:15:00 or PT1H30M; the number is that of their seconds."""
SYMBOLS = tuple("%‰$€£¥₹₽₩₺₪₫฿₴₦₱°")
WORDS = (
    *("AED", "ARS", "AUD", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR", "GBP", "HKD", "HUF"),
    *("IDR", "ILS", "INR", "ISK", "JPY", "KES", "KRW", "MXN", "MYR", "NGN", "NOK", "NZD", "PEN", "PHP", "PKR", "PLN"),
    *("RON", "RSD", "RUB", "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "UAH", "USD", "VND", "ZAR"),
    *("A$", "C$", "HK$", "NZ$", "R$", "US$", "Fr.", "Kč", "kr", "zł"),
    *(
        "°C",
        "°F",
        "kg",
        "km",
        "cm",
        "mm",
        "km²",
        "m²",
        "m³",
        "km/h",
        "kWh",
        "MWh",
        "GWh",
        "kW",
        "MW",
        "ms",
        "min",
        "mph",
    ),
)
"""Units that stand before or behind numbers: signs, currencies by their ISO 4217 codes and usual names, measures.

Single letters are none of them: 12A is the number of a house."""
UNITS = ("", *SYMBOLS, *WORDS, DURATION)


class Sign(StrEnum):
    """How negative numbers are marked: −5, 5−, (5)."""

    LEADING = "leading"
    TRAILING = "trailing"
    BRACKETS = "brackets"


@dataclass(frozen=True, slots=True)
class NumberForm(Stored):
    """How the numbers of a column are written.

    Attributes:
        unit: what stands with each of them; empty: nothing does.
        sign: how negative ones are marked.
        is_optional: whether numbers without the unit are read, too, as a person has said.
    """

    unit: str = ""
    sign: Sign = Sign.LEADING
    is_optional: bool = False

    @property
    def is_plain_first(self) -> bool:
        """Whether numbers as programs write them are read as numbers."""
        return self.is_optional or self == PLAIN_FORM

    @property
    def words(self) -> str:
        """What is read, as in: numbers ``with '%'``; empty: numbers as programs write them."""
        if self.unit == DURATION:
            return "in seconds, of durations"
        signs = {Sign.TRAILING: "negative where a minus follows", Sign.BRACKETS: "negative where in brackets"}
        said = [f"with {self.unit!r}"] if self.unit else []
        return ", ".join([*said, *([signs[self.sign]] if self.sign in signs else [])])


PLAIN_FORM = NumberForm()
"""Numbers as programs write them: -5."""
