"""The rules of a made-up business are found, worded and chosen; accidents and what follows are not shown."""

import datetime as dt
import random

import pyarrow as pa
import pytest
from helpers.found import texts

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.rules.discovery import Rows, TableRules, find_rules
from profiling_core.algorithms.rules.words import in_words
from profiling_core.ingest.infer import schema_of
from profiling_core.model.role import Role

START = dt.date(2023, 1, 1)


def rows_of(name: str, columns: dict[str, list[object]]) -> Rows:
    rows = pa.table(columns)
    return Rows(schema_of(name, rows.schema, "here"), rows)


def kennel(rows: int = 800, seed: int = 1) -> list[Rows]:
    """Dogs that stay some nights: a breed has a size, a stay a dog, leaving comes after arriving, the bill adds up."""
    rng = random.Random(seed)
    size_of = {f"breed {i}": rng.choice(["small", "medium", "large"]) for i in range(30)}
    breeds = rng.choices(sorted(size_of), k=90)
    dogs = {
        "dog_id": [500 + i for i in range(90)],
        "chip": [f"{rng.randrange(10**12):015}" for _ in range(90)],
        "breed": breeds,
        "size": [size_of[breed] for breed in breeds],
    }
    arrived = [START + dt.timedelta(days=rng.randrange(700)) for _ in range(rows)]
    nights = [rng.randrange(15) for _ in range(rows)]
    cents = [rng.randrange(1000, 20000) for _ in range(rows)]
    tips = [rng.randrange(0, 900) for _ in range(rows)]
    stays = {
        "stay_id": [7 * i + 3 for i in range(rows)],
        "dog_id": [500 + rng.randrange(90) for _ in range(rows)],
        "arrived_on": arrived,
        "left_on": [day + dt.timedelta(days=n) for day, n in zip(arrived, nights, strict=True)],
        "board": [c / 100 for c in cents],
        "tip": [c / 100 for c in tips],
        "bill": [(c + t) / 100 for c, t in zip(cents, tips, strict=True)],
        "kennel_no": [rng.randrange(40) for _ in range(rows)],
    }
    return [rows_of("dogs", dogs), rows_of("stays", stays)]


def found(tables: list[Rows], **options: object) -> dict[str, TableRules]:
    return {table.name: table for table in find_rules(tables, ENDLESS, **options)}


@pytest.fixture(scope="module")
def rules() -> dict[str, TableRules]:
    return found(kennel())


def test_the_rules_that_the_business_lives_by_are_shown(rules):
    dogs, stays = texts(rules["dogs"]), texts(rules["stays"])
    assert dogs[0] == "unique {dog_id}"
    assert set(dogs) == {"unique {dog_id}", "unique {chip}", "{breed} → size"}
    assert stays[0] == "unique {stay_id}"
    assert set(stays[1:]) >= {"stays.dog_id ⊆ dogs.dog_id", "arrived_on ≤ left_on", "bill = board + tip"}


def test_the_list_is_in_the_order_of_its_probabilities_behind_the_key(rules):
    shown = rules["stays"].rules
    told = [shown.probabilities[c.constraint.fingerprint] for c in shown.shown[1:]]
    assert told == sorted(told, reverse=True)
    assert all(0.33 <= p <= 1 for p in told)


def test_rules_are_said_as_a_person_would(rules):
    stays = rules["stays"]
    (order,) = (r for r in stays.rules.shown if r.constraint.text == "arrived_on ≤ left_on")
    assert in_words(order.constraint, stays.roles) == "left_on is never before arrived_on."


def test_what_was_found_tells_the_roles(rules):
    roles = rules["stays"].roles
    assert (roles["stay_id"].role, roles["dog_id"].role) == (Role.IDENTIFIER, Role.REFERENCE)
    assert "dogs.dog_id" in roles["dog_id"].reason


def test_what_follows_is_kept_apart():
    dogs, stays = kennel()
    later = [day + dt.timedelta(days=i % 9) for i, day in enumerate(stays.rows["left_on"].to_pylist())]
    more = stays.rows.append_column("paid_on", pa.array(later, pa.date32()))
    table = found([dogs, rows_of("stays", more.to_pydict())])["stays"]
    assert {"arrived_on ≤ left_on", "left_on ≤ paid_on"} <= set(texts(table))
    assert "arrived_on ≤ paid_on" in [rule.constraint.text for rule in table.rules.implied]


@pytest.mark.parametrize("rows", [0, 1])
def test_too_few_rows_tell_nothing(rows: int):
    table = found([rows_of("t", {"a": list(range(rows)), "b": list(range(rows))})])["t"]
    assert texts(table) == []


def test_the_limit_leaves_the_most_probable_rules():
    table, all_of_it = found(kennel(), limit=2)["stays"], found(kennel())["stays"]
    assert texts(table) == texts(all_of_it)[:2]
    assert {c.constraint.text for c in table.rules.left_out} >= set(texts(all_of_it)[2:])


def test_a_spent_budget_is_told_and_nothing_wrong_is_shown():
    tables = found_with(Budget.of(0))
    assert all("all 7 columns" not in table.looked_at for table in tables)
    assert all(
        table.looked_at.endswith(
            "columns, keys, references, equations, orders, rules along references, orders within groups, dependencies "
            "and conditional rules only in part, since the budget (--budget) was spent"
        )
        for table in tables
    )


def found_with(budget: Budget) -> list[TableRules]:
    return find_rules(kennel(), budget)
