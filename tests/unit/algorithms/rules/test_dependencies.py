"""All minimal dependencies are candidates, and chance tells which of them say something."""

import random

import pyarrow as pa

from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.dependencies import candidates, find_dependencies, single_of
from profiling_core.algorithms.rules.dependency_features import features, measured
from profiling_core.ingest.infer import schema_of


def coded(**columns: list[object]) -> CodedTable:
    rows = pa.table(columns)
    schema = schema_of("t", rows.schema, "here")
    return CodedTable.of(rows, schema, infer_roles(rows, schema))


def parcels(size: int = 400) -> CodedTable:
    """Parcels with a zone and a service, which give the rate, and a depot with its town."""
    rng = random.Random(5)
    depots = [f"D{rng.randrange(9)}" for _ in range(size)]
    zones, services = ([rng.choice(of) for _ in range(size)] for of in ("ABCD", "XYZ"))
    towns = {f"D{n}": town for n, town in enumerate(("Hull", "York", "Leeds", "Hull", "Ripon", "Goole", "Selby"))}
    rate = {pair: rng.randrange(90) for pair in ((z, s) for z in "ABCD" for s in "XYZ")}
    return coded(
        parcel=[f"P{n:05}" for n in range(size)],
        depot=depots,
        depot_town=[towns.get(d, "Ely") for d in depots],
        zone=zones,
        service=services,
        rate=[rate[pair] for pair in zip(zones, services, strict=True)],
    )


def test_minimal_dependencies_of_one_and_of_two_columns_are_candidates():
    table = parcels()
    single = single_of(table, [("parcel",)], ENDLESS)
    found = {(one.left, one.right) for one in candidates(table, [("parcel",)], single, ENDLESS)}
    assert (("depot",), "depot_town") in found
    assert {frozenset(left) for left, right in found if right == "rate"} == {frozenset(("zone", "service"))}
    assert not any("parcel" in left for left, _ in found)


def test_what_rows_by_chance_agree_on_is_no_surprise():
    table = parcels()
    assert measured(table, ("depot",), "depot_town").surprise > 100
    few = coded(day=[1, 1, 2, 3, 4, 5], kind=list("aabaab"), name=list("uvwxyz"))
    told = features(few, measured(few, ("day",), "kind"), {"day": {"kind"}})
    assert told["surprise to 1"] < 0.5


def test_the_score_orders_what_is_found():
    found = {c.constraint.text: c.worth for c in find_dependencies(parcels(), [("parcel",)], ENDLESS).found}
    assert found["{depot} → depot_town"] == max(found.values()) > 0
