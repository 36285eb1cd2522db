"""Keys and references chosen together: junctions, composite references, hubs, references within a table."""

import itertools
import random

import pyarrow as pa
import pytest

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.discovery import Rows, find_rules
from profiling_core.algorithms.rules.schema.discovery import find_schema
from profiling_core.algorithms.rules.schema.unique_sets import unique_sets
from profiling_core.ingest.infer import schema_of


def coded(**tables):
    found = {}
    for name, columns in tables.items():
        rows = pa.table(columns)
        schema = schema_of(name, rows.schema, "here")
        found[name] = CodedTable.of(rows, schema, infer_roles(rows, schema))
    return found


def shop(rng):
    """Customers, products, orders, and lines that are known by the order and the product."""
    customers, products, orders = range(1, 41), range(1, 26), range(1, 301)
    lines = [(o, p) for o in orders for p in rng.sample(products, rng.randint(1, 4))]
    return coded(
        customers={"customer_id": [*customers], "email": [f"c{n * 7}@mail.test" for n in customers]},
        products={"product_id": [*products], "price": [rng.randint(3, 9) for _ in products]},
        orders={"order_id": [*orders], "customer_id": [rng.choice(customers) for _ in orders]},
        order_lines={
            "order_id": [o for o, _ in lines],
            "product_id": [p for _, p in lines],
            "quantity": [rng.randint(1, 9) for _ in lines],
        },
    )


def chosen(tables):
    return find_schema(tables, ENDLESS)


def texts(candidates):
    return {c.constraint.text for c in candidates}


def test_what_refers_to_two_tables_is_known_by_both():
    found = chosen(shop(random.Random(1)))
    assert found.keys["order_lines"][0].constraint.columns == ("order_id", "product_id")
    assert texts(found.references) == {
        "orders.customer_id ⊆ customers.customer_id",
        "order_lines.order_id ⊆ orders.order_id",
        "order_lines.product_id ⊆ products.product_id",
    }


def test_the_same_is_chosen_whatever_order_the_tables_come_in():
    tables = shop(random.Random(2))
    found = chosen(tables)
    turned = chosen(dict(reversed(tables.items())))
    assert {name: texts(keys) for name, keys in turned.keys.items()} == {n: texts(k) for n, k in found.keys.items()}
    assert texts(turned.references) == texts(found.references)


def test_what_reads_as_a_reference_has_a_probability():
    references = chosen(shop(random.Random(3))).references
    assert all(0.5 <= c.strength <= 1.0 for c in references)


def test_a_declared_key_comes_first_though_a_shorter_one_is_likelier():
    tables = shop(random.Random(4))
    found = find_schema(tables, ENDLESS, {"orders": ("order_id", "customer_id"), "customers": ("no_such_column",)})
    assert found.keys["orders"][0].constraint.columns == ("order_id", "customer_id")
    assert found.keys["customers"][0].constraint.columns == ("customer_id",)


def test_two_columns_refer_to_a_key_of_two_though_each_of_its_values_comes_often():
    """Players have a team and a year: 30 years of 12 teams, which are known by both."""
    rng = random.Random(6)
    teams = [(year, f"T{n:02}") for year in range(1980, 2010) for n in range(12) if rng.random() < 0.8]
    played = [(player, *rng.choice(teams)) for player in range(400) for _ in range(3)]
    tables = coded(
        teams={
            "year": [y for y, _ in teams],
            "team_id": [t for _, t in teams],
            "wins": [n % 90 for n in range(len(teams))],
        },
        salaries={
            "year": [y for _, y, _ in played],
            "team_id": [t for _, _, t in played],
            "player": [f"player {p}" for p, _, _ in played],
            "salary": [rng.randrange(10**5, 10**7) for _ in played],
        },
    )
    found = chosen(tables)
    assert found.keys["teams"][0].constraint.columns == ("year", "team_id")
    assert texts(found.references) == {"salaries.(year, team_id) ⊆ teams.(year, team_id)"}


def test_a_line_refers_to_another_line_of_its_order_by_its_number_alone():
    rng = random.Random(8)
    sizes = {order: rng.randint(2, 9) for order in range(1, 301)}
    lines = [(order, line) for order, size in sizes.items() for line in range(1, size + 1)]
    returned = {order: rng.randint(1, size - 1) for order, size in sizes.items()}
    tables = coded(
        order_lines={
            "order_id": [order for order, _ in lines],
            "line_no": [line for _, line in lines],
            "returned_line_no": [returned[order] if line == sizes[order] else None for order, line in lines],
            "amount": [rng.randint(100, 9999) for _ in lines],
        }
    )
    told = "order_lines.(order_id, returned_line_no) ⊆ order_lines.(order_id, line_no)"
    assert told in texts(chosen(tables).references)


def test_of_two_parents_within_each_other_the_narrower_one_that_holds_all_values_is_meant():
    """Employees are persons: 300 rows with the numbers of twenty employees speak for the employees."""
    rng = random.Random(7)
    persons, employees = range(1, 2001), sorted(rng.sample(range(1, 2001), 20))
    tables = coded(
        person={"person_id": [*persons], "city": [rng.choice("ABCDEFG") * 3 for _ in persons]},
        employee={"person_id": employees, "job": [rng.choice("XYZ") * 4 for _ in employees]},
        shift={"shift_id": [*range(1, 301)], "person_id": [rng.choice(employees) for _ in range(300)]},
    )
    assert "shift.person_id ⊆ employee.person_id" in texts(chosen(tables).references)


def test_a_junction_is_known_by_both_of_its_references_though_one_of_them_is_unique_so_far():
    rng = random.Random(8)
    employees, territories = range(1, 31), range(1, 51)
    tables = coded(
        employees={"employee_id": [*employees], "hired": [rng.randrange(10**6) for _ in employees]},
        territories={"territory_id": [*territories], "name": [f"region {n * 7}" for n in territories]},
        employee_territories={
            "employee_id": [rng.choice(employees) for _ in territories],
            "territory_id": rng.sample(territories, 50),
        },
    )
    assert chosen(tables).keys["employee_territories"][0].constraint.columns == ("employee_id", "territory_id")


def test_a_table_whose_name_is_written_together_is_what_a_column_of_its_words_refers_to():
    rng = random.Random(9)
    tables = coded(
        salesreason={"SalesReasonID": [*range(1, 11)], "Reason": [f"because of {n}" for n in range(10)]},
        salesterritory={"TerritoryID": [*range(1, 11)], "Name": [f"place {n}" for n in range(10)]},
        customer={"CustomerID": [*range(1, 301)], "TerritoryID": [rng.randint(1, 10) for _ in range(300)]},
    )
    assert "customer.TerritoryID ⊆ salesterritory.TerritoryID" in texts(chosen(tables).references)


def test_a_table_of_one_row_has_a_key_by_its_name_and_others_refer_to_it():
    tables = coded(
        agency={"agency_id": ["A7"], "agency_name": ["Transit"], "agency_url": ["http://transit.test"]},
        routes={"route_id": [f"R{n:02}" for n in range(20)], "agency_id": ["A7"] * 20},
    )
    found = chosen(tables)
    assert [key.constraint.columns for key in found.keys["agency"]] == [("agency_id",)]
    assert texts(found.references) == {"routes.agency_id ⊆ agency.agency_id"}


def test_what_is_found_without_time_holds():
    tables = shop(random.Random(5))
    found = find_schema(tables, Budget.of(0.0))
    assert all(tables[name].is_key(key.constraint.columns) for name, keys in found.keys.items() for key in keys)


@pytest.mark.parametrize("seed", range(8))
def test_unique_sets_are_those_that_counting_finds(seed):
    rng = random.Random(seed)
    rows = [[rng.randint(0, 3) for _ in range(5)] for _ in range(rng.randint(2, 24))]
    names = [f"c{i}" for i in range(5)]
    (table,) = coded(t={name: [row[i] for row in rows] for i, name in enumerate(names)}).values()
    subsets = (s for length in range(1, 6) for s in itertools.combinations(names, length))
    expected = {s for s in subsets if len({tuple(r[names.index(n)] for n in s) for r in rows}) == len(rows)}
    assert {*unique_sets(table, names, ENDLESS)} == expected


def test_numbers_that_stand_only_where_a_key_has_none_refer_to_nothing():
    """A number that is unique where it is there, and a column of its values that is filled in the other rows."""
    there = [10 + n if n % 2 else None for n in range(40)]
    taken = [None if n % 2 else 11 + 2 * (n // 2 % 8) for n in range(40)]
    rows = pa.table({"id": range(40), "voucher": there, "corrects": taken})
    (found,) = find_rules([Rows(schema_of("bookings", rows.schema, "here"), rows)], ENDLESS)
    assert "bookings.corrects ⊆ bookings.voucher" not in {one.constraint.text for one in found.rules.shown}


def test_numbers_from_far_above_0_refer_to_a_key_of_them_whatever_the_column_is_called():
    rng = random.Random(4)
    staff = [*range(1001, 1151)]
    tables = coded(
        staff={"staff_id": staff, "email": [f"p{n * 7}@mail.test" for n in staff]},
        payments={
            "payment_no": [f"P{n:04}" for n in range(400)],
            "clerk_id": [rng.choice(staff) for _ in range(400)],
            "rooms": [rng.randint(1, 12) for _ in range(400)],
        },
    )
    assert texts(chosen(tables).references) == {"payments.clerk_id ⊆ staff.staff_id"}


def test_pairs_with_nulls_are_unique_where_both_are_there():
    years, numbers = [2023, 2023, 2023, 2024, 2024, 2024], [1, 2, None, 1, 2, None]
    (table,) = coded(receipts={"id": [*range(9, 15)], "year": years, "number": numbers}).values()
    assert ("year", "number") in unique_sets(table, ["year", "number", "id"], ENDLESS)
    (again,) = coded(receipts={"id": [*range(9, 15)], "year": [2023] * 6, "number": numbers}).values()
    assert ("year", "number") not in unique_sets(again, ["year", "number", "id"], ENDLESS)


def test_short_codes_of_a_few_groups_refer_to_the_rows_above_them():
    """A part of three letters is as much evidence as its number says, though its column looks like a category."""
    groups = [("MED", "CAR", "NEU"), ("PAR", "SOL", "CAP"), ("DIS", "PAN", "INJ")]
    rows = [(top, None) for top, *_ in groups]
    rows += [(f"{top}.{part}", top) for top, *parts in groups for part in parts]
    rows += [(f"{above}.{n:02}", above) for above, top in rows if top for n in range(1, 5)]
    found = chosen(
        coded(
            family={
                "family_code": [code for code, _ in rows],
                "label": [f"Family {n * 7 % 31}" for n in range(len(rows))],
                "above": [above for _, above in rows],
            }
        )
    )
    assert "family.above ⊆ family.family_code" in texts(found.references)
