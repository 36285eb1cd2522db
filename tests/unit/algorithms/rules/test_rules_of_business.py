"""Rules of kinds of tables that businesses have: which key comes first, what is due, what one fact is told by."""

import datetime as dt
import random

import pyarrow as pa
from helpers.found import found, texts

from profiling_core.algorithms.conditions.categories import categories_of
from profiling_core.algorithms.rules.discovery import TableRules
from profiling_core.algorithms.rules.implication import KnownRules
from profiling_core.algorithms.rules.words import in_words
from profiling_core.model.constraint import DenialConstraint, Kind
from profiling_core.model.expression import Shifted
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.role import Role

START = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
Columns = dict[str, list[object]]


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
    """Ten rates of five countries and two classes: chance would rarely put each combination into one row."""
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
    assert set(texts(tables["calls"])) == {"unique {msisdn, started_epoch}", "calls.msisdn ⊆ subscribers.msisdn"}
    assert tables["calls"].roles["started_epoch"].role is Role.QUANTITY


def test_what_is_due_so_many_days_after_a_moment_is_said_as_a_sum_and_not_as_an_order():
    """Parcels arrive within six days, and are paid within fourteen."""
    rng = random.Random(5)
    ordered = [START + dt.timedelta(hours=rng.randrange(600 * 24)) for _ in range(2000)]
    shipped = [t + dt.timedelta(hours=rng.randint(1, 140)) for t in ordered]
    due = [t.date() + dt.timedelta(days=14) for t in ordered]
    table = found(orders={"ordered_at": ordered, "shipped_at": shipped, "due_on": due})["orders"]
    assert {"ordered_at ≤ shipped_at", "due_on = date(ordered_at) + 14 days"} <= set(texts(table))
    assert "due_on is 14 days after the day of ordered_at." in words(table)


def test_a_rate_of_few_different_values_is_told_in_plain_words():
    rng = random.Random(6)
    hours = [rng.choice([40, 32, 30, 24, 20, 16]) for _ in range(400)]
    table = found(people={"weekly_hours": hours, "fte": [h / 40 for h in hours]})["people"]
    assert "weekly_hours is 40 times fte." in words(table)


def test_two_columns_that_part_each_other_are_one_rule():
    rng = random.Random(7)
    status = [rng.choices(["paid", "open", "late"], [6, 2, 2])[0] for _ in range(1500)]
    level = [rng.randint(1, 3) if s == "late" else 0 for s in status]
    shown = texts(found(bills={"status": status, "reminder_level": level})["bills"])
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


def test_a_day_tells_its_period():
    rng = random.Random(12)
    days = [START.date() + dt.timedelta(days=rng.randrange(350)) for _ in range(3000)]
    monday = [d - dt.timedelta(days=d.weekday()) for d in days]
    quarter = [dt.date(d.year, 3 * ((d.month - 1) // 3) + 1, 1) - dt.timedelta(days=40) for d in days]
    shown = texts(found(t={"day": days, "week_begins": monday, "priced_on": quarter})["t"])
    assert "{day} → week_begins" in shown


def test_a_number_of_the_row_leaves_room_for_what_names_it_by_itself():
    """Two teams meet once a season. A field has one crop a year, which the crop's number does not tell."""
    teams = [f"team {n}" for n in range(14)]
    played = [(season, a, b) for season in ("22/23", "23/24", "24/25") for a in teams for b in teams if a != b]
    season, home, away = (list(column) for column in zip(*played, strict=True))
    matches = found(matches={"season": season, "home": home, "away": away})
    assert texts(matches["matches"])[:1] == ["unique {season, home, away}"]
    grown = [(f"F{field:02}", year) for year in range(2015, 2025) for field in range(40)]
    seasons: Columns = {"season_id": list(range(1, 401)), "field": [f for f, _ in grown], "year": [y for _, y in grown]}
    assert "unique {field, year}" in texts(found(seasons=seasons)["seasons"])


def test_a_rank_names_rows_beside_a_title():
    rng = random.Random(11)
    charts = [(START.date() + dt.timedelta(weeks=w), rank) for w in range(30) for rank in range(1, 41)]
    titles = [title for _ in range(30) for title in rng.sample([f"song {n}" for n in range(90)], 40)]
    table: Columns = {"day": [d for d, _ in charts], "rank": [r for _, r in charts], "title": titles}
    assert "unique {day, rank}" in texts(found(charts=table)["charts"])
    del table["rank"]
    assert "unique {day, title}" in texts(found(charts=table)["charts"])


def test_a_reference_may_have_a_day_in_it():
    rng = random.Random(12)
    flown = [(f"XY{n}", START.date() + dt.timedelta(days=d)) for d in range(40) for n in range(100, 112)]
    duties = [(*flight, position) for flight in flown for position in ("CPT", "FO")]
    tables = found(
        flights={"flight_no": [f for f, _ in flown], "flown_on": [d for _, d in flown], "seats": [180] * len(flown)},
        duties={
            "flight_no": [f for f, _, _ in duties],
            "flown_on": [d for _, d, _ in duties],
            "position": [p for _, _, p in duties],
            "crew": [f"C{rng.randrange(50):03}" for _ in duties],
        },
    )
    assert "duties.(flight_no, flown_on) ⊆ flights.(flight_no, flown_on)" in texts(tables["duties"])


def test_few_rows_that_differ_may_refer_and_a_code_of_the_table_comes_first():
    """Ten departments have ten managers: that none leads two is chance, and no sign against a reference."""
    rng = random.Random(13)
    people = [f"{n:05}" for n in range(17, 417)]
    tables = found(
        departments={"dept_code": [f"{n:02}" for n in range(10)], "manager_emp_no": rng.sample(people, 10)},
        employees={"emp_no": people, "dept_code": [f"{rng.randrange(10):02}" for _ in people]},
    )
    assert tables["departments"].key == ("dept_code",)
    assert "departments.manager_emp_no ⊆ employees.emp_no" in texts(tables["departments"])


def test_what_is_called_after_a_row_refers_to_it():
    rng = random.Random(14)
    corrects = [rng.randrange(1, n) if n > 50 and rng.random() < 0.05 else None for n in range(1, 2001)]
    slips: Columns = {"slip_id": list(range(1, 2001)), "corrects_slip": corrects}
    assert "payslips.corrects_slip ⊆ payslips.slip_id" in texts(found(payslips=slips)["payslips"])


def test_who_has_won_is_told_by_goals():
    rng = random.Random(15)
    goals = [(rng.randrange(5), rng.randrange(5)) for _ in range(900)]
    table: Columns = {
        "home_goals": [a for a, _ in goals],
        "away_goals": [b for _, b in goals],
        "total_goals": [a + b for a, b in goals],
        "result": ["H" if a > b else "A" if a < b else "D" for a, b in goals],
    }
    assert "result = D ⇔ home_goals = away_goals" in texts(found(matches=table)["matches"])


def test_numbers_of_one_thing_that_is_followed_are_no_rule():
    """That Iceland counts few is what Iceland is like; where a country lies follows from it."""
    days = [START.date() + dt.timedelta(days=d) for d in range(200)]
    countries = [
        ("ISL", "Europe", 0, 3),
        ("DEU", "Europe", 40, 900),
        ("KEN", "Africa", 9, 70),
        ("JPN", "Asia", 12, 99),
    ]
    rng = random.Random(16)
    rows = [(day, *c[:2], rng.randint(*c[2:])) for c in countries for day in days]
    day, iso, continent, cases = (list(column) for column in zip(*rows, strict=True))
    table = found(cases={"day": day, "iso": iso, "continent": continent, "new_cases": cases})["cases"]
    assert table.key == ("day", "iso")
    assert not [t for t in texts(table) if "⇔" in t or "⇒" in t]


def test_a_mean_does_not_tell_which_is_the_least():
    rng = random.Random(17)
    least = [round(rng.gauss(4, 6), 1) for _ in range(400)]
    most = [round(low + rng.uniform(1, 14), 1) for low in least]
    mean = [round((a + b) / 2, 2) for a, b in zip(least, most, strict=True)]
    told = texts(found(weather={"tmin": least, "tmax": most, "tmean": mean})["weather"])
    assert {"tmin ≤ tmean", "tmean ≤ tmax"} <= {*told}


def test_of_conditions_that_are_the_same_one_is_told():
    rng = random.Random(18)
    models = [rng.choice(["Golf", "Polo", "Zoe", "Leaf"]) for _ in range(600)]
    electric = [m in ("Zoe", "Leaf") for m in models]
    table: Columns = {
        "model": models,
        "fuel": ["electric" if e else rng.choice(["petrol", "diesel"]) for e in electric],
        "co2": [0 if e else rng.randint(88, 190) for e in electric],
    }
    assert len([t for t in texts(found(cars=table)["cars"]) if "co2 = 0" in t]) == 1


def test_numbers_that_are_given_out_name_things_though_they_repeat():
    rng = random.Random(19)
    places = [30_000_000 + 977 * n for n in range(300)]
    names = {place: f"café {n}" for n, place in enumerate(places)}
    seen = [rng.choice(places) for _ in range(1500)]
    table = found(visits={"place": seen, "called": [names[p] for p in seen]})["visits"]
    assert table.roles["place"].role is Role.CODE
    assert "{place} → called" in texts(table)


def test_what_lies_so_many_days_on_is_not_said_to_be_later():
    later = Equation("bills", "due", Shifted("issued", 14, "days"))
    denied = Predicate(Operand("t", "issued"), Operator.GE, Operand("t", "due"))
    other_way = Predicate(Operand("t", "due"), Operator.GE, Operand("t", "issued"))
    assert KnownRules([later]).imply(DenialConstraint("bills", (denied,)))
    assert not KnownRules([later]).imply(DenialConstraint("bills", (other_way,)))


def test_a_code_of_few_values_is_the_condition_of_a_rule_and_one_of_many_is_not():
    rng = random.Random(22)
    few = [rng.choice([None, None, "ROAST10", "TASTE5"]) for _ in range(600)]
    many = [f"G{rng.randrange(25):02}" for _ in range(600)]
    goods = [rng.randrange(100, 900) / 10 for _ in range(600)]
    table: Columns = {
        "order": [f"O{n:05}" for n in range(600)],
        "discount_code": few,
        "goods_code": many,
        "goods": goods,
        "discount": [{None: 0.0, "ROAST10": round(g / 10, 2)}.get(c, 5.0) for c, g in zip(few, goods, strict=True)],
    }
    orders = found(orders=table)["orders"]
    assert {orders.roles[name].role for name in ("discount_code", "goods_code")} == {Role.CODE}
    conditions = [rule.constraint.column for rule in orders.rules.shown if rule.constraint.kind is Kind.CONDITIONAL]
    assert "discount_code" in conditions
    codes = ["discount_code", "goods_code"]
    assert [one.column for one in categories_of(pa.table(table), codes, orders.roles)] == ["discount_code"]
