"""A maintained table's list: what was found by kind, little that is rare, nothing that was rejected or not tested."""

from dataclasses import replace

from helpers.constraints import denied, fd, key

from profiling_core.algorithms.columns.calendar import Untested
from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.listing import Listing, Sources, listed
from profiling_core.model.constraint import (
    Constraint,
    Measured,
)
from profiling_core.model.expression import Linear, Precision
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.role import ColumnRole, Role

KEY = key("id")
ROLES = {name: ColumnRole(name, Role.QUANTITY, "") for name in "abc"} | {"id": ColumnRole("id", Role.IDENTIFIER, "")}
ROLES |= {name: ColumnRole(name, Role.CATEGORY, "") for name in ("city", "zip", "day")}


def ranked(constraint: Constraint, score: float = 3.0, violations: int = 0) -> Ranked:
    return Ranked(Measured(constraint, violations, 90, 50), score)


def found(constraint: Constraint, family: Family, violations: int = 0) -> Candidate:
    return Candidate(Measured(constraint, violations, 90, 50), family, 20.0, 1.0, 500.0)


def texts(listing: Listing) -> list[str]:
    return [r.measured.constraint.text for r in listing.ranked[: listing.shown]]


def of(*candidates: Candidate, engine: tuple[Ranked, ...] = (), columns: tuple[Ranked, ...] = ()) -> Sources:
    return Sources(candidates, engine, columns, Untested(frozenset({"day"})), ROLES)


def test_keys_come_first_and_what_they_say_is_not_shown():
    listing = listed(
        of(found(fd("zip", "city"), Family.DEPENDENCY), found(KEY, Family.KEY), engine=(ranked(fd("id", "a")),)), 20
    )
    assert texts(listing) == ["unique {id}", "{zip} → city"]
    assert [r.measured.constraint for r in listing.ranked[2:]] == [fd("id", "a")]


def test_what_rows_that_add_up_have_in_common_follows_from_the_sum():
    """Where a = b + c, of two rows the one with more b and no less c has more a; that a rises with b alone is news."""
    total = Equation("t", "a", Linear((("1", "b"), ("1", "c"))), Precision(0))
    both = denied("t.a ≤ s.a", "t.b > s.b", "t.c ≥ s.c")
    engine = (ranked(both, 6.0), ranked(denied("t.a < s.a", "t.b > s.b"), 5.0))
    listing = listed(of(found(KEY, Family.KEY), found(total, Family.EQUATION), engine=engine), 20)
    assert texts(listing) == ["unique {id}", "a = b + c", denied("t.a < s.a", "t.b > s.b").text]


def test_of_the_engines_some_that_roles_allow_are_shown_and_the_rest_stands_behind():
    rising = [denied(f"t.{low} < s.{low}", f"t.{high} > s.{high}") for low, high in ("ab", "bc", "ca", "ba", "cb")]
    *orders, unlikely = (ranked(rule, score) for rule, score in zip(rising, (5.0, 4.0, 3.0, 2.0, 0.5), strict=True))
    wrong = [ranked(denied("t.a < s.a", "t.id > s.id"), 9.0), ranked(fd("a", "city"), 9.0), unlikely]
    listing = listed(of(found(KEY, Family.KEY), engine=(*orders, *wrong)), 20)
    assert texts(listing) == ["unique {id}", *(r.measured.constraint.text for r in orders[:3])]
    assert {r.measured.constraint for r in listing.ranked} >= {r.measured.constraint for r in wrong}


def test_names_of_rows_have_neither_lists_nor_bounds_whatever_they_are_called():
    roles = {"kind": Role.CATEGORY, "size": Role.QUANTITY, "made": Role.MOMENT}
    roles |= {"plant_id": Role.REFERENCE, "sku": Role.CODE, "n": Role.IDENTIFIER, "left": Role.MOMENT}
    learnt = [
        *(ColumnRule("t", name, Rule.VALUES, values=("x", "y")) for name in ("kind", "sku", "plant_id", "n")),
        *(ColumnRule("t", name, Rule.RANGE, low="0", high="9") for name in ("size", "plant_id", "sku", "n")),
        *(
            ColumnRule("t", low, Rule.AT_MOST, others=(high,))
            for low, high in (("made", "left"), ("n", "size"), ("sku", "plant_id"))
        ),
    ]
    sources = replace(
        of(found(KEY, Family.KEY), columns=tuple(map(ranked, learnt))),
        roles={name: ColumnRole(name, role, "") for name, role in roles.items()},
    )
    told = {r.constraint for r in (r.measured for r in listed(sources, 20).ranked) if r.constraint != KEY}
    assert told == {learnt[0], learnt[1], learnt[4], learnt[8]}


def test_where_nothing_was_found_the_engine_fills_the_list():
    rules = (fd("zip", "city"), fd("city", "zip"), fd("zip", "a"), fd("city", "b"))
    assert listed(of(engine=tuple(map(ranked, rules))), 4).shown == 4


def test_a_violated_candidate_has_no_place_until_it_holds_again():
    violated = found(fd("zip", "city"), Family.DEPENDENCY, violations=2)
    assert texts(listed(of(violated), 20)) == []
    assert texts(listed(of(found(fd("zip", "city"), Family.DEPENDENCY)), 20)) == ["{zip} → city"]


def test_what_no_two_deltas_have_put_to_the_test_has_no_place_and_no_score():
    listing = listed(of(found(fd("day", "city"), Family.DEPENDENCY), found(KEY, Family.KEY)), 20)
    assert texts(listing) == ["unique {id}"]
    assert [r.score for r in listing.ranked[1:]] == [0.0]


def test_a_dependency_within_its_threshold_is_one():
    listing = listed(of(found(KEY, Family.KEY), engine=(ranked(fd("zip", "city"), 2.0, violations=1),)), 20)
    assert texts(listing) == ["unique {id}", "{zip} → city"]


def test_rules_of_columns_have_five_places():
    rules = tuple(ranked(ColumnRule("t", name, Rule.NOT_NULL)) for name in ("a", "b", "c", "id", "city", "zip", "day"))
    assert listed(of(found(KEY, Family.KEY), columns=rules), 20).shown == 6


def test_what_was_rejected_is_kept_away_with_its_reason():
    listing = listed(of(found(fd("zip city", "a"), Family.DEPENDENCY)), 20, [fd("zip", "a")])
    assert (listing.shown, listing.ranked) == (0, ())
    assert [(kept.constraint, kept.because) for kept in listing.kept_away] == [(fd("zip city", "a"), fd("zip", "a"))]


def test_a_column_that_refers_to_another_table_has_no_list_of_values():
    values = [ranked(ColumnRule("t", name, Rule.VALUES, values=("x", "y"))) for name in ("city", "zip")]
    sources = replace(of(found(KEY, Family.KEY), columns=tuple(values)), referring={"zip"})
    assert texts(listed(sources, 20)) == ["unique {id}", "city ∈ {x, y}"]
