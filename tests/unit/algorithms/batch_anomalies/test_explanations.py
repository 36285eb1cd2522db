"""What happened to a file, by the change that, undone, makes the load most usual."""

import json
import random
from collections.abc import Callable

import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

TYPES = {"order": LogicalType.STRING, **dict.fromkeys(("pieces", "weight", "day"), LogicalType.INTEGER)}
SCHEMA = TableSchema("orders", tuple(Column(name, kind, ordered=True) for name, kind in TYPES.items()))
ARROW = pa.schema([("order", pa.string()), ("pieces", pa.int64()), ("weight", pa.int64()), ("day", pa.int64())])
Rows = list[dict[str, object]]
DAYS, ORDERS = 30, 120


def rows_of(day: int) -> Rows:
    rng = random.Random(day)
    sizes = [round(rng.lognormvariate(4, 1)) + 20 for _ in range(ORDERS)]
    return [
        {"order": f"{day}-{n}", "pieces": x, "weight": rng.randrange(1_000, 9_000), "day": 20_240_301 + day}
        for n, x in enumerate(sizes)
    ]


def told(history: LoadHistory, day: int, rows: Rows) -> tuple[list[Anomaly], LoadHistory]:
    odd, after = judged(f"2024-03-{day + 1:02}", profile(pa.Table.from_pylist(rows, ARROW), SCHEMA), history, SCHEMA)
    return odd, LoadHistory.from_json(json.loads(json.dumps(after.to_json())))


@pytest.fixture(scope="module")
def history() -> LoadHistory:
    known = LoadHistory()
    for day in range(DAYS):
        odd, known = told(known, day, rows_of(day))
        assert not [one for one in odd if not one.explains]
    return known


def test_a_row_of_totals_is_an_explanation_and_no_evidence(history: LoadHistory):
    rows = rows_of(DAYS)
    total = {name: sum(row[name] for row in rows) for name in ("pieces", "weight")}
    odd, _ = told(history, DAYS, [*rows, {"order": "Total", **total}])
    (found,) = (one for one in odd if one.kind == "totals")
    assert found.explains
    assert found.headline == "one row is a total: its pieces and weight are the sum of all other rows"
    table = pa.Table.from_pylist([*rows, {"order": "Total", **total}], ARROW)
    assert found.suspect_rows(table).tolist() == [False] * ORDERS + [True]


def test_a_column_with_the_values_of_another_one_is_named_though_it_is_of_an_unusual_size(history: LoadHistory):
    odd, _ = told(history, DAYS, [row | {"pieces": row["weight"]} for row in rows_of(DAYS)])
    (copied,) = (one for one in odd if one.kind == "copied" and one.columns == ("pieces",))
    assert copied.headline == "all 120 values of pieces are the same as those of weight"
    assert not copied.explains  # in 30 loads they never were


def test_a_column_with_the_one_number_of_another_is_a_copy_and_with_zero_is_only_stuck(history: LoadHistory):
    rows = rows_of(DAYS)
    odd, _ = told(history, DAYS, [row | {"pieces": row["day"]} for row in rows])
    (copied,) = (one for one in odd if one.kind == "copied")
    assert copied.headline == "all 120 values of pieces are the same as those of day"
    assert copied.cause == "day in place of pieces?"
    odd, _ = told(history, DAYS, [row | {"pieces": 0, "day": 0} for row in rows])
    assert {one.kind for one in odd if one.columns == ("pieces",)} == {"stuck"}


def test_numbers_that_were_cut_and_rows_that_are_missing_are_told_apart(history: LoadHistory):
    rows = rows_of(DAYS)
    numbers = sorted(row["pieces"] for row in rows)
    middle, high = numbers[ORDERS // 2], numbers[ORDERS * 3 // 4]
    cut, _ = told(history, DAYS, [row | {"pieces": min(row["pieces"], middle)} for row in rows])
    (capped,) = (one for one in cut if one.columns == ("pieces",) and one.kind in ("scale", "spread"))
    assert f"are {middle} or less, " in capped.headline
    assert "of them the same" in capped.headline
    upper = [row for row in rows if row["pieces"] >= high]
    (missing,) = (one for one in told(history, DAYS, upper)[0] if one.columns == ("pieces",))
    assert f"are {high} or more: no rows came with the others, usually about " in missing.headline


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda x: x * 100, "are about 100 times their usual size"),
        (lambda x: x * 7, "are about 7"),
        (lambda x: -x, "have the wrong sign"),
        (lambda x: x + 400, "more than usual"),
        (lambda x: x // 10, "have lost their last digit"),
    ],
)
def test_the_change_with_the_shortest_description_is_reported(history: LoadHistory, change, said: str):
    odd, _ = told(history, DAYS, [row | {"pieces": change(row["pieces"])} for row in rows_of(DAYS)])
    assert said in next(one.headline for one in odd if one.columns == ("pieces",) and one.kind == "scale")


def test_a_greatest_number_that_each_load_has_once_stands_for_no_tenth_of_the_rows():
    known = LoadHistory()
    for day in range(DAYS):
        pieces = [random.Random(f"{day} {n}").randrange(100, 1_000) for n in range(ORDERS)]
        pieces[0] = 1_010
        _, known = told(known, day, [{"order": f"{day}-{n}", "pieces": x} for n, x in enumerate(pieces)])
    smaller = [x if n % 2 else 100 + x // 3 for n, x in enumerate(pieces[1:])]
    odd, _ = told(known, DAYS, [{"order": f"new {n}", "pieces": x} for n, x in enumerate(smaller)])
    (found,) = (one for one in odd if one.columns == ("pieces",))
    assert "no rows came" not in found.headline
    assert "usually about" in found.headline


def test_a_table_that_always_has_a_total_is_not_explained_by_it():
    def totalled(day: int) -> Rows:
        rows = rows_of(day)
        return [*rows, {"order": "Total"} | {name: sum(row[name] for row in rows) for name in ("pieces", "weight")}]

    known = LoadHistory()
    for day in range(DAYS):
        odd, known = told(known, day, totalled(day))
    assert "totals" not in {one.kind for one in odd}


def test_a_copy_that_came_once_does_not_make_the_next_one_usual(history: LoadHistory):
    known, found = history, []
    for day, rows in enumerate((29, 31, 32, 32), start=1):
        load = profile(pa.Table.from_pylist(rows_of(rows), ARROW), SCHEMA)
        odd, known = judged(f"2024-04-{day:02}", load, known, SCHEMA)
        found.append([one.kind for one in odd if not one.explains])
    assert found == [["repeated load"], [], [], ["repeated load"]]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (lambda text: text.lstrip("0"), "came without leading zeros: "),
        (lambda text: text[:3], "came cut at 3 characters: "),
    ],
)
def test_loads_without_rows_hide_no_other_way_of_writing(written: Callable[[str], str], said: str):
    schema = TableSchema("addresses", (Column("zip", LogicalType.STRING, ordered=True),))
    known, zips = LoadHistory(), [f"0{number}{number % 7}9" for number in range(10, 30)]
    for day in range(DAYS):
        drawn = random.Random(day).choices(zips, k=30 * (day % 5 > 0))
        _, known = judged(
            f"2024-03-{day + 1:02}", profile(pa.table({"zip": pa.array(drawn, pa.string())}), schema), known, schema
        )
    odd, _ = judged(
        "2024-03-31", profile(pa.table({"zip": [written(text) for text in zips * 3]}), schema), known, schema
    )
    assert [one.kind for one in odd][:1] == ["renamed"]
    assert said in odd[0].headline
