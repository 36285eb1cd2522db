"""What columns are taken for, by kinds of values and of names."""

import datetime as dt
from itertools import product

import pyarrow as pa
import pytest

from profiling_core.algorithms.roles.inference import infer_roles, with_keys, with_recurring_times
from profiling_core.algorithms.roles.names import unit_of, words
from profiling_core.ingest.infer import schema_of
from profiling_core.model.role import ColumnRole, Role

ROWS = 200


def roles_of(**columns: list[object]) -> dict[str, ColumnRole]:
    rows = pa.table(columns)
    return infer_roles(rows, schema_of("t", rows.schema, "here"))


def role_of(name: str, values: list[object]) -> Role:
    return roles_of(**{name: values, "other": list(range(len(values)))})[name].role


DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=i % 50) for i in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("order_id", [7 * i for i in range(ROWS)], Role.IDENTIFIER),
        ("order_id", [i // 3 for i in range(ROWS)], Role.REFERENCE),
        ("custkey", [i // 3 for i in range(ROWS)], Role.REFERENCE),
        ("room_no", [i % 30 for i in range(ROWS)], Role.CODE),
        ("serial", [f"{i:05}" for i in range(ROWS)], Role.CODE),
        ("zip", [10_000 + 450 * i for i in range(ROWS)], Role.CODE),
        ("where", [10_000 + 450 * i for i in range(ROWS)], Role.CODE),
        ("salary", [10_000 + 450 * i for i in range(ROWS)], Role.QUANTITY),
        ("email", [f"person{i}@example.org" for i in range(ROWS)], Role.IDENTIFIER),
        ("status", ["new", "paid", "sent", "back"] * 50, Role.CATEGORY),
        ("pclass", [1, 2, 3, 2] * 50, Role.QUANTITY),
        ("month", [1 + i % 12 for i in range(ROWS)], Role.CATEGORY),
        ("price", [i % 97 / 4 for i in range(ROWS)], Role.QUANTITY),
        ("visits", [i % 13 for i in range(ROWS)], Role.QUANTITY),
        ("paid_on", DAYS, Role.DATE),
        ("paid_at", [dt.datetime.combine(day, dt.time(i % 24)) for i, day in enumerate(DAYS)], Role.MOMENT),
        ("paid_at", [dt.datetime.combine(day, dt.time()) for day in DAYS], Role.DATE),
        ("date", [20_240_101 + i % 28 for i in range(ROWS)], Role.DATE),
        ("active", [True, False] * 100, Role.FLAG),
        ("active", [0, 1] * 100, Role.FLAG),
        ("answer", ["yes", "no"] * 100, Role.FLAG),
        ("gone", ["x", None] * 100, Role.FLAG),
        ("comment", [f"word {i} and {i * i} more" for i in range(ROWS)], Role.TEXT),
        ("currency", ["EUR"] * ROWS, Role.CONSTANT),
        ("nothing", pa.nulls(ROWS, pa.string()).to_pylist(), Role.CONSTANT),
    ],
)
def test_values_and_names_tell_the_role(name: str, values: list[object], role: Role):
    assert role_of(name, values) is role


def test_a_prefix_that_all_columns_share_says_nothing():
    found = roles_of(l_price=[i / 4 for i in range(ROWS)], l_key=[i // 2 for i in range(ROWS)])
    assert found["l_price"].unit == "money"
    assert found["l_key"].role is Role.REFERENCE


def test_units_and_scales_are_those_of_names_and_values():
    found = roles_of(
        net_price=[i / 100 for i in range(ROWS)], num_rooms=list(range(5, 15)) * 20, width=[i / 8 for i in range(ROWS)]
    )
    assert [(r.unit, r.scale) for r in found.values()] == [("money", 2), ("count", 0), ("length", 3)]


def test_what_a_person_declares_overrides():
    rows = pa.table({"zip": [1, 2, 3], "price": [1.5, 2.5, 3.5]})
    found = infer_roles(rows, schema_of("t", rows.schema, "here"), {"zip": Role.QUANTITY})
    assert (found["zip"].role, found["zip"].declared, found["price"].declared) == (Role.QUANTITY, True, False)


def test_keys_and_references_are_known_by_what_was_found():
    found = with_keys(roles_of(a=[3.5 * i for i in range(9)], b=[1] * 8 + [2]), ("a",), {"b": "other.id"})
    assert (found["a"].role, found["b"].role) == (Role.IDENTIFIER, Role.REFERENCE)
    assert "other.id" in found["b"].reason


def test_only_points_in_time_and_quantities_of_one_unit_compare_by_order():
    found = roles_of(
        born=DAYS,
        seen_at=[dt.datetime.combine(day, dt.time(i % 24)) for i, day in enumerate(DAYS)],
        price=[i / 4 for i in range(ROWS)],
        cost=[i / 5 for i in range(ROWS)],
        age=[i % 90 for i in range(ROWS)],
        total=[i / 3 for i in range(ROWS)],
        user_id=[i // 2 for i in range(ROWS)],
    )
    pairs = {(a, b) for a, b in product(found, found) if a < b and found[a].compares_by_order(found[b])}
    assert pairs == {("born", "seen_at"), ("cost", "price"), ("price", "total"), ("cost", "total")}


def test_a_column_of_the_rows_last_change_is_known_by_its_name():
    found = roles_of(ModifiedDate=DAYS, last_update=DAYS, hired=DAYS)
    assert {name: role.upkeep for name, role in found.items()} == {
        "ModifiedDate": 1.0,
        "last_update": 1.0,
        "hired": 0.0,
    }


def test_a_time_that_most_tables_have_is_of_the_rows_upkeep_whatever_its_name():
    tables = {name: roles_of(stand=DAYS, number=[*range(ROWS)], **{name: DAYS}) for name in "abcdefgh"}
    found = with_recurring_times(tables)["a"]
    assert found["stand"].upkeep == 7 / 9
    assert (found["number"].upkeep, found["a"].upkeep) == (0.0, 0.0)


def test_roles_survive_json():
    for role in roles_of(price=[i / 4 for i in range(ROWS)], day=DAYS).values():
        assert ColumnRole.from_json(role.to_json()) == role


def test_whole_numbers_that_are_all_days_are_dates_whatever_their_column_is_called():
    days = [20_240_101 + 100 * (day % 12) + day % 28 for day in range(80)]
    table = pa.table({"uketsuke": days, "kaisu": [*days[:-1], 20_241_301]})
    roles = infer_roles(table, schema_of("t", table.schema, "here"))
    assert (roles["uketsuke"].role, roles["uketsuke"].reason) == (Role.DATE, "days in digits")
    assert roles["kaisu"].role is not Role.DATE


def test_ft_is_a_unit_where_it_ends_a_name():
    assert unit_of(words("depth_ft")) == "length"
    assert unit_of(words("ft_home")) is None
