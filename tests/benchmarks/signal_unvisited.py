"""Eight feeds more that nothing was tuned to, with what is right to tell of their clean days: ``UNVISITED_EVENTS``.

Written before any of them was run. Real ones from PyPI's ``bokeh_sampledata`` 2026.1: glucose by day, of a sensor that
measures every five minutes; prices of shares by week from March 2000 on; the lines of a shop's orders, sixty a delta,
which come without a date; carbon dioxide by country and year from 1950 on; and the temperature of the sea by day. Made
up by a seed, with more that is odd about them than most: a small firm's invoices, with prices and terms by customer,
credit notes and rare currencies; sessions of an app, with versions that come and go; and applications for jobs.
"""

import csv
import gzip
import io
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from math import exp

from benchmarks.datasets import WORK
from benchmarks.signal_held_out import Row

_SAMPLES = "bokeh_sampledata-2026.1-py3-none-any.whl"
_DAYS = 60
_FIRST = date(2026, 2, 2)
_LINES = 60
_FIRST_EMISSIONS = 1950

# Per feed and delta what a person would want to hear of, were it not foreseen.
UNVISITED_EVENTS = {
    ("emissions", "1992-01-01"): "twenty countries are new: the Soviet Union and Yugoslavia have fallen apart",
    ("made-up invoices", "2026-03-16"): "all prices rise",
    ("made-up sessions", "2026-03-12"): "a version that crashes: one session in five ends so",
    ("made-up sessions", "2026-03-13"): "a version that crashes, the second day",
    ("made-up applications", "2026-03-09"): "a fair: three times as many applications",
}


def _days() -> Iterator[tuple[int, date]]:
    return ((at, _FIRST + timedelta(days=at)) for at in range(_DAYS))


def _at(day: date, seconds: float) -> str:
    return (datetime.combine(day, datetime.min.time()) + timedelta(seconds=int(seconds))).isoformat()


def _sample(name: str) -> list[Row]:
    """A table of the package as rows of text."""
    packed = WORK / _SAMPLES
    if not packed.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"--dest={WORK}"]
        subprocess.run([*command, "bokeh_sampledata==2026.1"], check=True, stdout=subprocess.DEVNULL)
    with zipfile.ZipFile(packed) as archive:
        text = gzip.decompress(archive.read(f"bokeh_sampledata/_data/{name}.csv.gz")).decode("utf-8-sig")
    return [{column: value or None for column, value in row.items()} for row in csv.DictReader(io.StringIO(text))]


def glucose() -> list[Row]:
    """A row per measurement, by day."""
    rows: list[Row] = [{**row, "datetime": str(row["datetime"]).replace(" ", "T")} for row in _sample("CGM")]
    return sorted(rows, key=lambda row: str(row["datetime"]))


def shares() -> list[Row]:
    """A row per share and day."""
    return sorted(_sample("stocks"), key=lambda row: str(row["Date"]))


def order_lines() -> Iterator[Row]:
    """A row per line of an order, in the order of the file."""
    for number, row in enumerate(_sample("SampleSuperstore")):
        yield {"line": str(number + 1), **row}


def emissions() -> list[Row]:
    """A row per country and year."""
    rows: list[Row] = [{**row, "year": str(row["year"]).removesuffix(".0")} for row in _sample("emissions")]
    rows = [row for row in rows if int(str(row["year"])) >= _FIRST_EMISSIONS]
    return sorted(rows, key=lambda row: str(row["year"]))


def sea() -> list[Row]:
    """A row per half an hour, by day."""
    names = {"time (UTC)": "measured_at", "temperature (celsius)": "temperature"}
    return [
        {names[column]: str(value).removesuffix("Z") for column, value in row.items()}
        for row in _sample("sea_surface_temperature")
    ]


def invoices() -> Iterator[Row]:
    """A row per invoice or credit note, by day; few at weekends."""
    rng, number = random.Random("invoices"), 26_100
    customers = {}
    for name in ("Ahrens", "Brandt", "Cordes", "Duve", "Eggers", "Fick", "Grote", "Harms", "Ihde", "Jahn", "Kruse"):
        terms, discount = rng.choice((14, 14, 30, 30, 60)), rng.choice((0, 0, 2, 3))
        customers[f"{name} {rng.choice(('GmbH', 'KG', 'AG'))}"] = (terms, discount, rng.choice("NNNNK"), rng.random())
    goods = {f"G-{rng.randrange(100, 999)}": round(exp(rng.gauss(3.5, 1)), 2) for _ in range(40)}
    for at, day in _days():
        if day == date(2026, 3, 16):
            goods = {name: round(price * 1.04, 2) for name, price in goods.items()}
        if at % 19 == 5:
            customers[f"Neu {at} GmbH"] = (14, 0, "N", 0.3)
        for _ in range(int(rng.gauss(14, 3)) if day.weekday() < 5 else rng.choice((0, 1, 2))):
            number += 1
            name = rng.choices(list(customers), [weight + 0.1 for *_, weight in customers.values()])[0]
            terms, discount, region, _ = customers[name]
            good = rng.choice(list(goods))
            credit = rng.random() < 0.04
            pieces = rng.choice((1, 1, 2, 5, 10, 25)) * (-1 if credit else 1)
            net = round(pieces * goods[good] * (1 - discount / 100), 2)
            rate = 0 if region == "K" else 19
            vat = round(net * rate / 100, 2)
            paid = day + timedelta(days=int(rng.expovariate(0.1))) if rng.random() < 0.3 else None
            yield {
                "invoice": f"R{number}",
                "kind": "credit note" if credit else "invoice",
                "issued": day.isoformat(),
                "customer": name,
                "order_no": f"PO-{rng.randrange(10**5)}" if rng.random() < 0.35 else None,
                "article": good,
                "pieces": str(pieces),
                "unit_price": f"{goods[good]:.2f}",
                "discount_percent": str(discount),
                "net": f"{net:.2f}",
                "vat_percent": str(rate),
                "vat": f"{vat:.2f}",
                "gross": f"{net + vat:.2f}",
                "currency": "CHF" if region == "K" and rng.random() < 0.5 else "EUR",
                "due": (day + timedelta(days=terms)).isoformat(),
                "paid": paid.isoformat() if paid else None,
                "note": rng.choice(("please pay soon", "as agreed by phone", "part delivery"))
                if rng.random() < 0.06
                else None,
            }


def sessions() -> Iterator[Row]:
    """A row per session of an app, by day; a version is out every other week, and people take days to have it."""
    rng, number = random.Random("sessions"), 5 * 10**9
    users = [f"{rng.randrange(16**8):08x}" for _ in range(500)]
    devices = {
        user: rng.choices(("iPhone", "Pixel", "Galaxy", "iPad", "Fairphone"), (40, 15, 35, 8, 2))[0] for user in users
    }
    versions = ["4.0.1", "4.1.0"]
    for at, day in _days():
        if at % 14 == 10:
            versions.append(f"4.{2 + at // 14}.0")
        if rng.random() < 0.5:
            users += [f"{rng.randrange(16**8):08x}" for _ in range(rng.randrange(4))]
        bad = day in (date(2026, 3, 12), date(2026, 3, 13))
        for second in sorted(rng.gauss(62_000, 14_000) % 86_400 for _ in range(int(rng.gauss(260, 18)))):
            number += rng.randrange(1, 900)
            user = rng.choice(users)
            device = devices.get(user, "Galaxy")
            age = at % 14 - 10
            share = min(0.9, 0.15 * (age if age > 0 else age + 14))
            version = versions[-1] if rng.random() < share else versions[-2] if rng.random() < 0.9 else versions[0]
            seconds = int(exp(rng.gauss(4.6, 1.0)))
            pages = 1 + int(rng.expovariate(40 / seconds))
            crashed = rng.random() < (0.2 if bad else 0.012)
            bought = not crashed and rng.random() < 0.03
            yield {
                "session": str(number),
                "user": user,
                "device": device,
                "system": "iOS" if device.startswith("iP") else "Android",
                "version": version,
                "began_at": _at(day, second),
                "seconds": str(seconds),
                "pages": str(pages),
                "country": rng.choices(("DE", "AT", "CH", "NL", "FR", "PL", "US"), (70, 9, 7, 4, 4, 3, 1))[0],
                "campaign": rng.choice(("spring", "mail", "search")) if rng.random() < 0.2 else None,
                "crashed": "true" if crashed else "false",
                "basket": f"{exp(rng.gauss(3.2, 0.6)):.2f}" if bought else None,
                "voucher": rng.choice(("SPRING10", "HELLO")) if bought and rng.random() < 0.3 else None,
            }


def applications() -> Iterator[Row]:
    """A row per application for a job, by day; jobs are open for some weeks."""
    rng, number = random.Random("applications"), 88_100
    jobs: dict[str, tuple[str, int]] = {}
    departments = {"Sales": 41_000, "IT": 58_000, "Stores": 29_000, "Logistics": 31_000, "Finance": 49_000}
    for at, day in _days():
        for job in [name for name, (_, ends) in jobs.items() if ends < at]:
            del jobs[job]
        while len(jobs) < 12:
            jobs[f"J{rng.randrange(1000, 9999)}"] = (rng.choice(list(departments)), at + rng.randrange(14, 50))
        fair = day == date(2026, 3, 9)
        busy = {5: 0.4, 6: 0.6}.get(day.weekday(), 1.0) * (3 if fair else 1)
        for second in sorted(rng.uniform(0, 86_400) for _ in range(int(rng.gauss(34, 5) * busy))):
            number += 1
            job = rng.choice(list(jobs))
            department, _ = jobs[job]
            years = int(rng.expovariate(0.15))
            born = day.year - 20 - years - int(rng.expovariate(0.3))
            wanted = round(departments[department] * (1 + 0.02 * years) * rng.uniform(0.9, 1.2), -2)
            source = rng.choices(("portal", "own page", "agency", "friend"), (55, 25, 12, 8))[0]
            stage = rng.choices(("received", "refused", "phone", "invited"), (60, 25, 10, 5))[0]
            yield {
                "application": str(number),
                "job": job,
                "department": department,
                "came_at": _at(day, second),
                "source": source,
                "agency": rng.choice(("Hays", "Adecco", "Randstad")) if source == "agency" else None,
                "born": str(born),
                "years": str(years),
                "degree": rng.choices(("none", "trade", "bachelor", "master", "doctor"), (10, 38, 26, 24, 2))[0],
                "wanted_salary": f"{wanted:.0f}" if rng.random() < 0.7 else None,
                "can_begin": (day + timedelta(days=rng.choice((0, 14, 30, 30, 60, 90)))).isoformat(),
                "stage": stage,
                "reason": rng.choice(("profile", "salary", "place")) if stage == "refused" else None,
                "city": rng.choices(
                    ("Hamburg", "Bremen", "Kiel", "Rostock", "Stade", "Lüneburg"), (40, 20, 12, 9, 5, 4)
                )[0],
            }


def _week(row: Row) -> str:
    found = date.fromisoformat(str(row["Date"]))
    return (found + timedelta(days=6 - found.weekday())).isoformat()


def _sixty(row: Row) -> str:
    return (_FIRST + timedelta(days=(int(str(row["line"])) - 1) // _LINES)).isoformat()


def _day(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column])[:10]


# Per feed its rows, in order, and the delta that a row comes with.
UNVISITED: dict[str, tuple[Callable[[], list[Row] | Iterator[Row]], Callable[[Row], str]]] = {
    "glucose": (glucose, _day("datetime")),
    "shares": (shares, _week),
    "order lines": (order_lines, _sixty),
    "emissions": (emissions, lambda row: f"{row['year']}-01-01"),
    "sea temperature": (sea, _day("measured_at")),
    "made-up invoices": (invoices, _day("issued")),
    "made-up sessions": (sessions, _day("began_at")),
    "made-up applications": (applications, _day("came_at")),
}
