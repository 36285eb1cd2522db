"""Findings of one cause propose one change of a row, or name the alternatives."""

from dataclasses import replace

from profiling_core.diff.causes import by_cause
from profiling_core.model.finding import CONSTRAINT, NAMES_THE_CELL, Evidence, Finding


def broke(name, column, should_be, values, row="r1"):
    shown = Evidence(values, (column,), {column: should_be}, identity=row)
    return Finding(
        CONSTRAINT,
        "orders",
        "d",
        f"{name} broke",
        (column,),
        f"likely a data error in {column}",
        rows=(shown,),
        count=1,
        magnitude=NAMES_THE_CELL,
    )


BOTH = {"customer": "c1", "zip": "10", "city": "Kiel"}


def test_two_changes_of_which_either_mends_both_breaks_are_alternatives():
    (group,) = by_cause([broke("a", "zip", "14", BOTH), broke("b", "city", "Bonn", BOTH)])
    assert [(f.rows[0].expected, f.rows[0].instead) for f in group] == [
        ({"zip": "14"}, {"city": "Bonn"}),
        ({"city": "Bonn"}, {"zip": "14"}),
    ]
    assert group[0].cause == "zip or city is wrong: which of them cannot be told"


def test_the_change_that_more_breaks_ask_for_is_the_one_that_is_proposed():
    with_depot = {**BOTH, "depot": "D4"}
    zips = [broke("a", "zip", "14", BOTH), broke("c", "zip", "14", with_depot)]
    (group,) = by_cause([broke("b", "city", "Bonn", BOTH), *zips])
    assert {(tuple(f.rows[0].expected.items()), f.rows[0].wrong) for f in group} == {((("zip", "14"),), ("zip",))}
    assert not any(f.rows[0].instead for f in group)
    assert group[0].cause == "likely a data error in zip"


def test_breaks_that_do_not_speak_of_each_others_cell_are_two_errors():
    one = broke("a", "zip", "14", {"customer": "c1", "zip": "10", "city": "Kiel"})
    other = broke("b", "tax", "7", {"customer": "c1", "tax": "9", "rate": "low"})
    assert [f.rows[0].instead for group in by_cause([one, other]) for f in group] == [{}, {}]


def test_rows_of_two_errors_do_not_answer_for_each_other():
    (group,) = by_cause([broke("a", "zip", "14", BOTH), broke("b", "zip", "11", {**BOTH, "city": "Ulm"}, row="r2")])
    assert [f.rows[0].expected for f in group] == [{"zip": "14"}, {"zip": "11"}]


def test_change_of_several_cells_stays_as_it_is():
    shown = Evidence(BOTH, ("zip", "city"), {"zip": "Kiel", "city": "10"}, identity="r1")
    both = Finding("swapped", "orders", "d", "zip and city are exchanged", ("zip", "city"), rows=(shown,), count=1)
    found = [finding for group in by_cause([both, broke("a", "zip", "14", BOTH)]) for finding in group]
    assert shown in [finding.rows[0] for finding in found]


def test_a_change_that_leaves_another_rule_broken_by_the_row_is_not_proposed():
    visit = {"visit": "v1", "start": "15:15", "end": "13:45", "minutes": "90"}
    minutes, price = broke("a", "minutes", "-90", visit), broke("p", "price", "25", {"visit": "v1", "price": "4500"})
    early = Finding(CONSTRAINT, "orders", "d", "start after end", ("start", "end"), "likely a data error", count=1)
    early = replace(early, rows=(Evidence({n: visit[n] for n in ("visit", "start", "end")}, identity="r1"),))
    (group,) = by_cause([minutes, early])
    assert [(f.rows[0].expected, f.cause) for f in group] == [({}, "likely a data error")] * 2
    late = replace(early, rows=(replace(early.rows[0], values=visit),))  # a rule that speaks of the minutes
    assert by_cause([minutes, late])[0][0].rows[0].expected == {"minutes": "-90"}
    assert price.rows[0].expected in [f.rows[0].expected for f in by_cause([minutes, price])[0]]


def test_two_columns_that_are_odd_beside_their_past_are_both_wrong():
    tonnes = {"zone": "Toury", "gross": "9000", "net": "8000"}
    odd = [replace(broke(name, name, right, tonnes), kind="source") for name, right in (("gross", "9"), ("net", "8"))]
    (group,) = by_cause(odd)
    assert [(f.rows[0].expected, f.rows[0].instead) for f in group] == [({"gross": "9"}, {}), ({"net": "8"}, {})]
    assert "cannot be told" not in group[0].cause
