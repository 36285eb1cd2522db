"""Made-up businesses with generators of their own; what each lives by is written beside it, before anything is run."""

import random
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta

import pyarrow as pa

Columns = dict[str, list[object]]
_START = date(2022, 1, 3)


def shop(rng: random.Random, size: int = 2_500) -> dict[str, Columns]:
    """A web shop: customers, products, orders that add up, items, payments."""
    zips = {f"{rng.randrange(1000, 99999):05}": f"town {i % 60}" for i in range(150)}
    customers: Columns = named("customer_id email zip city country since")
    for i in range(500):
        where = rng.choice(sorted(zips))
        row = (2000 + i, f"c{i}@mail.example", where, zips[where], rng.choice(["DE", "AT", "CH"]), day_of(rng, 300))
        add(customers, row)
    products: Columns = named("product_id name category price")
    for i in range(90):
        add(products, (f"P{i:04}", f"product {i}", rng.choice(["home", "garden", "office"]), _cents(rng, 300, 20000)))
    orders: Columns = {
        k: []
        for k in (
            [
                "order_id",
                "customer_id",
                "ordered_at",
                "shipped_at",
                "delivered_at",
                "status",
                "cancel_reason",
                "country",
                "net",
                "vat",
                "gross",
            ]
        )
    }
    items: Columns = named("item_id order_id line_no product_id quantity unit_price line_total")
    payments: Columns = named("payment_id order_id paid_at amount method")
    for order_id in range(70_000, 70_000 + size):
        _order(rng, order_id, (customers, products, orders, items, payments))
    return {"customers": customers, "products": products, "orders": orders, "order_items": items, "payments": payments}


def _order(rng: random.Random, order_id: int, tables: tuple[Columns, Columns, Columns, Columns, Columns]) -> None:
    customers, products, orders, items, payments = tables
    who = rng.randrange(len(customers["customer_id"]))
    ordered = moment_of(rng, customers["since"][who], 400)
    status = rng.choices(["new", "shipped", "delivered", "cancelled"], [1, 2, 6, 1])[0]
    shipped = ordered + timedelta(hours=rng.randint(1, 80)) if status in {"shipped", "delivered"} else None
    delivered = shipped + timedelta(hours=rng.randint(5, 90)) if shipped and status == "delivered" else None
    reason = rng.choice(["too late", "changed mind", "sold out"]) if status == "cancelled" else None
    net = 0
    for line in range(1, rng.randint(2, 6)):
        which, quantity = rng.randrange(90), rng.randint(1, 6)
        price = round(100 * products["price"][which])  # type: ignore[operator]  # a float
        net += quantity * price
        row = (len(items["item_id"]) + 1, order_id, line, products["product_id"][which], quantity)
        add(items, (*row, price / 100, quantity * price / 100))
    vat = (19 * net + 50) // 100
    money = (net / 100, vat / 100, (net + vat) / 100)
    who_and_when = (order_id, customers["customer_id"][who], ordered, shipped, delivered, status, reason)
    add(orders, (*who_and_when, customers["country"][who], *money))
    if status != "cancelled":
        paid = ordered + timedelta(minutes=rng.randint(1, 5000))
        add(payments, (len(payments["payment_id"]) + 1, order_id, paid, money[2], rng.choice(["card", "bill"])))


def people(rng: random.Random) -> dict[str, Columns]:
    """People's moves: employees, and where each has worked from when to when."""
    grades = {f"G{i}": 2400 + 350 * i for i in range(1, 9)}
    sites = {f"S{i:02}": rng.choice(["north", "south", "west"]) for i in range(12)}
    employees: Columns = named("employee_no first_name last_name full_name born_on hired_on left_on")
    moves: Columns = named(
        "move_id employee_no from_date to_date site",
        "region grade base_pay bonus pay",
    )
    for i in range(400):
        first, last = rng.choice(["Ida", "Jon", "Kim", "Lea", "Max", "Noa"]), rng.choice(["Ash", "Elm", "Oak", "Fir"])
        born, hired = date(1955, 1, 1) + timedelta(days=rng.randrange(15_000)), day_of(rng, 900)
        left = hired + timedelta(days=rng.randint(200, 700)) if rng.random() < 0.3 else None
        add(employees, (f"E{i:05}", first, last, f"{last}, {first}", born, hired, left))
        start = hired
        for _ in range(rng.randint(1, 5)):
            end, site, grade = (
                start + timedelta(days=rng.randint(0, 300)),
                rng.choice(sorted(sites)),
                rng.choice(sorted(grades)),
            )
            bonus = rng.randrange(0, 900)
            pay = (grades[grade], bonus, grades[grade] + bonus)
            add(moves, (len(moves["move_id"]) + 1, f"E{i:05}", start, end, site, sites[site], grade, *pay))
            start = end + timedelta(days=1)
    return {"employees": employees, "moves": moves}


def warehouse(rng: random.Random) -> dict[str, Columns]:
    """A warehouse's stock: bins, and movements in and out of them."""
    halls = {f"H{i}": rng.choice(["cold", "dry"]) for i in range(6)}
    bins: Columns = named("bin_code hall climate capacity on_hand free_space")
    for i in range(240):
        hall = f"H{i % 6}"
        capacity = 10 * rng.randint(3, 60)
        held = rng.randint(0, capacity)
        add(bins, (f"{hall}-{i:03}", hall, halls[hall], capacity, held, capacity - held))
    movements: Columns = named("movement_id bin_code booked_at kind quantity signed_quantity document")
    for i in range(4000):
        kind, quantity = rng.choice(["receipt", "issue", "scrap"]), rng.randint(1, 40)
        document = f"D{rng.randrange(10**6):06}" if kind != "scrap" else None
        row = (i + 1, rng.choice(bins["bin_code"]), moment_of(rng, _START, 300), kind, quantity)
        add(movements, (*row, quantity if kind == "receipt" else -quantity, document))
    return {"bins": bins, "movements": movements}


def clinic(rng: random.Random) -> dict[str, Columns]:
    """A clinic's visits: patients, doctors of wards, visits with times and a bill."""
    wards = {f"D{i:03}": rng.choice(["eyes", "heart", "bones", "skin"]) for i in range(30)}
    patients: Columns = named("patient_id insurance_no born_on sex")
    for i in range(350):
        born = date(1930, 1, 1) + timedelta(days=rng.randrange(30_000))
        add(patients, (30_000 + i, f"{rng.randrange(10**10):010}", born, rng.choice(["f", "m"])))
    visits: Columns = named(
        "visit_id patient_id doctor ward arrived_at seen_at",
        "left_at kind referral fee copay insured_share",
    )
    for i in range(2600):
        arrived = moment_of(rng, _START, 500)
        seen = arrived + timedelta(minutes=rng.randint(0, 120))
        left = seen + timedelta(minutes=rng.randint(5, 90))
        doctor, kind, fee = (
            rng.choice(sorted(wards)),
            rng.choice(["first", "control", "referred"]),
            rng.randrange(2000, 40000),
        )
        copay = rng.randrange(0, 2000)
        referral = f"R{rng.randrange(10**5):05}" if kind == "referred" else None
        row = (i + 1, rng.choice(patients["patient_id"]), doctor, wards[doctor], arrived, seen, left, kind, referral)
        add(visits, (*row, fee / 100, copay / 100, (fee - copay) / 100))
    return {"patients": patients, "visits": visits}


BUSINESSES: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "shop": shop,
    "people": people,
    "warehouse": warehouse,
    "clinic": clinic,
}


def tables_of(business: Callable[[random.Random], dict[str, Columns]]) -> dict[str, pa.Table]:
    """A business's tables, the same ones each time."""
    made = business(random.Random(15))
    return {name: pa.table(columns) for name, columns in made.items()}


def named(*names: str) -> Columns:
    return {name: [] for line in names for name in line.split()}


def add(columns: Columns, row: tuple[object, ...]) -> None:
    for values, value in zip(columns.values(), row, strict=True):
        values.append(value)


def day_of(rng: random.Random, days: int) -> date:
    return _START + timedelta(days=rng.randrange(days))


def moment_of(rng: random.Random, after: object, days: int) -> datetime:
    minutes = rng.randrange(60 * 24 * days)
    return datetime.combine(after, datetime.min.time(), UTC) + timedelta(days=1, minutes=minutes)  # type: ignore[arg-type]


def _cents(rng: random.Random, low: int, high: int) -> float:
    return rng.randrange(low, high) / 100
