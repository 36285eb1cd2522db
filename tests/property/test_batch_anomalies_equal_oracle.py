"""What the judges of loads find is what their page says, whatever they keep and however their state was written.

The oracle computes each load's figures anew from all rows of all loads before it.
"""

import json
import random
from collections.abc import Callable
from datetime import date, timedelta

import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle.load_case import Found, Row
from oracle.loads import odd_loads

from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

TYPES = {
    "store": ("text", LogicalType.STRING, pa.string()),
    "pieces": ("whole", LogicalType.INTEGER, pa.int64()),
    "amount": ("number", LogicalType.FLOAT, pa.float64()),
    "change": ("number", LogicalType.FLOAT, pa.float64()),
    "paid": ("truth", LogicalType.BOOLEAN, pa.bool_()),
    "note": ("text", LogicalType.STRING, pa.string()),
}
KINDS = {name: kind for name, (kind, _, _) in TYPES.items()}
SCHEMA = TableSchema("sales", tuple(Column(name, kind, ordered=True) for name, (_, kind, _) in TYPES.items()))
ARROW = pa.schema([(name, kind) for name, (_, _, kind) in TYPES.items()])
FIRST = date(2024, 1, 1)
WORDS = ("Ulm", "Köln am Rhein", "ein Paket", "zwei Pakete", "MÃ¼nchen", "why?not")


def usual(day: int, seed: int, rows: int) -> list[dict[str, object]]:
    rng = random.Random(f"{seed} {day}")
    count = rows + rng.randrange(-2, 3) - (rows // 2 if day % 7 == 6 else 0)
    return [_row(rng, day) for _ in range(count)]


def _row(rng: random.Random, day: int) -> dict[str, object]:
    pieces = rng.randrange(1, 9)
    store = rng.choice(("Bonn", "Bonn", "Jena", "Ulm"))
    return {
        "store": store,
        "pieces": pieces,
        "amount": round(pieces * rng.uniform(9, 11) * 1.01**day, 2),
        "change": round(rng.gauss(0, 20), 1),
        "paid": None if rng.random() < 0.1 else store != "Ulm" or rng.random() < 0.2,
        "note": f"{rng.choice(WORDS[1:4])} {rng.randrange(300)}",
    }


def _each(**change: Callable[[Row], object]) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [{**row, **{name: make(row) for name, make in change.items()}} for row in rows]


def _permuted(rows: list[Row]) -> list[Row]:
    return [{**row, "amount": other["amount"]} for row, other in zip(rows, rows[5:] + rows[:5], strict=True)]


SPOILERS: dict[str, Callable[[list[Row]], list[Row]]] = {
    "as it is": lambda rows: rows,
    "half": lambda rows: rows[: len(rows) // 2],
    "nothing": lambda _: [],
    "one store": lambda rows: [row for row in rows if row["store"] == "Bonn"],
    "cents": _each(amount=lambda row: round(row["amount"] * 100, 2)),
    "one store's cents": _each(amount=lambda row: row["amount"] * (100 if row["store"] == "Ulm" else 1)),
    "signs lost": _each(change=lambda row: abs(row["change"])),
    "signs turned": _each(amount=lambda row: -row["amount"]),
    "thousandths": _each(change=lambda row: row["change"] / 1000),
    "rounded": _each(amount=lambda row: float(round(row["amount"]))),
    "finer": _each(change=lambda row: row["change"] / 7),
    "stuck": _each(note=lambda _: "ein Paket 7"),
    "stuck store": _each(store=lambda _: "Ulm"),
    "twice": lambda rows: rows + rows,
    "no notes": _each(note=lambda _: None),
    "all paid": _each(paid=lambda _: True),
    "cut": _each(note=lambda row: row["note"][:9]),
    "read wrong": _each(note=lambda row: f"{row['note']} MÃ¼ller"),
    "permuted": _permuted,
    "exchanged": _each(amount=lambda row: float(row["pieces"]), pieces=lambda row: round(row["amount"])),
    "mostly Ulm": _each(store=lambda row: "Ulm" if row["pieces"] > 2 else row["store"]),
}
DAYS = 34
RUNS = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10**6),
        "rows": st.integers(8, 28),
        "spoilt": st.dictionaries(st.integers(1, DAYS - 1), st.sampled_from(sorted(SPOILERS)), min_size=3, max_size=6),
        "again": st.none() | st.tuples(st.integers(10, DAYS - 1), st.integers(0, 9)),
        "cut": st.integers(0, 28),
    }
)


def loads_of(run) -> list[list[Row]]:
    loads = [usual(day, run["seed"], run["rows"]) for day in range(DAYS)]
    for day, kind in run["spoilt"].items():
        loads[day] = SPOILERS[kind](loads[day])
    if run["again"]:
        day, earlier = run["again"]
        loads[day] = loads[earlier]
    return loads


def maintained(loads: list[list[Row]], cut: int) -> list[set[Found]]:
    """What the judges find, each load in two batches and the history written and read between any two."""
    history, found = LoadHistory(), []
    for number, rows in enumerate(loads):
        table = pa.Table.from_pylist(rows, ARROW)
        parts = profile(table.slice(0, cut), SCHEMA), profile(table.slice(cut), SCHEMA)
        whole = parts[1].merged(parts[0]) if cut < len(rows) else parts[0]
        odd, history = judged(str(FIRST + timedelta(days=number)), whole, history, SCHEMA)
        history = LoadHistory.from_json(json.loads(json.dumps(history.to_json())))
        named = [frozenset(o.suspect_rows(table).nonzero()[0].tolist()) if o.suspect_rows else frozenset() for o in odd]
        found.append({(o.kind, frozenset(o.columns), rows) for o, rows in zip(odd, named, strict=True)})
    return found


@settings(deadline=None, max_examples=examples(12))
@given(RUNS)
@example({"seed": 0, "rows": 16, "spoilt": {6: "twice", 9: "all paid", 13: "cents"}, "again": None, "cut": 0})
@example({"seed": 65536, "rows": 21, "spoilt": {19: "mostly Ulm", 1: "all paid"}, "again": None, "cut": 0})
def test_judges_find_what_the_oracle_finds(run):
    loads = loads_of(run)
    days = [FIRST + timedelta(days=day) for day in range(DAYS)]
    expected = odd_loads(days, loads, KINDS)
    for day, (ours, theirs) in enumerate(zip(maintained(loads, run["cut"]), expected, strict=True)):
        assert ours == theirs, (day, run["spoilt"].get(day))


@pytest.mark.parametrize(
    ("spoiler", "kind"),
    [
        ("one store", "completeness"),
        ("cents", "scale"),
        ("rounded", "precision"),
        ("stuck", "stuck"),
        ("twice", "repeated rows"),
        ("no notes", "nulls"),
        ("cut", "truncation"),
        ("read wrong", "encoding"),
        ("permuted", "joint"),
    ],
)
def test_the_oracle_finds_what_was_done(spoiler, kind):
    loads = loads_of({"seed": 3, "rows": 28, "spoilt": {32: spoiler}, "again": None})
    days = [FIRST + timedelta(days=day) for day in range(DAYS)]
    assert kind in {found[0] for found in odd_loads(days, loads, KINDS)[32]}
