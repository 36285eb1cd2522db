"""Rules along two references: of a row and its parent's parent, and of two parents of a row."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.along_references import find_references
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.discovery import Rows, find_rules
from profiling_core.algorithms.rules.implication import KnownRules, given_besides
from profiling_core.algorithms.rules.references import telling_along
from profiling_core.algorithms.rules.ways import ways_of
from profiling_core.ingest.infer import schema_of
from profiling_core.model.constraint import ColumnList, DenialConstraint, InclusionDependency, Measured
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import Beside, Summary
from profiling_core.model.predicate import Operand, Operator, Predicate

TO_VEHICLE = InclusionDependency(ColumnList("trips", ("vehicle",)), ColumnList("vehicles", ("vehicle",)))
TO_DRIVER = InclusionDependency(ColumnList("trips", ("driver",)), ColumnList("drivers", ("driver",)))
TO_DEPOT = InclusionDependency(ColumnList("vehicles", ("depot",)), ColumnList("depots", ("depot",)))
REFERENCES = [TO_VEHICLE, TO_DRIVER, TO_DEPOT]
DAY = date(2020, 1, 1)


def fleet(seed: int = 1) -> dict[str, pa.Table]:
    """Trips of vehicles with drivers of the same depot, after it opened; depots sum up what their trips earned."""
    random = np.random.default_rng(seed)
    depots, vehicles, drivers, trips = 12, 60, 80, 1500
    at, of = random.integers(0, depots, vehicles), random.integers(0, depots, drivers)
    at[:depots], of[:depots] = np.arange(depots), np.arange(depots)
    vehicle = random.integers(0, vehicles, trips)
    driver = np.array([random.choice(np.flatnonzero(of == at[one])) for one in vehicle])
    opened = random.integers(0, 900, depots)
    day = opened[at[vehicle]] + random.integers(0, 400, trips)
    kind = random.choice(["bus", "van", "car"], vehicles)
    fare = random.integers(100, 9_999, trips)
    bus = kind[vehicle] == "bus"

    def days(values):
        return [DAY + timedelta(days=int(n)) for n in values]

    names = [f"D{n:02}" for n in range(depots)]
    home = np.array(names)
    return {
        "depots": pa.table(
            {
                "depot": names,
                "opened": days(opened),
                "taken": np.bincount(at[vehicle], weights=fare, minlength=depots).astype(int),
                "taken_by_bus": np.bincount(at[vehicle][bus], weights=fare[bus], minlength=depots).astype(int),
            }
        ),
        "vehicles": pa.table({"vehicle": np.arange(1001, 1001 + vehicles), "depot": home[at], "kind": kind}),
        "drivers": pa.table({"driver": np.arange(501, 501 + drivers), "depot": home[of]}),
        "trips": pa.table(
            {
                "trip": np.arange(trips),
                "vehicle": vehicle + 1001,
                "driver": driver + 501,
                "day": days(day),
                "fare": fare,
            }
        ),
    }


def told(tables: dict[str, pa.Table], references: list[InclusionDependency], least: float = 1.0) -> set[str]:
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    roles = {name: infer_roles(table, schemas[name]) for name, table in tables.items()}
    found = find_references(tables, schemas, roles, ways_of(references), known=references)
    return {one.constraint.text for one in found if max(one.strength, one.worth) >= least}


def test_rules_of_parents_parents_and_of_two_parents_are_found():
    assert told(fleet(), REFERENCES) >= {
        "trips.day ≥ depots.opened (by vehicle, vehicles.depot)",
        "vehicles.depot = drivers.depot (by vehicle, driver of trips)",
        "depots.taken = sum(trips.fare) (by vehicle, vehicles.depot)",
        "depots.taken_by_bus = sum(trips.fare where vehicles.kind = bus) (by vehicle, vehicles.depot)",
    }


def test_nothing_is_found_where_rows_belong_to_others_rows():
    tables, random = fleet(), np.random.default_rng(2)
    mixed = {name: random.permutation(tables["trips"][name].to_numpy(zero_copy_only=False)) for name in ("day", "fare")}
    for name, values in mixed.items():
        place = tables["trips"].column_names.index(name)
        tables["trips"] = tables["trips"].set_column(place, name, pa.array(values))
    drivers = pa.array(random.permutation(tables["trips"]["driver"].to_numpy()))
    tables["trips"] = tables["trips"].set_column(2, "driver", drivers)
    assert told(tables, REFERENCES) == set()


def test_they_are_shown_among_the_rules_of_their_tables():
    tables = fleet()
    found = find_rules([Rows(schema_of(n, t.schema, "here"), t) for n, t in tables.items()], Budget.of(60.0))
    shown = {one.constraint.text for table in found for one in table.rules.shown}
    assert "vehicles.depot = drivers.depot (by vehicle, driver of trips)" in shown
    assert "depots.taken_by_bus = sum(trips.fare where vehicles.kind = bus) (by vehicle, vehicles.depot)" in shown


def test_a_row_that_the_child_refers_to_itself_is_reached_by_that_reference_alone():
    tables = fleet()
    named = dict(zip(*(tables["vehicles"][n].to_pylist() for n in ("vehicle", "depot")), strict=True))
    depot = [named[one] for one in tables["trips"]["vehicle"].to_pylist()]
    tables["trips"] = tables["trips"].append_column("depot", pa.array(depot))
    direct = InclusionDependency(ColumnList("trips", ("depot",)), ColumnList("depots", ("depot",)))
    copied = ReferenceRule(*TO_VEHICLE.sides, Beside("depot", "=", "depot"))
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    found = find_references(tables, schemas, {}, ways_of([*REFERENCES, direct]), known=[*REFERENCES, direct, copied])
    assert not [one for one in found if (one.constraint.parent, one.constraint.via) == (TO_DEPOT.rhs, TO_VEHICLE.sides)]


def test_what_parents_have_of_their_own_children_is_not_told_of_grandchildren():
    tables = fleet()
    depots = tables["depots"]
    fees = tables["vehicles"].append_column("fee", pa.array(np.arange(7, 7 + tables["vehicles"].num_rows)))
    summed = fees.group_by("depot").aggregate([("fee", "max")])
    greatest = dict(zip(summed["depot"].to_pylist(), summed["fee_max"].to_pylist(), strict=True))
    tables |= {
        "vehicles": fees,
        "depots": depots.append_column("fees", pa.array([greatest[one] for one in depots["depot"].to_pylist()])),
    }
    assert not [text for text in told(tables, [TO_VEHICLE, TO_DEPOT]) if text.startswith("depots.fees")]


def test_the_same_is_not_told_again_of_a_longer_way():
    direct = ReferenceRule(ColumnList("trips", ("home",)), TO_DEPOT.rhs, Beside("day", "≥", "opened"))
    longer = ReferenceRule(ColumnList("trips", ("→depot",)), TO_DEPOT.rhs, direct.relation, TO_VEHICLE.sides)
    other = replace(longer, via=TO_DRIVER.sides)
    found = {r: Candidate(Measured(r, 0, 9, 9), Family.ALONG_REFERENCES, 0.0) for r in (longer, direct, other)}
    assert telling_along([*found.values()]) == [found[direct]]
    assert telling_along([found[longer], found[other]]) == [found[longer]]


def test_orders_go_on_along_two_references():
    grandparent = ColumnList("trips", ("→depot",)), TO_DEPOT.rhs
    after_opening = ReferenceRule(*grandparent, Beside("day", "≥", "opened"), TO_VEHICLE.sides)
    bought = ReferenceRule(*TO_VEHICLE.sides, Beside("day", "≥", "bought"))
    of_vehicles = ReferenceRule(*TO_DEPOT.sides, Beside("bought", "≥", "opened"))
    of_depots = DenialConstraint("depots", (Predicate(Operand("t", "planned"), Operator.GT, Operand("t", "opened")),))
    given = given_besides(REFERENCES, {"trips": [], "vehicles": [of_vehicles], "depots": [of_depots]})["trips"]
    after_planning = ReferenceRule(*grandparent, Beside("day", "≥", "planned"), TO_VEHICLE.sides)
    assert KnownRules([bought], given).imply(after_opening)
    assert KnownRules([after_opening], given).imply(after_planning)
    assert not KnownRules([bought]).imply(after_opening)
    assert not KnownRules([], given).imply(after_opening)
    two = ReferenceRule(*TO_DRIVER.sides, Beside("→bought", "≥", "born"), TO_VEHICLE.sides)
    assert KnownRules([two], given).imply(two)
    assert not KnownRules([after_opening, bought], given).imply(two)


def test_rules_along_two_references_in_words():
    same = ReferenceRule(*TO_DRIVER.sides, Beside("→depot", "=", "depot"), TO_VEHICLE.sides)
    grandparent = ColumnList("trips", ("→depot",)), TO_DEPOT.rhs
    summed = ReferenceRule(
        *grandparent, Summary("taken", "sum", "fare", 0, among="→kind", values=("bus",)), TO_VEHICLE.sides
    )
    opened = ReferenceRule(*grandparent, Beside("day", "≥", "opened"), TO_VEHICLE.sides)
    assert same.words == ("For each row in trips the depot of its row in vehicles is the depot of its row in drivers.")
    assert summed.words == (
        "Each taken in depots is the sum of fare of its rows in trips whose kind in vehicles is bus."
    )
    assert opened.words == ("Each day in trips is at least the opened of the row in depots of its row in vehicles.")
    assert (same.tables, same.columns, same.telling) == (
        ("trips", "drivers", "vehicles"),
        ("vehicle", "driver"),
        ("vehicle",),
    )
