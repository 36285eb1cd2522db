"""Rules of kinds of tables that businesses have: which key comes first, what is due, what one fact is told by."""

import datetime as dt
import random

import pyarrow as pa

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.discovery import Rows, TableRules, find_rules
from profiling_core.algorithms.rules.words import in_words
from profiling_core.ingest.infer import schema_of
from profiling_core.model.role import Role

START = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
Columns = dict[str, list[object]]


def found(**tables: Columns) -> dict[str, TableRules]:
    rows = {name: pa.table(columns) for name, columns in tables.items()}
    given = [Rows(schema_of(name, t.schema, "here"), t) for name, t in rows.items()]
    return {table.name: table for table in find_rules(given, Budget.of(60))}


def texts(table: TableRules) -> list[str]:
    return [rule.constraint.text for rule in table.rules.shown]


def words(table: TableRules) -> list[str]:
    return [in_words(rule.constraint, table.roles) for rule in table.rules.shown]


def test_a_number_of_the_row_is_the_key_before_what_people_log_in_with():
    rng = random.Random(1)
    numbers = rng.sample(range(10_000, 99_999), 300)
    customers = found(customers={"customer_no": numbers, "email": [f"c{n * 7}@mail.test" for n in numbers]})[
        "customers"
    ]
    assert customers.key == ("customer_no",)
    assert texts(customers)[:2] == ["unique {customer_no}", "unique {email}"]


def test_lines_that_are_numbered_are_the_key_before_what_they_hold():
    rng = random.Random(2)
    lines = [(o, n, sku) for o in range(400) for n, sku in enumerate(rng.sample(range(80), rng.randint(1, 5)), 1)]
    order, number, sku = (list(column) for column in zip(*lines, strict=True))
    table: Columns = {"order_no": [f"O{o:05}" for o in order], "line_no": number, "sku": [f"S{s:03}" for s in sku]}
    assert found(order_lines=table)["order_lines"].key == ("order_no", "line_no")


def test_a_row_for_each_combination_is_a_key_though_there_are_few():
    """Ten rates of five countries and two classes: chance would hardly put each combination into one row."""
    pairs = [(c, v) for c in ("DE", "FR", "IT", "NL", "ES") for v in ("standard", "reduced")]
    rates: Columns = {
        "country": [c for c, _ in pairs],
        "vat_class": [v for _, v in pairs],
        "rate": [0.19, 0.07, 0.2, 0.055, 0.22, 0.1, 0.21, 0.09, 0.21, 0.1],
    }
    assert texts(found(vat_rates=rates)["vat_rates"]) == ["unique {country, vat_class}"]


def test_a_column_that_counts_the_files_rows_is_no_second_key():
    rng = random.Random(3)
    people: Columns = {"index": list(range(1, 301)), "emp_id": rng.sample(range(1000, 9999), 300)}
    assert texts(found(employees=people)["employees"]) == ["unique {emp_id}"]


def test_numbers_of_many_digits_name_and_are_not_measured():
    """Telephone numbers are keys and references; seconds since 1970 are as long, and neither."""
    rng = random.Random(4)
    numbers = [f"49{rng.randrange(10**9, 2 * 10**9)}" for _ in range(300)]
    begun = [int((START + dt.timedelta(minutes=rng.randrange(500_000))).timestamp()) for _ in range(2000)]
    tables = found(
        subscribers={"msisdn": [int(n) for n in numbers], "plan": [rng.choice("ABC") for _ in numbers]},
        calls={"msisdn": [int(rng.choice(numbers)) for _ in begun], "started_epoch": begun},
    )
    assert texts(tables["subscribers"]) == ["unique {msisdn}"]
    assert texts(tables["calls"]) == ["calls.msisdn ⊆ subscribers.msisdn"]
    assert tables["calls"].roles["started_epoch"].role is Role.QUANTITY


def test_what_is_due_so_many_days_after_a_moment_bounds_nothing_that_stays_far_from_it():
    """Parcels arrive within six days, and are paid within fourteen: nothing keeps one before the other."""
    rng = random.Random(5)
    ordered = [START + dt.timedelta(hours=rng.randrange(600 * 24)) for _ in range(2000)]
    shipped = [t + dt.timedelta(hours=rng.randint(1, 140)) for t in ordered]
    due = [t.date() + dt.timedelta(days=14) for t in ordered]
    table = found(orders={"ordered_at": ordered, "shipped_at": shipped, "due_on": due})["orders"]
    assert texts(table) == ["ordered_at ≤ shipped_at", "due_on = date(ordered_at) + 14 days"]
    assert words(table)[1] == "due_on is 14 days after the day of ordered_at."


def test_a_rate_of_few_different_values_is_told_in_plain_words():
    rng = random.Random(6)
    hours = [rng.choice([40, 32, 30, 24, 20, 16]) for _ in range(400)]
    table = found(people={"weekly_hours": hours, "fte": [h / 40 for h in hours]})["people"]
    assert words(table) == ["weekly_hours is 40 times fte."]


def test_two_columns_that_part_each_other_are_one_rule():
    rng = random.Random(7)
    status = [rng.choices(["paid", "open", "late"], [6, 2, 2])[0] for _ in range(1500)]
    level = [rng.randint(1, 3) if s == "late" else 0 for s in status]
    shown = texts(found(bills={"status": status, "reminder_level": level})["bills"])
    assert len([text for text in shown if "⇔" in text]) == 1


def test_a_sign_is_told_of_one_column_of_an_equation():
    rng = random.Random(8)
    kind = [rng.choices(["invoice", "credit"], [9, 1])[0] for _ in range(1500)]
    net = [rng.randrange(100, 90_000) * (1 if k == "invoice" else -1) for k in kind]
    vat = [n // 5 for n in net]
    table: Columns = {"kind": kind, "net": net, "vat": vat, "total": [n + v for n, v in zip(net, vat, strict=True)]}
    shown = texts(found(invoices=table)["invoices"])
    assert len([text for text in shown if "⇔" in text]) == 1


def test_a_second_name_of_a_parent_is_no_further_reference():
    rng = random.Random(9)
    plans: Columns = {"plan_id": [f"P{i:02}" for i in range(12)], "plan_name": [f"Plan {c}" for c in "ABCDEFGHIJKL"]}
    chosen = [rng.randrange(12) for _ in range(600)]
    subscribers: Columns = {
        "subscriber_id": list(range(5000, 5600)),
        "plan_id": [plans["plan_id"][i] for i in chosen],
        "plan_name": [plans["plan_name"][i] for i in chosen],
    }
    shown = texts(found(plans=plans, subscribers=subscribers)["subscribers"])
    assert [t for t in shown if "⊆" in t] == ["subscribers.plan_id ⊆ plans.plan_id"]
    assert "subscribers.plan_name = plans.plan_name (by plan_id)" in shown


def test_a_credit_names_the_invoice_that_it_corrects_once():
    """The reference to a row of the same table is unique, and there in few rows: no other name of the row."""
    rng = random.Random(10)
    numbers = [f"I{i:05}" for i in range(900)]
    corrected: list[object] = [None] * 800 + rng.sample(numbers[:800], 100)
    table = found(invoices={"invoice_no": numbers, "corrects_invoice_no": corrected})["invoices"]
    assert "invoices.corrects_invoice_no ⊆ invoices.invoice_no" in texts(table)


def test_what_a_parents_first_child_says_need_not_be_said_of_each_child():
    rng = random.Random(11)
    legs = []
    for shipment in range(500):
        at = START + dt.timedelta(minutes=rng.randrange(400_000))
        for leg in range(1, rng.randint(2, 5)):
            end = at + dt.timedelta(minutes=rng.randint(60, 4000))
            legs.append((f"S{shipment:04}", leg, at, end))
            at = end + dt.timedelta(minutes=rng.randint(10, 900))
    names = sorted({leg[0] for leg in legs})
    first = [min(leg[2] for leg in legs if leg[0] == name) for name in names]
    last = [max(leg[3] for leg in legs if leg[0] == name) for name in names]
    no, number, departed, arrived = (list(column) for column in zip(*legs, strict=True))
    tables = found(
        shipments={"shipment_no": names, "departed_at": first, "arrived_at": last},
        legs={"shipment_no": no, "leg_no": number, "departed_at": departed, "arrived_at": arrived},
    )
    assert "shipments.departed_at = first(legs.departed_at) (by shipment_no)" in texts(tables["shipments"])
    assert "shipments.arrived_at = last(legs.arrived_at) (by shipment_no)" in texts(tables["shipments"])
    assert not [text for text in texts(tables["legs"]) if "(by shipment_no)" in text]
    assert "departed_at ≤ arrived_at" in texts(tables["legs"])


def test_a_day_tells_its_period_and_no_other_date():
    rng = random.Random(12)
    days = [START.date() + dt.timedelta(days=rng.randrange(350)) for _ in range(3000)]
    monday = [d - dt.timedelta(days=d.weekday()) for d in days]
    quarter = [dt.date(d.year, 3 * ((d.month - 1) // 3) + 1, 1) - dt.timedelta(days=40) for d in days]
    shown = texts(found(t={"day": days, "week_begins": monday, "priced_on": quarter})["t"])
    assert "{day} → week_begins" in shown
    assert "{day} → priced_on" not in shown
