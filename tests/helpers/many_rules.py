"""A dataset that follows 100,000 rules, as wide tables have them: written into the catalog by hand."""

from dataclasses import replace

from helpers.catalog import LABELS, _changes, _tracked, _version
from profiling_core.model.constraint import ColumnList, FunctionalDependency
from profiling_core.model.lifecycle import Tracked
from profiling_core.state.settings import Settings

WIDE = "wide"
RULES = 100_000


def add(settings: Settings, dataset: str, version: int = 1) -> None:
    """Adds a version of a dataset to a catalog: the seeded rules, whose first is violated, and others up to 100,000."""
    catalog, label = settings.catalog(), LABELS[-1]
    catalog.commit(replace(_version(version, label), dataset=dataset, run_id=f"many-{version}", arrivals={}))
    changes = replace(_changes(version, label), dataset=dataset, run_id=f"many-{version}", changes=())
    catalog.settle(_rules(), changes)


def _rules() -> list[Tracked]:
    known = _tracked(3)
    return known + [_rule(known[1], place) for place in range(RULES - len(known))]


def _rule(like: Tracked, place: int) -> Tracked:
    """A dependency of columns that a table of 799 may have."""
    left = (f"column{place % 400}", f"column{400 + place // 400}")
    constraint = FunctionalDependency(
        ColumnList("flights", left), ColumnList("flights", (f"column{(place * 7) % 399}x",))
    )
    return replace(like, measured=replace(like.measured, constraint=constraint), rank=place + 5)
