"""Further made-up businesses, whose rules known_last has: cars let by the day, loans, a plant nursery.

Much of it is rounded to whole money, comes together or not at all, and refers to rows of its own table.
"""

import random
from datetime import date, timedelta
from decimal import Decimal

from benchmarks.rules_lists.made_up import Columns, add, day_of, moment_of, named

_MODELS = {
    "Corsa": ("small", 3, 3900),
    "Astra": ("compact", 5, 5400),
    "Vivaro": ("van", 5, 8900),
    "Insignia": ("large", 5, 7600),
    "Clio": ("small", 3, 4100),
}


def rentals(rng: random.Random) -> dict[str, Columns]:
    """Cars let by the day: contracts that extend others, distances, damages, vouchers."""
    vehicles: Columns = named("plate model category doors daily_rate weekly_rate deposit bought sold")
    for i in range(140):
        model = rng.choice(sorted(_MODELS))
        category, doors, rate = _MODELS[model]
        rate += rng.choice([0, 0, 500, 900])
        bought = day_of(rng, 1500)
        sold = bought + timedelta(days=rng.randint(400, 1100)) if rng.random() < 0.3 else None
        plate = f"{rng.choice('BCDK')}-{rng.choice('ABC')}{rng.choice('XYZ')} {1000 + i * 7}"
        money = (_money(rate), _money(6 * rate), round(rate * 3.5 / 100))
        add(vehicles, (plate, model, category, doors, *money, bought, sold))
    contracts: Columns = named(
        "contract_no plate extends picked_up due_back returned_at km_out km_in km_driven free_km extra_km fuel_in",
        "days rate_per_day rental extra_charge damage damage_cost voucher_code voucher_value",
    )
    for i in range(2400):
        which = rng.randrange(140)
        days = rng.randint(1, 14)
        picked = moment_of(rng, vehicles["bought"][which], 350)
        back = picked + timedelta(days=days, minutes=-rng.randrange(600)) if rng.random() < 0.93 else None
        out, driven = rng.randrange(500, 90_000), rng.randrange(10, 2500)
        extra = max(0, driven - 200 * days)
        extends = 700_000 + rng.randrange(i) if i > 60 and rng.random() < 0.06 else None
        distances = (out + driven, driven, 200 * days, extra) if back else (None, None, 200 * days, None)
        rate = vehicles["daily_rate"][which]
        damage = rng.choice(["scratch", "glass"]) if back and rng.random() < 0.06 else None
        cost = _money(rng.randrange(5000, 60_000)) if damage else None
        voucher = (f"V{rng.randrange(10**6):06}", rng.choice([10, 20, 50])) if rng.random() < 0.15 else (None, None)
        times = (picked, picked + timedelta(days=days), back)
        bill = (days, rate, days * rate, _money(25 * extra) if back else None)  # type: ignore[operator]
        fuel = rng.randint(1, 8) if back else None
        row = (700_000 + i, vehicles["plate"][which], extends, *times, out, *distances, fuel, *bill)
        add(contracts, (*row, damage, cost, *voucher))
    return {"vehicles": vehicles, "contracts": contracts}


def loans(rng: random.Random) -> dict[str, Columns]:
    """Loans in whole crowns: rounded interest, and the run of instalments of each."""
    lent: Columns = named(
        "loan_no borrower_id product principal rate_pct term_months start_date end_date",
        "guarantor_id guarantee_amount status closed_on",
    )
    instalments: Columns = named(
        "loan_no instalment_no due_date opening interest principal_part instalment closing paid_on late_fee"
    )
    for i in range(420):
        principal, rate = rng.randrange(20_000, 900_000, 1000), rng.choice([3.5, 4.25, 5.0, 6.75])
        term = rng.choice([12, 24, 36])
        start = date(2019 + rng.randrange(4), rng.randint(1, 12), rng.choice([1, 15]))
        end = date(start.year + term // 12, start.month, start.day)
        closed = end - timedelta(days=rng.randint(0, 200)) if rng.random() < 0.4 else None
        number = f"{start:%y}{rng.randrange(10**3):03}-{i:04}"
        sure = (9000 + rng.randrange(700), round(0.5 * principal / 100) * 100) if rng.random() < 0.3 else (None, None)
        named_so = {12: "short", 24: "medium", 36: "long"}[term]
        row = (number, 9000 + rng.randrange(700), named_so, principal, rate, term, start, end)
        add(lent, (*row, *sure, "closed" if closed else "running", closed))
        left, part = principal, principal // term
        for month in range(1, min(term, 14) + 1):
            interest, months = round(left * rate / 1200), start.month - 1 + month
            due = date(start.year + months // 12, months % 12 + 1, start.day)
            late = rng.random() < 0.1
            paid = due + timedelta(days=rng.randint(1, 20)) if late else due - timedelta(days=rng.randint(0, 3))
            money = (left, interest, part, interest + part, left - part)
            add(instalments, (number, month, due, *money, paid, 250 if late else None))
            left -= part
    return {"loans": lent, "instalments": instalments}


def nursery(rng: random.Random) -> dict[str, Columns]:
    """A nursery: plants bred from others, prices by ten, orders in trays, substitutes, presents."""
    plants: Columns = named(
        "plant_code latin_name genus species height_min_cm height_max_cm pot_litres price price_10 parent_code"
    )
    for i in range(240):
        genus = rng.choice(["Acer", "Buxus", "Carex", "Dahlia", "Erica", "Festuca", "Geum"])
        species = rng.choice(["alba", "nigra", "rubra", "minor", "major", "vulgaris", "repens"])
        height, price = rng.randrange(5, 200, 5), rng.randrange(250, 9000, 5)
        parent = rng.choice(plants["plant_code"]) if i > 20 and rng.random() < 0.2 else None
        code = f"{genus[:3].upper()}{species[:2].upper()}{i:03}"
        sizes = (height, height + rng.randrange(0, 60, 5), rng.choice([0.5, 1.0, 2.0, 5.0, 10.0]))
        prices = (_money(price), _money(round(0.85 * price)))
        add(plants, (code, f"{genus} {species}", genus, species, *sizes, *prices, parent))
    orders: Columns = named(
        "order_ref placed picked_from picked_to packed dispatched carrier trays plants goods pallet_fee vat total",
        "gift_note gift_from paid_by cheque_no",
    )
    lines: Columns = named("order_ref line plant_code qty trays unit_price line_total substitute_for")
    for i in range(1100):
        number, times = f"N{24_000 + i}", [moment_of(rng, day_of(rng, 1), 300)]
        for longest in (2400, 90, 300, 3000):
            times.append(times[-1] + timedelta(minutes=rng.randint(5, longest)))
        goods, trays, plants_ordered = Decimal(0), 0, 0
        for line, which in enumerate(rng.sample(range(240), rng.randint(1, 5)), 1):
            quantity = rng.choice([1, 2, 3, 5, 10, 12, 20])
            price = plants["price_10" if quantity >= 10 else "price"][which]
            other = rng.choice(plants["plant_code"]) if rng.random() < 0.08 else None
            row = (number, line, plants["plant_code"][which], quantity, -(-quantity // 6), price)
            add(lines, (*row, quantity * price, other))  # type: ignore[operator]
            goods += quantity * price  # type: ignore[operator]
            trays, plants_ordered = trays - (-quantity // 6), plants_ordered + quantity
        fee = Decimal(1500 * (trays > 6)).scaleb(-2)
        vat = _money(round((goods + fee) * 10))
        gone = (times[4], rng.choice(["DPX", "GLZ"])) if rng.random() < 0.9 else (None, None)
        gift = (
            (rng.choice(["with love", "happy birthday"]), rng.choice("ABCD")) if rng.random() < 0.12 else (None, None)
        )
        pays = ("cheque", f"{rng.randrange(10**6):06}") if rng.random() < 0.17 else ("card", None)
        counted = (trays, plants_ordered, goods, fee, vat, goods + fee + vat)
        add(orders, (number, *times[:4], *gone, *counted, *gift, *pays))
    return {"plants": plants, "orders": orders, "order_lines": lines}


def _money(cents: int) -> Decimal:
    return Decimal(cents).scaleb(-2)
