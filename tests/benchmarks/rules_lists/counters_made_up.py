"""Made-up businesses as exports: a wholesaler, rents, a school of music, a harbour, loans by month.

Each was written with the list of what it lives by (known_counters) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from benchmarks.rules_lists.desks_made_up import SURNAMES, de
from benchmarks.rules_lists.files_made_up import Columns, at, c2, day
from benchmarks.rules_lists.offices_made_up import months_on, years_between
from benchmarks.rules_lists.yards_made_up import FIRST, columns_of


def wholesaler(r: random.Random) -> dict[str, Columns]:
    """A wholesaler: customers with terms, orders with freight, lines in cases with a discount by the line."""
    customers, orders, lines = [], [], []
    terms = {"A": 14, "B": 30, "C": 45}
    for i in range(160):
        group = r.choice(list(terms))
        customers.append(
            {
                "cust_no": 20000 + i * 3,
                "company": f"{r.choice(SURNAMES)} {r.choice(['Ltd', 'GmbH', 'SA'])} {i}",
                "price_group": group,
                "payment_days": terms[group],
                "credit_limit": r.randrange(1000, 50001, 500),
                "since": day(r, 3000, date(2012, 1, 1)),
                "vat_id": f"EU{r.randrange(10**8, 10**9)}" if r.random() < 0.8 else None,
            }
        )
    for i in range(2300):
        customer = r.choice(customers)
        placed = date(2022, 1, 3) + timedelta(days=r.randrange(700))
        shipped = placed + timedelta(days=r.randint(0, 12)) if r.random() < 0.93 else None
        invoiced = shipped + timedelta(days=r.randint(0, 3)) if shipped else None
        goods = 0
        for n in range(1, r.randint(2, 5)):
            cases, each, price = r.randint(1, 20), r.choice([6, 12, 24]), r.randrange(80, 3000)
            pct = {"A": 0, "B": 3, "C": 5}[customer["price_group"]]
            gross = cases * each * price
            off = round(gross * pct / 100)
            goods += gross - off
            lines.append(
                {
                    "order_no": 700000 + i,
                    "pos": n * 10,
                    "article": f"{r.randrange(100, 160)}-{each:02}",
                    "cases": cases,
                    "units_per_case": each,
                    "units": cases * each,
                    "unit_price": c2(price),
                    "gross": c2(gross),
                    "rebate_pct": pct,
                    "rebate": c2(off),
                    "net": c2(gross - off),
                    "backordered": min(cases, r.choice([0, 0, 0, 1, 2])),
                }
            )
        freight = 0 if goods >= 50000 else 1990
        orders.append(
            {
                "order_no": 700000 + i,
                "cust_no": customer["cust_no"],
                "price_group": customer["price_group"],
                "placed_on": placed,
                "week": placed.isocalendar().week,
                "shipped_on": shipped,
                "invoiced_on": invoiced,
                "due_on": invoiced + timedelta(days=customer["payment_days"]) if invoiced else None,
                "invoice_no": f"R{invoiced:%y%m}-{i:05}" if invoiced else None,
                "goods": c2(goods),
                "freight": c2(freight),
                "net_total": c2(goods + freight),
                "vat": c2(round((goods + freight) * 0.19)),
                "gross_total": c2(goods + freight + round((goods + freight) * 0.19)),
                "status": "invoiced" if invoiced else "open",
            }
        )
    return {"customers": columns_of(customers), "orders": columns_of(orders), "lines": columns_of(lines)}


def rents(r: random.Random) -> dict[str, Columns]:
    """Flats to let: contracts with deposits and notice, and what is paid by the month."""
    flats, payments = [], []
    houses = {"H1": "Elm Street 4", "H2": "Mill Lane 18", "H3": "Quay 7"}
    for i in range(240):
        house, area = r.choice(list(houses)), round(r.uniform(28, 130), 1)
        rate = r.choice([850, 920, 1010, 1175])
        cold, extra = round(area * rate), round(area) * 240
        begins = day(r, 1800, date(2017, 1, 1))
        ends = months_on(begins, r.choice([12, 24, 36, 41])) - timedelta(days=1) if r.random() < 0.4 else None
        flats.append(
            {
                "contract": f"{house}-{begins:%Y}-{i:03}",
                "house": house,
                "address": houses[house],
                "floor": r.randint(0, 5),
                "area_m2": area,
                "rate_m2": c2(rate),
                "cold_rent": c2(cold),
                "service_charge": c2(extra),
                "warm_rent": c2(cold + extra),
                "deposit": c2(3 * cold),
                "begins": de(begins),
                "ends": de(ends),
                "first_review": de(months_on(begins, 15)),
                "notice_by": de(months_on(ends, -3)) if ends else None,
                "reason": r.choice(["moved", "bought", "sold"]) if ends else None,
                "pets": r.choice("JN"),
                "tenant_born": de(born := begins - timedelta(days=r.randint(7000, 25000))),
                "tenant_age": years_between(born, begins),
            }
        )
        for n in range(r.randint(6, 18)):
            month = months_on(begins.replace(day=1), n)
            due = cold + extra
            paid = due if r.random() < 0.93 else r.randrange(0, due)
            late = r.choice([-3, -1, 0, 0, 0, 2, 9]) if paid else None
            payments.append(
                {
                    "contract": flats[-1]["contract"],
                    "month": f"{month:%Y-%m}",
                    "due_on": month + timedelta(days=2),
                    "due": c2(due),
                    "paid": c2(paid),
                    "open": c2(due - paid),
                    "paid_on": month + timedelta(days=2 + late) if late is not None else None,
                    "days_late": max(0, late) if late is not None else None,
                    "reminded": "yes" if paid < due else "no",
                }
            )
    return {"contracts": columns_of(flats), "payments": columns_of(payments)}


def music(r: random.Random) -> dict[str, Columns]:
    """A school of music: pupils with their age at the term's start, and bookings by minutes."""
    pupils, bookings = [], []
    fees = {"single 30": (30, 5400), "single 45": (45, 7700), "pair": (45, 4300), "group": (60, 2600)}
    start = date(2024, 9, 1)
    for i in range(420):
        born = start - timedelta(days=r.randint(2200, 22000))
        adult = years_between(born, start) >= 18
        joined = day(r, 1500, date(2020, 8, 1))
        left = joined + timedelta(days=r.randint(40, 1400)) if r.random() < 0.2 else None
        pupils.append(
            {
                "pupil_id": i + 1,
                "first": r.choice(FIRST),
                "last": r.choice(SURNAMES),
                "born": born,
                "age": years_between(born, start),
                "adult": "Y" if adult else "N",
                "guardian": None if adult else r.choice(FIRST),
                "joined": joined,
                "left": left,
                "active": "N" if left else "Y",
                "instrument": r.choice(["piano", "violin", "flute", "drums", "guitar"]),
            }
        )
        for n in range(r.randint(1, 4)):
            kind = r.choice(list(fees))
            minutes, fee = fees[kind]
            lessons = r.randint(6, 18)
            sibling = r.choice([0, 0, 10, 20])
            amount = fee * lessons
            begins = at(start + timedelta(days=r.randint(0, 80)), r, 540, 1140).replace(second=0)
            bookings.append(
                {
                    "booking": f"{begins:%y}{i + 1:04}{n}",
                    "pupil_id": i + 1,
                    "kind": kind,
                    "minutes": minutes,
                    "first_lesson": begins,
                    "first_ends": begins + timedelta(minutes=minutes),
                    "weekday": f"{begins:%a}",
                    "lessons": lessons,
                    "total_minutes": lessons * minutes,
                    "fee": c2(fee),
                    "amount": c2(amount),
                    "sibling_pct": sibling,
                    "reduction": c2(amount * sibling // 100),
                    "payable": c2(amount - amount * sibling // 100),
                    "instalment": c2(round((amount - amount * sibling // 100) / 4)),
                    "teacher": r.choice(["AK", "BM", "CS", "DL"]),
                }
            )
    return {"pupils": columns_of(pupils), "bookings": columns_of(bookings)}


def harbour(r: random.Random) -> dict[str, Columns]:
    """A harbour: ships' calls with dues by tonnage, a least fee, and hours at the berth."""
    calls = []
    berths = {"B1": ("North", 12.5), "B2": ("North", 10.5), "B3": ("South", 9.0), "B4": ("South", 14.0)}
    for i in range(1900):
        berth = r.choice(list(berths))
        quay, depth = berths[berth]
        eta = at(day(r, 400, date(2023, 3, 1)), r)
        arrived = eta + timedelta(minutes=r.randint(-300, 900))
        berthed = arrived + timedelta(minutes=r.randint(20, 600))
        left = berthed + timedelta(minutes=r.randint(200, 5000)) if r.random() < 0.97 else None
        tons = r.randrange(300, 60000)
        dues = max(45000, tons * 17)
        pilot = r.random() < 0.7
        fee = 38000 if pilot else 0
        cargo_in, cargo_out = r.choice([0, r.randrange(100, 9000)]), r.choice([0, r.randrange(100, 9000)])
        calls.append(
            {
                "call_no": f"{arrived:%y%j}-{i:04}",
                "imo": 9_100_000 + r.randrange(380) * 13,
                "berth": berth,
                "quay": quay,
                "max_draught_m": depth,
                "draught_m": round(r.uniform(3.5, depth), 1),
                "eta": eta,
                "arrived": arrived,
                "berthed": berthed,
                "departed": left,
                "hours_berthed": round((left - berthed).total_seconds() / 3600, 2) if left else None,
                "gross_tonnage": tons,
                "harbour_dues": c2(dues),
                "pilot": "T" if pilot else "F",
                "pilot_name": r.choice(SURNAMES) if pilot else None,
                "pilot_fee": c2(fee),
                "cargo_in_t": cargo_in,
                "cargo_out_t": cargo_out,
                "cargo_t": cargo_in + cargo_out,
                "ballast": int(cargo_in + cargo_out == 0),
                "total_fee": c2(dues + fee),
            }
        )
    return {"calls": columns_of(calls)}


def lending(r: random.Random) -> dict[str, Columns]:
    """A bank's loans: terms in months, and a row for each month's end."""
    loans, months = [], []
    kinds = {"auto": 5.9, "home": 3.4, "personal": 8.9}
    for i in range(190):
        kind, term = r.choice(list(kinds)), r.choice([12, 24, 36, 48, 60])
        opened, principal = day(r, 900, date(2019, 1, 1)), r.randrange(2000, 40001, 100)
        loans.append(
            {
                "loan_id": f"{kind[0].upper()}{i + 1:05}",
                "product": kind,
                "apr": kinds[kind],
                "principal": principal,
                "term_months": term,
                "opened_on": opened,
                "first_due": months_on(opened, 1),
                "matures_on": months_on(opened, term),
                "branch": r.choice(["001", "002", "014"]),
                "borrower_birth_year": opened.year - r.randint(21, 70),
            }
        )
        balance = principal * 100
        for n in range(1, r.randint(5, 13)):
            interest = round(balance * kinds[kind] / 1200)
            paid = min(balance, principal * 100 // term)
            months.append(
                {
                    "loan_id": loans[-1]["loan_id"],
                    "statement_no": n,
                    "as_of": months_on(opened.replace(day=1), n + 1) - timedelta(days=1),
                    "period": int(f"{months_on(opened.replace(day=1), n):%Y%m}"),
                    "opening": c2(balance),
                    "principal_paid": c2(paid),
                    "interest": c2(interest),
                    "payment": c2(paid + interest),
                    "closing": c2(balance - paid),
                    "apr": kinds[kind],
                    "delinquent": r.choice([0, 0, 0, 0, 1]),
                }
            )
            balance -= paid
    return {"loans": columns_of(loans), "statements": columns_of(months)}


COUNTERS: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "wholesaler": wholesaler,
    "rents": rents,
    "music": music,
    "harbour": harbour,
    "lending": lending,
}
