"""Made-up businesses as exports: films by subscription, groceries, a school, cargo.

Each was written with the list of what it lives by (known_neighbours) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

from benchmarks.rules_lists.desks_made_up import SURNAMES
from benchmarks.rules_lists.files_made_up import Columns, at, c2, day
from benchmarks.rules_lists.offices_made_up import months_on
from benchmarks.rules_lists.yards_made_up import FIRST, columns_of

_TOWNS = ["Graz", "Lyon", "Porto", "Turin", "Ghent", "Malmo", "Brno", "Cork", "Basel", "Essen"]


def films(r: random.Random) -> dict[str, Columns]:
    """Films by subscription: plans, subscribers with trials, invoices by the month, payments that fail."""
    plans = [
        {"plan_code": "STD-M", "name": "Standard", "cycle": "monthly", "months": 1, "price": "9.99", "screens": 2},
        {"plan_code": "STD-Y", "name": "Standard", "cycle": "yearly", "months": 12, "price": "99.00", "screens": 2},
        {"plan_code": "FAM-M", "name": "Family", "cycle": "monthly", "months": 1, "price": "14.99", "screens": 5},
        {"plan_code": "FAM-Y", "name": "Family", "cycle": "yearly", "months": 12, "price": "149.00", "screens": 5},
    ]
    people: list[dict[str, Any]] = []
    invoices: list[dict[str, Any]] = []
    for i in range(900):
        plan = r.choice(plans)
        signup = at(day(r, 700, date(2021, 6, 1)), r)
        trial_end = signup.date() + timedelta(days=14)
        churned = r.random() < 0.35
        cancel = trial_end + timedelta(days=r.randint(0, 500)) if churned else None
        source = r.choices(["ads", "friend", "organic"], [3, 1, 4])[0]
        people.append(
            {
                "sub_id": f"SUB{100_000 + i * 11}",
                "email_hash": f"{r.getrandbits(48):012x}",
                "plan_code": plan["plan_code"],
                "cycle": plan["cycle"],
                "signup_at": signup,
                "trial_ends": trial_end,
                "source": source,
                "referrer": f"SUB{100_000 + r.randrange(900) * 11}" if source == "friend" else None,
                "profiles": r.randint(1, plan["screens"]),
                "cancelled_on": cancel,
                "cancel_reason": r.choice(["price", "content", "other"]) if cancel else None,
                "is_active": "0" if cancel else "1",
                "country": r.choices(["US", "CA", "GB"], [6, 2, 1])[0],
                "currency": None,
            }
        )
        person = people[-1]
        person["currency"] = {"US": "USD", "CA": "CAD", "GB": "GBP"}[person["country"]]
        begin = trial_end
        for _ in range(r.randint(1, 9 if plan["months"] == 1 else 2)):
            until = months_on(begin, plan["months"])
            amount = round(float(plan["price"]) * 100)
            off = round(amount * 0.2) if r.random() < 0.15 else 0
            tax = round((amount - off) * {"US": 0.07, "CA": 0.13, "GB": 0.2}[person["country"]])
            failed = r.choices([0, 1, 2, 3], [12, 2, 1, 1])[0]
            paid = at(begin + timedelta(days=2 * failed), r) if failed < 3 else None
            number = len(invoices) + 1
            invoices.append(
                {
                    "invoice_id": number,
                    "invoice_no": f"INV{begin:%Y%m%d}-{number:05}",
                    "sub_id": person["sub_id"],
                    "period_start": begin,
                    "period_end": until - timedelta(days=1),
                    "list_price": c2(amount),
                    "promo": "WELCOME20" if off else None,
                    "discount": c2(off),
                    "tax": c2(tax),
                    "amount_due": c2(amount - off + tax),
                    "currency": person["currency"],
                    "attempts": min(3, failed + 1),
                    "paid_at": paid,
                    "amount_paid": c2(amount - off + tax if paid else 0),
                    "status": "paid" if paid else "uncollectible",
                    "card_last4": f"{r.randrange(10_000):04}" if paid else None,
                    "fx_note": r.choice(["", "", "rate of the day", "manual"]) or None,
                }
            )
            begin = until
    return {"plans": columns_of(plans), "subscribers": columns_of(people), "invoices": columns_of(invoices)}


def groceries(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Groceries brought home: baskets with slots, substitutes, weights, tips, a deposit on bottles."""
    products, orders, items = [], [], []
    aisles = {"FR": "fruit", "DA": "dairy", "BV": "beverages", "HH": "household"}
    for i in range(260):
        aisle = r.choice(list(aisles))
        cost = r.randrange(40, 1500)
        products.append(
            {
                "product_code": f"{aisle}{i:04}",
                "title": f"{r.choice(['organic', 'classic', 'value'])} {aisles[aisle]} {i}",
                "aisle": aisles[aisle],
                "by_weight": "yes" if aisle == "FR" else "no",
                "purchase_price": c2(cost),
                "sale_price": c2(round(cost * r.choice([1.2, 1.35, 1.5]))),
                "vat_pct": 19 if aisle in ("HH", "BV") else 7,
                "bottle_deposit": "0.25" if aisle == "BV" else "0.00",
                "min_age": 18 if aisle == "BV" and r.random() < 0.3 else None,
                "listed_on": day(r, 900, date(2020, 1, 1)),
                "delisted_on": None,
            }
        )
        if r.random() < 0.1:
            products[-1]["delisted_on"] = products[-1]["listed_on"] + timedelta(days=r.randint(100, 700))
    for i in range(1400):
        placed = at(day(r, 360, date(2023, 1, 1)), r)
        slot = at(placed.date() + timedelta(days=r.randint(1, 4)), r, 480, 481).replace(second=0)
        slot += timedelta(hours=r.choice([0, 2, 4, 6, 8, 10]))
        goods = deposit = 0
        missing = count = 0
        for product in r.sample(products, r.randint(1, 7)):
            wanted = r.randint(1, 5)
            got = max(0, wanted - r.choices([0, 1], [9, 1])[0])
            price = round(float(product["sale_price"]) * 100)
            bottle = round(float(product["bottle_deposit"]) * 100) * got
            goods, deposit, count, missing = goods + got * price, deposit + bottle, count + 1, missing + wanted - got
            items.append(
                {
                    "basket": 40_000 + i,
                    "product_code": product["product_code"],
                    "wanted": wanted,
                    "delivered": got,
                    "short": wanted - got,
                    "unit_price": product["sale_price"],
                    "line_total": c2(got * price),
                    "deposit": c2(bottle),
                    "substituted": "Y" if got < wanted and r.random() < 0.5 else "N",
                }
            )
        fee = 0 if goods >= 5000 else 399
        tip = r.choice([0, 0, 0, 100, 200, 500])
        arrived = slot + timedelta(minutes=r.randint(-10, 150)) if r.random() < 0.96 else None
        orders.append(
            {
                "basket": 40_000 + i,
                "placed_at": placed,
                "slot_start": slot,
                "slot_end": slot + timedelta(hours=2),
                "week": f"{placed:%G}W{placed:%V}",
                "channel": r.choice(["app", "web"]),
                "lines": count,
                "units_short": missing,
                "goods_total": c2(goods),
                "bottle_deposit": c2(deposit),
                "delivery_fee": c2(fee),
                "tip": c2(tip),
                "grand_total": c2(goods + deposit + fee + tip),
                "driver": r.randint(1, 25) if arrived else None,
                "arrived_at": arrived,
                "late": None if arrived is None else "yes" if arrived > slot + timedelta(hours=2) else "no",
                "state": "done" if arrived else "cancelled",
                "comment": r.choice(["ring the bell", "no bags", "thank you"]) if r.random() < 0.1 else None,
            }
        )
    return {"products": columns_of(products), "baskets": columns_of(orders), "basket_items": columns_of(items)}


def school(r: random.Random) -> dict[str, Columns]:
    """A school: pupils by form and house, and the results of their examinations, with grades by the mark."""
    pupils, results = [], []
    houses = {"R": "Robin", "S": "Swift", "W": "Wren"}
    for i in range(420):
        form, house = r.randint(7, 12), r.choice(list(houses))
        entered = date(2023 - form + 7 - r.choice([0, 0, 0, 1]), 9, 1)
        left = day(r, 200, date(2023, 12, 1)) if r.random() < 0.06 else None
        meals = r.random() < 0.2
        pupils.append(
            {
                "admission_no": 3000 + i * 2,
                "surname": r.choice(SURNAMES),
                "forename": r.choice(FIRST),
                "form": form,
                "tutor_group": f"{form}{house}",
                "house": houses[house],
                "key_stage": 3 if form <= 9 else 4 if form <= 11 else 5,
                "entered_on": entered,
                "free_meals": "Y" if meals else "N",
                "meal_rate": "0.00" if meals else "2.65",
                "sen_code": r.choice(["K", "E"]) if r.random() < 0.15 else None,
                "left_on": left,
                "destination": r.choice(["college", "other school", "abroad"]) if left else None,
            }
        )
        for subject in r.sample(["Maths", "English", "Physics", "History", "Art"], 3):
            sat = date(2024, r.choice([1, 6]), r.randint(8, 24))
            absent = r.random() < 0.05
            one, two = r.randint(5, 60), r.randint(4, 40)
            mark = one + two
            work = r.randint(20, 100)
            weighted = round(mark * 0.8 + work * 0.2, 1)
            grade = "A" if mark >= 80 else "B" if mark >= 65 else "C" if mark >= 50 else "D" if mark >= 35 else "U"
            results.append(
                {
                    "result_id": f"{sat:%y}{subject[:2].upper()}{len(results):05}",
                    "admission_no": 3000 + i * 2,
                    "form": form,
                    "subject": subject,
                    "sat_on": sat,
                    "term": "spring" if sat.month == 1 else "summer",
                    "school_year": "2023/24",
                    "attendance": "absent" if absent else "present",
                    "paper_1": None if absent else one,
                    "paper_2": None if absent else two,
                    "mark": None if absent else mark,
                    "coursework": work,
                    "weighted": None if absent else weighted,
                    "grade": "X" if absent else grade,
                    "passed": None if absent else "yes" if mark >= 50 else "no",
                    "resit_on": sat + timedelta(days=28) if absent else None,
                    "marked_by": None if absent else r.choice(["KL", "PM", "DT", "SW"]),
                }
            )
    return {"pupils": columns_of(pupils), "results": columns_of(results)}


def cargo(r: random.Random) -> dict[str, Columns]:
    """Cargo in one table: weights, zones, surcharges by the service, customs, insurance."""
    t = []
    zones = {"AT": 1, "CH": 2, "PT": 2, "MA": 3}
    for i in range(1800):
        land = r.choices(list(zones), [5, 2, 2, 1])[0]
        booked = day(r, 500, date(2022, 9, 1))
        picked = booked + timedelta(days=r.randint(0, 3))
        service = r.choices(["economy", "express", "overnight"], [6, 3, 1])[0]
        days = {"economy": 5, "express": 2, "overnight": 1}[service]
        due = picked + timedelta(days=days)
        state = r.choices(["delivered", "in transit", "lost"], [16, 2, 1])[0]
        came = picked + timedelta(days=max(1, days + r.choice([-1, 0, 0, 0, 1, 3]))) if state == "delivered" else None
        pieces, tare, cargo_kg = r.randint(1, 8), r.randrange(5, 90), r.randrange(20, 4000)
        gross = tare + cargo_kg
        rate = {1: 45, 2: 70, 3: 120}[zones[land]]
        freight = round(gross / 10 * rate)
        fuel = round(freight * 0.125)
        extra = {"economy": 0, "express": round(freight * 0.3), "overnight": round(freight * 0.5)}[service]
        value = r.randrange(10_000, 900_000, 100) if r.random() < 0.4 else None
        premium = max(500, round(value * 0.01)) if value else 0
        customs = 2500 if land in ("CH", "MA") else 0
        net = freight + fuel + extra + premium + customs
        t.append(
            {
                "waybill": f"{land}{booked:%y}{i:06}",
                "country": land,
                "zone": zones[land],
                "town": r.choice(_TOWNS),
                "booked_on": booked,
                "picked_up_on": picked,
                "service": service,
                "due_on": due,
                "delivered_on": came,
                "days_in_transit": (came - picked).days if came else None,
                "on_time": None if came is None else "yes" if came <= due else "no",
                "pieces": pieces,
                "tare_kg": f"{tare / 10:.1f}",
                "net_kg": f"{cargo_kg / 10:.1f}",
                "gross_kg": f"{gross / 10:.1f}",
                "rate_per_kg": c2(rate),
                "freight": c2(freight),
                "fuel_surcharge": c2(fuel),
                "service_surcharge": c2(extra),
                "insured_value": c2(value),
                "insurance": c2(premium),
                "customs_fee": c2(customs),
                "net_total": c2(net),
                "customs_no": f"C{r.randrange(10**7):07}" if customs else None,
                "state": state,
                "claim_no": f"CL-{r.randrange(10**5):05}" if state == "lost" else None,
                "signed_by": r.choice(SURNAMES) if came else None,
            }
        )
    return {"waybills": columns_of(t)}


NEIGHBOURS: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "films": films,
    "groceries": groceries,
    "school": school,
    "cargo": cargo,
}
