"""All minimal dependencies are candidates, and chance tells which of them say something."""

from helpers.found import coded_tables, kept_tables

from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.dependencies import candidates, find_dependencies, single_of
from profiling_core.algorithms.rules.dependency_features import Alongside, features, measured
from profiling_core.algorithms.rules.order_features import EVIDENCE

KINDS = f"{EVIDENCE}surprise of kinds to 100"
# Parcels with a zone and a service, which give the rate, and a depot with its town.
PARCELS = coded_tables(**kept_tables("parcels"))["parcels"]


def one_coded(**columns: list[object]) -> CodedTable:
    return coded_tables(t=columns)["t"]


def pair_numbers(table: CodedTable) -> list[int]:
    """Of each row the number of its zone and service: another one for each two."""
    pairs = [*zip(table.rows["zone"].to_pylist(), table.rows["service"].to_pylist(), strict=True)]
    numbers = {pair: place for place, pair in enumerate(sorted(set(pairs)))}
    return [1000 + numbers[pair] for pair in pairs]


def test_minimal_dependencies_of_one_and_of_two_columns_are_candidates():
    table = PARCELS
    single = single_of(table, [("parcel",)], ENDLESS)
    found = {(one.left, one.right) for one in candidates(table, [("parcel",)], single, ENDLESS)}
    assert (("depot",), "depot_town") in found
    assert {frozenset(left) for left, right in found if right == "rate"} == {frozenset(("zone", "service"))}
    assert not any("parcel" in left for left, _ in found)


def test_what_rows_by_chance_agree_on_is_no_surprise():
    table = PARCELS
    assert measured(table, ("depot",), "depot_town").surprise > 100
    few = one_coded(day=[1, 1, 2, 3, 4, 5], kind=list("aabaab"), name=list("uvwxyz"))
    told = features(few, measured(few, ("day",), "kind"), Alongside({"day": {"kind"}}))
    assert told[f"{EVIDENCE}surprise to 1"] < 0.5


def test_a_price_of_two_columns_is_surprising_whether_or_not_each_price_is_another():
    """That each zone and service has a rate of its own is what the rule says, and no other kind of row."""
    table = PARCELS
    single = single_of(table, [("parcel",)], ENDLESS)
    rates = {frozenset(("zone", "service")): ["rate"]}
    told = features(table, measured(table, ("zone", "service"), "rate"), Alongside(single, rates))
    apart = one_coded(**{n: table.rows[n].to_pylist() for n in ("parcel", "zone", "service")}, rate=pair_numbers(table))
    single = single_of(apart, [("parcel",)], ENDLESS)
    assert {"zone", "service"} <= single["rate"]
    of_its_own = features(apart, measured(apart, ("zone", "service"), "rate"), Alongside(single, rates))
    assert told[KINDS] == of_its_own[KINDS] == 1.0


def test_what_an_equation_computes_of_what_the_left_side_determines_is_told():
    table = PARCELS
    single = single_of(table, [("parcel",)], ENDLESS)
    one = measured(table, ("zone", "service"), "rate")
    assert features(table, one, Alongside(single, {}, [("rate", "zone", "service")]))["computed"] == 1.0
    assert features(table, one, Alongside(single, {}, [("rate", "zone", "depot")]))["computed"] == 0.0


def test_a_left_side_that_could_be_coarser_or_of_a_twin_in_front_is_told():
    table = PARCELS
    single = {"depot": {"depot_town"}}
    several = {frozenset(("depot_town", "service")): {"rate"}}
    told = features(table, measured(table, ("depot", "service"), "rate"), Alongside(single, several))
    assert (told["by way of another"], told["twin in front"]) == (0.5, 0.0)
    twins = {"depot_town": {"depot"}, "depot": {"depot_town"}}
    told = features(table, measured(table, ("depot_town", "service"), "rate"), Alongside(twins))
    assert (told["by way of another"], told["twin in front"]) == (0.0, 1.0)


def test_the_score_orders_what_is_found():
    found = {c.constraint.text: c.worth for c in find_dependencies(PARCELS, [("parcel",)], ENDLESS).found}
    assert found["{depot} → depot_town"] == max(found.values()) > 0
