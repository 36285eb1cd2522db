"""Two further made-up businesses, a library and a fleet; ``known_more`` was written before them."""

import random
from datetime import timedelta

from benchmarks.rules_lists.made_up import Columns, add, day_of, moment_of, named

_GENRES = {"CRI": "crime", "POE": "poetry", "HIS": "history", "SCI": "science", "TRA": "travel", "ART": "art"}


def library(rng: random.Random) -> dict[str, Columns]:
    """A library: members, books on shelves, loans of four weeks, fines for what comes late."""
    members: Columns = named("member_no first_name last_name email joined_on expires_on standing suspended_on")
    for i in range(400):
        joined = day_of(rng, 500)
        standing = rng.choices(["good", "suspended", "ended"], [8, 1, 1])[0]
        suspended = joined + timedelta(days=rng.randint(30, 300)) if standing == "suspended" else None
        who = (rng.choice(["Ann", "Bo", "Cy", "Di", "Ed", "Flo"]), rng.choice(["Abel", "Brand", "Cole", "Dorn", "Eck"]))
        until = joined + timedelta(days=365 * rng.randint(1, 3))
        add(members, (1000 + i, *who, f"{who[0].lower()}{i}@mail.example", joined, until, standing, suspended))
    books: Columns = named("isbn title genre_code genre shelf pages acquired_on")
    for i in range(600):
        code = rng.choice(sorted(_GENRES))
        shelf = f"{code}-{rng.randint(1, 20):02}"
        day = day_of(rng, 300)
        add(books, (f"978{rng.randrange(10**10):010}", f"title {i % 550}", code, _GENRES[code], shelf, 80 + i, day))
    loans: Columns = named("loan_id member_no isbn lent_on due_on returned_on state branch")
    fines: Columns = named("fine_id loan_id member_no issued_on late_fee handling total status paid_on")
    for i in range(3000):
        who = rng.randrange(400)
        lent = members["joined_on"][who] + timedelta(days=rng.randint(0, 400))  # type: ignore[operator]
        due = lent + timedelta(days=28)
        state = rng.choices(["returned", "out", "lost"], [8, 1, 1])[0]
        back = lent + timedelta(days=rng.randint(0, 60)) if state == "returned" else None
        branch = rng.choice(["main", "north", "harbour"])
        add(loans, (50_000 + i, 1000 + who, rng.choice(books["isbn"]), lent, due, back, state, branch))
        if state == "lost" or (back is not None and back > due):
            issued = due + timedelta(days=rng.randint(1, 20))
            late, handling = rng.randrange(50, 2500), rng.choice([0, 150, 300])
            paid = issued + timedelta(days=rng.randint(0, 40)) if rng.random() < 0.6 else None
            money = (late / 100, handling / 100, (late + handling) / 100)
            row = (len(fines["fine_id"]) + 1, 50_000 + i, 1000 + who, issued, *money)
            add(fines, (*row, "paid" if paid else rng.choice(["open", "waived"]), paid))
    return {"members": members, "books": books, "loans": loans, "fines": fines}


def fleet(rng: random.Random) -> dict[str, Columns]:
    """A fleet: vehicles of models, drivers, what they fill, and what is mended."""
    models = {
        f"{maker} {n}": (maker, 40 + 5 * rng.randrange(9)) for maker in ("Arno", "Brio", "Cano") for n in range(6)
    }
    vehicles: Columns = named("vehicle_id plate model maker tank_litres fuel bought_on status sold_on")
    for i in range(220):
        model = rng.choice(sorted(models))
        bought = day_of(rng, 400)
        status = rng.choices(["active", "workshop", "sold"], [7, 1, 2])[0]
        sold = bought + timedelta(days=rng.randint(600, 900)) if status == "sold" else None
        row = (f"V{i:04}", f"HF {rng.randrange(10**4):04} {rng.choice('ABCDEFGH')}{i % 10}", model, *models[model])
        add(vehicles, (*row, rng.choice(["diesel", "petrol"]), bought, status, sold))
    drivers: Columns = named("driver_no first_name last_name display_name hired_on licence_until")
    for i in range(90):
        first, last = rng.choice(["Ira", "Joe", "Kim", "Leo"]), rng.choice(["Ost", "Poe", "Quist", "Ruhr", "Stein"])
        hired = day_of(rng, 100)
        until = hired + timedelta(days=rng.randint(900, 4000))
        add(drivers, (700 + i, first, last, f"{last}, {first}", hired, until))
    logs: Columns = named(
        "log_id vehicle_id driver_no filled_at fuel litres price_per_litre cost",
        "odometer_start odometer_end distance station",
    )
    for i in range(4000):
        which = rng.randrange(220)
        at = moment_of(rng, vehicles["bought_on"][which], 500)
        litres, price = rng.randint(500, 100 * vehicles["tank_litres"][which]), rng.randint(1300, 1999)  # type: ignore[operator]
        start, distance = rng.randrange(200_000), rng.randint(20, 900)
        row = (i + 1, f"V{which:04}", 700 + rng.randrange(90), at, vehicles["fuel"][which], litres / 100, price / 1000)
        cost = (litres * price + 500) // 1000 / 100
        add(logs, (*row, cost, start, start + distance, distance, rng.choice(["A1", "A7", "ring", "depot"])))
    services: Columns = named("service_id vehicle_id kind opened_on closed_on status parts labour net tax gross")
    for i in range(900):
        which = rng.randrange(220)
        opened = vehicles["bought_on"][which] + timedelta(days=rng.randint(10, 600))  # type: ignore[operator]
        kind = rng.choices(["inspection", "repair", "warranty", "tyres"], [3, 4, 1, 2])[0]
        closed = opened + timedelta(days=rng.randint(0, 25)) if rng.random() < 0.9 else None
        parts, labour = (rng.randrange(0, 90_000), rng.randrange(2000, 60_000)) if kind != "warranty" else (0, 0)
        tax = (20 * (parts + labour) + 50) // 100
        money = (parts, labour, parts + labour, tax, parts + labour + tax)
        state = "closed" if closed else rng.choice(["open", "waiting"])
        add(services, (f"S{i:05}", f"V{which:04}", kind, opened, closed, state, *(m / 100 for m in money)))
    return {"vehicles": vehicles, "drivers": drivers, "fuel_logs": logs, "services": services}
