"""Made-up businesses as exports: shoes over borders, power by the meter, wages, an inn, a bank.

Each was written with the list of what it lives by (known_strangers) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from benchmarks.rules_lists.desks_made_up import SURNAMES
from benchmarks.rules_lists.files_made_up import Columns, at, c2, day
from benchmarks.rules_lists.offices_made_up import months_on, years_between
from benchmarks.rules_lists.yards_made_up import FIRST, columns_of

_TOWNS = ["Graz", "Lyon", "Porto", "Turin", "Ghent", "Malmo", "Brno", "Cork", "Basel", "Essen"]
_WORDS = "leave with neighbour|ring twice|gift, no invoice please|call before|second floor|birthday 12/6|ok|thanks!"


def shoes(r: random.Random) -> dict[str, Columns]:  # it tells two years' story
    """A web shop for shoes in four countries: VAT by country, coupons, points, returns."""
    vat = {"DE": 19, "FR": 20, "IE": 23, "PL": 23}
    coupons = {"HELLO10": 10, "SPRING15": 15, "VIP20": 20}
    buyers, orders, lines, returns = [], [], [], []
    for i in range(700):
        first, last = r.choice(FIRST), r.choice(SURNAMES)
        joined = day(r, 900, date(2021, 2, 1))
        buyers.append(
            {
                "customer_id": 10_000 + i,
                "first_name": first,
                "last_name": last,
                "display_name": f"{first} {last}",
                "email": f"{first}.{last}{i}@mail.example".lower(),
                "country": r.choices(list(vat), [6, 3, 1, 2])[0],
                "joined": joined,
                "newsletter": r.choice(["yes", "no", "no"]),
                "confirmed_at": None,
                "birthday": day(r, 18_000, date(1950, 1, 1)) if r.random() < 0.4 else None,
            }
        )
        if buyers[-1]["newsletter"] == "yes":
            buyers[-1]["confirmed_at"] = at(joined + timedelta(days=r.randint(0, 3)), r)
    for i in range(2600):
        buyer = r.choice(buyers)
        placed = at(max(buyer["joined"], date(2022, 1, 1)) + timedelta(days=r.randrange(600)), r)
        order = f"{buyer['country']}-{placed:%y%m}-{i:05}"
        status = r.choices(["paid", "shipped", "delivered", "cancelled", "returned"], [2, 2, 14, 2, 2])[0]
        sub = 0
        for n in range(1, r.choices([2, 3, 4], [6, 3, 1])[0]):
            qty, price, size = r.choices([1, 2, 3], [9, 2, 1])[0], r.randrange(1990, 17990, 100), r.randint(35, 47)
            sub += qty * price
            style = r.randrange(100, 190)
            lines.append(
                {
                    "order_no": order,
                    "line": n,
                    "sku": f"{style}-{size}",
                    "style": style,
                    "size": size,
                    "qty": qty,
                    "price": c2(price),
                    "amount": c2(qty * price),
                }
            )
        code = r.choice(list(coupons)) if r.random() < 0.25 else None
        off = round(sub * coupons[code] / 100) if code else 0
        express = r.random() < 0.2
        shipping = 990 if express else 0 if sub - off >= 8000 else 490
        total = sub - off + shipping
        tax = round(total * vat[buyer["country"]] / (100 + vat[buyer["country"]]))
        shipped = (
            at(placed.date() + timedelta(days=r.randint(1, 4)), r) if status not in ("paid", "cancelled") else None
        )
        due = (shipped.date() + timedelta(days=1 if express else 3)) if shipped else None
        got = None
        if status in ("delivered", "returned"):
            got = shipped.date() + timedelta(days=r.choice([1, 2, 3, 3, 5]))
        orders.append(
            {
                "order_no": order,
                "customer_id": buyer["customer_id"],
                "country": buyer["country"],
                "placed_at": placed,
                "quarter": f"{placed.year}-Q{(placed.month + 2) // 3}",
                "status": status,
                "subtotal": c2(sub),
                "coupon": code,
                "discount": c2(off),
                "service": "express" if express else "standard",
                "shipping": c2(shipping),
                "total": c2(total),
                "vat_included": c2(tax),
                "points": total // 1000,
                "shipped_at": shipped,
                "promised_on": due,
                "delivered_on": got,
                "cancel_reason": r.choice(["late", "wrong size", "mind changed"]) if status == "cancelled" else None,
                "note": r.choice(_WORDS.split("|")) if r.random() < 0.15 else None,
            }
        )
        if status == "returned":
            fee = 0 if total >= 10_000 else 399
            returns.append(
                {
                    "return_no": f"R{len(returns) + 1:04}",
                    "order_no": order,
                    "returned_on": got + timedelta(days=r.randint(1, 14)),
                    "reason": r.choice(["fit", "defect", "other"]),
                    "fee": c2(fee),
                    "refund": c2(total - fee),
                    "refunded_on": got + timedelta(days=r.randint(15, 20)) if r.random() < 0.9 else None,
                }
            )
    return {
        "customers": columns_of(buyers),
        "orders": columns_of(orders),
        "order_lines": columns_of(lines),
        "returns": columns_of(returns),
    }


def power(r: random.Random) -> dict[str, Columns]:
    """A supplier of power: supply points with tariffs, and a bill a quarter by the meter."""
    tariffs = {"BASIC": (3210, 950), "GREEN": (3450, 990), "NIGHT": (2890, 1250)}
    points, bills = [], []
    for i in range(240):
        tariff = r.choice(list(tariffs))
        start = day(r, 1200, date(2018, 1, 1))
        months = r.choice([12, 24])
        points.append(
            {
                "supply_no": f"S{i * 7 + 1000}",
                "meter_serial": f"{r.choice(['LG', 'EMH', 'ISK'])}{r.randrange(10**6, 10**7)}",
                "town": r.choice(_TOWNS),
                "tariff": tariff,
                "unit_ct": c2(tariffs[tariff][0]),
                "standing_eur": c2(tariffs[tariff][1]),
                "contract_start": start,
                "term_months": months,
                "contract_end": months_on(start, months) - timedelta(days=1),
                "phases": r.choice([1, 3, 3]),
                "fuse_a": r.choice([35, 50, 63]),
                "direct_debit": r.choice(["Y", "Y", "N"]),
                "iban": None,
            }
        )
        point = points[-1]
        if point["direct_debit"] == "Y":
            point["iban"] = f"XY{r.randrange(10**9, 10**10)}"
        reading, begin = r.randrange(0, 60_000), date(2021, 1, 1)
        for _ in range(r.randint(5, 12)):
            end = months_on(begin, 3) - timedelta(days=1)
            used = int(r.gammavariate(3, 280))
            kind = r.choices(["read", "estimated", "customer"], [5, 3, 2])[0]
            energy = round(used * tariffs[tariff][0] / 100)
            standing = 3 * tariffs[tariff][1]
            net = energy + standing
            tax = round(net * 0.2)
            issued = end + timedelta(days=r.randint(3, 9))
            paid = issued + timedelta(days=r.randint(1, 40)) if r.random() < 0.9 else None
            bills.append(
                {
                    "bill_no": f"{issued.year}/{len(bills) + 1:06}",
                    "supply_no": point["supply_no"],
                    "tariff": tariff,
                    "from_date": begin,
                    "to_date": end,
                    "days": (end - begin).days + 1,
                    "start_kwh": reading,
                    "end_kwh": reading + used,
                    "used_kwh": used,
                    "reading_type": kind,
                    "reader_id": r.randrange(1, 15) if kind == "read" else None,
                    "energy_eur": c2(energy),
                    "standing_eur": c2(standing),
                    "net_eur": c2(net),
                    "tax_eur": c2(tax),
                    "total_eur": c2(net + tax),
                    "issued_on": issued,
                    "due_on": issued + timedelta(days=14),
                    "paid_on": paid,
                    "state": "paid" if paid else r.choice(["open", "reminded"]),
                    "days_late": max(0, (paid - issued).days - 14) if paid else None,
                }
            )
            reading, begin = reading + used, end + timedelta(days=1)
    return {"supply_points": columns_of(points), "bills": columns_of(bills)}


def wages(r: random.Random) -> dict[str, Columns]:
    """A factory's staff and payslips: hours, overtime, bonus, tax by class, fiscal years from October on."""
    staff, slips = [], []
    depts = {"PRD": "Production", "LOG": "Logistics", "ADM": "Administration", "QMS": "Quality"}
    rates = {1: 0.21, 2: 0.17, 3: 0.12}
    for i in range(180):
        dept, first, last = r.choice(list(depts)), r.choice(FIRST), r.choice(SURNAMES)
        born = day(r, 14_000, date(1962, 1, 1))
        hired = day(r, 3000, date(2014, 1, 1))
        left = hired + timedelta(days=r.randint(200, 1500)) if r.random() < 0.15 else None
        boss = staff[r.randrange(len(staff))]["staff_id"] if i > 4 else None
        staff.append(
            {
                "staff_id": f"{dept}{i + 1:04}",
                "initials": f"{first[0]}{last[0]}",
                "first_name": first,
                "last_name": last,
                "dept": dept,
                "dept_name": depts[dept],
                "born_on": born,
                "hired_on": hired,
                "probation_ends": months_on(hired, 6),
                "age_at_hire": years_between(born, hired),
                "manager_id": boss,
                "weekly_hours": r.choice([20, 30, 37.5, 37.5, 37.5]),
                "hourly_rate": c2(r.randrange(1450, 4200, 5)),
                "tax_class": r.choice([1, 2, 3]),
                "left_on": left,
                "active": "no" if left else "yes",
                "leave_reason": r.choice(["retired", "resigned", "contract ended"]) if left else None,
            }
        )
    for person in staff:
        for n in range(r.randint(6, 14)):
            month = months_on(date(2022, 4, 1), n)
            hours = r.choice([87, 130, 162, 163, 160, 158])
            over = r.choices([0, r.randint(1, 25)], [3, 2])[0]
            rate = round(float(person["hourly_rate"]) * 100)
            base, extra = hours * rate, round(over * rate * 1.25)
            bonus = r.randrange(5000, 90_000, 500) if r.random() < 0.1 else 0
            gross = base + extra + bonus
            tax = round(gross * rates[person["tax_class"]])
            pension = round(gross * 0.093)
            slips.append(
                {
                    "slip_id": len(slips) + 1,
                    "staff_id": person["staff_id"],
                    "month": f"{month:%Y-%m}",
                    "fiscal_year": month.year + (month.month >= 10),
                    "paid_on": months_on(month, 1) - timedelta(days=1),
                    "hours": hours,
                    "overtime_hours": over,
                    "hourly_rate": person["hourly_rate"],
                    "base_pay": c2(base),
                    "overtime_pay": c2(extra),
                    "bonus": c2(bonus),
                    "bonus_reason": r.choice(["target", "anniversary", "project"]) if bonus else None,
                    "gross": c2(gross),
                    "tax_class": person["tax_class"],
                    "tax": c2(tax),
                    "pension": c2(pension),
                    "net": c2(gross - tax - pension),
                }
            )
    return {"staff": columns_of(staff), "payslips": columns_of(slips)}


def inn(r: random.Random) -> dict[str, Columns]:  # it tells a season's story
    """An inn's bookings: nights, a price by the room type and season, tax by the person and night, deposits."""
    types = {"SGL": (1, 7900), "DBL": (2, 11900), "FAM": (4, 16900)}
    t = []
    for i in range(1500):
        kind = r.choices(list(types), [2, 5, 2])[0]
        room = {"SGL": 100, "DBL": 200, "FAM": 300}[kind] + r.randint(1, 12)
        booked = day(r, 600, date(2022, 1, 1))
        arrive = booked + timedelta(days=int(r.expovariate(1 / 40)))
        nights = r.choices([1, 2, 3, 4, 7, 14], [5, 6, 4, 2, 3, 1])[0]
        adults = r.randint(1, min(2, types[kind][0]))
        children = r.randint(0, types[kind][0] - adults) if kind == "FAM" else 0
        rate = types[kind][1] + (2000 if arrive.month in (7, 8, 12) else 0)
        board = r.choice(["room only", "breakfast", "half board"])
        meal = {"room only": 0, "breakfast": 1250, "half board": 3400}[board] * (adults + children) * nights
        tax = 250 * adults * nights
        lodging = nights * rate
        total = lodging + meal + tax
        channel = r.choice(["web", "phone", "agency", "agency"])
        commission = round(lodging * 0.15) if channel == "agency" else 0
        state = r.choices(["stayed", "cancelled", "no-show"], [15, 3, 1])[0]
        deposit = round(total * 0.3)
        cancelled = None
        if state == "cancelled":
            cancelled = booked + timedelta(days=r.randint(0, max(0, (arrive - booked).days)))
        t.append(
            {
                "booking": f"B{booked:%y%j}-{i:04}",
                "guest": f"{r.choice(SURNAMES)}, {r.choice(FIRST)}",
                "booked_on": booked,
                "arrival": arrive,
                "departure": arrive + timedelta(days=nights),
                "nights": nights,
                "lead_days": (arrive - booked).days,
                "season": "high" if arrive.month in (7, 8, 12) else "low",
                "weekday": f"{arrive:%A}",
                "room_type": kind,
                "room": room,
                "floor": room // 100,
                "adults": adults,
                "children": children,
                "guests": adults + children,
                "nightly_rate": c2(rate),
                "lodging": c2(lodging),
                "board": board,
                "meals": c2(meal),
                "visitor_tax": c2(tax),
                "total": c2(total),
                "deposit": c2(deposit),
                "balance": c2(total - deposit),
                "channel": channel,
                "commission": c2(commission),
                "status": state,
                "cancelled_on": cancelled,
                "invoice_no": f"I-{arrive.year}-{i:05}" if state == "stayed" else None,
                "rating": r.choice([None, None, 3, 4, 4, 5]) if state == "stayed" else None,
            }
        )
    return {"bookings": columns_of(t)}


def bank(r: random.Random) -> dict[str, Columns]:
    """A bank's accounts and their bookings: running balances, fees, foreign currency."""
    accounts, rows = [], []
    for i in range(120):
        kind = r.choice(["giro", "giro", "savings"])
        opened = day(r, 2500, date(2012, 1, 1))
        closed = opened + timedelta(days=r.randint(2600, 3300)) if r.random() < 0.12 else None
        limit = r.randrange(500, 5001, 500) if kind == "giro" else 0
        branch = r.choice([110, 120, 205, 310])
        number = f"{branch}{i:07}"
        accounts.append(
            {
                "account_no": number,
                "iban": f"XZ{r.randrange(10, 99)}{number}",
                "branch": branch,
                "branch_town": {110: "Graz", 120: "Lyon", 205: "Porto", 310: "Turin"}[branch],
                "product": kind,
                "opened": opened,
                "closed": closed,
                "state": "closed" if closed else "open",
                "overdraft_limit": limit,
                "rate_pct": {"giro": "0.00", "savings": "1.25"}[kind],
                "holder": f"{r.choice(FIRST)} {r.choice(SURNAMES)}",
                "joint_holder": f"{r.choice(FIRST)} {r.choice(SURNAMES)}" if r.random() < 0.2 else None,
            }
        )
        balance, when = 0, at(date(2022, 3, 1), r)
        for n in range(1, r.randint(12, 45)):
            when += timedelta(hours=r.randint(5, 300), minutes=r.randrange(60))
            what = r.choices(["deposit", "transfer", "card", "fee"], [3, 4, 6, 1])[0] if balance > 0 else "deposit"
            size = r.randrange(10, 3000) if what == "card" else r.randrange(1000, 300_000)
            amount = size if what == "deposit" else -390 if what == "fee" else -min(size, balance + limit * 100)
            abroad = what == "card" and r.random() < 0.2
            rate = r.choice([1.0832, 0.9731, 0.8612]) if abroad else None
            rows.append(
                {
                    "txn_id": 5_000_000 + len(rows),
                    "account_no": number,
                    "seq": n,
                    "booked_at": when,
                    "value_date": when.date() + timedelta(days=2 if what == "transfer" else 0),
                    "type": what,
                    "amount": c2(amount),
                    "direction": "C" if amount > 0 else "D",
                    "balance_before": c2(balance),
                    "balance_after": c2(balance + amount),
                    "counterparty": r.choice(SURNAMES) if what in ("deposit", "transfer") else None,
                    "card_no": f"****{r.randrange(1000, 9999)}" if what == "card" else None,
                    "fx_currency": r.choice(["USD", "CHF", "GBP"]) if abroad else None,
                    "fx_rate": rate,
                    "fx_amount": c2(round(-amount * rate)) if rate else None,
                    "purpose": r.choice(_WORDS.split("|")) if r.random() < 0.4 else None,
                }
            )
            balance += amount
    return {"accounts": columns_of(accounts), "transactions": columns_of(rows)}


STRANGERS: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "shoes": shoes,
    "power": power,
    "wages": wages,
    "inn": inn,
    "bank": bank,
}
