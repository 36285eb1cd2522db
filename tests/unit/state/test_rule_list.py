"""Rules are filtered, sorted and cut into pages by the database: what it gives is what reading all would give."""

from collections.abc import Callable

import pytest
from helpers.catalog import CARRIER, DATASET, DISTANCE, FLIGHT, GATE, seed
from sqlalchemy import event

from profiling_core.model.lifecycle import Tracked
from profiling_core.state.catalog import Catalog
from profiling_core.state.rule_list import SORTS, RuleQuery


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    return seed(tmp_path_factory.mktemp("rules")).catalog()


WANTED: list[tuple[RuleQuery, Callable[[Tracked], bool]]] = [
    (RuleQuery(), lambda _: True),
    (RuleQuery(text="distance"), lambda t: t.fingerprint == DISTANCE.fingerprint),
    (RuleQuery(text="DISTANCE"), lambda t: t.fingerprint == DISTANCE.fingerprint),
    (RuleQuery(text="→ distance"), lambda t: t.fingerprint == DISTANCE.fingerprint),
    (RuleQuery(text="<script>alert('x')"), lambda t: t.fingerprint == GATE.fingerprint),
    (RuleQuery(text="100%_"), lambda _: False),
    (RuleQuery(kind="ind"), lambda t: t.fingerprint == CARRIER.fingerprint),
    (RuleQuery(kind="ucc", table="flights"), lambda t: t.fingerprint == FLIGHT.fingerprint),
    (RuleQuery(state="violated"), lambda t: t.measured.violations > 0),
    (RuleQuery(table="airlines"), lambda _: False),
]


@pytest.mark.parametrize(("wanted", "fits"), WANTED)
def test_a_filter_finds_what_a_person_means(catalog: Catalog, wanted, fits):
    found, total = catalog.rules(DATASET, wanted)
    expected = [t for t in catalog.tracked(DATASET) if fits(t)]
    assert found == expected
    assert total == len(expected)


@pytest.mark.parametrize("sort", SORTS)
def test_pages_put_together_are_the_whole_in_one_order(catalog, sort):
    whole, total = catalog.rules(DATASET, RuleQuery(sort=sort))
    pages = [catalog.rules(DATASET, RuleQuery(sort=sort), first=place, count=1) for place in range(total)]
    assert [t for page, _ in pages for t in page] == whole
    assert {count for _, count in pages} == {total}
    assert catalog.rules(DATASET, RuleQuery(sort=sort), first=total)[0] == []


def test_what_is_violated_most_comes_first_where_one_asks_for_that(catalog):
    counts = [t.measured.violations for t in catalog.rules(DATASET, RuleQuery(sort="violations"))[0]]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 148


@pytest.mark.parametrize("sort", SORTS)
def test_a_page_is_found_by_an_index_alone(catalog, sort):
    """A version may have 100,000 rows; to choose a page, none of them is read."""
    asked = []
    event.listen(catalog._engine, "before_cursor_execute", lambda *told: asked.append(told[2:4]))
    catalog.rules(DATASET, RuleQuery(table="flights", state="active", sort=sort))
    text, values = next(each for each in asked if "count(*) OVER" in each[0])
    with catalog._engine.connect() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()
    assert any("USING COVERING INDEX ix_tracked_list" in step[-1] for step in plan)
