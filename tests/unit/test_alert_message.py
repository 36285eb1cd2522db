"""One message per table and run: what broke, since when it had held, and the rows that show it, on one screen."""

import json
from dataclasses import replace

import pytest

from profiling_core.alert.message import Alert, alerts_of
from profiling_core.alert.rows import Role
from profiling_core.alert.text_table import shortened, visible
from profiling_core.model.change import Change, ChangeSet, Transition, Witness
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    Measured,
)
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

NAMES = ("month", "day", "carrier", "flight", "origin", "dest", "distance")
FLIGHTS = TableSchema(
    "flights",
    tuple(Column(name, LogicalType.STRING, ordered=False) for name in NAMES),
    key=("month", "day", "carrier", "flight", "origin"),
)
SCHEMAS = {"flights": FLIGHTS}
FD = FunctionalDependency(ColumnList("flights", ("origin", "dest")), ColumnList("flights", ("distance",)))


def row(*values):
    return dict(zip(NAMES, values, strict=True))


def witness(origin, new, old, flight="1597"):
    return Witness(row("3", "1", "UA", flight, origin, "EGE", new), (row("1", "1", "UA", flight, origin, "EGE", old),))


WITNESSES = (witness("EWR", "1725", "1726"), witness("EWR", "1725", "1726", "9"), witness("JFK", "1746", "1747"))


def broke(constraint=FD, *, rank=1, witnesses=WITNESSES, rows=3, held=59, alerts=True, table="flights"):
    before, after = Measured(constraint, 0, 10**9, 10**6), Measured(constraint, 236, 2_799_732_656, 10**6)
    return Change(Transition.BROKE, table, before, after, held, "2013-01-01", rows, rank, alerts, (), witnesses)


def recovered(constraint=FD, *, rank=2, violations=0):
    before, after = Measured(constraint, 9, 10**6), Measured(constraint, violations, 10**6)
    return Change(Transition.RECOVERED, "flights", before, after, 12, "2013-02-27", 0, rank, True)


def run(*changes, inserts=958):
    return ChangeSet("nycflights13", 4, "r", {"flights": {"inserts": inserts, "updates": 0}}, changes)


def alert(*changes, **options):
    (made,) = alerts_of(run(*changes, **options), "2013-03-01", SCHEMAS)
    return made


def test_the_story_of_the_first_of_march():
    made = alert(broke())
    assert made.title == "nycflights13.flights, 2013-03-01: {origin, dest} → distance broke"
    lines = made.text.splitlines()
    assert lines[2:5] == [
        "flights: {origin, dest} → distance broke on 2013-03-01 after holding for 59 deltas (since 2013-01-01)",
        "  Rows of flights that agree on origin and dest have the same distance.",
        "  3 new rows violate it: 236 ordered pairs of 2,799,732,656 (error 8.4·10⁻⁸).",
    ]
    assert lines[5].startswith("  Reads as a data error: 3 of the 958 rows that came (0.3%)")


def test_a_jump_of_an_error_says_from_where_to_where():
    change = replace(broke(), transition=Transition.ERROR_JUMPED, before=Measured(FD, 20, 2_799_732_656, 10**6))
    made = alert(change)
    assert made.title == "nycflights13.flights, 2013-03-01: {origin, dest} → distance has a jump in its error"
    told = made.text.splitlines()
    assert told[2] == "flights: {origin, dest} → distance has a jump in its error on 2013-03-01, from 7.1·10⁻⁹"
    assert told[4] == "  3 new rows violate it: 236 ordered pairs of 2,799,732,656 (error 8.4·10⁻⁸)."


def test_the_new_row_stands_beside_the_older_one_that_it_contradicts():
    lines = alert(broke()).text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.split()[:3] == ["origin", "dest", "distance"])
    assert lines[head].split() == ["origin", "dest", "distance", "month", "day", "carrier", "flight"]
    assert lines[head + 1].split() == ["new", "EWR", "EGE", "1725", "◀", "3", "1", "UA", "1597"]
    assert lines[head + 2].split() == ["older", "EWR", "EGE", "1726", "1", "1", "UA", "1597"]
    starts = {line.index("EGE") for line in lines[head + 1 : head + 3]}
    assert starts == {lines[head].index("dest")}


def test_rows_that_show_something_new_come_before_more_of_the_same():
    (told,) = alert(broke()).told
    new = [r.values[0] for r in told.rows.rows if r.role is Role.NEW]
    assert new == ["EWR", "JFK", "EWR"]
    assert told.rows.own == 3
    assert [r.disagrees for r in told.rows.rows[:2]] == [(False, False, True, False, False, False, False)] * 2


def test_a_single_row_is_shown_whole_where_no_other_shows_what_is_particular_to_it():
    twice = broke(ColumnRule("flights", "", Rule.REPEATED), rows=1, witnesses=(Witness(WITNESSES[0].broken_by),))
    (told,) = alert(twice).told
    assert set(told.rows.columns) == set(NAMES)
    assert [r.values for r in told.rows.rows] == [("3", "1", "UA", "1597", "EWR", "EGE", "1725")]


def test_quiet_runs_and_changes_that_trouble_nobody_send_nothing():
    assert alerts_of(run(), "2013-03-01", SCHEMAS) == []
    assert alerts_of(run(broke(alerts=False)), "2013-03-01", SCHEMAS) == []


def test_one_message_per_table_breaks_before_recoveries_by_rank():
    others = [FunctionalDependency(FD.lhs, ColumnList("flights", (c,))) for c in ("carrier", "flight")]
    elsewhere = broke(
        FunctionalDependency(ColumnList("weather", ("x",)), ColumnList("weather", ("y",))), table="weather"
    )
    made = alerts_of(
        run(recovered(others[0], rank=1), broke(others[1], rank=5), broke(rank=2), elsewhere), "2013-03-01", SCHEMAS
    )
    assert [a.table for a in made] == ["flights", "weather"]
    assert [(t.transition, t.rank) for t in made[0].told] == [
        (Transition.BROKE, 2),
        (Transition.BROKE, 5),
        (Transition.RECOVERED, 1),
    ]
    assert made[0].title.endswith("2 broke and 1 recovered, first of all {origin, dest} → distance")


def test_a_recovery_is_told_too():
    made = alert(recovered())
    assert made.title.endswith("{origin, dest} → distance holds again")
    assert "holds again on 2013-03-01 (it had been violated since 2013-02-27)" in made.text
    assert "Nothing violates it any more." in made.text
    assert "within its threshold again: 3 ordered pairs" in alert(recovered(violations=3)).text


def test_hundreds_of_breaks_still_fit_on_a_screen():
    names = [f"c{i:03}" for i in range(300)]
    many = [
        broke(
            FunctionalDependency(FD.lhs, ColumnList("flights", (name,))), rank=i + 1, witnesses=WITNESSES * 10, rows=900
        )
        for i, name in enumerate(names)
    ]
    text = alert(*many).text
    assert len(text.splitlines()) <= 42
    assert max(map(len, text.splitlines())) <= 200
    assert "and 293 more" in text
    assert "… and 897 more rows" in text


@pytest.mark.parametrize(
    ("rows", "held", "start"),
    [
        (3, 59, "Reads as a data error"),
        (3, 2, "Few rows"),
        (500, 59, "Reads as a change of meaning"),
        (60, 59, "Between a data error and a change of meaning"),
    ],
)
def test_a_break_is_read_by_how_many_rows_and_how_reliable(rows, held, start):
    (told,) = alert(broke(rows=rows, held=held)).told
    assert told.reading.startswith(start)
    assert f"{rows:,} of the 958 rows" in told.reading


def test_rows_and_missing_values_are_counted_as_such():
    single = DenialConstraint("flights", (Predicate(Operand("t", "day"), Operator.LT, Operand("t", "month")),))
    ind = InclusionDependency(ColumnList("flights", ("dest",)), ColumnList("airports", ("faa",)))
    orphan = Witness(row("3", "1", "UA", "1", "EWR", "BQN", "1585"))
    assert "236 rows of" in alert(broke(single, witnesses=())).text
    text = alert(broke(ind, witnesses=(orphan,), rows=1)).text
    assert "1 new row violates it: 236 missing values of" in text
    assert "BQN ◀" in text
    assert "older" not in text


def test_hostile_values_cannot_break_out_of_their_line():
    evil = "a\nnew  FAKE\x1b[31m\u202e<b>"
    constraint = FunctionalDependency(ColumnList("flights", ("origin",)), ColumnList("flights", (evil,)))
    rows = ({"origin": "x\ty", evil: "1\r2"}, {"origin": "x\ty", evil: None})
    text = alert(broke(constraint, witnesses=(Witness(rows[0], (rows[1],)),))).text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.startswith("new  FAKE") for line in text.splitlines())
    assert "x\\ty" in text
    assert "null" in text


def test_long_and_wide_values_keep_the_columns_aligned():
    assert shortened("x" * 100) == "x" * 25 + "…"
    assert shortened("日本" * 40).endswith("…")
    assert visible("é 日本 ∅") == "é 日本 ∅"


def test_an_alert_survives_json():
    made = alert(broke(), recovered(FunctionalDependency(FD.lhs, ColumnList("flights", ("carrier",)))))
    assert Alert.from_json(json.loads(json.dumps(made.to_json()))) == made


def test_rows_that_are_shown_already_are_not_shown_again():
    within = DenialConstraint("flights", (Predicate(Operand("t", "distance"), Operator.LT, Operand("t", "distance")),))
    elsewhere = FunctionalDependency(ColumnList("flights", ("flight",)), ColumnList("flights", ("distance",)))
    first = WITNESSES[0].broken_by
    same, other = (broke(c, rank=2, witnesses=(Witness(first),), rows=1) for c in (within, elsewhere))
    text = alert(broke(), same).text
    assert "Broken by rows that break {origin, dest} → distance too." in text
    assert text.count("1597") == alert(broke()).text.count("1597")
    # A constraint on other columns shows what these are.
    assert "too." not in alert(broke(), other).text
    assert alert(broke(), other).text.count("1597") > text.count("1597")
