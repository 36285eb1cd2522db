"""What is told of loads has the properties that its page states, whatever the thresholds are.

*Calibration*: loads that are drawn alike are told no more often than the budget says, also where numbers have heavy
tails. *Symmetry*: what is told depends on neither the order of rows, nor the batches in which they came, nor what the
table's values are called. *Undoing*: an error that is a transformation is told as that one, and undone again.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.batch_anomalies.anomaly import EVERYBODY, Anomaly, Audience
from profiling_core.algorithms.batch_anomalies.history import LoadHistory, Shown
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.batch_anomalies.record import chance_by_record
from profiling_core.algorithms.batch_anomalies.surprise import by_luck
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

TYPES = {
    "store": (LogicalType.STRING, pa.string()),
    "pieces": (LogicalType.INTEGER, pa.int64()),
    "amount": (LogicalType.FLOAT, pa.float64()),
    "change": (LogicalType.FLOAT, pa.float64()),
    "note": (LogicalType.STRING, pa.string()),
}
SCHEMA = TableSchema("sales", tuple(Column(name, kind, ordered=True) for name, (kind, _) in TYPES.items()))
pytestmark = pytest.mark.filterwarnings("error")  # NumPy's are printed among what people read
ARROW = pa.schema([(name, kind) for name, (_, kind) in TYPES.items()])
FIRST = date(2024, 1, 1)
Row = dict[str, object]


def drawn(day: int, seed: int, tail: float = 3.0) -> list[Row]:
    """Rows of a day, each drawn alike; amounts have a Pareto tail."""
    rng = random.Random(f"{seed} {day}")
    rows = []
    for _ in range(24 + rng.randrange(-4, 5)):
        pieces = rng.randrange(1, 9)
        note = None if rng.random() < 0.1 else f"parcel {rng.randrange(300)}"
        amount = round(pieces * 9 * rng.paretovariate(tail), 2)
        store = rng.choice(("Bonn", "Bonn", "Jena", "Ulm"))
        rows.append({"store": store, "pieces": pieces, "amount": amount, "change": rng.gauss(0, 20), "note": note})
    return rows


def heard(history: LoadHistory, day: int, rows: Sequence[Row], audience: Audience = EVERYBODY, cut: int = 0):
    table = pa.Table.from_pylist(list(rows), ARROW)
    whole = profile(table.slice(cut), SCHEMA)
    whole = whole.merged(profile(table.slice(0, cut), SCHEMA)) if cut else whole
    odd, after = judged(str(FIRST + timedelta(days=day)), whole, history, SCHEMA, audience)
    return odd, LoadHistory.from_json(json.loads(json.dumps(after.to_json())))


def taught(seed: int, days: int, make: Callable[[int, int], Sequence[Row]] = drawn) -> LoadHistory:
    """The history of loads that nobody was told of."""
    known = LoadHistory()
    for day in range(days):
        known = heard(known, day, make(day, seed), replace(EVERYBODY, listens=False))[1]
    return known


@pytest.mark.parametrize("tail", [1.1, 3.0])
def test_loads_that_are_drawn_alike_are_told_no_more_often_than_the_budget_says(tail: float):
    loads, told = 0, 0
    for seed in range(4):
        known = taught(seed, 21, lambda day, seed: drawn(day, seed, tail))
        for day in range(21, 46):
            odd, known = heard(known, day, drawn(day, seed, tail))
            loads, told = loads + 1, told + bool(odd)
    expected = loads * EVERYBODY.budget.of_a_load()
    assert told <= expected + 3 * expected**0.5  # once in 700 times by chance, were it one


def test_the_greatest_of_many_numbers_that_are_drawn_alike_tells_nothing_of_the_others():
    names, rng = [f"amount {i}" for i in range(6)], np.random.default_rng(1)
    schema = TableSchema("sales", tuple(Column(name, LogicalType.FLOAT, ordered=True) for name in names))
    known, told = LoadHistory(), 0
    for day in range(60):
        load = pa.table({name: rng.lognormal(2, 1, 1000).round(2) for name in names})
        odd, known = judged(str(FIRST + timedelta(days=day)), profile(load, schema), known, schema)
        told += bool(odd)
    assert told <= 2  # one load in five, where a mix was read off the line from a decile to the greatest number


def test_a_running_number_and_names_that_come_by_chance_in_each_load_tell_nothing():
    rng, rows = np.random.default_rng(1), 200
    columns = (Column("number", LogicalType.INTEGER, ordered=True), Column("firm", LogicalType.STRING, ordered=False))
    schema, known, told = TableSchema("letters", columns), LoadHistory(), []
    for day in range(80):
        firms = [f"firm {place}" for place in rng.integers(0, 60, rows)]
        load = pa.table({"number": np.arange(day * rows, (day + 1) * rows), "firm": firms})
        odd, known = judged(str(FIRST + timedelta(days=day)), profile(load, schema), known, schema)
        told += said(odd)
    assert not told


@pytest.fixture(scope="module")
def history() -> LoadHistory:
    return taught(7, 30)


SPOILERS: dict[str, Callable[[list[Row]], list[Row]]] = {
    "as it is": lambda rows: rows,
    "half": lambda rows: rows[: len(rows) // 2],
    "one store": lambda rows: [row for row in rows if row["store"] == "Bonn"],
    "cents": lambda rows: [row | {"amount": round(float(str(row["amount"])) * 100, 2)} for row in rows],
    "no notes": lambda rows: [row | {"note": None} for row in rows],
    "stuck": lambda rows: [row | {"note": "parcel 7"} for row in rows],
    "twice": lambda rows: rows + rows,
    "another name": lambda rows: [row | {"store": str(row["store"]).upper()} for row in rows],
}


def said(odd: Sequence[Anomaly]) -> list[str]:
    return sorted(f"{anomaly.kind} {anomaly.headline}" for anomaly in odd)


@settings(deadline=None, max_examples=examples(12))
@given(st.sampled_from(sorted(SPOILERS)), st.randoms(use_true_random=False), st.integers(0, 20))
def test_the_order_of_rows_and_the_batches_in_which_they_come_change_nothing(
    history: LoadHistory, kind: str, rng: random.Random, cut: int
):
    rows = SPOILERS[kind](drawn(30, 7))
    other = rng.sample(rows, len(rows))
    odd = heard(history, 30, rows)[0]
    assert said(odd) == said(heard(history, 30, other, cut=min(cut, len(rows) - 1))[0])
    assert bool(odd) == (kind != "as it is")


def test_what_values_are_called_changes_nothing_but_the_names():
    names = {"Bonn": "Rom", "Jena": "Bari", "Ulm": "Asti"}

    def renamed(day: int, seed: int) -> list[Row]:
        return [row | {"store": names[str(row["store"])]} for row in drawn(day, seed)]

    for kind in ("as it is", "cents", "no notes"):
        ours = heard(taught(3, 20), 20, SPOILERS[kind](drawn(20, 3)))[0]
        theirs = heard(taught(3, 20, renamed), 20, SPOILERS[kind](renamed(20, 3)))[0]
        assert [one.kind for one in ours] == [one.kind for one in theirs]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda x: round(x * 100, 2), "are about 100 times their usual size"),
        (lambda x: round(x * 1000, 2), "are about 1,000 times their usual size"),
        (lambda x: round(x + 50_000, 2), "more than usual"),
    ],
)
def test_a_transformation_is_told_as_that_and_undone(history: LoadHistory, wrong: Callable[[float], float], words: str):
    rows = drawn(30, 7)
    odd, _ = heard(history, 30, [row | {"amount": wrong(float(str(row["amount"])))} for row in rows])
    (told,) = [anomaly for anomaly in odd if anomaly.columns == ("amount",) and words in anomaly.headline]
    assert odd[0] is told
    assert told.mended is not None
    right = float(str(rows[0]["amount"]))
    mended = told.mended({"amount": str(wrong(right))})["amount"]
    assert abs(float(str(mended)) - right) <= 0.01 * right + 20 * ("more" in words)


def found(kind: str, magnitude: float, *columns: str) -> Anomaly:
    return Anomaly(kind, "", columns or ("amount",), magnitude=magnitude)


def test_what_this_feed_often_has_must_be_further_out_told_or_not():
    level, load = 1e-3, taught(1, 2).loads[-1]
    wild = [replace(load, odd=True, shown=(Shown("mix", ("store",), "more Ulm", more=True),))] * 2 + [load] * 40
    assert chance_by_record(found("mix", 1.2, "store"), [load] * 42, level) <= level
    assert chance_by_record(found("mix", 1.2, "store"), wild, level) > level
    assert chance_by_record(found("mix", 2.0, "store"), wild, level) <= level
    for other in (found("mix", 1.0, "amount"), found("nulls", 1.0, "store")):
        assert chance_by_record(other, wild, level) <= level


def test_a_feed_that_always_shows_a_figure_is_never_told_of_it_at_the_bar():
    level, load = 1e-3, taught(1, 2).loads[-1]
    chances = [
        chance_by_record(found("mix", 1.0, "store"), [replace(load, shown=shown)] * 20, level)
        for shown in ((), (Shown("mix", ("store",), "more Ulm", more=True),))
    ]
    assert chances[0] < level < 0.5 < chances[1]


def test_three_peaks_are_a_habit_and_one_of_three_loads_on_end_is_not():
    level, load = 1e-3, taught(1, 2).loads[-1]
    far = replace(load, shown=(Shown("mix", ("store",), "more Ulm", more=True, magnitude=9.0),))
    sundays, weeks = ([load] * 6 + [far]) * 5, [load] * 32 + [far] * 3
    assert chance_by_record(found("mix", 9.0, "store"), sundays, level) > level
    assert chance_by_record(found("mix", 30.0, "store"), sundays, level) <= level
    assert chance_by_record(found("mix", 9.0, "store"), weeks, level) <= level
    # an error of one day raises no bar by how far it went
    assert chance_by_record(found("mix", 3.0, "store"), [load] * 30 + [far] + [load] * 4, level) <= level


def drawn_by_country(day: int, seed: int) -> list[Row]:
    rng = random.Random(f"{seed} {day}")
    countries = ("United Kingdom",) * 18 + ("France", "Spain")
    return [{"store": rng.choice(countries), "pieces": rng.randrange(1, 20), "amount": 1.5} for _ in range(120)]


def test_codes_in_the_place_of_names_are_known_by_how_many_rows_they_have():
    known = taught(5, 20, drawn_by_country)
    codes = {"United Kingdom": "UK", "France": "--", "Spain": "--"}
    odd, _ = heard(known, 20, [row | {"store": codes[str(row["store"])]} for row in drawn_by_country(20, 5)])
    assert odd[0].headline.startswith("store UK replaces United Kingdom (usually 10")
    rows = drawn_by_country(20, 5)
    parts = [row | {"store": "Wales" if number % 3 else "England"} for number, row in enumerate(rows)]
    split = [part if row["store"] == "United Kingdom" else row for row, part in zip(rows, parts, strict=True)]
    odd, _ = heard(known, 20, split)
    assert odd[0].headline == "store United Kingdom is split into England and Wales"


NUMBERS = (None, 0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, 1.0, 2.5, 1e-9)


@settings(deadline=None, max_examples=examples(30))
@given(st.randoms(use_true_random=False), st.integers(8, 12), st.integers(1, 6))
def test_numbers_at_the_ends_of_their_range_raise_no_warning(rng: random.Random, days: int, rows: int):
    known = LoadHistory()
    for day in range(days):
        some = tuple(rng.sample(NUMBERS, rng.randrange(1, 4)))  # few, so that columns are stuck, or lack all values
        load = [
            {
                "store": f"{number % 4 if rng.random() < 0.9 else number}",
                "pieces": rng.choice((None, 0, 2**62, -(2**62), 3)),
                "amount": rng.choice(some),
                "change": rng.choice(NUMBERS),
                "note": rng.choice((None, "", "a")),
            }
            for number in range(rng.choice((0, rows, rows * 5)))
        ]
        known = heard(known, day, load)[1]


@pytest.mark.parametrize(("now", "usual", "luck"), [(0.5, 0.0, 0.0), (0.5, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0)])
def test_a_sort_of_rows_that_never_or_always_came_has_a_chance(now: float, usual: float, luck: float):
    assert by_luck(now, 20.0, usual) == luck
