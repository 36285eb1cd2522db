"""Feeds that were written before any of them was run, with what is right to tell of their clean days: ``EVENTS``.

All are made up by a seed, by the habits of their trades. Transactions of a bank: month ends, salaries, late bookings.
Tickets of a help desk: weekends, a release that brings many, two agents who leave. Subscriptions: renewals by
month, a price rise, a plan that is new. Moves within a warehouse: growth, new articles, a door that is closed. Weekly
sales by shop and article, with Christmas and a shop that opens. Thermometers that fall silent. Orders of a shop, of
which some come a day or two late.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from math import exp, pi, sin

Row = dict[str, str | None]
_DAYS = 75
_FIRST = date(2025, 1, 6)
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"

# Per feed and delta what a person would want to hear of, were it not foreseen.
EVENTS = {
    ("made-up bank", "2025-02-28"): "the fees of a quarter are booked, for the first time",
    ("made-up tickets", "2025-02-25"): "a release that fails: three times as many tickets, most of one product",
    ("made-up tickets", "2025-02-26"): "a release that fails, the second day",
    ("made-up tickets", "2025-03-03"): "an agent who had each day's tickets has left",
    ("made-up subscriptions", "2025-02-15"): "all prices rise by a tenth",
    ("made-up subscriptions", "2025-03-01"): "a plan that is new",
    ("made-up warehouse", "2025-02-20"): "a door is closed for three days",
    ("made-up warehouse", "2025-03-10"): "another client's articles, numbered otherwise",
    ("made-up weekly sales", "2024-09-01"): "a seventh shop opens",
    ("made-up weekly sales", "2025-01-05"): "all prices rise with the year",
    ("made-up thermometers", "2025-02-22"): "one thermometer is silent for two days",
    ("made-up thermometers", "2025-03-12"): "half a day without any thermometer",
    ("made-up orders", "2025-03-05"): "a second currency",
}


def _at(day: date, seconds: float) -> str:
    return (datetime.combine(day, datetime.min.time()) + timedelta(seconds=int(seconds))).isoformat()


def _days(count: int = _DAYS) -> Iterator[tuple[int, date]]:
    return ((at, _FIRST + timedelta(days=at)) for at in range(count))


def transactions() -> Iterator[Row]:
    """A row per transaction; salaries come on the 25th, rents on the first, what was late has an earlier value date."""
    rng, number = random.Random("bank"), 9_000_000
    accounts = [f"DE{rng.randrange(10, 99)}{rng.randrange(10**9, 10**10)}" for _ in range(220)]
    balance = {account: round(rng.uniform(100, 9000), 2) for account in accounts}
    kinds = {"card": 60, "transfer": 18, "direct debit": 14, "cash": 8}
    for _, day in _days():
        special = {25: ("salary", 90), 1: ("standing order", 70), 28: ("fee", 60 if day.month == 2 else 0)}
        names = rng.choices(
            list(kinds), list(kinds.values()), k=int((60 if day.weekday() > 4 else 110) * exp(rng.gauss(0, 0.1)))
        )
        extra, many = special.get(day.day, ("", 0))
        for kind, second in zip(
            names + [extra] * many, sorted(rng.uniform(0, 86399) for _ in range(len(names) + many)), strict=True
        ):
            number += 1
            account = rng.choice(accounts)
            size = {"salary": 2600.0, "fee": 9.9, "standing order": -780.0, "cash": -20.0 * rng.randrange(1, 11)}.get(
                kind
            )
            amount = (
                round(-exp(rng.gauss(3.2, 1.0)), 2)
                if size is None
                else round(size * (1 if kind in ("fee", "cash") else exp(rng.gauss(0, 0.25))), 2)
            )
            amount = (
                -abs(amount) if kind != "salary" and not (kind == "transfer" and rng.random() < 0.4) else abs(amount)
            )
            before, balance[account] = balance[account], round(balance[account] + amount, 2)
            yield {
                "transaction_id": str(number),
                "booked_at": _at(day, second),
                "value_date": (day - timedelta(days=rng.choice((1, 2, 3)) if rng.random() < 0.06 else 0)).isoformat(),
                "account": account,
                "kind": kind,
                "amount": f"{amount:.2f}",
                "balance_before": f"{before:.2f}",
                "balance_after": f"{balance[account]:.2f}",
                "merchant": f"M{rng.choice((1, 2, 3, 5, 8, 13, 21, 34, 55)) * rng.randrange(1, 9):04}"
                if kind == "card"
                else None,
                "country": rng.choices(("DE", "NL", "FR", "US", "TR", "TH"), (90, 3, 3, 2, 1.6, 0.4))[0],
            }


def tickets() -> Iterator[Row]:
    """A row per ticket that was closed, with when it was opened."""
    rng, number = random.Random("tickets"), 30_500
    agents = ["alex", "bea", "chris", "dora", "emil", "fay"]
    products = {"app": 30, "billing": 22, "login": 20, "reports": 12, "api": 10, "other": 6}
    hours = {"low": 30, "normal": 9, "high": 3, "urgent": 1}
    for _, day in _days():
        release = day in (date(2025, 2, 25), date(2025, 2, 26))
        known = [a for a in agents if not (a == "bea" and day >= date(2025, 3, 3))]
        count = int((22 if day.weekday() > 4 else 70) * exp(rng.gauss(0, 0.14)) * (3 if release else 1))
        for second in sorted(rng.triangular(25_000, 75_000, 43_000) for _ in range(count)):
            number += rng.randrange(1, 4)
            level = rng.choices(list(hours), (20, 60, 15, 5))[0]
            took = exp(rng.gauss(0, 0.8)) * hours[level] * 3600
            answers = 1 + int(rng.expovariate(0.7))
            yield {
                "ticket": f"T-{number}",
                "opened_at": _at(day, second - took),
                "closed_at": _at(day, second),
                "hours_open": f"{int(took) / 3600:.2f}",
                "product": "app"
                if release and rng.random() < 0.7
                else rng.choices(list(products), list(products.values()))[0],
                "priority": level,
                "channel": rng.choices(("mail", "chat", "phone"), (55, 35, 10))[0],
                "agent": rng.choice(known),
                "replies": str(answers),
                "reopened": "yes" if rng.random() < 0.05 else "no",
                "satisfaction": str(rng.choices((1, 2, 3, 4, 5), (6, 5, 9, 30, 50))[0])
                if rng.random() < 0.35
                else None,
                "customer": f"c{int(rng.paretovariate(1.1) * 10) % 4000:05}",
            }


def subscriptions() -> Iterator[Row]:
    """A row per charge of a subscription, which comes again on the same day of each month; some are cancelled."""
    rng = random.Random("subscriptions")
    price = {"basic": 9.0, "plus": 19.0, "team": 49.0}
    running = [
        (f"S{number:06}", rng.choices(list(price), (60, 30, 10))[0], _FIRST - timedelta(days=rng.randrange(1, 900)))
        for number in range(1500)
    ]
    charge = 510_000
    for at, day in _days():
        if day == date(2025, 2, 15):
            price = {plan: round(value * 1.1, 2) for plan, value in price.items()}
        if day == date(2025, 3, 1):
            price["student"] = 4.9
        joined = [
            (f"S{len(running) + i:06}", rng.choices(list(price), [60, 30, 10, 15][: len(price)])[0], day)
            for i in range(int(9 + at / 9 + rng.gauss(0, 2.5)))
        ]
        running += joined
        for name, plan, since in running:
            if min(since.day, 28) != min(day.day, 28) or (day.day > 28):
                continue
            charge += 1
            net = price[plan]
            failed = rng.random() < 0.04
            country, rate = rng.choices((("DE", 0.19), ("AT", 0.20), ("FR", 0.20), ("NL", 0.21)), (70, 12, 10, 8))[0]
            vat = round(net * rate + 1e-9, 2)
            yield {
                "charge": str(charge),
                "charged_on": day.isoformat(),
                "subscription": name,
                "plan": plan,
                "since": since.isoformat(),
                "country": country,
                "net": f"{net:.2f}",
                "vat": f"{vat:.2f}",
                "gross": f"{net + vat:.2f}",
                "method": rng.choices(("card", "paypal", "sepa"), (55, 25, 20))[0],
                "status": "failed" if failed else "paid",
                "reason": rng.choice(("insufficient funds", "card expired", "declined")) if failed else None,
            }


def moves() -> Iterator[Row]:
    """A row per move of a pallet, on weekdays and Saturdays."""
    rng, number = random.Random("moves"), 771_000
    articles = [f"{rng.choice('ABC')}{rng.randrange(1000, 9999)}" for _ in range(150)]
    for at, day in _days(_DAYS + 12):
        if day.weekday() == 6:
            continue
        articles += [f"{rng.choice('ABC')}{rng.randrange(1000, 9999)}" for _ in range(rng.choice((0, 0, 0, 2)))]
        known = articles + ([f"9-{n:04}" for n in range(20)] if day >= date(2025, 3, 10) else [])
        doors = [
            d
            for d in ("D1", "D2", "D3", "D4", "D5")
            if not (d == "D4" and date(2025, 2, 20) <= day <= date(2025, 2, 22))
        ]
        count = int(90 * exp(0.004 * at + rng.gauss(0, 0.1)) * (0.3 if day.weekday() == 5 else 1))
        for second in sorted(rng.uniform(6 * 3600, 22 * 3600) for _ in range(count)):
            number += 1
            kind = rng.choices(("in", "out", "move"), (35, 45, 20))[0]
            boxes, each = rng.randrange(1, 41), rng.choice((6, 8, 12, 24))
            place = f"{rng.choice('KLMN')}-{rng.randrange(1, 31):02}-{rng.randrange(1, 6)}"
            yield {
                "move": str(number),
                "moved_at": _at(day, second),
                "kind": kind,
                "article": rng.choice(known),
                "source": rng.choice(doors) if kind == "in" else place,
                "target": rng.choice(doors)
                if kind == "out"
                else f"{rng.choice('KLMN')}-{rng.randrange(1, 31):02}-{rng.randrange(1, 6)}",
                "boxes": str(boxes),
                "per_box": str(each),
                "pieces": str(boxes * each),
                "weight": f"{boxes * each * rng.uniform(0.2, 1.4):.1f}",
                "driver": rng.choice(("nils", "omar", "pia")) if second < 14 * 3600 else rng.choice(("quin", "ruth")),
                "scanned": "true" if rng.random() < 0.97 else "false",
            }


def weekly_sales() -> Iterator[Row]:
    """A row per shop, article and week from the autumn of 2023 on, with Christmas; prices rise each year."""
    rng = random.Random("weekly sales")
    shops = {"Aachen": 1.0, "Bonn": 0.8, "Essen": 1.4, "Köln": 2.2, "Trier": 0.5, "Ulm": 0.7}
    goods = {
        f"{name} {size}": (base, cost)
        for name, base, cost in (("tea", 40, 4.2), ("coffee", 70, 7.9), ("cocoa", 25, 5.1), ("honey", 18, 6.4))
        for size, base, cost in (("small", base, cost), ("large", base / 2, cost * 1.8))
    }
    for at in range(_DAYS):
        week = date(2023, 10, 1) + timedelta(days=7 * at)
        known = shops | ({"Worms": 0.6} if week >= date(2024, 9, 1) else {})
        season = (
            1
            + 0.35 * sin(2 * pi * (week.timetuple().tm_yday + 100) / 365)
            + (0.9 if week.month == 12 and week.day < 26 else 0)
        )
        mood = exp(rng.gauss(0, 0.06))
        for shop, size in known.items():
            for good, (base, cost) in goods.items():
                sold = int(base * size * season * mood * exp(rng.gauss(0, 0.15)))
                listed = round(cost * 1.03 ** (week.year - 2023), 2)
                cut = rng.random() < 0.08
                paid = round(listed * 0.8, 2) if cut else listed
                yield {
                    "week_end": week.isoformat(),
                    "shop": shop,
                    "article": good,
                    "sold": str(sold),
                    "list_price": f"{listed:.2f}",
                    "price": f"{paid:.2f}",
                    "promotion": "yes" if cut else "no",
                    "revenue": f"{round(sold * paid, 2):.2f}",
                    "returned": str(sum(rng.random() < 0.02 for _ in range(min(sold, 60)))),
                    "stock": str(int(base * size * rng.uniform(0.5, 2.5))),
                }


def thermometers() -> Iterator[Row]:
    """A row per thermometer and half an hour, but for those that are lost."""
    rng = random.Random("thermometers")
    names = {f"th-{n:02}": rng.gauss(0, 0.8) for n in range(1, 9)}
    level = 4.0
    battery = {name: rng.uniform(60, 100) for name in names}
    for at, day in _days():
        level += rng.gauss(0.06, 1.1) - 0.15 * (level - 4 - at / 9)
        for slot in range(48):
            if day == date(2025, 3, 12) and slot < 24:
                continue
            for name, bias in names.items():
                battery[name] -= 0.01
                silent = name == "th-03" and day in (date(2025, 2, 22), date(2025, 2, 23))
                if silent or rng.random() < 0.025:
                    continue
                warm = level + 4 * sin(2 * pi * (slot / 48 - 0.35)) + bias + rng.gauss(0, 0.3)
                yield {
                    "device": name,
                    "measured_at": _at(day, slot * 1800 + rng.randrange(0, 40)),
                    "temperature": f"{warm:.1f}",
                    "humidity": str(max(20, min(100, int(78 - 1.6 * (warm - level) + rng.gauss(0, 3))))),
                    "battery": f"{battery[name]:.1f}",
                    "signal": str(int(rng.gauss(-71, 5))),
                    "firmware": "2.1.0" if at < 50 else "2.1.1" if name > "th-04" else "2.1.0",
                    "error": "E12" if rng.random() < 0.004 else None,
                }


def orders() -> Iterator[Row]:
    """A row per order; one in twenty comes a day or two late, prices rise now and then, articles are new."""
    rng, number = random.Random("orders"), 120_000
    price = {
        f"{''.join(rng.choices(_LETTERS, k=2))}-{rng.randrange(100, 999)}": round(exp(rng.gauss(3, 0.8)), 2)
        for _ in range(60)
    }
    for at, day in _days():
        if rng.random() < 0.2:
            price[f"{''.join(rng.choices(_LETTERS, k=2))}-{rng.randrange(100, 999)}"] = round(exp(rng.gauss(3, 0.8)), 2)
        for name in rng.sample(sorted(price), 2):
            price[name] = round(price[name] * rng.uniform(1.01, 1.08), 2)
        count = int(85 * exp(0.008 * at + rng.gauss(0, 0.1)) * (1.3 if day.weekday() > 4 else 1))
        for _ in range(count):
            number += 1
            placed = day - timedelta(days=rng.choice((1, 2)) if rng.random() < 0.05 else 0)
            article, pieces = rng.choice(list(price)), rng.choices((1, 2, 3, 4, 6, 10), (60, 20, 8, 6, 4, 2))[0]
            net = round(price[article] * pieces, 2)
            shipping = 0.0 if net >= 50 else 4.95
            foreign = day >= date(2025, 3, 5) and rng.random() < 0.1
            yield {
                "order_no": f"2025-{number}",
                "loaded_on": day.isoformat(),
                "placed_at": _at(placed, rng.triangular(0, 86_399, 70_000)),
                "article": article,
                "pieces": str(pieces),
                "unit_price": f"{price[article]:.2f}",
                "goods": f"{net:.2f}",
                "shipping": f"{shipping:.2f}",
                "total": f"{net + shipping:.2f}",
                "currency": "CHF" if foreign else "EUR",
                "city": rng.choices(
                    ("Berlin", "Hamburg", "München", "Köln", "Bremen", "Jena", "Ulm"), (30, 18, 20, 14, 8, 6, 4)
                )[0],
                "postcode": f"{rng.randrange(1067, 99998):05}",
                "coupon": rng.choice(("SPRING", "HELLO10", "FRIENDS")) if rng.random() < 0.12 else None,
            }


def _day(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column])[:10]


# Per feed its rows, in order, and the delta that a row comes with.
KEPT_BACK: dict[str, tuple[Callable[[], Iterator[Row]], Callable[[Row], str]]] = {
    "made-up bank": (transactions, _day("booked_at")),
    "made-up tickets": (tickets, _day("closed_at")),
    "made-up subscriptions": (subscriptions, _day("charged_on")),
    "made-up warehouse": (moves, _day("moved_at")),
    "made-up weekly sales": (weekly_sales, _day("week_end")),
    "made-up thermometers": (thermometers, _day("measured_at")),
    "made-up orders": (orders, _day("loaded_on")),
}
