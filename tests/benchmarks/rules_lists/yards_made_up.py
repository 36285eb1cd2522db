"""Further made-up businesses: a running race, a weighbridge, a garage, subscriptions, quality in a machine shop.

Each was written with the list of what it lives by (known_yards) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

from benchmarks.rules_lists.files_made_up import Columns, at, c2, day

FIRST = [
    "Ada",
    "Bela",
    "Cora",
    "Dag",
    "Edda",
    "Finn",
    "Gil",
    "Hana",
    "Ivo",
    "Jule",
    "Kai",
    "Lena",
    "Max",
    "Nele",
    "Olaf",
    "Pia",
    "Quin",
    "Rosa",
    "Sven",
    "Tara",
]
LAST = [
    "Abt",
    "Beck",
    "Cole",
    "Drew",
    "Egger",
    "Funk",
    "Graf",
    "Huber",
    "Ives",
    "Jahn",
    "Kern",
    "Lang",
    "Moss",
    "Nagy",
    "Otto",
    "Pohl",
    "Quast",
    "Roth",
    "Seidl",
    "Thoma",
]


def columns_of(rows: list[dict[str, Any]]) -> Columns:
    """Columns of rows that have the same names in the same order."""
    return {name: [row[name] for row in rows] for name in rows[0]}


def clock(seconds: int | None) -> str | None:
    return None if seconds is None else f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def race(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A running race: three years, three distances, late fees, gun and chip times, ranks."""
    races, entries, results = [], [], []
    clubs = {f"{a} {b}": t for a in ("TSV", "LG", "SC") for b, t in zip(LAST[:8], FIRST[:8], strict=True)}
    number = 0
    for year in (2022, 2023, 2024):
        on = date(year, 9, 10 + year % 5)
        for code, km, fee in (("10K", 10, 2500), ("HM", 21.1, 4200), ("M", 42.2, 6500)):
            late = on - timedelta(days=30)
            races.append(
                {
                    "race_id": f"{code}{year}",
                    "distance_code": code,
                    "distance_km": km,
                    "raced_on": on,
                    "late_from": late,
                    "entry_fee": c2(fee),
                    "late_fee": c2(800),
                    "time_limit_h": {10: 2, 21.1: 3.5}.get(km, 6),
                }
            )
            finishers = []
            for bib in range(1, r.randint(260, 420)):
                number += 1
                born = year - r.randint(18, 72)
                sex = r.choice("MMF")
                age = year - born
                signed = on - timedelta(days=r.randint(1, 200))
                extra = 800 if signed >= late else 0
                club = r.choice([None, None, *clubs])
                off = r.random() < 0.05
                tee = r.choice([None, None, "S", "M", "L"])
                paid = fee + extra + (1900 if tee else 0)
                entry = f"E{year % 100}-{number:05}"
                entries.append(
                    {
                        "entry_no": entry,
                        "race_id": f"{code}{year}",
                        "bib": bib,
                        "first_name": r.choice(FIRST),
                        "last_name": r.choice(LAST),
                        "sex": sex,
                        "birth_year": born,
                        "age": age,
                        "age_group": f"{sex}{'U30' if age < 30 else age // 5 * 5}",
                        "club": club,
                        "club_town": club and clubs[club],
                        "entered_on": signed,
                        "fee": c2(fee),
                        "late_fee": c2(extra),
                        "shirt_size": tee,
                        "shirt_price": c2(1900) if tee else None,
                        "amount_paid": c2(paid),
                        "cancelled_on": signed + timedelta(days=r.randint(0, (on - signed).days)) if off else None,
                        "status": "cancelled" if off else "confirmed",
                    }
                )
                if off or r.random() < 0.06:
                    continue
                chip = int(km * r.gauss(340, 45))
                delay = r.randint(0, 400)
                done = r.random() > 0.04
                half = int(chip * r.uniform(0.47, 0.5)) if done or r.random() < 0.5 else None
                finishers.append((chip if done else None, delay, half, entry, sex, bib))
            place = {"M": 0, "F": 0}
            finishers.sort(key=lambda f: (f[0] is None, (f[0] or 0) + f[1]))
            for rank, (chip, delay, half, entry, sex, bib) in enumerate(finishers, 1):
                place[sex] += 1
                results.append(
                    {
                        "entry_no": entry,
                        "race_id": f"{code}{year}",
                        "bib": bib,
                        "sex": sex,
                        "start_delay_s": delay,
                        "half_s": half,
                        "second_half_s": chip - half if chip else None,
                        "net_s": chip,
                        "gun_s": chip + delay if chip else None,
                        "net_time": clock(chip),
                        "pace_s_per_km": round(chip / km, 1) if chip else None,
                        "rank": rank if chip else None,
                        "rank_sex": place[sex] if chip else None,
                        "outcome": "finished" if chip else "dnf",
                    }
                )
    return {"races": columns_of(races), "entries": columns_of(entries), "results": columns_of(results)}


def weighbridge(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A recycling yard: lorries weigh in and out, prices by tonne, a minimum charge, a surcharge for overloads."""
    materials, customers, tickets = [], [], []
    for i, (name, group, price) in enumerate(
        (
            ("Bauschutt rein", "inert", 1450),
            ("Bauschutt gemischt", "inert", 3900),
            ("Boden Z0", "soil", 1200),
            ("Boden Z1", "soil", 2600),
            ("Holz A1", "wood", 4500),
            ("Holz A4", "wood", 13800),
            ("Asphalt", "inert", 1900),
            ("Gips", "other", 8900),
            ("Sperrmuell", "other", 18500),
            ("Gruenschnitt", "wood", 3300),
        ),
        1,
    ):
        materials.append(
            {
                "material_no": 100 + i,
                "name": name,
                "material_group": group,
                "waste_code": f"17{r.randint(1, 9):02}{i:02}",
                "hazardous": "Y" if price > 8000 else "N",
                "price_per_t": c2(price),
                "min_charge": c2(1500 if price < 5000 else 4000),
            }
        )
    for i in range(90):
        credit = r.random() < 0.5
        customers.append(
            {
                "customer_no": 20001 + i,
                "name": f"{LAST[i % 20]} {('Bau', 'Abbruch', 'Garten', 'GmbH', 'KG')[i // 20]}",
                "account": "credit" if credit else "cash",
                "credit_limit": r.choice([5000, 10000, 20000]) if credit else None,
                "payment_days": r.choice([14, 30]) if credit else 0,
                "discount_pct": r.choice([0, 5, 10]) if credit else 0,
                "vat_id": f"DE{r.randrange(10**8, 10**9)}" if credit or r.random() < 0.3 else None,
            }
        )
    trucks = {f"HX-{r.choice('ABC')}{r.choice('KLM')} {n}": r.randrange(7000, 15000, 20) for n in range(200, 330)}
    for i in range(2400):
        on = day(r, 500, date(2023, 1, 2))
        m, c = r.choice(materials), r.choice(customers)
        plate = r.choice(list(trucks))
        tare = trucks[plate] + r.randrange(-100, 120, 20)
        net = r.choice([r.randrange(80, 1500, 20), r.randrange(1500, 26000, 20)])
        first = at(on, r, 420, 960)
        price = float(m["price_per_t"])
        amount = round(net / 1000 * price, 2)
        charged = max(amount, float(m["min_charge"]))
        rebate = round(charged * c["discount_pct"] / 100, 2)
        over = net > 24000
        net_amount = charged - rebate + (25 if over else 0)
        vat = round(net_amount * 0.19 + 1e-9, 2)
        tickets.append(
            {
                "ticket_no": f"W{on:%y%m%d}{i:05}",
                "weighed_on": on,
                "first_at": first,
                "second_at": first + timedelta(minutes=r.randint(6, 55), seconds=r.randint(0, 59)),
                "plate": plate,
                "customer_no": c["customer_no"],
                "material_no": m["material_no"],
                "gross_kg": tare + net,
                "tare_kg": tare,
                "net_kg": net,
                "net_t": f"{net / 1000:.3f}",
                "price_per_t": m["price_per_t"],
                "amount": f"{amount:.2f}",
                "charged": f"{charged:.2f}",
                "rebate_pct": c["discount_pct"],
                "rebate": f"{rebate:.2f}",
                "overload_fee": "25.00" if over else None,
                "net_amount": f"{net_amount:.2f}",
                "vat": f"{vat:.2f}",
                "total": f"{net_amount + vat:.2f}",
                "payment": "invoice" if c["account"] == "credit" else r.choice(["cash", "card"]),
                "due_on": on + timedelta(days=c["payment_days"]),
                "operator": r.choice(["KL", "MB", "ST"]),
            }
        )
    return {"materials": columns_of(materials), "customers": columns_of(customers), "tickets": columns_of(tickets)}


def garage(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A garage: cars that come back, jobs with labour and parts, estimates, warranties."""
    vehicles, jobs, lines = [], [], []
    makes = {
        "Corsa": "Opel",
        "Astra": "Opel",
        "Golf": "VW",
        "Polo": "VW",
        "Clio": "Renault",
        "Yaris": "Toyota",
        "Fabia": "Skoda",
    }
    for i in range(420):
        model = r.choice(list(makes))
        first = day(r, 5500, date(2006, 1, 1))
        vehicles.append(
            {
                "vin": f"W{''.join(r.choices('ABCDEFGHKLMNPRSTUVWXYZ0123456789', k=16))}",
                "plate": f"N-{r.choice('ABCDEF')}{r.choice('XYZ')} {100 + i}",
                "make": makes[model],
                "model": model,
                "model_year": first.year + r.choice([0, 0, 0, 1]),
                "first_registered": first,
                "fuel": r.choice(["petrol", "diesel", "electric"]),
                "displacement_cc": 0,
                "km_last_seen": 0,
            }
        )
        v = vehicles[-1]
        v["displacement_cc"] = None if v["fuel"] == "electric" else r.choice([998, 1198, 1398, 1598, 1968])
    parts = {
        f"P-{1000 + n}": (
            f"{r.choice(['filter', 'belt', 'disc', 'pad', 'bulb', 'wiper'])} {n}",
            r.randrange(300, 19000),
        )
        for n in range(120)
    }
    km = {v["vin"]: r.randrange(5000, 90000) for v in vehicles}
    for i in range(1500):
        v = r.choice(vehicles)
        came = date(2022, 1, 3) + timedelta(days=i // 2)
        km[v["vin"]] += r.randrange(500, 9000)
        v["km_last_seen"] = km[v["vin"]]
        job = f"J{came.year}/{i + 1:04}"
        labour = spare = 0
        warranty = r.random() < 0.08
        for position in range(1, r.randint(2, 6)):
            if position == 1 or r.random() < 0.3:
                tenths = r.choice([3, 5, 8, 10, 15, 22, 40])
                line = ("labour", None, r.choice(["service", "brakes", "diagnosis", "tyres"]), tenths / 10, 9800)
                value = round(tenths / 10 * 9800)
                labour += value
            else:
                part = r.choice(list(parts))
                n = r.choice([1, 1, 2, 4])
                line = ("part", part, parts[part][0], n, parts[part][1])
                value = n * parts[part][1]
                spare += value
            lines.append(
                {
                    "job_no": job,
                    "pos": position,
                    "kind": line[0],
                    "part_no": line[1],
                    "description": line[2],
                    "quantity": line[3],
                    "unit_price": c2(line[4]),
                    "value": c2(value),
                }
            )
        small = round(labour * 0.02)
        tow = r.choice([0, 0, 0, 0, 8900])
        net = 0 if warranty else labour + spare + small + tow
        estimate = round((labour + spare) * r.uniform(0.8, 1.1) / 1000) * 1000
        ready = came + timedelta(days=r.choice([0, 0, 1, 1, 2, 5]))
        got = ready + timedelta(days=r.choice([0, 0, 1, 3])) if i < 1470 else None
        paid = None if got is None or warranty else got + timedelta(days=r.choice([0, 0, 0, 9, 14]))
        jobs.append(
            {
                "job_no": job,
                "vin": v["vin"],
                "plate": v["plate"],
                "came_on": came,
                "vehicle_age": came.year - v["first_registered"].year,
                "km": km[v["vin"]],
                "mechanic": r.choice(["Ali", "Ben", "Cem", "Dot"]),
                "estimate": c2(estimate),
                "labour": c2(labour),
                "parts": c2(spare) if spare else None,
                "small_material": c2(small),
                "towing": c2(tow) if tow else None,
                "warranty": "yes" if warranty else "no",
                "net": c2(net),
                "vat": c2(round(net * 0.19)),
                "gross": c2(net + round(net * 0.19)),
                "over_estimate": c2(abs(labour + spare - estimate)),
                "ready_on": ready,
                "collected_on": got,
                "paid_on": paid,
                "paid_by": r.choice(["card", "cash", "transfer"]) if paid else None,
                "state": "open" if got is None else "free" if warranty else "paid",
            }
        )
    return {"vehicles": columns_of(vehicles), "jobs": columns_of(jobs), "job_lines": columns_of(lines)}


def subscriptions(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Software by subscription: plans, seats, trials, yearly and monthly bills, churn."""
    plans, accounts, invoices = [], [], []
    tariff = {"free": (0, 3, 0), "team": (900, 25, 5), "business": (1900, 250, 100), "enterprise": (3500, 5000, 1000)}
    for level, (code, (seat, most, gb)) in enumerate(tariff.items()):
        plans.append(
            {
                "plan": code,
                "level": level,
                "price_per_seat": c2(seat),
                "max_seats": most,
                "storage_gb": gb,
                "sso": "yes" if level > 1 else "no",
            }
        )
    countries = {
        "DE": ("EUR", 19),
        "FR": ("EUR", 20),
        "GB": ("GBP", 20),
        "US": ("USD", 0),
        "AT": ("EUR", 20),
        "CH": ("CHF", 0),
    }
    bill = 0
    for i in range(700):
        country = r.choice(list(countries))
        plan = r.choice(["free", "team", "team", "business", "enterprise"])
        made = day(r, 800, date(2021, 6, 1))
        trial = r.random() < 0.6
        trial_end = made + timedelta(days=14) if trial else None
        start = None if plan == "free" else (trial_end or made)
        left = start and r.random() < 0.25 and start + timedelta(days=r.randint(20, 500))
        seats = r.randint(1, min(60, tariff[plan][1]))
        yearly = plan != "free" and r.random() < 0.4
        domain = f"{r.choice(LAST).lower()}{i}.{country.lower()}"
        monthly = seats * tariff[plan][0]
        accounts.append(
            {
                "account_id": f"acc_{r.randrange(16**8):08x}",
                "domain": domain,
                "admin_email": f"{r.choice(FIRST).lower()}@{domain}",
                "country": country,
                "currency": countries[country][0],
                "plan": plan,
                "seats": seats,
                "active_users": r.randint(0, seats),
                "interval": None if plan == "free" else "year" if yearly else "month",
                "mrr": c2(monthly),
                "arr": c2(12 * monthly),
                "created_at": at(made, r),
                "trial_ends_on": trial_end,
                "subscribed_on": start,
                "cancelled_on": left or None,
                "churn_reason": r.choice(["price", "bugs", "closed"]) if left else None,
                "status": "free" if plan == "free" else "churned" if left else "active",
            }
        )
        a = accounts[-1]
        if plan == "free":
            continue
        begin = start
        for _ in range(2 if yearly else r.randint(1, 8)):
            if left and begin > left:
                break
            bill += 1
            end = begin + timedelta(days=364 if yearly else 29)
            base = monthly * (12 if yearly else 1)
            off = round(base * 0.15) if yearly else 0
            credit = r.choice([None, None, None, 500, 1000]) if base > 2000 else None
            net = base - off - (credit or 0)
            rate = countries[country][1]
            tax = round(net * rate / 100)
            paid = begin + timedelta(days=r.randint(0, 12)) if r.random() < 0.93 else None
            invoices.append(
                {
                    "invoice_no": f"INV-{begin:%Y%m}-{bill:05}",
                    "account_id": a["account_id"],
                    "issued_on": begin,
                    "period_start": begin,
                    "period_end": end,
                    "due_on": begin + timedelta(days=14),
                    "seats": seats,
                    "unit_price": c2(tariff[plan][0]),
                    "months": 12 if yearly else 1,
                    "list_amount": c2(base),
                    "discount": c2(off),
                    "credit": c2(credit),
                    "net": c2(net),
                    "tax_rate": rate,
                    "tax": c2(tax),
                    "total": c2(net + tax),
                    "currency": a["currency"],
                    "paid_on": paid,
                    "days_to_pay": (paid - begin).days if paid else None,
                    "state": "paid" if paid else "open",
                    "reminders": 0 if paid else r.randint(0, 3),
                }
            )
            begin = end + timedelta(days=1)
    return {"plans": columns_of(plans), "accounts": columns_of(accounts), "invoices": columns_of(invoices)}


def quality(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A machine shop: drawings with tolerances, lots, what was measured, and what became of it."""
    features, lots, checks = [], [], []
    for d in range(1, 25):
        for f in range(1, r.randint(3, 6)):
            nominal = r.randrange(500, 12000) / 100
            tol = r.choice([0.02, 0.05, 0.1, 0.2])
            features.append(
                {
                    "drawing": f"D{d:03}",
                    "feature": f,
                    "characteristic": r.choice(["diameter", "length", "depth", "runout"]),
                    "nominal_mm": f"{nominal:.3f}",
                    "tolerance_mm": f"{tol:.3f}",
                    "lower_mm": f"{nominal - tol:.3f}",
                    "upper_mm": f"{nominal + tol:.3f}",
                    "critical": r.choice([0, 0, 1]),
                    "gauge": {0.02: "CMM", 0.05: "micrometer"}.get(tol, "caliper"),
                }
            )
    by = {d: [f for f in features if f["drawing"] == d] for d in {f["drawing"] for f in features}}
    for i in range(260):
        made = day(r, 360, date(2023, 1, 9))
        drawing = f"D{r.randint(1, 24):03}"
        size = r.choice([50, 100, 200, 500])
        sample = {50: 8, 100: 13, 200: 20, 500: 32}[size]
        lot = f"L{made:%G%V}{i:04}"
        bad = 0
        for piece in range(1, r.randint(3, 5)):
            for f in by[drawing]:
                nominal, tol = float(f["nominal_mm"]), float(f["tolerance_mm"])
                value = round(nominal + r.gauss(0, tol * 0.42), 3)
                away = round(abs(value - nominal), 3)
                ok = away <= tol + 1e-9
                bad += not ok
                tool = {"CMM": "CMM1", "micrometer": f"MI{r.randint(1, 6):02}"}.get(
                    f["gauge"], f"CA{r.randint(1, 9):02}"
                )
                checks.append(
                    {
                        "lot": lot,
                        "piece": piece,
                        "feature": f["feature"],
                        "measured_at": at(made + timedelta(days=1), r, 360, 900),
                        "nominal_mm": f["nominal_mm"],
                        "tolerance_mm": f["tolerance_mm"],
                        "measured_mm": f"{value:.3f}",
                        "deviation_mm": f"{value - nominal:.3f}",
                        "abs_deviation_mm": f"{away:.3f}",
                        "used_pct": f"{100 * away / tol:.1f}",
                        "verdict": "OK" if ok else "NOK",
                        "instrument": tool,
                        "inspector": r.choice(["Abt", "Kern", "Roth"]),
                    }
                )
        rework = r.randint(0, bad) if bad else 0
        scrap = r.randint(0, 4) if bad else 0
        lots.append(
            {
                "lot": lot,
                "drawing": drawing,
                "made_on": made,
                "year": made.year,
                "week": int(f"{made:%V}"),
                "machine": r.choice(["T1", "T2", "F1"]),
                "shift": r.choice(["early", "late", "night"]),
                "size": size,
                "sample_size": sample,
                "bad_values": bad,
                "reworked": rework,
                "scrapped": scrap,
                "good": size - scrap,
                "yield_pct": f"{100 * (size - scrap) / size:.2f}",
                "decision": "release" if bad == 0 else "sort",
                "released_on": made + timedelta(days=r.randint(1, 6)) if bad == 0 or r.random() < 0.8 else None,
                "sorted_by": r.choice(["Otto", "Pohl"]) if bad else None,
            }
        )
    return {"features": columns_of(features), "lots": columns_of(lots), "checks": columns_of(checks)}


YARDS: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "race": race,
    "weighbridge": weighbridge,
    "garage": garage,
    "subscriptions": subscriptions,
    "quality": quality,
}
