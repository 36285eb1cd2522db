"""Anomalies of a load are reported by name, size and rows; usual loads are quiet."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import EVERYBODY, Anomaly, Audience
from profiling_core.algorithms.batch_anomalies.garbled import mended
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.batch_anomalies.surprise import student, surprise
from profiling_core.model.incident import IncidentStatus
from profiling_core.model.lesson import Lesson
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

TYPES = {
    "order": (LogicalType.INTEGER, pa.int64()),
    "store": (LogicalType.STRING, pa.string()),
    "customer": (LogicalType.STRING, pa.string()),
    "amount": (LogicalType.FLOAT, pa.float64()),
    "weight": (LogicalType.FLOAT, pa.float64()),
    "at": (LogicalType.TIMESTAMP, pa.timestamp("us")),
}
SCHEMA = TableSchema("orders", tuple(Column(name, kind, ordered=True) for name, (kind, _) in TYPES.items()))
ARROW = pa.schema([(name, kind) for name, (_, kind) in TYPES.items()])
STORES = ("Ulm", "Köln", "Bonn", "Jena")
FIRST = datetime(2024, 1, 1)  # noqa: DTZ001 - a column without a time zone
Row = dict[str, object]


def orders(day: int) -> list[Row]:
    rng = random.Random(day)
    rows: list[Row] = []
    for number in range(80 + rng.randrange(9)):
        weight = round(rng.lognormvariate(1, 0.8), 2)
        at = FIRST + timedelta(days=day, hours=8 + (number * 12) // 90, minutes=rng.randrange(60))
        rows.append(
            {
                "order": day * 100 + number,
                "store": STORES[number % 4],
                "customer": f"{rng.choice(('Anna', 'Berthold', 'Zoë', 'Maximiliane'))} {rng.randrange(400)}",
                "amount": round(weight * 20 * rng.uniform(0.9, 1.1), 2),
                "weight": weight,
                "at": at,
            }
        )
    return rows


def day_of(number: int) -> str:
    return (FIRST + timedelta(days=number)).date().isoformat()


def come(history: LoadHistory, day: int, rows: list[Row]) -> tuple[list[Anomaly], LoadHistory]:
    return judged(day_of(day), profile(pa.Table.from_pylist(rows, ARROW), SCHEMA), history, SCHEMA)


@pytest.fixture(scope="module")
def history() -> LoadHistory:
    known = LoadHistory()
    for day in range(40):
        odd, known = come(known, day, orders(day))
        assert not odd, (day, odd)
    return known


def changed(**changes: Callable[[Row], object]) -> list[Row]:
    return [row | {name: change(row) for name, change in changes.items()} for row in orders(40)]


def test_a_usual_day_is_quiet(history: LoadHistory):
    assert not come(history, 40, orders(40))[0]


HALF = len(orders(40)) // 2


@pytest.mark.parametrize(
    ("rows", "kind", "said", "count"),
    [
        (changed(amount=lambda row: row["amount"] * 100), "scale", "100 times their usual size", len(orders(40))),
        (changed(weight=lambda row: row["weight"] / 1000), "scale", "1/1,000 of their usual size", len(orders(40))),
        (
            changed(amount=lambda row: row["amount"] * (100 if row["store"] == "Ulm" else 1)),
            "source",
            "amount of store Ulm is mostly about",
            len(orders(40)[::4]),
        ),
        ([row for row in orders(40) if row["store"] != "Bonn"], "completeness", "no rows came for store Bonn", 0),
        (orders(40)[:HALF], "row count", f"{HALF} rows came", 0),
        (changed(at=lambda row: row["at"] + timedelta(hours=5)), "moments", "5 hours later", len(orders(40))),
        (changed(at=lambda row: row["at"] - timedelta(days=30)), "moments", "30 days earlier", len(orders(40))),
        (changed(at=lambda row: row["at"].replace(minute=0)), "precision", "to the hour", len(orders(40))),
        (changed(amount=lambda _: 12.5), "stuck", "have the same amount", len(orders(40))),
        (changed(amount=lambda row: float(round(row["amount"]))), "precision", "whole numbers", len(orders(40))),
        (changed(customer=lambda row: row["customer"][:6]), "truncation", "longer than 6 characters", None),
        (changed(weight=lambda _: None), "nulls", " rows have no weight, usually almost none", len(orders(40))),
        ([*orders(40), *orders(40)], "repeated rows", "every row came twice", len(orders(40))),
        (changed(store=lambda row: "Ulm" if row["order"] % 5 else row["store"]), "mix", "have store Ulm", None),
    ],
)
def test_what_is_odd_is_named_with_its_rows(
    history: LoadHistory, rows: list[Row], kind: str, said: str, count: int | None
):
    odd, _ = come(history, 40, rows)
    (found,) = [anomaly for anomaly in odd if anomaly.kind == kind and said in anomaly.headline] or [None]
    assert found is not None, odd
    if count is not None:
        named = 0 if found.suspect_rows is None else int(found.suspect_rows(pa.Table.from_pylist(rows, ARROW)).sum())
        assert named == count


SHARES = TableSchema(
    "films", (Column("film", LogicalType.STRING, ordered=True), Column("share", LogicalType.FLOAT, ordered=True))
)


@pytest.mark.parametrize(("half", "factor", "told"), [(0.56, 1.0, False), (0.45, 100.0, True)])
def test_of_few_values_another_one_may_be_in_the_middle(half: float, factor: float, *, told: bool):
    """Shares of votes have two values: 4.5 for most films, 14.5 for almost as many."""
    rng, known = random.Random(5), LoadHistory()

    def load(upper: float, times: float = 1.0) -> pa.Table:
        shares = [times * (14.5 if rng.random() < upper else 4.5) for _ in range(120)]
        return pa.table({"film": [f"film {rng.randrange(10**6)}" for _ in shares], "share": shares})

    for day in range(30):
        _, known = judged(day_of(day), profile(load(0.4), SHARES), known, SHARES)
    odd, _ = judged(day_of(30), profile(load(half, factor), SHARES), known, SHARES)
    assert ("scale" in {anomaly.kind for anomaly in odd}) is told


REGIONS = tuple(f"region {number:02}" for number in range(20))
COUNTS = TableSchema(
    "counts", (Column("region", LogicalType.STRING, ordered=True), Column("sick", LogicalType.INTEGER, ordered=True))
)


def counts(day: int, *, wrong: bool = False) -> pa.Table:
    """One row per region; each region has its own size, which varies from day to day."""
    rng = random.Random(f"counts {day}")
    sick = [round(50 * 1.3**place * (2 + day % 5) * rng.uniform(0.8, 1.2)) for place in range(len(REGIONS))]
    return pa.table({"region": REGIONS, "sick": rng.sample(sick, len(sick)) if wrong else sick})


def test_what_each_value_usually_has_shows_numbers_in_wrong_rows_where_a_load_alone_does_not():
    known = LoadHistory()
    for day in range(30):
        odd, known = judged(day_of(day), profile(counts(day), COUNTS), known, COUNTS)
        assert not odd, (day, odd)
    again = LoadHistory.from_json(json.loads(json.dumps(known.to_json())))
    found, _ = judged(day_of(30), profile(counts(30, wrong=True), COUNTS), again, COUNTS)
    assert {(odd.kind, *odd.columns) for odd in found} == {("source", "sick")}
    assert not judged(day_of(30), profile(counts(30), COUNTS), again, COUNTS)[0]


def test_fewer_rows_come_first_unless_a_missing_store_explains_them(history: LoadHistory):
    few = [row for row in random.Random(2).sample(orders(40), 50) if row["store"] != "Bonn"]
    assert [anomaly.kind for anomaly in come(history, 40, few)[0]][:2] == ["row count", "completeness"]
    without = [row for row in orders(40) if row["store"] not in ("Bonn", "Jena")]
    assert [anomaly.kind for anomaly in come(history, 40, without)[0]][:2] == ["completeness", "row count"]


def test_what_is_left_out_tells_no_rows_apart():
    columns = (*SCHEMA.columns, Column("loaded", LogicalType.INTEGER, ordered=True, profiled=False))
    schema = TableSchema("orders", columns)
    rows = pa.Table.from_pylist([*orders(40), *orders(40)], ARROW)
    assert profile(rows.append_column("loaded", pa.array(range(len(rows)))), schema).repeats == 0.5


def same(text: str | None) -> object:
    """The value to compare: a number may be written in another form."""
    return float(text) if text and text[0].isdigit() else text


def test_a_finding_says_what_wrong_cells_should_be(history: LoadHistory):
    cents = changed(amount=lambda row: round(row["amount"] * 100, 2))
    read_wrong = changed(store=lambda row: row["store"].encode().decode("latin-1"))
    for rows, kind in ((cents, "scale"), (read_wrong, "encoding")):
        (odd,) = [anomaly for anomaly in come(history, 40, rows)[0] if anomaly.kind == kind]
        assert odd.mended
        for wrong, right in zip(rows, orders(40), strict=True):
            if wrong != right:
                mended = odd.mended({name: str(value) for name, value in wrong.items()})
                assert set(mended) == set(odd.columns), kind
                assert {name: same(value) for name, value in mended.items()} == {n: right[n] for n in mended}, wrong


def test_only_the_store_that_sent_rows_is_named_where_the_others_are_missing(history: LoadHistory):
    odd, _ = come(history, 40, [row for row in orders(40) if row["store"] == "Ulm"])
    (missing,) = [anomaly.headline for anomaly in odd if anomaly.kind == "completeness"]
    assert missing == "no rows came for store Bonn, Jena and Köln (usually about 63 rows)"


def test_an_old_file_is_known_again_though_its_dates_are_todays(history: LoadHistory):
    old = [row | {"at": row["at"] + timedelta(days=23)} for row in orders(17)]
    odd, _ = come(history, 40, old)
    assert f"today's {len(old)} rows are those of {day_of(17)}" in [anomaly.headline for anomaly in odd]


def test_what_needs_no_history_is_told_with_the_second_load():
    _, known = come(LoadHistory(), 0, orders(0))
    garbled = [row | {"store": row["store"].encode().decode("latin-1")} for row in orders(1)]
    for rows, kind in (
        (orders(0), "repeated load"),
        ([*orders(1), *orders(1)], "repeated rows"),
        (garbled, "encoding"),
    ):
        assert kind in [anomaly.kind for anomaly in come(known, 1, rows)[0]]


def test_a_count_that_never_varied_is_news_when_it_does():
    """55 rows in each of 47 deltas and then 49 are news; they are not if counts have varied as much."""

    def counts(of: Callable[[int], int], last: int) -> list[str]:
        known = LoadHistory()
        for day in range(47):
            _, known = come(known, day, orders(day)[: of(day)])
        return [anomaly.headline for anomaly in come(known, 47, orders(47)[:last])[0] if anomaly.kind == "row count"]

    assert counts(lambda _: 55, 49) == ["49 rows came, usually about 55"]
    assert not counts(lambda day: 55 - day * 5 % 9, 49)


def test_a_history_is_the_same_after_it_was_written(history: LoadHistory):
    again = LoadHistory.from_json(json.loads(json.dumps(history.to_json())))
    assert again == history
    rows = changed(amount=lambda row: row["amount"] * 100)
    assert [o.headline for o in come(again, 40, rows)[0]] == [o.headline for o in come(history, 40, rows)[0]]


def test_values_of_hidden_columns_stand_in_no_sentence(history: LoadHistory):
    rows = pa.Table.from_pylist([row for row in orders(40) if row["store"] != "Bonn"], ARROW)
    odd, _ = judged(day_of(40), profile(rows, SCHEMA), history, SCHEMA, replace(EVERYBODY, hidden=frozenset({"store"})))
    assert odd
    assert "Bonn" not in repr([(anomaly.headline, anomaly.details) for anomaly in odd])


def test_garbled_texts_are_told_from_foreign_ones():
    assert mended("MÃ¼ller") == "Müller"
    assert mended("Caf\ufffd") == "Caf?"
    assert [mended(text) for text in ("Müller", "São Paulo", "Ærø", "中文", "why?", "Å")] == [None] * 6
    assert mended("M?ller") == "M?ller"
    asked = ("https://example.org/item?id", "see example.org/?page", "What ratings?Too bad")
    assert [mended(text) for text in asked] == [None] * 3


def test_students_distribution_is_that_of_the_tables():
    chances = student(np.array([2.262, 3.250, 4.781]), np.array([9.0, 9.0, 9.0]))
    assert chances == pytest.approx([0.05, 0.01, 0.001], rel=0.03)


def test_what_drifts_or_has_seasons_is_foretold_as_it_moves():
    weekdays = np.array([[100.0 if day % 7 < 5 else 10.0] for day in range(35)])
    growing = np.array([[3.0 * day] for day in range(35)])
    seasons = [day % 7 for day in range(36)]
    one, none = np.ones(1), np.zeros(1)
    assert surprise(weekdays, np.array([100.0]), seasons, one, none).chance[0] > 0.5
    assert surprise(weekdays, np.array([10.0]), seasons, one, none).chance[0] < 1e-5
    assert surprise(growing, np.array([105.0]), [None] * 36, one, none).chance[0] > 0.01
    assert surprise(growing, np.array([300.0]), [None] * 36, one, none).chance[0] < 1e-6


def test_a_season_that_is_new_is_judged_by_another_way_that_was_about_as_good():
    rng, one, none = np.random.default_rng(3), np.ones(1), np.zeros(1)
    months = [number // 4 % 3 for number in range(40)] + ["new"]
    alike = rng.normal(20, 2, (40, 1))
    assert surprise(alike, np.array([60.0]), months, one, none).chance[0] < 1e-6
    assert surprise(alike, np.array([21.0]), months, one, none).chance[0] > 0.05
    by_month = np.array([[100.0 * month] for month in months[:-1] if isinstance(month, int)])
    assert surprise(by_month, np.array([5000.0]), months, one, none).chance[0] == 1


def calls(day: int, *, urgent: bool = True) -> pa.Table:
    """36 to 47 calls; each is urgent with a probability of the day, 0.3 to 0.6."""
    rng = random.Random(f"calls {day}")
    share = rng.uniform(0.3, 0.6)
    kinds = ["yes" if rng.random() < share else "no" for _ in range(36 + rng.randrange(12))]
    kinds = [kind for kind in kinds if urgent or kind == "no"]
    return pa.table({"urgent": kinds, "breed": [f"{rng.choice('ab')}{int(rng.paretovariate(0.5))}" for _ in kinds]})


CALLS = TableSchema("calls", tuple(Column(name, LogicalType.STRING, ordered=True) for name in ("urgent", "breed")))


@cache
def known_calls() -> LoadHistory:
    known = LoadHistory()
    for day in range(40):
        _, known = judged(day_of(day), profile(calls(day), CALLS), known, CALLS)
    return known


def test_of_half_the_rows_that_are_missing_it_is_told_that_all_are_of_one_sort():
    without = profile(calls(40, urgent=False), CALLS)
    assert ("completeness", "no rows came for urgent yes (usually about 19 rows)") in [
        (odd.kind, odd.headline) for odd in judged(day_of(40), without, known_calls(), CALLS)[0]
    ]
    few = profile(calls(40, urgent=False).slice(0, 5), CALLS)
    assert "completeness" not in [odd.kind for odd in judged(day_of(40), few, known_calls(), CALLS)[0]]


def test_one_value_in_most_rows_is_told_where_all_values_together_are_too_many_for_a_mix():
    rows = calls(40)
    stuck = rows.set_column(1, "breed", pa.array([*["b7"] * (len(rows) - 9), *rows["breed"].to_pylist()[-9:]]))
    assert [odd.kind for odd in judged(day_of(40), profile(stuck, CALLS), known_calls(), CALLS)[0]] == ["stuck"]


def test_what_one_of_two_ways_foretold_that_were_about_as_good_is_no_surprise():
    """Monthly counts of animals in traps: few after many fit the mean, but not the month before."""
    counts = (
        "94 86 102 75 84 80 66 81 102 104 94 76 88 109 92 81 75 65 54 54 56 72 108 55 58 66 131 139 126 292 85 120 90"
    )
    months = np.log(
        [
            [float(n)]
            for n in (*counts.split(), *["64", "61", "80", "77", "137", "144", "177", "106", "134", "112", "155"])
        ]
    )
    for rows, chance in ((53.0, 0.2), (10.0, 1e-5)):
        now = np.log(np.array([rows]))
        found = surprise(months, now, [None] * (len(months) + 1), np.array([1 / rows]), np.zeros(1))
        assert found.chance[0] == pytest.approx(chance, rel=0.2)


def test_odd_loads_are_odd_again_and_usual_ones_end_it(history: LoadHistory):
    known, told = history, []
    for day in range(40, 49):
        cents = day in (40, 41, 42, 48)
        rows = [
            row | {"amount": round(float(str(row["amount"])) * 100, 2) if cents else row["amount"]}
            for row in orders(day)
        ]
        odd, known = come(known, day, rows)
        told.append([anomaly.headline.partition(" are ")[2] for anomaly in odd])
    cents = ["about 100 times their usual size"]
    assert told == [cents, cents, cents, [], [], [], [], [], cents]


def test_what_has_been_odd_for_long_is_usual(history: LoadHistory):
    known, told = history, []
    for day in range(40, 56):
        odd, known = come(known, day, [row | {"amount": float(str(row["amount"])) * 100} for row in orders(day)])
        told.append(bool(odd))
    assert all(told[:6])
    assert not any(told[10:])


def test_cents_are_told_from_minutes_on_a_day_of_smaller_orders(history: LoadHistory):
    small = [row | {"amount": round(float(str(row["amount"])) * 0.9, 2) * 100} for row in orders(40)]
    (odd,) = (anomaly for anomaly in come(history, 40, small)[0] if anomaly.kind == "scale")
    assert (odd.cause, "about 100 times" in odd.headline) == ("cents, or per cent?", True)
    assert odd.mended is not None
    assert odd.mended({"amount": "2495"}) == {"amount": "24.95"}


def test_small_counts_that_happen_to_be_higher_in_one_store_are_no_other_unit():
    schema = TableSchema(
        "orders",
        (Column("store", LogicalType.STRING, ordered=True), Column("pieces", LogicalType.INTEGER, ordered=True)),
    )
    rng, known, told = random.Random(3), LoadHistory(), []
    for day in range(60):
        rows = [{"store": s, "pieces": rng.choice([1, 1, 1, 2, 3])} for s in STORES for _ in range(12)]
        if day == 50:  # more of Ulm's orders than usual have two or three pieces, in this load alone
            for number, row in enumerate(rows[:12]):
                row["pieces"] = (2, 3, 3)[number % 3] if number < 9 else 1
        found = pa.Table.from_pylist(rows, pa.schema([("store", pa.string()), ("pieces", pa.int64())]))
        odd, known = judged(day_of(day), profile(found, schema), known, schema)
        told += [anomaly.headline for anomaly in odd if anomaly.kind == "scale"]
    assert not told


LEVELS = TableSchema(
    "levels", (Column("at", LogicalType.TIMESTAMP, ordered=True), Column("level", LogicalType.FLOAT, ordered=True))
)


def test_times_that_begin_and_end_later_are_shifted_though_their_middle_varies():
    def rides(day: int, shift: int = 0) -> pa.Table:
        rng = random.Random(f"rides {day}")
        middle = rng.uniform(10, 18)
        hours = [0.2, 23.8, *(min(23.8, max(0.2, rng.gauss(middle, 5))) for _ in range(100))]
        at = [FIRST + timedelta(days=day, hours=hour + shift) for hour in hours]
        return pa.table({"at": at, "level": [1.0] * len(at)})

    known = LoadHistory()
    for day in range(30):
        odd, known = judged(day_of(day), profile(rides(day), LEVELS), known, LEVELS)
        assert not odd, (day, odd)
    found, *_ = judged(day_of(30), profile(rides(30, shift=2), LEVELS), known, LEVELS)[0]
    assert found.headline == "all 102 values of at are about 2 hours later than usual"


def test_a_file_that_comes_twice_under_new_keys_is_known():
    keyed = TableSchema(SCHEMA.table, SCHEMA.columns, ("order",))
    known = LoadHistory()
    for day in range(10):
        _, known = judged(day_of(day), profile(pa.Table.from_pylist(orders(day), ARROW), keyed), known, keyed)
    twice = [*orders(10), *(row | {"order": int(str(row["order"])) + 50_000} for row in orders(10))]
    (found, *_), _ = judged(day_of(10), profile(pa.Table.from_pylist(twice, ARROW), keyed), known, keyed)
    assert (found.kind, found.headline) == ("repeated rows", "every row came twice")


def test_texts_in_a_wrong_encoding_are_not_told_to_be_missing(history: LoadHistory):
    garbled = changed(store=lambda row: str(row["store"]).encode().decode("latin-1"))
    assert [anomaly.kind for anomaly in come(history, 40, garbled)[0]] == ["encoding"]


def without(history: LoadHistory, kind: str, **changes: Callable[[Row], object]) -> Anomaly:
    odd, _ = come(history, 40, changed(**changes))
    return next(anomaly for anomaly in odd if anomaly.kind == kind)


def accepted(odd: Anomaly) -> Lesson:
    size, values = odd.size, odd.values
    return Lesson("t", odd.kind, odd.columns, 1, "ana", IncidentStatus.ACCEPTED, size, odd.room, odd.subject, values)


def in_part(of: float, name: str) -> Callable[[Row], object]:
    return lambda row: None if int(str(row["order"])) % 100 < of * 80 else row[name]


def test_a_share_that_is_accepted_is_no_news_up_to_its_size(history: LoadHistory):
    lesson = accepted(without(history, "nulls", weight=in_part(0.6, "weight")))
    shares = (0.3, 0.62, 0.85)
    assert [lesson.covers(without(history, "nulls", weight=in_part(share, "weight")), "d") for share in shares] == [
        True,
        True,
        False,
    ]


def count_of(history: LoadHistory, rows: list[Row]) -> Anomaly:
    return next(odd for odd in come(history, 40, rows)[0] if odd.kind == "row count")


def test_fewer_rows_that_are_accepted_say_nothing_of_more(history: LoadHistory):
    lesson = accepted(count_of(history, orders(40)[:40]))
    few, fewer, more = orders(40)[:50], orders(40)[:6], [*orders(40), *orders(41), *orders(42)]
    assert [lesson.covers(count_of(history, rows), "d") for rows in (few, fewer, more)] == [True, False, False]


VISITS = TableSchema(
    "visits", (Column("minutes", LogicalType.STRING, ordered=True), Column("fee", LogicalType.FLOAT, ordered=True))
)


def visits(day: int, count: int, longer: int = 0) -> pa.Table:
    rng = random.Random(f"visits {day}")
    minutes = [rng.choice(("10", "15", "20", "30", "45")) for _ in range(count)]
    minutes = ["10"] * longer + minutes[longer:]
    return pa.table({"minutes": minutes, "fee": [round(rng.uniform(20, 60), 2) for _ in minutes]})


def shared_by(tables: int) -> Audience:
    return replace(EVERYBODY, budget=replace(EVERYBODY.budget, tables=tables))


@cache
def clinic(tables: int = 1) -> LoadHistory:
    rng, known = random.Random("clinic"), LoadHistory()
    for day in range(40):
        came = profile(visits(day, 8 + rng.randrange(9)), VISITS)
        _, known = judged(day_of(day), came, known, VISITS, shared_by(tables))
    return known


@pytest.mark.parametrize(
    ("came", "told"),
    [(visits(40, 12, 7), []), (visits(40, 12, 12), ["mix"]), (visits(40, 5), []), (visits(40, 60), ["row count"])],
)
def test_of_a_dozen_rows_chance_explains_more(came: pa.Table, told: list[str]):
    odd, _ = judged(day_of(40), profile(came, VISITS), clinic(), VISITS)
    assert [anomaly.kind for anomaly in odd] == told


def test_the_tables_of_a_dataset_share_one_budget():
    few = profile(visits(40, 33), VISITS)
    assert [odd.kind for odd in judged(day_of(40), few, clinic(), VISITS)[0]] == ["row count"]
    assert not judged(day_of(40), few, clinic(), VISITS, shared_by(10**6))[0]


def test_the_same_teams_at_home_are_no_repeated_load():
    teams, schema = (
        list("ABCDEFGHIJ"),
        TableSchema(
            "games",
            tuple(
                Column(name, kind, ordered=True)
                for name, kind in (("home", LogicalType.STRING), ("goals", LogicalType.INTEGER))
            ),
        ),
    )
    known = LoadHistory()
    for week in range(20):
        rng = random.Random(f"week {week % 19}")
        home = rng.sample(teams, 5)
        goals = [random.Random(f"{week} {i}").randrange(9) for i in range(5)]
        odd, known = judged(day_of(7 * week), profile(pa.table({"home": home, "goals": goals}), schema), known, schema)
        assert "repeated load" not in [anomaly.kind for anomaly in odd]


SHOWN = TableSchema("shown", tuple(Column(name, LogicalType.STRING, ordered=False) for name in ("campaign", "store")))


def shown(day: int, *, closed: str = "") -> pa.Table:
    running = [f"C{number}" for number in range((day + 6) // 10 - 5, (day + 6) // 10 + 1)]
    rows = [{"campaign": one, "store": store} for one in running for store in STORES for _ in range(6)]
    return pa.Table.from_pylist([row for row in rows if row["store"] != closed])


def test_a_campaign_that_ends_as_others_have_is_no_news_and_a_store_that_is_missing_is():
    known = LoadHistory()
    for day in range(86):
        odd, known = judged(day_of(day), profile(shown(day), SHOWN), known, SHOWN)
        assert day < 70 or not [o for o in odd if o.kind == "completeness"], (day, odd)
    odd, _ = judged(day_of(86), profile(shown(86, closed="Bonn"), SHOWN), known, SHOWN)
    assert [o.headline for o in odd if o.kind == "completeness"] == [
        "no rows came for store Bonn (usually about 36 rows)"
    ]


TRAMS = TableSchema("trams", (Column("trams", LogicalType.INTEGER, ordered=True),))


def trams(*, rests: bool, again: int = 0) -> pa.Table:
    four, two = (160, 30) if rests else (120, 30)
    return pa.table({"trams": [4] * (four + again) + [2] * two + [6] * (190 - four - two)})


def test_a_holiday_like_a_sunday_and_two_rows_more_is_no_other_mix():
    known = LoadHistory()
    for day in range(40):
        _, known = judged(day_of(day), profile(trams(rests=day % 7 > 4), TRAMS), known, TRAMS)
    holiday = profile(trams(rests=True, again=2), TRAMS)
    assert not [o for o in judged(day_of(40 + 2), holiday, known, TRAMS)[0] if o.kind == "mix"]
    other = profile(pa.table({"trams": [2] * 119 + [4] * 70 + [6]}), TRAMS)
    assert [o for o in judged(day_of(40 + 2), other, known, TRAMS)[0] if o.kind == "mix"]


def test_each_sunday_has_ten_rows_and_five_are_news_though_working_days_have_fifty():
    schema = TableSchema("sales", (Column("order", LogicalType.INTEGER, ordered=True),))

    def sales(day: int, many: int) -> pa.Table:
        return pa.table({"order": [day * 1000 + number for number in range(many)]})

    known = LoadHistory()
    for day in range(41):
        odd, known = judged(day_of(day), profile(sales(day, 10 if day % 7 == 6 else 50), schema), known, schema)
        assert not odd, (day, odd)
    assert not judged(day_of(41), profile(sales(41, 10), schema), known, schema)[0]
    assert [o.kind for o in judged(day_of(41), profile(sales(41, 5), schema), known, schema)[0]] == ["row count"]


def test_rows_that_come_again_with_another_number_are_told(history: LoadHistory):
    rows = orders(40)
    again = [row | {"amount": row["amount"] + 1.5} for row in rows[:8]]
    odd = [o for o in come(history, 40, [*rows, *again])[0] if o.kind == "repeated rows"]
    assert [(o.headline, o.columns) for o in odd] == [
        ("8 rows repeat other ones in all columns but amount, usually none", ("amount",))
    ]
    table = pa.Table.from_pylist([*rows, *again], ARROW)
    assert odd[0].suspect_rows is not None
    assert np.flatnonzero(odd[0].suspect_rows(table)).tolist() == [*range(len(rows), len(rows) + 8)]
    assert "repeated rows" not in {o.kind for o in come(history, 40, [*rows, again[0]])[0]}  # chance may bring one


def test_of_rows_that_came_twice_no_other_mix_is_told(history: LoadHistory):
    rows = orders(40)
    ulm = [row for row in rows if row["store"] == "Ulm"]
    assert [o.kind for o in come(history, 40, [*rows, *ulm * 3])[0]] == ["repeated rows"]


def test_a_number_of_rows_that_varies_wildly_is_told_beside_its_range():
    def polls(count: int, day: int) -> list[Anomaly]:
        rows = [row for other in range(day, day + 20) for row in orders(other)]
        found = profile(pa.Table.from_pylist(rows[:count], ARROW), SCHEMA)
        return [odd for odd in judged(f"poll {day:03}", found, known, SCHEMA)[0] if odd.kind == "row count"]

    known, rng = LoadHistory(), random.Random(5)
    counts = [min(80, int(20 * np.exp(rng.gauss(0, 0.6)))) for _ in range(40)]
    for day, count in enumerate(counts):
        found = profile(pa.Table.from_pylist(orders(day)[:count], ARROW), SCHEMA)
        known = judged(f"poll {day:03}", found, known, SCHEMA)[1]
    assert not polls(int(1.5 * max(counts[-28:])), 40)
    (odd,) = polls(1500, 40)
    assert odd.headline == "1,500 rows came, usually about 21"
    assert odd.details == (f"The 40 loads before had {min(counts)} to {max(counts)} rows.",)


def test_a_depot_that_lost_most_of_its_rows_is_told_though_no_other_has_gained_much():
    def parcels(day: int, *, strike: bool = False) -> pa.Table:
        rng = random.Random(day)
        sizes = {"Bremen": 22, "Dresden": 17, "Essen": 1 if strike else 38, "Kiel": 8, "Mainz": 22, "Ulm": 13}
        depots = [name for name, size in sizes.items() for _ in range(max(1, round(size * rng.uniform(0.9, 1.1))))]
        return pa.table({"depot": depots, "weight": [rng.uniform(0.2, 30) for _ in depots]})

    of = {"depot": LogicalType.STRING, "weight": LogicalType.FLOAT}
    schema = TableSchema("parcels", tuple(Column(name, kind, ordered=True) for name, kind in of.items()))
    known = LoadHistory()
    for day in range(40):
        odd, known = judged(f"load {day:02}", profile(parcels(day), schema), known, schema)
        assert not odd, day
    told = judged("load 40", profile(parcels(40, strike=True), schema), known, schema)[0]
    assert "1 of 86 rows (1.2%) has depot Essen, usually about 32%" in [odd.headline for odd in told]


@pytest.mark.parametrize("name", ["userId", "votes"])
def test_identifiers_have_no_size(name: str):
    """A month's ratings come from a narrow range of users; then the first users come back, or far later ones."""
    schema, rng = TableSchema("ratings", (Column(name, LogicalType.INTEGER, ordered=True),)), random.Random(4)
    known = LoadHistory()

    def told(day: int, factor: float) -> tuple[list[str], LoadHistory]:
        numbers = [round(rng.randint(300, 400) * factor) for _ in range(80)]
        odd, after = judged(day_of(day), profile(pa.table({name: pa.array(numbers)}), schema), known, schema)
        return [anomaly.kind for anomaly in odd if anomaly.kind in ("scale", "spread") and not anomaly.explains], after

    for day in range(30):
        known = told(day, 1)[1]
    size = [] if name == "userId" else ["scale"]
    assert (told(30, 1 / 4)[0], told(30, 100)[0]) == (size, size)
