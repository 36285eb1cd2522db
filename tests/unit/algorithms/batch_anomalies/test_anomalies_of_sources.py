"""What is told of loads that have a row of each source: numbers beside what the source said before, and its names."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import EVERYBODY, Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

TYPES = {"day": LogicalType.STRING, "region": LogicalType.STRING, "code": LogicalType.STRING}
NUMBERS = {"tests": LogicalType.INTEGER, "ill": LogicalType.INTEGER, "rate": LogicalType.FLOAT}
SCHEMA = TableSchema(
    "regions",
    tuple(Column(name, kind, ordered=True) for name, kind in (TYPES | NUMBERS).items()),
    key=("day", "region"),
)
ARROW = pa.schema(
    [(name, pa.string()) for name in TYPES] + [("tests", pa.int64()), ("ill", pa.int64()), ("rate", pa.float64())]
)
REGIONS = ("Abruzzo", "Calabria", "Lazio", "Liguria", "Marche", "Molise", "Piemonte", "Puglia", "Sardegna", "Veneto")
Row = dict[str, object]
Rows = list[Row]


def rows_of(day: int) -> Rows:
    """Counts that only grow, by a per cent or two a day, and a rate that wanders."""
    found = []
    for place, region in enumerate(REGIONS):
        rng = random.Random(place)
        tests, rate = 5_000.0 * 3 ** (place % 4), 1.3 * 2**place
        for _ in range(day + 1):
            tests *= 1 + rng.uniform(0.008, 0.02)
            rate *= 1 + rng.gauss(0, 0.006)
        named = {"day": f"2024-{day}", "region": region, "code": f"{place + 1:02}"}
        found.append({**named, "tests": round(tests), "ill": round(tests / 30), "rate": round(rate, 4)})
    return found


def told(history: LoadHistory, day: int, rows: Rows) -> tuple[list[Anomaly], LoadHistory, pa.Table]:
    table = pa.Table.from_pylist(rows, ARROW)
    name = f"{datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=day):%Y-%m-%d}"
    odd, after = judged(name, profile(table, SCHEMA), history, SCHEMA)
    return odd, LoadHistory.from_json(json.loads(json.dumps(after.to_json()))), table


@pytest.fixture(scope="module")
def history() -> LoadHistory:
    known = LoadHistory()
    for day in range(30):
        odd, known, _ = told(known, day, rows_of(day))
        assert not odd, (day, odd)
    return known


def change(region: str, **how: Callable[[float], float]) -> Callable[[Rows], Rows]:
    return lambda rows: [
        {**row, **{name: do(row[name]) for name, do in how.items()}} if row["region"] == region else row for row in rows
    ]


def unread(rows: Rows) -> Rows:
    return [{**row, "rate": -200.0} if row["region"] in ("Lazio", "Molise") else row for row in rows]


def in_other_rows(rows: Rows) -> Rows:
    return [{**row, "rate": other["rate"]} for row, other in zip(rows, reversed(rows), strict=True)]


@pytest.mark.parametrize(
    ("spoil", "words", "cause", "regions"),
    [
        (change("Lazio", tests=lambda x: 10 * x), "tests of region Lazio is", "a decimal point", ["Lazio"]),
        (change("Lazio", tests=lambda x: -x), "tests of region Lazio is -", "the sign is turned?", ["Lazio"]),
        (change("Molise", rate=lambda x: round(1 / x, 4)), "rate of region Molise is", "inverted?", ["Molise"]),
        (change("Molise", rate=lambda x: round(x * 1e4)), "rate of region Molise is", "a decimal point", ["Molise"]),
        (change("Puglia", rate=lambda _: 0.0), "rate of region Puglia is 0", "0 instead of the value?", ["Puglia"]),
        (change("Puglia", ill=lambda x: round(0.8 * x)), "ill of region Puglia is", "", ["Puglia"]),
        (
            unread,
            "rate for 2 values of region are the same number",
            "no reading, or a default?",
            ["Lazio", "Molise"],
        ),
        (
            in_other_rows,
            "rate for 10 values of region are in other rows",
            "the numbers of other rows?",
            list(REGIONS),
        ),
    ],
)
def test_what_a_source_says_is_judged_by_what_it_said(
    history: LoadHistory, spoil: Callable[[Rows], Rows], words: str, cause: str, regions: Sequence[str]
) -> None:
    odd, _, table = told(history, 30, spoil(rows_of(30)))
    own = [anomaly for anomaly in odd if anomaly.kind == "source"]
    assert [words in anomaly.headline and cause in anomaly.cause for anomaly in own] == [True], odd
    assert table.filter(pa.array(own[0].suspect_rows(table)))["region"].to_pylist() == list(regions)


def test_a_wrong_number_is_told_with_the_right_one(history: LoadHistory) -> None:
    right = next(row["tests"] for row in rows_of(30) if row["region"] == "Lazio")
    odd, _, _ = told(history, 30, change("Lazio", tests=lambda x: 10 * x)(rows_of(30)))
    assert odd[0].mended is not None
    assert odd[0].mended({"tests": str(10 * right), "region": "Lazio"}) == {"tests": str(right)}


def test_the_day_after_an_error_is_quiet_and_so_are_the_days_after_a_recount(history: LoadHistory) -> None:
    odd, after, _ = told(history, 30, change("Lazio", tests=lambda x: 10 * x)(rows_of(30)))
    assert odd
    assert told(after, 31, rows_of(31))[0] == []
    known = history
    for day in range(30, 36):
        odd, known, _ = told(known, day, change("Lazio", tests=lambda x: round(0.8 * x))(rows_of(day)))
        assert bool(odd) == (day == 30), (day, odd)


def test_an_incident_of_most_sources_goes_on_while_they_stay_at_another_level(history: LoadHistory) -> None:
    known = history
    for day in range(30, 33):
        rows = [row | {"tests": round(1.6 * row["tests"])} for row in rows_of(day)]
        odd, known, _ = told(known, day, rows)
        assert [one.again for one in odd if one.columns == ("tests",)] == [day > 30]


def test_loads_of_a_few_rows_before_a_full_one_tell_nothing_of_its_sources(history: LoadHistory) -> None:
    known = history
    for day in range(30, 34):
        _, known, _ = told(known, day, rows_of(day)[:2])
        known = known.flagged({known.loads[-1].id: False})
    assert not [one for one in told(known, 34, rows_of(34))[0] if one.kind == "source"]


def test_a_source_without_a_row_is_told_where_all_have_always_come(history: LoadHistory) -> None:
    odd, after, _ = told(history, 30, [row for row in rows_of(30) if row["region"] != "Marche"])
    assert [anomaly.headline for anomaly in odd if anomaly.kind == "completeness"] == ["no row came for region Marche"]
    assert told(after, 31, rows_of(31))[0] == []


@pytest.mark.parametrize(
    ("rename", "words"),
    [
        (str.upper, "10 values of region came in capitals: ABRUZZO for Abruzzo"),
        (lambda name: name.replace("r", " r "), "values of region came with other signs"),
        (lambda name: f"{name} ", "10 values of region came with other blanks"),
        (lambda name: name[:4], "cut at 4 characters"),
        (lambda name: "Trento" if name == "Molise" else name, "region Trento replaces Molise"),
    ],
)
def test_values_that_are_written_otherwise_are_one_sentence(
    history: LoadHistory, rename: Callable[[str], str], words: str
) -> None:
    odd, _, table = told(history, 30, [{**row, "region": rename(row["region"])} for row in rows_of(30)])
    assert words in odd[0].headline
    assert not [anomaly for anomaly in odd if anomaly.kind in ("completeness", "mix", "row count", "truncation")]
    wrong = [name for name, row in zip(table["region"].to_pylist(), rows_of(30), strict=True) if name != row["region"]]
    assert table.filter(pa.array(odd[0].suspect_rows(table)))["region"].to_pylist() == wrong


def test_a_source_that_is_split_is_told_by_what_its_parts_add_up_to(history: LoadHistory) -> None:
    rows = rows_of(30)
    parts = [
        {**rows[0], "region": f"Abruzzo {part}", "tests": round(share * rows[0]["tests"]), "ill": None}
        for part, share in (("Citra", 0.7), ("Ultra", 0.3))
    ]
    odd, _, _ = told(history, 30, [*parts, *rows[1:]])
    assert odd[0].headline == "region Abruzzo is split into Abruzzo Citra and Abruzzo Ultra"
    odd, _, _ = told(history, 30, [*(row | {"tests": row["tests"] + 90_000} for row in parts), *rows[1:]])
    assert "no row came for region Abruzzo" in [one.headline for one in odd]
    assert not [one for one in odd if one.kind == "renamed"]


def test_a_value_that_replaced_another_is_the_same_finding_on_the_next_day() -> None:
    known, said = LoadHistory(), []
    for day in range(33):
        rows = rows_of(day)
        rows = rows if day < 30 else [row | {"region": row["region"].replace("Abruzzo", "Samnium")} for row in rows]
        odd, known, _ = told(known, day, rows)
        said.append([(one.kind, one.subject) for one in odd if not one.again])
    assert said[29:] == [[], *([[("renamed", "region Samnium")]] * 3)]


def test_a_source_that_went_is_told_three_times_on_end_and_no_more() -> None:
    known, said = LoadHistory(), []
    for day in range(36):
        rows = rows_of(day)
        odd, known, _ = told(known, day, rows if day < 30 else rows[1:])
        said.append("no row came for region Abruzzo" in [anomaly.headline for anomaly in odd if not anomaly.again])
    assert said[29:] == [False, True, True, True, False, False, False]


def test_sources_that_are_called_otherwise_from_now_on_are_told_three_times_and_are_not_missing_then() -> None:
    known, said = LoadHistory(), []
    for day in range(36):
        rows = rows_of(day)
        rows = rows if day < 30 else [row | {"region": row["region"].upper()} for row in rows]
        odd, known, _ = told(known, day, rows)
        said.append([anomaly.kind for anomaly in odd if not anomaly.again])
    assert said[29:] == [[], ["renamed"], ["renamed"], ["renamed"], [], [], []]


def test_names_of_hidden_columns_stand_in_no_sentence(history: LoadHistory) -> None:
    spoilt = change("Lazio", tests=lambda x: 10 * x)(rows_of(30))
    table = pa.Table.from_pylist(spoilt, ARROW)
    odd, _ = judged(
        "2024-01-31", profile(table, SCHEMA), history, SCHEMA, replace(EVERYBODY, hidden=frozenset({"region", "tests"}))
    )
    said = " ".join([part for anomaly in odd for part in (anomaly.headline, anomaly.subject, *anomaly.details)])
    assert odd
    assert "Lazio" not in said
    assert str(next(row["tests"] for row in spoilt if row["region"] == "Lazio")) not in said.replace(",", "")


def test_what_names_a_row_may_be_all_of_the_key_but_the_day() -> None:
    names = (("day", LogicalType.STRING), ("store", LogicalType.STRING), ("item", LogicalType.STRING))
    columns = [Column(name, kind, ordered=True) for name, kind in (*names, ("pieces", LogicalType.INTEGER))]
    schema = TableSchema("stock", tuple(columns), key=("day", "store", "item"))
    known = LoadHistory()
    for day in range(21):
        rng = random.Random(day)
        rows = [
            (f"{day}", f"S{i % 4}", f"I{i // 4}", round(50 * 2 ** (i % 5) * rng.uniform(0.9, 1.1))) for i in range(12)
        ]
        rows = [(*row[:3], row[3] * 100 if day == 20 and row[1:3] == ("S2", "I1") else row[3]) for row in rows]
        table = pa.table(dict(zip(schema.names, zip(*rows, strict=True), strict=True)))
        odd, known = judged(f"2024-02-{day + 1:02}", profile(table, schema), known, schema)
    assert [o.headline.startswith("pieces of store, item S2 · I1 is ") for o in odd if o.kind == "source"] == [True]


def test_a_source_that_has_two_rows_is_named(history: LoadHistory) -> None:
    rows = rows_of(30)
    odd, _, table = told(history, 30, [*rows, rows[3] | {"tests": 1 + int(str(rows[3]["tests"]))}])
    (own,) = [anomaly for anomaly in odd if anomaly.kind == "repeated rows"]
    assert own.headline == "several rows came for region Liguria, usually one each"
    assert table.filter(pa.array(own.suspect_rows(table)))["region"].to_pylist() == ["Liguria", "Liguria"]
    assert not [anomaly for anomaly in odd if anomaly.kind == "row count"]


def test_a_region_that_is_missing_two_weeks_after_half_a_file_is_told(history: LoadHistory) -> None:
    known = told(history, 30, rows_of(30)[:5])[1]
    for day in range(31, 44):
        known = told(known, day, rows_of(day))[1]
    odd, _, _ = told(known, 44, [row for row in rows_of(44) if row["region"] != "Veneto"])
    assert "no row came for region Veneto" in [anomaly.headline for anomaly in odd]


def test_codes_of_another_kind_are_one_sentence(history: LoadHistory) -> None:
    rows = [row | {"region": f"{place}"} for place, row in enumerate(rows_of(30))]
    odd, _, _ = told(history, 30, rows)
    assert odd[0].headline.startswith("all values of region are new: 0, 1, 2")
    assert not [anomaly for anomaly in odd if anomaly.kind in ("completeness", "truncation", "row count")]
