"""Equations and conditional rules on their whole way: found, kept current, broken, named."""

import random
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta

from profiling_core.maintain.results import read_results
from profiling_core.model.change import Change, Transition
from profiling_core.model.constraint import DATASET
from profiling_core.pipeline import auditing
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
COLUMNS = ("_op", "id", "customer", "country", "quantity", "price", "net", "vat", "gross", "state", "reason")


@pytest.fixture
def project(project: Path) -> Path:
    tables = {
        name: {"source": {"path": f"landing/{name}", "format": "csv", "kind": "changes"}, "key": ["id"]}
        for name in ("orders", "customers")
    }
    write_configuration(project, {"dataset": "shop", "tables": tables})
    return project


def order(number: int, op: str = "insert", **wrong: object) -> tuple:
    rng = random.Random(number)
    quantity, price, customer = rng.randint(1, 9), rng.randint(100, 9_999), rng.randint(1, 40)
    net = quantity * price
    vat = round(net * 0.19 + 1e-6)
    state = rng.choice(["open", "sent", "cancelled"])
    row = {
        "_op": op,
        "id": number,
        "customer": customer,
        "country": country(customer),
        "quantity": quantity,
        "price": price / 100,
        "net": net / 100,
        "vat": vat / 100,
        "gross": (net + vat) / 100,
        "state": state,
        "reason": rng.choice(["late", "broken"]) if state == "cancelled" else "",
    }
    return tuple((row | wrong)[name] for name in COLUMNS)


def country(customer: int) -> str:
    return ("DE", "FR", "IT")[random.Random(-customer).randrange(3)]


def broken(version: int) -> dict[str, Change]:
    changes = Workspace.open("shop").catalog.changes("shop", version).changes
    return {c.measured.constraint.text: c for c in changes if c.transition is Transition.BROKE}


def test_rules_of_rows_are_found_kept_and_broken(project: Path):
    write_delta(
        project, "customers", "2024-01-01", ("_op", "id", "country"), *(("insert", i, country(i)) for i in range(1, 41))
    )
    write_delta(project, "orders", "2024-01-01", COLUMNS, *(order(i) for i in range(300)))
    for day in range(2, 5):
        coming = [order(100 * day + i + 300) for i in range(9)]
        rows = [*coming, order(day, "delete"), order(day + 50, "update")]
        write_delta(project, "orders", f"2024-01-{day:02}", COLUMNS, *rows)
    walk("shop")
    open_, cancelled = (next(n for n in range(5_000, 9_000) if order(n)[9] == state) for state in ("open", "cancelled"))
    wrong = [order(open_, gross=1.25, reason="lost"), order(cancelled, reason="")]
    rows = [*wrong, order(9_000, country="XX"), *(order(9_001 + i) for i in range(5))]
    write_delta(project, "orders", "2024-01-05", COLUMNS, *rows)
    walk("shop")
    work = Workspace.open("shop")
    current = work.catalog.current("shop")
    tracked = {m.constraint.text: m for m in read_results(work.store, current, "orders").tracked}
    assert {
        "gross = net + vat",
        "net = quantity·price",
        "vat = 0.19·net",
        "state = cancelled ⇔ reason is there",
    } <= set(tracked)
    size = current.tables["orders"].rows
    assert [
        (tracked[text].violations, tracked[text].population) for text in ("gross = net + vat", "vat = 0.19·net")
    ] == [
        (1, size),
        (0, size),
    ]
    found = broken(current.number)
    assert [w.broken_by["id"] for w in found["gross = net + vat"].witnesses] == [str(open_)]
    row = dict(zip(COLUMNS, order(open_), strict=True))
    (example,) = found["gross = net + vat"].diagnosis.repair.examples
    assert (example.before, example.after) == ("1.25", f"{row['gross']:.2f}")
    assert {w.broken_by["id"] for w in found["state = cancelled ⇔ reason is there"].witnesses} == {
        str(open_),
        str(cancelled),
    }
    along = {m.constraint.text: m for m in read_results(work.store, current, DATASET).tracked}
    beside = along["orders.country = customers.country (by customer)"]
    assert (beside.violations, beside.population) == (1, size)
    (witness,) = found[beside.constraint.text].witnesses
    assert (witness.broken_by["id"], witness.broken_by["country"]) == ("9000", "XX")
    assert witness.contradicts[0]["id"] == str(order(9_000)[2])
    audited = auditing.audit(work).to_json()
    assert audited["agrees"], [r for r in audited["recounts"] if not r["agrees"]]
    assert {r["constraint"] for r in audited["recounts"] if r["counted"] is not None} >= set(found)
