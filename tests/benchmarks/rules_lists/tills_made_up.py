"""Made-up businesses as exports: a shop of outdoor gear, a dentist.

Each was written with the list of what it lives by (known_tills) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from benchmarks.rules_lists.desks_made_up import SURNAMES
from benchmarks.rules_lists.files_made_up import Columns, at, c2, day
from benchmarks.rules_lists.offices_made_up import years_between
from benchmarks.rules_lists.yards_made_up import FIRST, columns_of

_LADDER = [(50, 15), (25, 10), (10, 5), (0, 0)]
_TARIFF = {("A", "S"): 490, ("A", "M"): 790, ("A", "L"): 1490, ("B", "S"): 990, ("B", "M"): 1490, ("B", "L"): 2990}
_COUNTRIES = {"AT": ("A", "EUR"), "DE": ("A", "EUR"), "CH": ("B", "CHF"), "PL": ("B", "PLN"), "SE": ("B", "SEK")}
_RATES = {"EUR": 1.0, "CHF": 0.95, "PLN": 4.3, "SEK": 11.2}


def gear(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Outdoor gear: prices by the ladder of pieces, vouchers, points, parcels by weight class and zone, returns."""
    articles, orders, lines, returns = [], [], [], []
    groups = {"TNT": "tents", "BAG": "bags", "STV": "stoves", "CLO": "clothes"}
    for i in range(220):
        group = r.choice(list(groups))
        cost = r.randrange(300, 22_000)
        retail = round(cost * r.choice([1.6, 1.8, 2.2]) / 100) * 100 - 5
        size = r.choice(["S", "M", "L", "XL"]) if group == "CLO" else None
        articles.append(
            {
                "sku": f"{group}-{i:04}" + (f"-{size}" if size else ""),
                "group_code": group,
                "group_name": groups[group],
                "size": size,
                "cost": c2(cost),
                "retail": c2(retail),
                "margin_pct": f"{100 * (retail - cost) / retail:.1f}",
                "weight_g": r.randrange(50, 9000, 10),
                "returnable": "N" if group == "STV" else "Y",
                "in_range_since": day(r, 800, date(2020, 1, 1)),
                "stock": (stock := r.randint(0, 200)),
                "reserved": r.randint(0, min(stock, 20)),
            }
        )
        articles[-1]["available"] = articles[-1]["stock"] - articles[-1]["reserved"]
    for i in range(1600):
        ordered = at(day(r, 360, date(2023, 1, 1)), r)
        country = r.choice(list(_COUNTRIES))
        zone, currency = _COUNTRIES[country]
        tier = r.choices(["basic", "silver", "gold"], [6, 3, 1])[0]
        goods = weight = 0
        number = f"G{ordered:%y%m}-{i:05}"
        chosen = r.sample(articles, r.randint(1, 5))
        for position, article in enumerate(chosen, 1):
            qty = r.choices([1, 2, 5, 12, 30, 60], [20, 8, 3, 2, 1, 1])[0]
            off = next(percent for least, percent in _LADDER if qty >= least)
            price = round(float(article["retail"]) * 100)
            amount = round(qty * price * (100 - off) / 100)
            goods, weight = goods + amount, weight + qty * article["weight_g"]
            lines.append(
                {
                    "order_no": number,
                    "pos": position,
                    "sku": article["sku"],
                    "qty": qty,
                    "list_price": article["retail"],
                    "ladder_pct": off,
                    "amount": c2(amount),
                    "line_weight_g": qty * article["weight_g"],
                    "gift_wrap": r.choice(["Y", "N", "N", "N"]),
                }
            )
            if article["returnable"] == "Y" and r.random() < 0.12:
                back, opened = r.randint(1, qty), r.random() < 0.4
                value = round(amount / qty * back)
                fee = round(value * 0.1) if opened else 0
                arrived = ordered.date() + timedelta(days=r.randint(5, 40))
                returns.append(
                    {
                        "rma": f"RMA{len(returns) + 5001}",
                        "order_no": number,
                        "pos": position,
                        "sku": article["sku"],
                        "pieces": back,
                        "condition": "opened" if opened else "sealed",
                        "value": c2(value),
                        "restocking_fee": c2(fee),
                        "refund": c2(value - fee),
                        "received_on": arrived,
                        "refunded_on": arrived + timedelta(days=r.randint(0, 6)),
                    }
                )
        weight_class = "S" if weight <= 2000 else "M" if weight <= 10_000 else "L"
        voucher = r.choice(["SPRING10", "WELCOME5", None, None, None, None])
        less = {"SPRING10": 1000, "WELCOME5": 500, None: 0}[voucher]
        less = min(less, goods)
        shipping = 0 if tier == "gold" else _TARIFF[zone, weight_class]
        total = goods - less + shipping
        weeks = r.choice([None, None, None, 4, 8, 12])
        state = r.choices(["shipped", "open", "void"], [12, 1, 1])[0]
        shipped = at(ordered.date() + timedelta(days=r.randint(1, 5)), r) if state == "shipped" else None
        orders.append(
            {
                "order_no": number,
                "ordered_at": ordered,
                "customer_tier": tier,
                "country": country,
                "zone": zone,
                "positions": len(chosen),
                "weight_g": weight,
                "weight_class": weight_class,
                "goods_value": c2(goods),
                "voucher": voucher,
                "voucher_value": c2(less),
                "shipping": c2(shipping),
                "total_eur": c2(total),
                "currency": currency,
                "fx_rate": f"{_RATES[currency]:.2f}",
                "total_local": c2(round(total * _RATES[currency])),
                "points": total // 100 * (2 if tier == "gold" else 1),
                "repeat_weeks": weeks,
                "next_order_on": ordered.date() + timedelta(weeks=weeks) if weeks else None,
                "state": state,
                "shipped_at": shipped,
                "tracking": f"{country}{r.randrange(10**9):09}" if shipped else None,
                "void_reason": r.choice(["stock", "customer"]) if state == "void" else None,
            }
        )
    named = {"articles": articles, "orders": orders, "lines": lines, "returns": returns}
    return {name: columns_of(rows) for name, rows in named.items()}


def dentist(r: random.Random) -> dict[str, Columns]:
    """A dentist's practice: patients with their insurance, treatments by tooth and points, what each of both pays."""
    patients, treatments = [], []
    catalogue = {"C1": ("check", 18), "F2": ("filling", 49), "F3": ("filling", 62), "X1": ("x-ray", 12)}
    catalogue |= {"E1": ("extraction", 74), "R4": ("root canal", 210), "K7": ("crown", 480)}
    for i in range(700):
        born = day(r, 30_000, date(1935, 1, 1))
        first = day(r, 1500, date(2018, 1, 1))
        first = max(first, born + timedelta(days=900))
        private = r.random() < 0.25
        last = first + timedelta(days=r.randint(0, 1400))
        patients.append(
            {
                "patient_no": 20_000 + i * 3,
                "last_name": (last_name := r.choice(SURNAMES)),
                "first_name": (first_name := r.choice(FIRST)),
                "initials": f"{first_name[0]}{last_name[0]}",
                "born": born,
                "first_visit": first,
                "age_at_first": years_between(born, first),
                "insurance": "private" if private else "statutory",
                "insurer_no": None if private else f"{r.randrange(10**8):08}",
                "factor": "2.3" if private else "1.0",
                "recall_months": (months := r.choice([6, 12])),
                "last_visit": last,
                "allergy": r.choice([None, None, None, "latex", "penicillin"]),
            }
        )
        patients[-1]["recall_group"] = "half-yearly" if months == 6 else "yearly"
    for i in range(4200):
        patient = r.choice(patients)
        when = at(patient["first_visit"] + timedelta(days=r.randint(0, 1000)), r, 480, 1080)
        code = r.choice(list(catalogue))
        name, points = catalogue[code]
        quadrant, position = r.randint(1, 4), r.randint(1, 8)
        on_tooth = code not in ("C1", "X1")
        fee = round(points * 105 * float(patient["factor"]))
        covered = {"C1": 100, "X1": 100, "F2": 80, "F3": 80, "E1": 80, "R4": 60, "K7": 50}[code]
        insured = round(fee * covered / 100)
        minutes = r.choice([10, 15, 20, 30, 45, 60])
        anaesthetic = r.randint(1, 3) if code in ("E1", "R4") else 0
        failed = r.random() < 0.04
        treatments.append(
            {
                "treatment_id": i + 1,
                "patient_no": patient["patient_no"],
                "begun_at": when,
                "minutes": minutes,
                "ended_at": when + timedelta(minutes=minutes),
                "code": code,
                "treatment": name,
                "tooth": 10 * quadrant + position if on_tooth else None,
                "quadrant": quadrant if on_tooth else None,
                "points": points,
                "factor": patient["factor"],
                "fee": c2(fee),
                "covered_pct": covered,
                "insurer_share": c2(insured),
                "patient_share": c2(fee - insured),
                "ampoules": anaesthetic,
                "anaesthetic": "yes" if anaesthetic else "no",
                "room": r.randint(1, 3),
                "billed_on": (billed := when.date() + timedelta(days=r.randint(1, 30))),
                "due_on": billed + timedelta(days=30),
                "paid_on": None if failed else billed + timedelta(days=r.randint(0, 70)),
                "reminded": "Y" if failed else "N",
            }
        )
    return {"patients": columns_of(patients), "treatments": columns_of(treatments)}


TILLS: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {"gear": gear, "dentist": dentist}
