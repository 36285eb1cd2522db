"""State whose rules are of forms that only earlier releases had: it opens without them, and says so once."""

import tarfile
from pathlib import Path

import pytest
from stack.files import REPOSITORY

from profiling_core.maintain.candidate_cache import CandidateCache, cache_of
from profiling_core.maintain.results import read_results
from profiling_core.model.constraint import DATASET as WHOLE
from profiling_core.pipeline.fsck import fsck
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.rule_list import RuleQuery
from profiling_core.state.settings import Settings, using

# The archive holds the script that made it, by the release that still had the forms.
STATE = REPOSITORY / "tests" / "releases" / "forgotten-forms.tar.xz"
POST, PARCELS = "post", "parcels"
FORGOTTEN = [
    "charged = max(actual, volume)",
    "gap = |actual − volume|",
    "late_days = |days(arrived − due)|",
    "due = date(sent) + promised days",
    "label = ULM ⇒ charged = max(actual, volume)",
    "label = upper(town)",
    "parcels.due = date(sent) + customers.terms days (by customer)",
]
ROW = "\ninsert,P{0},c1,4,7,7,3,2,2024-03-01,8,2024-03-09,2024-03-10,1,2,2024-03-15,Ulm,ULM\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    with tarfile.open(STATE) as archive:
        archive.extractall(tmp_path, filter="data")
    return Settings.discover(tmp_path, {})


def land(place: Path, day: str) -> None:
    parcels = place / "landing" / PARCELS
    header = (parcels / "2024-05-01.csv").read_text("utf-8").splitlines()[0]
    (parcels / f"{day}.csv").write_text(header + ROW.format(day[-2:]), "utf-8")


def test_rules_of_forgotten_forms_are_dropped_and_told_once(settings: Settings, tmp_path: Path):
    with using(settings):
        work = Workspace.open(POST)
        before = [t.measured.constraint.text for t in work.catalog.tracked(POST)]
        assert work.catalog.forgotten(POST, 3) == FORGOTTEN
        land(tmp_path, "2024-05-04")
        told = walk(POST)["structure"]
        assert told == [f"{text} is not followed any more: this release has no rules of its form" for text in FORGOTTEN]
        land(tmp_path, "2024-05-05")
        assert walk(POST)["structure"] == []
        after = {t.measured.constraint.text for t in work.catalog.tracked(POST)}
    # "label = upper(town)" was followed in two forms: the one that is still looked for stays.
    assert {"label = upper(town)", "promised = days(due − sent)", "unique {parcel}"} <= after
    assert not after.intersection(set(FORGOTTEN) - {"label = upper(town)"})
    assert "deposit = 0.3·charged ± 0.5" in before
    assert fsck(settings).damage == []


def test_every_file_and_record_is_read_without_them(settings: Settings):
    catalog, store = settings.catalog(), settings.store(POST)
    version = catalog.current(POST)
    assert version is not None
    for place in (*version.tables, WHOLE):
        results = read_results(store, version, place)
        assert results.ranked
        assert not {m.constraint.text for m in results.tracked} & set(FORGOTTEN) - {"label = upper(town)"}
    assert cache_of(store, version, PARCELS) is None  # its candidates have no evidence: rules are looked for again
    (stored,) = map(store.read_json, version.files_of("row-rules", PARCELS))
    assert len(stored["candidates"]) - len(CandidateCache.from_json(stored).candidates) == 7
    assert [change.measured.constraint.text for change in catalog.change_sets(POST)[-1].changes if change.alerts] == [
        "charged = 0.5·actual + 0.5·volume + 0.5·gap"
    ]
    assert [d.constraint.text for d in catalog.decisions(POST)] == [
        "customers.first_sent = first(parcels.sent) (by customer)"
    ]


def test_the_list_of_rules_goes_on_where_one_is_forgotten(settings: Settings):
    rules, count = settings.catalog().rules(POST, RuleQuery(text="charged"), first=0, count=50)
    assert {"charged = 0.5·actual + 0.5·volume + 0.5·gap", "deposit = 0.3·charged ± 0.5"} <= {
        rule.measured.constraint.text for rule in rules
    }
    assert count >= len(rules)
