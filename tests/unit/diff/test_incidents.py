"""Incidents: what has one cause is one, and opens, goes on, recovers and is decided about as one."""

import json
from dataclasses import replace

import pytest
from helpers.catalog import DATASET, seed
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from profiling_core.cli.dataset import now_over, shown_again
from profiling_core.cli.main import app
from profiling_core.diff.causes import by_cause
from profiling_core.diff.incidents import (
    HEARD_AGAIN,
    LASTS,
    OPENED,
    RECOVERED,
    REMINDED,
    SHOWN_AGAIN,
    WORSE,
    IncidentMoment,
    advance,
)
from profiling_core.ingest.reject_finding import is_usual, rejects_finding, repeated_keys_finding
from profiling_core.model.decision import Verdict
from profiling_core.model.finding import CONSTRAINT, REFUSAL, REJECTS, Evidence, Finding
from profiling_core.model.incident import Event, Incident, IncidentStatus
from profiling_core.model.lesson import lessons
from profiling_core.pipeline.notifications import ended
from profiling_core.spark.bucket import SHOWN
from profiling_core.spark.delta import Tally


def rule(name, *columns, table="orders", rows=(), **more):
    shown = tuple(Evidence({"order": row}, identity=row) for row in rows)
    more = {"count": max(1, len(rows))} | more
    return Finding(CONSTRAINT, table, "d", f"{name} broke", columns, rows=shown, subject=name, **more)


def load(*columns, table="orders", **more):
    return Finding("scale", table, "d", "times 100", columns, whole_load=True, **more)


def moment(version, *, recovered=(), arrived=("orders",), remind=0):
    return IncidentMoment(version, f"d{version}", arrived, recovered, (), lambda table: f"{table} team", remind)


def names(groups):
    return [[finding.subject or finding.kind for finding in group] for group in groups]


def test_shared_columns_and_shared_rows_are_one_cause():
    a, b = rule("a", "x", count=3), rule("b", "x", "y")
    c, d = rule("c", "z", rows=("1", "2")), rule("d", "w", rows=("2", "3"))
    assert names(by_cause([a, c, b, d])) == [["a", "b"], ["c", "d"]]


def test_the_cause_that_concerns_most_rows_is_told_first():
    rejects = Finding(REJECTS, "orders", "d", "2 rows were rejected", ("key",), count=2)
    far, gone = load("price", count=40), load("shop", count=0)
    assert names(by_cause([rejects, far])) == [["scale"], [REJECTS]]
    assert names(by_cause([rejects, far, gone])) == [["scale"], ["scale"], [REJECTS]]
    assert by_cause([rejects, far, gone])[0][0].columns == ("shop",)
    asked = rule("asked", "note", rows=("9",), signed=True)
    assert names(by_cause([far, asked])) == [["asked"], ["scale"]]


def test_a_shop_that_lacks_more_rows_is_told_beside_an_incident_of_a_product_that_lacks_some():
    few, many = (
        Finding("completeness", "orders", "d", "gone", (name,), size=size, whole_load=True, values=("A",))
        for name, size in (("product", -2.3), ("shop", -3.8))
    )
    (open_,) = advance([], [few], moment(1))
    assert [step.told for step in advance([open_.incident], [few, many], moment(2))] == ["", OPENED]
    (open_,) = advance([], [many], moment(1))
    assert [step.told for step in advance([open_.incident], [few, many], moment(2))] == [""]


def test_what_only_explains_is_the_diagnosis_of_what_it_explains_and_never_told_alone():
    total = replace(load("amount", explains=True), kind="totals")
    assert names(by_cause([rule("a", "amount"), total, rule("b", "day")])) == [["totals", "a"], ["b"]]
    assert by_cause([total]) == []


def test_another_mix_comes_after_a_rule_that_names_more_rows_unless_it_says_what_cells_should_be():
    wide = rule("r", "price", "shop", count=40)
    mix = replace(load("shop"), kind="mix", count=12)
    assert names(by_cause([mix, wide])) == [["r", "mix"]]
    assert names(by_cause([mix, replace(wide, count=9)])) == [["mix", "r"]]
    undone = replace(mix, kind="spread", rows=(Evidence({"shop": "A"}, ("shop",), {"shop": "B"}),))
    assert names(by_cause([undone, wide])) == [["spread", "r"]]


def test_a_delta_that_is_refused_for_another_reason_has_the_same_incident_and_a_message():
    first, other = (
        Finding(REFUSAL, "orders", "d1", f"delta d1 is refused: {why}", subject=f"d1 {why}", values=("d1",))
        for why in ("no day", "no price")
    )
    (opened,) = advance([], [first], moment(1))
    (again,) = advance([opened.incident], [other], moment(1))
    assert (again.told, again.incident.number, again.incident.deltas) == (WORSE, opened.incident.number, 1)
    assert again.incident.diagnosis.headline == "delta d1 is refused: no price"
    another = replace(first, delta="d2", subject="d2 no day", values=("d2",))
    assert [step.told for step in advance([opened.incident], [another], moment(2, arrived=()))] == [OPENED]


def after_the_row_before(number):
    """A row of a station whose moment is not an hour after that of the row before it."""
    beside = Evidence(
        {"station": "T1", "hour": "0"}, ("hour",), identity="1", against="the hour of the row before is 22"
    )
    return replace(rule("step", "hour"), delta=f"d{number}", rows=(beside,))


@pytest.mark.parametrize(
    ("told", "silent"),
    [
        (load("station", count=0), True),  # the station was missing the day before
        (replace(load(), kind="row count"), True),
        (replace(rule("known stations", "station"), values=("T9",)), True),
        (load("degrees"), False),
    ],
)
def test_a_row_that_does_not_go_on_from_the_row_before_is_no_news_after_a_load_that_lacked_it(told, silent):
    (first,) = advance([], [told], moment(1))
    steps = advance([first.incident], [after_the_row_before(2)], moment(2))
    assert (OPENED not in [step.told for step in steps]) == silent
    (later,) = advance([replace(first.incident, status=IncidentStatus.RECOVERED)], [after_the_row_before(3)], moment(3))
    assert later.told == OPENED


def test_an_incident_keeps_its_explanation_while_loads_show_it():
    (first,) = advance([], [load("amount")], moment(1))
    (second,) = advance([first.incident], [load("amount"), replace(load("amount"), kind="exchange")], moment(2))
    assert [finding.kind for finding in second.incident.findings] == ["scale", "exchange"]
    (third,) = advance([second.incident], [load("amount")], moment(3))
    assert third.told == LASTS


def test_a_load_explains_what_is_in_its_columns_and_without_columns_its_table():
    in_it, beside = rule("a", "amount"), rule("b", "day")
    assert names(by_cause([in_it, beside, load("amount")])) == [["scale", "a"], ["b"]]
    assert names(by_cause([in_it, beside, load()])) == [["scale", "a", "b"]]


def test_a_load_explains_the_references_that_miss_what_it_lacks_or_has_otherwise():
    orphans = replace(rule("a", "customer", refers_to=("customers",)), refers_at=("id",))
    lacking, other, its_own = (
        replace(load(name, table="customers"), count=n) for name, n in (("x", 0), ("x", 9), ("id", 9))
    )
    assert [len(by_cause([orphans, found])) for found in (lacking, other, its_own)] == [1, 2, 1]


def test_what_was_rejected_explains_the_references_that_miss_it():
    orphans = rule("a", "customer", refers_to=("customers",))
    rejects = Finding(REJECTS, "customers", "d", "4 of 90 rows were rejected", count=4)
    assert names(by_cause([orphans, rejects])) == [["rejects", "a"]]
    assert len(by_cause([replace(orphans, refers_to=()), rejects])) == 2


def lacking(table, column, *values, parent="stations"):
    rows = tuple(Evidence({"id": str(i), column: v}, (column,), identity=f"{table}{i}") for i, v in enumerate(values))
    more = {"rows": rows, "count": len(rows), "refers_to": (parent,), "refers_at": ("station",)}
    return Finding(CONSTRAINT, table, "d", f"{table}.{column}", (column,), subject=f"{table}.{column}", **more)


def kind(kind, *columns, **more):
    return replace(load(*columns), kind=kind, **more)


def rejected(version, *kinds, count=1):
    return Finding(REJECTS, "orders", f"d{version}", f"{count} rejected", count=count, values=kinds)


def missing(*stores):
    return kind("completeness", "store", subject=f"no {' and '.join(stores)}", size=-1.0, values=stores)


def changed(headline, subject, **more):
    return Finding("changes", "orders", "d", headline, ("salary",), count=40, subject=subject, **more)


def against(partners):
    """Rows that contradict others, by the names of these."""
    rows = [Evidence({"meter": "m", "kwh": "9"}, ("kwh",), identity=f"new{p}", beside_identity=p) for p in partners]
    return replace(rule("order", "kwh"), rows=tuple(rows), count=len(rows))


OPEN, ACKNOWLEDGED, MUTED, ACCEPTED = (IncidentStatus[name] for name in ("OPEN", "ACKNOWLEDGED", "MUTED", "ACCEPTED"))
ODD, ODD_IN_ALL = load("amount", count=84), load("amount", count=84, arrived=84)
NEAR_ROWS = [rule("a", "x", rows=("2", "3")), rule("b", "y", rows=("2", "3")), rule("c", "z", rows=("4",))]
CHANGED, BACK = changed("40 values of salary changed", "changed"), changed("40 values of salary fell", "fell")
NEW_LAB = Finding("new values", "orders", "d1", "lab LabM is new", ("lab",), values=("LabM",), count=28)
LABS = Finding("mix", "orders", "d2", "too many rows", ("lab",), values=("LabM",), count=28, size=0.5)
METERS = [f"K{number}" for number in range(16)]
NINE_THOUSAND = tuple(Evidence({"meter": "m", "kwh": "9000"}, ("kwh",), identity=name) for name in "abc")
KWH = load("kwh", count=3, rows=NINE_THOUSAND)
NAMELESS = load("kwh", count=1, rows=(Evidence({"kwh": "9000"}, ("kwh",)),))
CITY = replace(rule("city", "city"), rows=(Evidence({"city": "Bonn"}, ("city",)),))
SHOPS, FJORD = kind("mix", "shop", count=40, size=0.2), kind("mix", "shop", values=("Fjord",), count=40)
EFEU, NINE = replace(FJORD, values=("Efeu",), count=80), [f"wrong type in c{place}" for place in range(9)]
MILES, EXISTING = "wrong type in miles", "insert of an existing key"


@pytest.mark.parametrize(
    ("first", "status", "second", "told"),
    [
        # A reference to nothing is accepted: one to something else is news.
        (lacking("trips", "start", "S8"), ACCEPTED, [lacking("trips", "start", "S8")], [""]),
        (lacking("trips", "start", "S8"), ACCEPTED, [lacking("trips", "start", "S9")], ["", OPENED]),
        # An incident that goes on explains what it shows in the same rows, or in a whole load.
        *((ODD_IN_ALL, status, [ODD_IN_ALL, rule("b", "amount")], [""]) for status in (OPEN, ACKNOWLEDGED, MUTED)),
        *((rule("a", "x", rows=("1",)), status, NEAR_ROWS, ["", OPENED]) for status in (OPEN, ACKNOWLEDGED, MUTED)),
        # It explains nothing else in its columns.
        (rule("a", "amount"), OPEN, [rule("a", "amount"), ODD], ["", OPENED]),
        (SHOPS, OPEN, [kind("encoding", "shop", count=3)], ["", OPENED]),
        (SHOPS, OPEN, [replace(SHOPS, size=-0.2)], ["", OPENED]),
        # A decision is about what continues the incident, and about nothing else.
        *((load("x"), status, [load("x")], [""]) for status in (MUTED, ACCEPTED)),
        (load("x"), MUTED, [load("x"), rule("a", "x")], ["", OPENED]),
        (load("x"), ACCEPTED, [rule("a", "x")], ["", OPENED]),
        # Cells that are changed back are no other values.
        (CHANGED, OPEN, [replace(BACK, again=True)], [""]),
        (CHANGED, OPEN, [BACK], ["", OPENED]),
        # Another figure of the values that an incident names is no news.
        (NEW_LAB, OPEN, [LABS], [""]),
        (NEW_LAB, OPEN, [replace(LABS, values=("LabX",))], ["", OPENED]),
        (NEW_LAB, OPEN, [replace(LABS, count=0)], ["", OPENED]),
        # More rows with the same value are no news, rows with another value are.
        (FJORD, OPEN, [replace(FJORD, count=50)], [""]),
        (FJORD, OPEN, [EFEU], ["", OPENED]),
        # Right rows that contradict told rows are no news; rows that cannot be told from others are.
        (KWH, OPEN, [against("ab")], [""]),
        *((KWH, OPEN, [against(partners)], ["", OPENED]) for partners in ("ax", "xy")),
        (NAMELESS, OPEN, [CITY], ["", OPENED]),
        # What no row showed accounts for no wrong rows of the next day.
        (replace(rule("fresh", "placed"), count=0), OPEN, [rule("far", "placed")], ["", OPENED]),
        # Ten times the rows are told again, unless the incident is muted.
        (load("amount", count=3), OPEN, [load("amount", count=29)], [""]),
        (load("amount", count=3), OPEN, [load("amount", count=30)], [WORSE]),
        (load("amount", count=3), MUTED, [load("amount", count=300)], [""]),
        # One more beside many that are missing is no news, four more are.
        (missing(*METERS[:12]), OPEN, [missing(*METERS[1:13])], [""]),
        (missing(*METERS[:12]), OPEN, [missing(*METERS)], [WORSE]),
        # Rejects for another reason are told, however many reasons there were.
        (rejected(1, MILES), OPEN, [rejected(2, MILES)], [""]),
        (rejected(1, MILES), OPEN, [rejected(2, EXISTING)], ["", OPENED]),
        (rejected(1, MILES), OPEN, [rejected(2, EXISTING, MILES)], [WORSE]),
        (rejected(1, *NINE), OPEN, [rejected(2, *NINE, "unreadable row")], [WORSE]),
    ],
)
def test_what_a_second_load_does_to_the_incident_of_the_first(first, status, second, told):
    (opened,) = advance([], [first], moment(1))
    steps = advance([replace(opened.incident, status=status)], second, moment(2, arrived=("orders", "trips")))
    assert [(step.told, step.incident.number) for step in steps] == [(said, 1 + (said == OPENED)) for said in told]
    assert all(step.incident.rows == max(found.count for found in second) for step in steps if step.told == WORSE)
    assert all(step.incident.diagnosis == second[-1] for step in steps if step.told == OPENED)


def test_a_parent_that_is_gone_is_one_cause_in_all_tables_that_refer_to_it():
    trips, bikes = lacking("trips", "start", "S8", "S8", "S8"), lacking("bikes", "station", "S8")
    assert names(by_cause([trips, lacking("trips", "end", "S8"), bikes])) == [
        ["trips.start", "trips.end", "bikes.station"]
    ]
    assert len(by_cause([trips, lacking("bikes", "station", "S9")])) == 2
    assert len(by_cause([trips, lacking("bikes", "station", "S8", parent="depots")])) == 2
    assert len(by_cause([rule("a", "x", rows=("1",)), rule("b", "y", table="bikes", rows=("1",))])) == 2


def test_a_rejected_row_explains_no_more_missing_values_than_one():
    lacks = [Evidence({"order": str(i), "customer": f"c{i // 2}"}, ("customer",), identity=str(i)) for i in range(4)]
    orphans = replace(rule("a", "customer", refers_to=("customers",)), rows=tuple(lacks), count=4)
    two, one = (Finding(REJECTS, "customers", "d", "rejected", count=count) for count in (2, 1))
    assert names(by_cause([orphans, two])) == [["rejects", "a"]]
    assert names(by_cause([orphans, one])) == [["a"], ["rejects"]]


def test_an_error_of_a_parent_is_told_once_where_its_children_refer_to_the_column():
    city = replace(rule("new", "city"), table="merchants")
    child = replace(rule("a", "merchant_city", refers_to=("merchants",)), refers_at=("city",), magnitude=1.0)
    assert names(by_cause([child, city])) == [["new", "a"]]
    assert len(by_cause([replace(child, refers_at=("merchant_id",)), city])) == 2


def test_an_error_of_a_parent_explains_only_children_that_say_what_it_should_be_or_contradict_it():
    wrong = Evidence({"zip": "10", "city": "Kiel"}, ("city",), {"city": "Bonn"}, identity="p")
    parent = replace(rule("fd", "city"), table="customers", rows=(wrong,), count=1)
    child = replace(rule("a", "to", refers_to=("customers",)), refers_at=("city",))
    for values, beside, told in (
        (("Bonn", "Ulm"), "", 1),
        (("Trier",), "", 2),
        (("Trier",), "q", 2),
        (("Trier",), "p", 1),
    ):
        rows = tuple(Evidence({"to": city}, ("to",), beside_identity=beside) for city in values)
        assert len(by_cause([replace(child, rows=rows), parent])) == told
    assert len(by_cause([replace(child, rows=(Evidence({"to": "Trier"}, ("to",)),)), replace(parent, count=9)])) == 1


def test_the_column_that_most_broken_rules_speak_of_is_blamed():
    total, tax, order = rule("gross", "gross", rows=("1",)), rule("tax", "vat", rows=("1",)), rule("o", "net", "vat")
    far = rule("far", "vat")
    assert names(by_cause([total, tax, replace(order, rows=total.rows), far])) == [["tax", "far", "o", "gross"]]
    assert names(by_cause([total, replace(tax, columns=("z",))])) == [["gross", "tax"]]


def test_a_load_in_which_rows_are_missing_ends_nothing():
    (opened,) = advance([], [load("amount", count=4)], moment(1))
    half = Finding("row count", "orders", "d", "4 rows came, usually 8", whole_load=True)
    (other,) = advance([opened.incident], [half], moment(2))
    assert other.incident.diagnosis == half
    again = advance([opened.incident], [load("amount", count=4)], moment(3))
    assert [step.incident.deltas for step in again] == [2]
    (over,) = advance([opened.incident], [], moment(3))
    assert over.incident.status is IncidentStatus.RECOVERED


def test_what_goes_on_explains_nothing_else_in_its_columns():
    (broken,) = advance([], [rule("a", "amount")], moment(1))
    again = advance([broken.incident], [rule("a", "amount"), load("amount", count=84)], moment(2))
    assert [(step.told, step.incident.number) for step in again] == [("", 1), (OPENED, 2)]
    over, odd = advance([broken.incident], [load("amount", count=84)], moment(2))
    assert (over.incident.status, odd.told, odd.incident.number) == (IncidentStatus.RECOVERED, OPENED, 2)
    *_, other = advance([odd.incident], [load("amount", count=84), rule("b", "amount")], moment(3))
    assert (other.told, other.incident.number) == (OPENED, 3)


def test_a_value_that_comes_too_often_explains_no_row_without_it():
    def shows(line):
        return (Evidence({"order": f"o{line}", "line": line}, identity=f"o{line}"),)

    shift = Finding("mix", "orders", "d", "14 have line 7", ("line",), rows=shows("7"), count=14, values=("7",))
    shift = replace(shift, whole_load=True)
    (opened,) = advance([], [shift], moment(1))
    empty = Finding(CONSTRAINT, "orders", "d", "1 has no line", ("line",), rows=shows(None), count=1, subject="null")
    for going_on in ([shift], []):
        told = [step.told for step in advance([opened.incident], [*going_on, empty], moment(2))]
        assert told[-1] == OPENED, going_on
    of_it = replace(empty, rows=shows("7"))
    assert [step.told for step in advance([opened.incident], [shift, of_it], moment(2))] == [""]


@settings(deadline=None, max_examples=examples(200))
@given(st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=3), max_size=10))
def test_groups_are_the_connected_components(columns):
    findings = [rule(str(i), *sorted(c)) for i, c in enumerate(columns)]
    component = list(range(len(columns)))  # by repeated relabelling, the slow way
    for _ in columns:
        for i, one in enumerate(columns):
            for j, other in enumerate(columns):
                if one & other:
                    component[i] = component[j] = min(component[i], component[j])
    wanted = {}
    for i, label in enumerate(component):
        wanted.setdefault(label, set()).add(str(i))
    assert sorted(map(sorted, wanted.values())) == sorted(sorted(f.subject for f in g) for g in by_cause(findings))


def test_the_next_delta_with_the_same_cause_continues_it_and_is_no_news():
    (first,) = advance([], [rule("a", "x")], moment(1))
    assert (first.told, first.incident.owner, first.incident.number) == (OPENED, "orders team", 1)
    (again,) = advance([first.incident], [rule("a", "x", "y")], moment(2))
    assert (again.told, again.incident.deltas, again.incident.latest) == ("", 2, "d2")
    assert (again.incident.diagnosis.columns, again.incident.total) == (("x", "y"), 2)
    _, other = advance([again.incident], [rule("c", "z")], moment(3))
    assert (other.told, other.incident.number) == (OPENED, 2)


def test_a_refused_delta_that_is_applied_at_another_try_is_over():
    refused = Finding(REFUSAL, "orders", "d2", "delta d2 is refused", subject="d2")
    (step,) = advance([], [refused], replace(moment(0, arrived=()), label="d2"))
    (after,) = advance([step.incident], [], moment(2))
    assert (after.incident.status, after.told) == (IncidentStatus.RECOVERED, "")


def test_reminders_come_where_wanted_until_somebody_looks_after_it():
    (step,) = advance([], [load("x")], moment(1))
    told = []
    for version in range(2, 9):
        (step,) = advance([step.incident], [load("x")], moment(version, remind=4))
        told.append(step.told)
    assert told == ["", LASTS, REMINDED, "", "", "", REMINDED]
    looked_after = replace(step.incident, status=IncidentStatus.ACKNOWLEDGED, deltas=8)
    assert advance([looked_after], [load("x")], moment(9, remind=9))[0].told == ""


def test_it_is_over_when_the_last_of_its_constraints_holds_again():
    (step,) = advance([], [rule("a", "x"), rule("b", "x")], moment(1))
    (step,) = advance([step.incident], [], moment(2, recovered=("a",), arrived=()))
    assert (step.told, step.incident.broken, step.incident.status) == ("", ("b",), IncidentStatus.OPEN)
    (step,) = advance([step.incident], [], moment(3, recovered=("b",)))
    assert (step.told, step.incident.status) == (RECOVERED, IncidentStatus.RECOVERED)
    assert advance([step.incident], [rule("a", "x")], moment(4))[0].told == OPENED


def test_rows_that_still_violate_keep_no_incident_open_and_that_they_are_mended_is_told_once():
    (step,) = advance([], [rule("a", "x")], moment(1))
    (over,) = advance([step.incident], [], moment(2))
    assert (over.told, over.incident.status, over.incident.broken) == ("", IncidentStatus.RECOVERED, ("a",))
    assert advance([over.incident], [], moment(3)) == []
    assert [one["number"] for one in ended([over.incident], 2)] == [1]
    assert ended([over.incident], 3) == []  # of the same label, where a table waited
    (mended,) = advance([over.incident], [], moment(4, recovered=("a",)))
    assert (mended.told, mended.incident.broken) == (RECOVERED, ())
    assert ended([mended.incident], 4) == []
    assert advance([mended.incident], [], moment(5, recovered=("a",))) == []
    for status, changed in ((IncidentStatus.CLOSED, []), (IncidentStatus.REJECTED, []), (IncidentStatus.MUTED, [""])):
        after = advance([replace(step.incident, status=status)], [], moment(4, recovered=("a",)))
        assert [s.told for s in after] == changed, status


def test_more_rows_of_a_rule_that_stands_broken_take_its_incident_up_again_and_open_none():
    (step,) = advance([], [rule("a", "x")], moment(1))
    (over,) = advance([step.incident], [], moment(2))
    (again,) = advance([over.incident], [rule("a", "x", again=True)], moment(3))
    assert (again.told, again.incident.status, again.incident.deltas) == ("", IncidentStatus.OPEN, 2)
    assert advance([], [rule("a", "x", again=True)], moment(3)) == []
    (news,) = advance([over.incident], [rule("a", "x")], moment(3))
    assert (news.told, news.incident.number) == (OPENED, 2)


def test_more_rows_of_a_rule_that_stands_broken_explain_nothing_beside_it():
    (opened,) = advance([], [load("total"), rule("sum", "total", rows=("1", "2"))], moment(1))
    (over,) = advance([opened.incident], [], moment(2))
    permuted = replace(load("total"), kind="source", headline="other rows", count=2, whole_load=False)
    permuted = replace(permuted, rows=rule("sum", rows=("3", "4")).rows)
    for known in (opened, over):
        broken = rule("sum", "total", rows=("3", "4"), again=True)
        before, news = advance([known.incident], [permuted, broken, rule("b", "total", rows=("3",))], moment(3))
        assert (before.told, before.incident.findings) == ("", (broken,))
        assert (news.told, names([news.incident.findings])) == (OPENED, [["b", "source"]])


def test_a_signed_rule_is_told_by_itself_whatever_goes_on_or_is_found_beside_it():
    (going_on,) = advance([], [load("x"), rule("b", "x", rows=("1",))], moment(1))
    signed = rule("a", "x", rows=("1",), signed=True)
    for known in ([], [going_on.incident]):
        steps = advance(known, [load(), load("x"), rule("b", "x", rows=("1",)), signed], moment(2))
        told = [step for step in steps if signed in step.incident.findings]
        assert [(step.told, step.incident.findings) for step in told] == [(OPENED, (signed,))]


ROUTE, OTHER_ROUTE = "dest EGE, distance 1725", "dest ORD, distance 9"


def wrong(*values, **more):
    return rule("fd", "distance", again=True, values=values, **more)


def test_the_same_values_on_end_may_have_changed_for_good_which_is_told_once():
    (step,) = advance([], [replace(wrong(ROUTE), again=False)], moment(1))
    told = []
    for version in range(2, 6):
        (step,) = advance([step.incident], [replace(wrong(ROUTE), count=2)], moment(version))
        told.append(step.told)
    assert told == ["", LASTS, "", ""]
    assert (step.incident.lasts, step.incident.total, step.incident.steady) == (True, 9, 5)
    (other,) = advance([step.incident], [wrong(OTHER_ROUTE)], moment(6))
    assert (other.told, other.incident.lasts) == (WORSE, False)


def test_what_explains_rows_better_than_an_incident_that_goes_on_opens_another_one():
    """Late lots broke an order of dates; dates of 1900 break it, too, and lie far beyond all others."""
    order, limit = rule("order", "id", "date", rows=("4", "5")), rule("limit", "date", rows=("4", "5"), magnitude=2.0)
    (step,) = advance([], [rule("order", "id", "date", rows=("1", "2"))], moment(1))
    going_on, opened = advance([step.incident], [limit, order], moment(2))
    assert (going_on.told, going_on.incident.findings) == ("", (order,))
    assert (opened.told, opened.incident.findings) == (OPENED, (limit,))
    (same,) = advance([step.incident], [rule("beside", "id", "place", rows=("4", "5")), order], moment(2))
    assert same.told == ""


def test_what_went_with_an_incident_is_news_where_its_diagnosis_is_not_shown():
    """Late lots had dates far beyond all others; dates of 1900 are no late lots."""
    far = rule("limit", "date", rows=("1",))
    (step,) = advance([], [kind("new values", "remark", count=3, rows=far.rows), far], moment(1))
    assert [finding.subject for finding in step.incident.findings] == ["", "limit"]
    (same,) = advance([step.incident], [replace(far, again=True)], moment(2))
    assert (same.told, same.incident.status) == ("", IncidentStatus.OPEN)
    (*_, opened) = advance([step.incident], [far], moment(2))
    assert (opened.told, opened.incident.findings) == (OPENED, (far,))


def test_whether_it_has_changed_for_good_is_asked_once_whatever_joins_it():
    """Each month has another new product: who has answered by silence is not asked for each."""
    (step,) = advance([], [replace(wrong(ROUTE), again=False)], moment(1))
    told = []
    for version in range(2, 12):
        values = (ROUTE,) if version < 6 else (ROUTE, OTHER_ROUTE)
        (step,) = advance([step.incident], [wrong(*values)], moment(version))
        told.append(step.told)
    assert told == ["", LASTS, "", "", WORSE, "", "", "", "", ""]


def test_ten_times_the_rows_of_a_rule_that_stands_broken_are_told_though_its_incident_is_over():
    (step,) = advance([], [rule("sum", "total", rows=("1", "2"))], moment(1))
    over = replace(step.incident, status=IncidentStatus.RECOVERED)
    for count, told in ((19, ""), (20, WORSE)):
        (again,) = advance([over], [rule("sum", "total", rows=("7", "8"), count=count, again=True)], moment(9))
        assert (again.told, again.incident.status) == (told, IncidentStatus.OPEN)


def test_whether_the_same_rows_have_changed_for_good_is_asked_once():
    """A new station has a new name, too, in a column that an earlier incident is about."""
    name, station = (rule(of, of, rows=("1", "2"), again=True, values=(f"{of} 9",)) for of in ("name", "station"))
    opened = [advance([], [replace(one, again=False)], moment(1))[0].incident for one in (name, station)]
    known = [replace(incident, number=number, steady=2) for number, incident in enumerate(opened, start=1)]
    assert [step.told for step in advance(known, [name, station], moment(3))] == ["", LASTS]
    other = replace(name, rows=rule("", rows=("7", "8")).rows)
    assert [step.told for step in advance(known, [other, station], moment(3))] == [LASTS, LASTS]


def test_news_explains_the_other_values_of_a_rule_that_stands_broken():
    (step,) = advance([], [replace(wrong("a", rows=("1",)), again=False)], moment(1))
    again = wrong("b", rows=("2", "3"))
    split = load("zone", count=2, rows=rule("split", rows=("2", "3")).rows)
    assert [after.told for after in advance([step.incident], [again, split], moment(2))] == ["", OPENED]
    assert [after.told for after in advance([step.incident], [again], moment(2))] == [WORSE]


def test_other_values_of_a_rule_that_stands_broken_are_told_until_they_are_seen_to_vary():
    def told(*loads):
        (step,) = advance([], [replace(wrong(loads[0], rows=("1",)), again=False)], moment(1))
        said = []
        for version, value in enumerate(loads[1:], start=2):
            (step,) = advance([step.incident], [wrong(value, rows=(value,))], moment(version))
            said.append(step.told)
        return said

    assert told("a", "b", "c", "d", "e") == [WORSE, "", "", ""]
    assert told("a", "a", "b", "a", "c") == ["", WORSE, "", WORSE]
    (many,) = advance([], [replace(wrong("a", "b", count=40), again=False)], moment(1))
    (sampled,) = advance([many.incident], [wrong("c", "d", count=40)], moment(2))
    assert sampled.told == ""  # of 40 rows with several values a few are known
    muted = replace(advance([], [replace(wrong("a"), again=False)], moment(1))[0].incident, status=IncidentStatus.MUTED)
    assert [step.told for step in advance([muted], [wrong("b")], moment(2))] == [""]


def test_change_whose_first_load_had_another_diagnosis_is_asked_of_with_the_third():
    first = [load("distance", count=1), replace(wrong(ROUTE), again=False)]
    (step,) = advance([], first, moment(1))
    assert step.incident.diagnosis.kind == "scale"
    told = []
    for version in (2, 3):
        (step,) = advance([step.incident], [wrong(ROUTE)], moment(version))
        told.append(step.told)
    assert told == ["", LASTS]


def test_what_was_accepted_of_some_values_is_right_from_then_on_and_other_values_are_told():
    (step,) = advance([], [replace(wrong(ROUTE), again=False)], moment(1))
    accepted = replace(step.incident, status=IncidentStatus.ACCEPTED)
    assert advance([accepted], [], moment(2)) == []
    (same,) = advance([accepted], [replace(wrong(ROUTE), again=False)], moment(9))
    assert (same.told, same.incident.number) == ("", 1)
    (other,) = advance([accepted], [replace(wrong(ROUTE, OTHER_ROUTE), again=False)], moment(9))
    assert (other.told, other.incident.number) == (OPENED, 2)


def test_what_deltas_show_ends_in_silence_with_the_first_that_does_not():
    (step,) = advance([], [load("x")], moment(1))
    assert advance([step.incident], [], moment(2, arrived=("customers",))) == []
    (over,) = advance([step.incident], [], moment(3))
    assert (over.told, over.incident.status) == ("", IncidentStatus.RECOVERED)


def test_an_incident_that_is_muted_until_a_day_is_told_again_with_the_first_delta_after_it():
    (step,) = advance([], [load("x")], moment(1))
    muted = Event(IncidentStatus.MUTED.value, who="eva", until=moment(3).label)
    incident = replace(step.incident, status=IncidentStatus.MUTED, events=(*step.incident.events, muted))
    for number in (2, 3):
        (quiet,) = advance([incident], [load("x")], moment(number))
        assert (quiet.told, quiet.incident.status) == ("", IncidentStatus.MUTED)
    (told,) = advance([incident], [load("x")], moment(4))
    assert (told.told, told.incident.status) == (REMINDED, IncidentStatus.OPEN)
    assert [event.what for event in told.incident.events[-2:]] == [HEARD_AGAIN, SHOWN_AGAIN]
    (over,) = advance([incident], [], moment(4))
    assert (over.told, over.incident.status) == ("", IncidentStatus.RECOVERED)
    taught = lessons([incident], {})[0]
    assert [taught.covers(load("x"), moment(number).label) for number in (3, 4)] == [True, False]
    assert taught.words.endswith(f"are not reported until {moment(3).label}")


def test_the_loads_of_an_accepted_incident_are_usual_unless_another_one_tells_of_them():
    (step,) = advance([], [replace(load("x"), delta="d1")], moment(1))
    accepted = IncidentStatus.ACCEPTED
    incident = replace(step.incident, status=accepted, events=(Event("accepted", who="ana"),), latest="d10")
    (lesson,) = lessons([incident], {})
    assert [lesson.makes_usual(f"d{number}") for number in (0, 1, 2, 10, 11)] == [False, True, True, True, False]
    other = advance([], [replace(load("y"), delta="d2")], moment(2))[0].incident
    beside = [replace(other, number=2), replace(other, number=2, opened="d11", latest="d11")]
    assert [lessons([incident, one], {})[0].makes_usual("d2") for one in beside] == [False, True]
    muted = replace(incident, events=(Event("muted", who="ana"),))
    assert not lessons([muted], {})[0].makes_usual("d1")


def test_what_goes_on_swallows_no_wrong_rows_of_other_columns():
    gone = replace(load("store"), kind="completeness", values=("north",))
    fewer = replace(load(), kind="row count")
    (step,) = advance([], [gone, fewer], moment(1))
    amounts, beside = replace(load("amount"), count=9), rule("a", "amount", "day")
    again, wrong = advance([step.incident], [gone, fewer, amounts, beside], moment(2))
    assert (again.told, names([again.incident.findings])) == ("", [["completeness", "row count"]])
    assert (wrong.told, names([wrong.incident.findings])) == (OPENED, [["scale", "a"]])
    assert [s.told for s in advance([step.incident], [gone, fewer, replace(load("day"), kind="end")], moment(2))] == [
        ""
    ]


def test_an_incident_grows_with_each_delta_that_violates_its_rules_more():
    (opened,) = advance([], [rule("a", "x")], moment(1))
    (grown,) = advance([opened.incident], [rule("a", "x", again=True)], moment(2))
    assert (grown.told, grown.incident.deltas, grown.incident.latest) == ("", 2, "d2")
    assert advance([grown.incident], [rule("b", "x", again=True)], moment(3, arrived=())) == []
    (over,) = advance([grown.incident], [], moment(3, recovered=("a",)))
    assert over.told == RECOVERED


def test_rows_that_are_missing_in_two_columns_are_one_cause():
    store, place = (Finding("completeness", "orders", "d", name, (name,), whole_load=True) for name in ("store", "zip"))
    assert names(by_cause([store, place])) == [["completeness", "completeness"]]
    assert len(by_cause([store, replace(place, table="bills")])) == 2


def test_an_incident_survives_json():
    (step,) = advance([], [rule("a", "x", rows=("1",)), load("x")], moment(1))
    assert Incident.from_json(json.loads(json.dumps(step.incident.to_json()))) == step.incident


NOTHING = dict.fromkeys(("inserts", "deletes", "updates", "superseded", "unchanged", "last_row_id"), 0) | {
    "files": {},
    "rejects": [],
    "repeated": [0, []],
}


def tally(count, reason="wrong type"):
    made = Tally()
    rejects = [[0, reason, count, [["orders/17.csv", 4, "column 'amount' is decimal, not 'x'", "r"]]]]
    made.add(NOTHING | {"rejects": rejects})
    return made


def repeated(count, *, alike):
    made = Tally()
    made.add(NOTHING | {"superseded": count, "repeated": [alike, [["17.csv", 9, {"order": "8"}], ["17.csv", 4, {}]]]})
    return made


def test_rows_whose_key_comes_again_are_told_with_what_was_applied():
    found = repeated_keys_finding("orders", "d", ("shop", "order"), repeated(1, alike=0), 83)
    assert found.headline == "1 of 83 rows came again with other values (same shop and order)"
    assert found.details == ("Of rows with the same key the last was applied.",)
    assert [row.place for row in found.rows] == ["17.csv, line 4", "17.csv, line 9"]
    same = repeated_keys_finding("orders", "d", ("order",), repeated(20, alike=20), 83)
    assert same.headline == "20 of 83 rows came twice, the same in all columns (same order)"
    assert (same.cause, same.details) == ("a part of the file repeated?", ("Each was applied once.",))
    whole = repeated_keys_finding("orders", "d", ("order",), repeated(80, alike=80), 160)
    assert whole.cause == "the file concatenated with itself?"
    assert repeated_keys_finding("orders", "d", ("order",), Tally(), 160) is None


def test_rejects_say_file_line_value_reason_how_many_and_what_was_applied():
    found = rejects_finding("orders", "d", tally(3), 90, (), 87)
    assert found.headline == "3 of 90 rows were rejected: wrong type in amount, for example 'x'"
    assert found.details[0] == "87 rows were applied; the rejected rows are in the quarantine."
    (row,) = found.rows
    assert (row.place, row.values[""]) == ("orders/17.csv, line 4", "column 'amount' is decimal, not 'x'")
    assert rejects_finding("orders", "d", Tally(), 90, (), 90) is None


def test_some_rejects_are_named_each_reason_first():
    made = Tally()
    for first in (40, 10):
        far = [["17.csv", first + i, "column 'miles' is integer, not 'far'", "r"] for i in range(4)]
        made.add(NOTHING | {"rejects": [[0, "wrong type", 4, far]]})
    made.add(NOTHING | {"rejects": [[0, "wrong arity", 1, [["17.csv", 99, "3 cells, not 4", "r"]]]]})
    found = rejects_finding("orders", "d", made, 90, (), 81)
    lines = [row.place.rpartition(" ")[2] for row in found.rows]
    assert (found.count, lines) == (9, ["10", "99", "11", "12", "13", "40"])


def test_no_value_is_shown_of_a_table_with_redacted_columns():
    found = rejects_finding("orders", "d", tally(3), 90, ("amount",), 87)
    assert "'x'" not in json.dumps(found.to_json())


@pytest.mark.parametrize(
    ("count", "before", "usual"),
    [
        (1, [], False),
        (1, [0] * 30, False),
        (0, [0] * 30, True),
        (6, [4, 5, 6, 5, 4, 5], True),
        (40, [4, 5, 6, 5, 4, 5], False),
        (3, [3, 3], False),
        (17, [0] * 15 + [623] + [0] * 15, False),  # one file that came twice makes no other usual
        (17, [0] * 15 + [17] * 15, True),
    ],
)
def test_what_is_usual_for_a_table_is_no_news(count, before, usual):
    assert is_usual(count, before) is usual


def test_rejects_name_each_reason_and_column_however_late_they_come():
    early = [["17.csv", i, "column 'miles' is integer, not 'far'", "r"] for i in range(40)]
    late = [["17.csv", 90, "column 'day' is date, not 'soon'", "r"]]
    made = Tally()
    made.add(NOTHING | {"rejects": [[0, "wrong type", 41, [*early, *late]], [0, "unreadable row", 1, [*late]]]})
    made.add(NOTHING | {"rejects": [[1, "insert of an existing key", 1, [["18.csv", 3, "order = 7", "r"]]]]})
    kinds = ("insert of an existing key", "unreadable row in day", "wrong type in day", "wrong type in miles")
    assert rejects_finding("orders", "d", made, 90, (), 47).values == kinds
    assert len(made.examples[0, "wrong type"]) == SHOWN + 1


def test_rejects_that_were_accepted_end_and_are_never_asked_about():
    (step,) = advance([], [rejected(1, "wrong type in miles")], moment(1))
    for version in (2, 3, 4):
        (step,) = advance([step.incident], [rejected(version, "wrong type in miles")], moment(version))
        assert step.told == ""
    accepted = replace(step.incident, status=IncidentStatus.ACCEPTED)
    (other,) = [s for s in advance([accepted], [rejected(5, "unreadable row")], moment(5)) if s.told]
    assert other.incident.number == 2
    assert [s.incident.status for s in advance([accepted], [], moment(5))] == [IncidentStatus.RECOVERED]


@pytest.fixture
def catalog(tmp_path, monkeypatch):
    made = seed(tmp_path)
    for name, where in (("ROOT", made.root), ("HOME", made.home), ("DATASETS", made.datasets_dir)):
        monkeypatch.setenv(f"HOLDFAST_{name}", str(where))
    monkeypatch.setenv("HOLDFAST_CATALOG", made.catalog_url)
    return made.catalog()


def holdfast(*arguments):
    shown = CliRunner().invoke(app, ["incidents", *arguments])
    assert shown.exit_code == 0, shown.output
    return shown.stdout


def said(status, *, columns=("amount",), size=2.0, after=()):
    finding = replace(load(*columns), size=size, room=0.1)
    (step,) = advance([], [finding, rule("a", *columns)], moment(1))
    events = (*step.incident.events, *(Event(what, who="ana") for what in (status, *after)))
    return replace(step.incident, events=events)


def covered(lesson, sizes=(1.0,), room=0.1, **found):
    parts = {"kind": "scale", "columns": (), **found}
    return [lesson.covers(replace(load(), size=size, room=room, **parts), "d") for size in sizes]


def test_what_people_say_of_a_load_teaches_its_judges():
    accepted, muted = said("accepted"), said("muted", columns=())
    (lesson,) = lessons([accepted], {"orders": {"amount": "net"}})
    assert covered(lesson, columns=("net",), sizes=(0.5, 2.0, 2.2, 2.3, -0.5)) == [True, True, True, False, False]
    assert covered(lesson, kind="nulls", columns=("net",), sizes=(1.0,)) == [False]
    assert covered(lesson, columns=("amount",), sizes=(1.0,)) == [False]
    (always,) = lessons([muted], {})
    assert covered(always, columns=(), sizes=(1e9, -1.0)) == [True, True]
    assert lessons([said("accepted", after=("open",)), said("recovered")], {}) == []


def in_short(number, opened, latest, status="open", deltas=2):
    ids = {"number": number, "table": "orders", "opened": opened, "latest": latest, "status": status, "deltas": deltas}
    return ids | {"headline": "few rows came", "lasting": "", "still_violating": 0, "told": False}


def test_apply_names_the_incidents_that_go_on_since_they_send_no_message():
    muted, fresh = in_short(2, "05-01", "05-03", "muted", deltas=9), in_short(3, "05-03", "05-03")
    known = [in_short(1, "05-01", "05-02"), muted, fresh]
    outcome = {"applied": {"orders": ["05-03"], "stores": []}, "incidents": known}
    assert shown_again(outcome) == ["Incident 2, muted, goes on since 05-01: few rows came."]
    assert shown_again({"applied": {"orders": ["05-02"]}, "incidents": known}) == [
        "Incident 1 goes on since 05-01: few rows came."
    ]


def test_apply_does_not_name_an_incident_whose_message_has_just_said_it():
    known = [in_short(1, "05-01", "05-02") | {"told": True}]
    assert shown_again({"applied": {"orders": ["05-02"]}, "incidents": known}) == []


def test_apply_says_what_reminds_of_incidents_that_last():
    outcome = {"applied": {"orders": ["05-09"]}, "incidents": [in_short(1, "05-01", "05-09", deltas=5)]}
    said = shown_again(outcome)
    assert said[0] == "Incident 1 goes on since 05-01: few rows came."
    assert "5 deltas have shown one of these" in said[1]
    assert "remind_after" in said[1]
    assert shown_again(outcome, reminds=True) == said[:1]


def test_apply_tells_the_incidents_that_are_over():
    outcome = {"ended": [in_short(1, "05-01", "05-02", "recovered")]}
    (over,) = now_over(outcome)
    assert over == "Incident 1 of orders, open since 05-01, is over: few rows came."
    (left,) = now_over({"ended": [outcome["ended"][0] | {"still_violating": 12}]})
    assert left == f"{over} No new rows since 05-02; 12 rows still violate its rules."
    asked = "3 deltas on end, 6 rows: changed for good?"
    lasting = in_short(1, "05-01", "05-03", deltas=3) | {"lasting": asked}
    said = shown_again({"applied": {"orders": ["05-03"]}, "incidents": [lasting]})
    assert said[0] == f"Incident 1 goes on since 05-01: few rows came – {asked}"


def test_another_store_that_is_missing_is_another_piece_of_news():
    (first,) = advance([], [missing("Zug")], moment(1))
    (same,) = advance([first.incident], [missing("Zug")], moment(2))
    assert (same.told, same.incident.deltas) == ("", 2)
    (grown,) = advance([same.incident], [missing("Bern", "Zug")], moment(3))
    assert (grown.told, grown.incident.number) == (WORSE, 1)
    assert [finding.subject for finding in grown.incident.findings] == ["no Bern and Zug"]
    (fewer,) = advance([grown.incident], [missing("Bern")], moment(4))
    assert (fewer.told, fewer.incident.number) == ("", 1)
    over, other = advance([same.incident], [missing("Chur")], moment(3))
    assert (over.incident.number, over.incident.status) == (1, IncidentStatus.RECOVERED)
    assert (other.told, other.incident.number) == (OPENED, 2)


def test_what_is_accepted_of_one_store_is_not_accepted_of_another():
    finding = replace(missing("Bern", "Zug"), subject="no Bern and Zug")
    (step,) = advance([], [finding], moment(1))

    def taught(status):
        return lessons([replace(step.incident, events=(*step.incident.events, Event(status, who="ana")))], {})[0]

    accepted, muted = taught("accepted"), taught("muted")
    there = (("Zug",), ("Bern", "Zug"), ("Chur",), ("Chur", "Zug"))
    assert [accepted.covers(missing(*stores), "d") for stores in there] == [True, True, False, False]
    assert all(muted.covers(missing(*stores), "d") for stores in there)
    assert accepted.words == (
        "findings of completeness in store are reported only where they say something else than “no Bern and Zug” or "
        "are "
        "further off than in incident 1"
    )
    assert muted.words == "findings of completeness in store are no longer reported"


def test_people_list_incidents_and_say_what_is_done_about_them(catalog):
    assert "another distance" in holdfast()
    (listed,) = json.loads(holdfast("--json"))
    assert (listed["number"], listed["status"], listed["opened"]) == (1, "open", "2013-03-01")
    holdfast("ack", "1", "--who", "ana", "--note", "on it")
    holdfast("assign", "1", "ben")
    (incident,) = catalog.incidents(DATASET)
    assert (incident.status, incident.owner) == (IncidentStatus.ACKNOWLEDGED, "ben")
    assert [(e.what, e.who) for e in incident.events][1] == ("acknowledged", "ana")
    holdfast("accept", "1", "--who", "ana")
    (decision,) = catalog.decisions(DATASET)
    assert (decision.verdict, decision.who, decision.error > 0) == (Verdict.ACCEPT, "ana", True)
    assert "Nobody has judged a finding about loads yet" in holdfast(
        "taught"
    )  # a constraint's incident: the decision says it
    holdfast("reject", "1")
    assert catalog.decisions(DATASET)[-1].verdict is Verdict.REJECT
    holdfast("close", "1")
    assert "No incident is open" in holdfast()
    assert "closed" in holdfast("--all")
    assert CliRunner().invoke(app, ["incidents", "ack", "7"]).exception.what == f"dataset {DATASET!r} has no incident 7"


def test_a_header_among_the_rows_is_the_cause_that_is_named():
    made = Tally()
    made.add(
        NOTHING | {"rejects": [[0, "wrong type", 1, [["17.csv", 21, "column 'miles' is integer, not 'miles'", "r"]]]]}
    )
    assert rejects_finding("orders", "d", made, 90, (), 89).cause == "a second header: concatenated files?"
    assert rejects_finding("orders", "d", tally(3), 90, (), 87).cause == ""
