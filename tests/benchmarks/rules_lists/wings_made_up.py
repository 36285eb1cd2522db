"""Made-up businesses as exports: an airline, a lottery.

Each was written with the list of what it lives by (known_wings) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

from benchmarks.rules_lists.files_made_up import Columns, at, c2, day
from benchmarks.rules_lists.yards_made_up import columns_of

_AIRCRAFT = {"A320": 180, "A321": 220, "E190": 100, "AT72": 70}


def airline(r: random.Random) -> dict[str, Columns]:
    """An airline: flights with their times and loads, tickets with fares, taxes, bags, miles and refunds."""
    flights, tickets = [], []
    airports = ["VIE", "ZRH", "CPH", "LIS", "ATH", "OSL", "WAW"]
    pairs = [(a, b) for a in airports for b in airports if a != b][:24]
    routes = {pair: (f"HF{200 + n}", r.randint(300, 2900)) for n, pair in enumerate(pairs)}
    for i in range(900):
        origin, destination = r.choice(pairs)
        number, distance = routes[origin, destination]
        out = day(r, 330, date(2024, 1, 1))
        planned = datetime.combine(out, datetime.min.time()) + timedelta(minutes=5 * r.randrange(70, 260))
        block = round(distance / 12) + 30
        cancelled = r.random() < 0.04
        delay = 0 if r.random() < 0.3 else r.randint(1, 90)
        left = None if cancelled else planned + timedelta(minutes=delay)
        aircraft = r.choice(list(_AIRCRAFT))
        seats = _AIRCRAFT[aircraft]
        boarded = 0 if cancelled else r.randint(seats // 3, seats)
        flights.append(
            {
                "flight_id": 7000 + i,
                "flight_no": number,
                "flight_key": f"{number}/{out:%Y%m%d}/{i % 7}",
                "flight_date": out,
                "weekday": out.isoweekday(),
                "origin": origin,
                "destination": destination,
                "distance_km": distance,
                "distance_mi": round(distance * 0.621371),
                "aircraft": aircraft,
                "seats": seats,
                "boarded": boarded,
                "load_pct": f"{100 * boarded / seats:.1f}",
                "planned_out": planned,
                "planned_in": planned + timedelta(minutes=block),
                "actual_out": left,
                "delay_min": None if cancelled else delay,
                "delayed": None if cancelled else "Y" if delay > 15 else "N",
                "delay_code": r.choice(["crew", "weather", "technical"]) if not cancelled and delay > 15 else None,
                "status": "cancelled" if cancelled else "flown",
            }
        )
    for i in range(5200):
        flight = r.choice(flights)
        booked = at(flight["flight_date"] - timedelta(days=r.randint(1, 200)), r)
        cabin = r.choices(["Y", "C"], [6, 1])[0]
        kind = r.choices(["ADT", "CHD", "INF"], [12, 2, 1])[0]
        adult = r.randrange(3900, 42_000) * (2 if cabin == "C" else 1)
        fare = {"ADT": adult, "CHD": round(adult * 0.75), "INF": round(adult * 0.1)}[kind]
        tax, carrier = (0, 0) if kind == "INF" else (1827, 2400)
        bags = 0 if kind == "INF" else r.choices([0, 1, 2], [5, 4, 1])[0]
        bag_fee = 0 if cabin == "C" else 3500 * bags
        refunded = r.random() < 0.05
        total = fare + tax + carrier + bag_fee
        tickets.append(
            {
                "ticket_no": f"257-{2_400_000_000 + i * 37}",
                "record_locator": "".join(r.choices("BCDFGHJKLMNPQRSTVWXYZ2456789", k=6)),
                "flight_id": flight["flight_id"],
                "booked_at": booked,
                "days_ahead": (flight["flight_date"] - booked.date()).days,
                "cabin": cabin,
                "cabin_name": {"Y": "economy", "C": "business"}[cabin],
                "pax_type": kind,
                "seat": None if kind == "INF" else f"{r.randint(1, 38)}{r.choice('ABCDEF')}",
                "adult_fare": c2(adult),
                "fare": c2(fare),
                "airport_tax": c2(tax),
                "carrier_charge": c2(carrier),
                "bags": bags,
                "bag_fee": c2(bag_fee),
                "total": c2(total),
                "miles": 0 if kind == "INF" else flight["distance_mi"] * (2 if cabin == "C" else 1),
                "refunded_at": at(booked.date() + timedelta(days=r.randint(1, 60)), r) if refunded else None,
                "refund_amount": c2(tax) if refunded else None,
                "form_of_payment": (form := r.choice(["card", "card", "invoice"])),
                "card_brand": r.choice(["visa", "amex"]) if form == "card" else None,
            }
        )
    return {"flights": columns_of(flights), "tickets": columns_of(tickets)}


def lottery(r: random.Random) -> dict[str, Columns]:
    """A lottery: draws of six ascending numbers, pots that roll over, slips with stakes, hits and prizes."""
    draws, slips = [], []
    pot, when = 100_000_000, date(2022, 1, 5)
    for i in range(260):
        numbers = sorted(r.sample(range(1, 46), 6))
        sales = r.randrange(40_000_000, 90_000_000, 120)
        winners = r.choices([0, 1, 2], [6, 3, 1])[0]
        added = round(sales * 0.2)
        jackpot = pot + added
        draws.append(
            {
                "draw_no": i + 1,
                "draw_code": f"{when:%G}/{when:%V}-{'W' if when.weekday() == 2 else 'S'}",
                "drawn_on": when,
                "day_name": "Wednesday" if when.weekday() == 2 else "Sunday",
                **{f"n{k + 1}": n for k, n in enumerate(numbers)},
                "bonus": r.choice([n for n in range(1, 46) if n not in numbers]),
                "number_sum": sum(numbers),
                "odd_count": sum(n % 2 for n in numbers),
                "sales": c2(sales),
                "to_prizes": c2(round(sales * 0.45)),
                "carried_over": c2(pot),
                "jackpot": c2(jackpot),
                "winners": winners,
                "per_winner": c2(round(jackpot / winners)) if winners else None,
                "rolled_over": "N" if winners else "Y",
            }
        )
        pot = 0 if winners else jackpot
        when += timedelta(days=4 if when.weekday() == 2 else 3)
    for i in range(4800):
        draw = r.choice(draws)
        rows, joker = r.randint(1, 12), r.random() < 0.4
        stake, extra = rows * 120, 150 if joker else 0
        channel = r.choices(["shop", "web", "app"], [3, 2, 1])[0]
        hits = r.choices([0, 1, 2, 3, 4, 5], [40, 30, 15, 8, 3, 1])[0]
        prize = {0: 0, 1: 0, 2: 0, 3: 520, 4: 4870, 5: 148_000}[hits]
        tax = round((prize - 100_000) * 0.25) if prize > 100_000 else 0
        sold = at(draw["drawn_on"] - timedelta(days=r.randint(0, 6)), r, 0, 1080)
        claimed = draw["drawn_on"] + timedelta(days=r.randint(1, 80)) if prize and r.random() < 0.9 else None
        slips.append(
            {
                "slip_id": f"L{draw['draw_no']:04}{i:06}",
                "draw_no": draw["draw_no"],
                "draw_date": draw["drawn_on"],
                "sold_at": sold,
                "channel": channel,
                "shop_no": r.randint(100, 240) if channel == "shop" else None,
                "rows": rows,
                "row_stake": c2(stake),
                "joker": "Y" if joker else "N",
                "joker_stake": c2(extra),
                "handling": c2(0 if channel == "shop" else 30),
                "paid": c2(stake + extra + (0 if channel == "shop" else 30)),
                "best_hits": hits,
                "prize_class": 7 - hits if hits >= 3 else None,
                "prize": c2(prize),
                "tax": c2(tax),
                "payout": c2(prize - tax),
                "claimed_on": claimed,
                "expires_on": draw["drawn_on"] + timedelta(days=90),
            }
        )
    return {"draws": columns_of(draws), "slips": columns_of(slips)}


WINGS: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {"airline": airline, "lottery": lottery}
