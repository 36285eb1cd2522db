"""Rules of a made-up business: their order, roles, limit and budget. The corpus says which rules it has."""

import pyarrow as pa
import pytest
from helpers.found import kept_tables, texts

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.rules.discovery import Rows, TableRules, find_rules
from profiling_core.ingest.infer import schema_of
from profiling_core.model.role import Role


def rows_of(name: str, columns: dict[str, list[object]]) -> Rows:
    rows = pa.table(columns)
    return Rows(schema_of(name, rows.schema, "here"), rows)


# Dogs and their stays; the corpus says which rules they have.
KENNEL = [Rows(schema_of(name, rows.schema, "here"), rows) for name, rows in kept_tables("kennel").items()]


def found(tables: list[Rows], **options: object) -> dict[str, TableRules]:
    return {table.name: table for table in find_rules(tables, ENDLESS, **options)}


@pytest.fixture(scope="module")
def rules() -> dict[str, TableRules]:
    return found(KENNEL)


def test_the_list_is_in_the_order_of_its_probabilities_behind_the_key(rules):
    shown = rules["stays"].rules
    told = [shown.probabilities[c.constraint.fingerprint] for c in shown.shown[1:]]
    assert told == sorted(told, reverse=True)
    assert all(0.33 <= p <= 1 for p in told)


def test_what_was_found_tells_the_roles(rules):
    roles = rules["stays"].roles
    assert (roles["stay_id"].role, roles["dog_id"].role) == (Role.IDENTIFIER, Role.REFERENCE)
    assert "dogs.dog_id" in roles["dog_id"].reason


@pytest.mark.parametrize("rows", [0, 1])
def test_too_few_rows_tell_nothing(rows: int):
    table = found([rows_of("t", {"a": list(range(rows)), "b": list(range(rows))})])["t"]
    assert texts(table) == []


def test_the_limit_leaves_the_most_probable_rules():
    table, all_of_it = found(KENNEL, limit=2)["stays"], found(KENNEL)["stays"]
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
    return find_rules(KENNEL, budget)
