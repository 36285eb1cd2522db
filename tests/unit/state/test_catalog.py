"""The catalog on both databases: versions, what follows them, and what it refuses."""

import dataclasses
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from databases.catalogs import (  # noqa: F401 - fixtures
    catalog_url,
    change_set,
    file_ref,
    make_version,
    migrated_url,
    table_state,
    tracked,
)
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from profiling_core.model.change import LifecycleState
from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.errors import ConfigurationError, StateError, UnreachableError
from profiling_core.model.message import Message
from profiling_core.model.version import Arrival, Version
from profiling_core.state.catalog import Catalog
from profiling_core.state.versions import split_files

ODD = "".join(chr(c) for c in (0, 1, 10, 34, 39, 92, 0x7F, 0xDC80, 0xD800, 0xFFFE, 0x1F600)) + "\\u0000 é ≠"


@pytest.fixture
def catalog(migrated_url: str) -> Catalog:  # noqa: F811 - pytest's way to ask for a fixture
    return Catalog(migrated_url)


def message(table: str, version: int, text: str = "broke") -> Message:
    return Message(f"{version}-{table}", version, table, {"text": text}, ("file", "mail"))


def committed(catalog: Catalog, count: int) -> list[Version]:
    return [catalog.commit(make_version(number)) for number in range(1, count + 1)]


def same(found: Version | None, wanted: Version) -> bool:
    return found is not None and dataclasses.replace(found, created_at="") == wanted


def test_an_empty_catalog_has_nothing(catalog: Catalog) -> None:
    assert catalog.datasets() == []
    assert catalog.current("nyc") is None
    assert catalog.versions("nyc") == []
    assert catalog.applied("nyc") == {}
    assert catalog.tracked("nyc") == []
    assert catalog.changes("nyc", 1) is None
    assert catalog.version_of_run("nyc", "run-1") is None
    with pytest.raises(StateError, match="no version 1"):
        catalog.version("nyc", 1)


def test_versions_come_back_as_they_were_committed(catalog: Catalog) -> None:
    first, second, third = committed(catalog, 3)
    assert same(catalog.version("nyc", 1), make_version(1))
    assert same(catalog.version("nyc", 2), make_version(2))
    assert catalog.current("nyc") == third
    assert catalog.versions("nyc") == [first, second, third]
    assert catalog.version_of_run("nyc", "run-2") == second
    assert catalog.version_labelled("nyc", "2013-01-01") == first
    assert catalog.applied("nyc") == {"flights": frozenset({"d1", "d2", "d3"})}
    assert catalog.datasets() == ["nyc"]


def test_the_order_of_tables_and_of_files_in_a_role_survives(catalog: Catalog) -> None:
    tables = {name: table_state(name) for name in ("weather", "airlines", "Flights")}
    files = tuple(file_ref(path, "weather") for path in ("z", "a", "m"))
    catalog.commit(make_version(1, tables=tables, arrivals={}, files=files))
    moved = (files[1], file_ref("b", "weather"), files[0], files[2])
    catalog.commit(make_version(2, tables=tables, arrivals={}, files=moved))
    assert list(catalog.version("nyc", 1).tables) == ["weather", "airlines", "Flights"]
    assert catalog.version("nyc", 1).files_of("rows", "weather") == files
    assert catalog.version("nyc", 2).files_of("rows", "weather") == moved


def test_created_at_is_utc_and_kept_when_given(catalog: Catalog) -> None:
    assert catalog.commit(make_version(1)).created_at.endswith("+00:00")
    given_time = "2013-01-02T00:00:00+00:00"
    assert catalog.commit(make_version(2, created_at=given_time)).created_at == given_time


def test_a_run_commits_once(catalog: Catalog) -> None:
    first = catalog.commit(make_version(1))
    catalog.commit(make_version(2))
    again = catalog.commit(make_version(1, files=(file_ref("rows/written-again"),)))
    assert again == first
    assert [v.number for v in catalog.versions("nyc")] == [1, 2]


def test_a_run_cannot_commit_something_else(catalog: Catalog) -> None:
    catalog.commit(make_version(1))
    other = make_version(1, tables={"flights": table_state(rows=99)})
    with pytest.raises(StateError, match="already committed version 1"):
        catalog.commit(other)
    assert same(catalog.current("nyc"), make_version(1))


@pytest.mark.parametrize("number", [1, 3])
def test_a_version_follows_the_current_one(catalog: Catalog, number: int) -> None:
    catalog.commit(make_version(1))
    with pytest.raises(StateError, match="cannot follow version 1"):
        catalog.commit(make_version(number, run_id="other", arrivals={}))
    assert len(catalog.versions("nyc")) == 1


@pytest.mark.parametrize("ids", [("d1",), ("d2", "d1"), ("d2", "d2")])
def test_a_delta_is_applied_once(catalog: Catalog, ids: tuple[str, ...]) -> None:
    catalog.commit(make_version(1))
    with pytest.raises(StateError, match="twice"):
        catalog.commit(make_version(2, arrivals={"flights": Arrival(ids, 1, 0, 0, 0, 0)}))
    assert catalog.applied("nyc") == {"flights": frozenset({"d1"})}
    assert len(catalog.versions("nyc")) == 1


def test_a_refused_first_commit_leaves_no_dataset(catalog: Catalog) -> None:
    with pytest.raises(StateError):
        catalog.commit(make_version(2))
    assert catalog.datasets() == []


def test_a_delta_id_of_another_table_or_dataset_is_another_delta(catalog: Catalog) -> None:
    catalog.commit(make_version(1))
    catalog.commit(make_version(1, dataset="other"))
    catalog.commit(make_version(2, arrivals={"weather": Arrival(("d1",), 1, 0, 0, 0, 0)}))
    assert catalog.applied("nyc") == {"flights": frozenset({"d1"}), "weather": frozenset({"d1"})}
    assert catalog.applied("other") == {"flights": frozenset({"d1"})}


def test_a_rebuild_keeps_rows_and_deltas(catalog: Catalog) -> None:
    catalog.commit(make_version(1))
    rebuilt = make_version(2, tables={"flights": table_state(columns=("a", "b", "c"), rows=1)}, arrivals={})
    catalog.commit(rebuilt, rebuild=True)
    assert catalog.applied("nyc") == {"flights": frozenset({"d1"})}
    assert len(catalog.version("nyc", 1).tables["flights"].schema.columns) == 2
    assert len(catalog.version("nyc", 2).tables["flights"].schema.columns) == 3


@pytest.mark.parametrize(
    ("fields", "problem"),
    [({}, "brings no deltas"), ({"arrivals": {}, "tables": {"flights": table_state(rows=5)}}, "keeps the rows")],
)
def test_a_rebuild_is_refused_when_it_is_none(catalog: Catalog, fields: dict[str, object], problem: str) -> None:
    catalog.commit(make_version(1))
    with pytest.raises(StateError, match=problem):
        catalog.commit(make_version(2, **fields), rebuild=True)
    assert len(catalog.versions("nyc")) == 1


def test_nothing_cannot_be_rebuilt(catalog: Catalog) -> None:
    with pytest.raises(StateError, match="no version to rebuild"):
        catalog.commit(make_version(1, arrivals={}), rebuild=True)


def test_immutable_files_cannot_change_between_versions(catalog: Catalog) -> None:
    catalog.commit(make_version(1))
    changed = dataclasses.replace(file_ref("rows/1"), sha256="0" * 64)
    with pytest.raises(StateError, match="other contents"):
        catalog.commit(make_version(2, files=(changed,)))
    with pytest.raises(StateError, match="twice"):
        catalog.commit(make_version(2, files=(file_ref("x"), file_ref("x"))))


def test_a_removed_dataset_can_begin_anew(catalog: Catalog) -> None:
    committed(catalog, 2)
    catalog.commit(make_version(1, dataset="other"))
    catalog.settle(tracked(1), change_set(1))
    assert catalog.remove_dataset("nyc")
    assert not catalog.remove_dataset("nyc")
    assert catalog.datasets() == ["other"]
    assert catalog.applied("nyc") == {}
    assert catalog.change_sets("nyc") == []
    assert catalog.history("nyc", tracked(1)[0].fingerprint) == []
    assert same(catalog.commit(make_version(1)), make_version(1))


def test_tracked_constraints_and_their_history(catalog: Catalog) -> None:
    committed(catalog, 3)
    catalog.settle(tracked(1), change_set(1))
    catalog.settle(tracked(2, error=4)[:2], change_set(2))
    assert catalog.tracked("nyc", 1) == tracked(1)
    assert catalog.tracked("nyc", 2) == tracked(2, error=4)[:2]
    assert catalog.tracked("nyc", 3) == []
    assert catalog.tracked("nyc") == catalog.tracked("nyc", 2)
    functional = tracked(1)[0]
    history = catalog.history("nyc", functional.fingerprint)
    assert [(t.version, t.measured.violations) for t in history] == [(1, 0), (2, 4)]


def test_a_state_began_where_it_has_lasted_since(catalog: Catalog) -> None:
    committed(catalog, 4)
    first = tracked(1)[0]
    violated = replace(first, state=LifecycleState.VIOLATED, since="2013-01-03")
    for number, record in enumerate((first, first, violated, violated), start=1):
        figures = replace(record.measured, violations=number, support=number)
        catalog.settle([replace(record, measured=figures, score=number, version=number)], change_set(number))
    begun = [catalog.beginnings("nyc", number)[first.fingerprint] for number in (1, 2, 3, 4)]
    assert [(b.version, b.measured.support, b.score, b.state) for b in begun] == [
        (1, 1, 1, first.state),
        (1, 1, 1, first.state),
        (3, 3, 3, LifecycleState.VIOLATED),
        (3, 3, 3, LifecycleState.VIOLATED),
    ]
    assert catalog.beginnings("nyc", 5) == catalog.beginnings("other", 1) == {}


def test_a_version_is_settled_once(catalog: Catalog) -> None:
    committed(catalog, 1)
    assert catalog.settle(tracked(1), change_set(1, "EGE")) == change_set(1, "EGE")
    assert catalog.settle(tracked(1, error=5)[2:], change_set(1, "JFK")) == change_set(1, "EGE")
    assert catalog.tracked("nyc", 1) == tracked(1)
    assert catalog.change_sets("nyc") == [change_set(1, "EGE")]


def test_decisions_are_kept_in_order_and_go_with_their_dataset(catalog: Catalog) -> None:
    constraint = tracked(1)[3].measured.constraint
    with pytest.raises(StateError, match="no constraints to decide about"):
        catalog.decide("nyc", Decision(constraint, Verdict.PIN, "ana"))
    committed(catalog, 1)
    made = [
        Decision(constraint, Verdict.PIN, "ana", note="contract"),
        Decision(tracked(1)[0].measured.constraint, Verdict.MUTE, "ben", until="2013-03-09"),
        Decision(constraint, Verdict.ACCEPT, "ana", error=0.25),
    ]
    for decision in made:
        catalog.decide("nyc", decision)
    found = catalog.decisions("nyc")
    assert [replace(decision, at="") for decision in found] == made
    assert all(decision.at.endswith("+00:00") for decision in found)
    catalog.remove_dataset("nyc")
    assert catalog.decisions("nyc") == []


def test_changes_are_there_once_the_version_is_diffed(catalog: Catalog) -> None:
    committed(catalog, 2)
    catalog.settle(tracked(2), change_set(2))
    assert catalog.changes("nyc", 1) is None
    assert catalog.changes("nyc", 2) == change_set(2)
    catalog.settle(tracked(1), change_set(1))
    assert catalog.change_sets("nyc") == [change_set(1), change_set(2)]


def test_messages_are_there_with_the_version_that_they_tell_of(catalog: Catalog) -> None:
    committed(catalog, 2)
    told = [message("airlines", 1), message("flights", 1)]
    catalog.settle(tracked(1), change_set(1), told)
    catalog.settle(tracked(1), change_set(1), [message("flights", 1, "worded otherwise"), message("weather", 1)])
    catalog.settle(tracked(2), change_set(2), [message("flights", 2, "recovered")])
    found = [(a.version, a.table, a.message, a.channels) for a in catalog.alerts("nyc")]
    waiting = {"file": "waiting", "mail": "waiting"}
    assert found == [
        (1, "airlines", "broke", waiting),
        (1, "flights", "broke", waiting),
        (2, "flights", "recovered", waiting),
    ]
    assert [a.table for a in catalog.alerts("nyc", 2)] == ["flights"]
    catalog.remove_dataset("nyc")
    assert catalog.alerts("nyc") == []


def test_a_version_is_published_once_its_suites_are(catalog: Catalog) -> None:
    committed(catalog, 2)
    assert not catalog.is_published("nyc", 1)
    catalog.mark_published("nyc", 1)
    assert [catalog.is_published("nyc", number) for number in (1, 2)] == [True, False]


def test_validations_keep_the_last_result(catalog: Catalog) -> None:
    committed(catalog, 1)
    catalog.save_validation("nyc", 1, "flights", {"success": True})
    catalog.save_validation("nyc", 1, "flights", {"success": False, "rows": [{"a": None}]})
    catalog.save_validation("nyc", 1, "", {"success": True})
    assert [(v.table, v.result) for v in catalog.validations("nyc", 1)] == [
        ("", {"success": True}),
        ("flights", {"success": False, "rows": [{"a": None}]}),
    ]


def test_nothing_is_recorded_for_a_version_that_is_not_there(catalog: Catalog) -> None:
    for save in (
        lambda: catalog.settle(tracked(1), change_set(1)),
        lambda: catalog.mark_published("nyc", 1),
        lambda: catalog.save_validation("nyc", 1, "flights", {}),
    ):
        with pytest.raises(StateError, match="no version 1"):
            save()


def test_odd_and_long_names_survive(catalog: Catalog) -> None:
    long = "é\ud800" * 5_000
    state = table_state(columns=(ODD, long))
    arrivals = {"flights": Arrival((ODD,), 1, 0, 0, 0, 0)}
    wanted = make_version(1, tables={"flights": state}, arrivals=arrivals, label=long, files=(file_ref(ODD),))
    catalog.commit(wanted)
    assert same(catalog.current("nyc"), wanted)
    assert same(catalog.version_labelled("nyc", long), wanted)
    assert catalog.applied("nyc") == {"flights": frozenset({ODD})}
    catalog.settle(tracked(1, column=long), change_set(1, ODD), [Message(ODD, 1, ODD, {"text": long}, (ODD,))])
    assert catalog.tracked("nyc") == tracked(1, column=long)
    assert catalog.changes("nyc", 1) == change_set(1, ODD)
    (told,) = catalog.alerts("nyc")
    assert (told.key, told.table, told.message, told.channels) == (ODD, ODD, long, {ODD: "waiting"})


def test_of_two_runs_at_once_one_commits(catalog: Catalog) -> None:
    catalog.commit(make_version(1))
    outcomes: list[str] = []

    def run(name: str) -> None:
        try:
            catalog.commit(make_version(2, run_id=name, arrivals={"flights": Arrival((name,), 1, 0, 0, 0, 0)}))
            outcomes.append("committed")
        except StateError as error:
            outcomes.append(error.what)

    threads = [threading.Thread(target=run, args=(f"r{i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("committed") == 1
    assert sum("another run has committed" in text for text in outcomes) == 7
    assert len(catalog.versions("nyc")) == 2


def test_the_same_first_run_at_once_makes_one_version(catalog: Catalog) -> None:
    found: list[Version] = []
    threads = [threading.Thread(target=lambda: found.append(catalog.commit(make_version(1)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({v.created_at for v in found}) == 1


PATHS = st.lists(st.tuples(st.sampled_from("tu"), st.sampled_from("abcdef")), unique=True, max_size=8)


@settings(deadline=None, max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PATHS, min_size=1, max_size=5))
def test_any_sequence_of_file_lists_is_read_back(catalog: Catalog, lists: list[list[tuple[str, str]]]) -> None:
    catalog.remove_dataset("nyc")
    wanted = []
    for number, paths in enumerate(lists, start=1):
        files = tuple(file_ref(f"{table}/{path}", table) for table, path in paths)
        catalog.commit(make_version(number, files=files, arrivals={}))
        wanted.append({table: tuple(f for f in files if f.table == table) for table in "tu"})
    for version, groups in zip(catalog.versions("nyc"), wanted, strict=True):
        assert {table: version.files_of("rows", table) for table in "tu"} == groups
        assert catalog.version("nyc", version.number) == version


def test_files_that_stay_are_not_written_again() -> None:
    a, b, c = (file_ref(name) for name in "abc")
    assert split_files({a: 0, b: 1}, [a, b, c]) == ({0, 1}, [c])
    assert split_files({a: 0, b: 1}, [b]) == ({1}, [])
    assert split_files({a: 0, b: 1}, [b, a]) == ({1}, [a])
    assert split_files({a: 0, b: 1}, [c, a, b]) == (set(), [c, a, b])


@pytest.mark.parametrize("number", [2**31, 2**63, 10**30, -(2**70)])
def test_a_version_beyond_all_numbers_is_just_not_there(catalog: Catalog, number: int) -> None:
    committed(catalog, 1)
    with pytest.raises(StateError, match="has no version"):
        catalog.version("nyc", number)
    assert catalog.changes("nyc", number) is None


def test_an_unmigrated_catalog_says_so(catalog_url: str) -> None:  # noqa: F811 - pytest's way to ask for a fixture
    with pytest.raises(StateError, match="migrate") as lasting:
        Catalog(catalog_url).datasets()
    assert not isinstance(lasting.value, UnreachableError)


def test_a_database_that_cannot_be_reached_is_named_without_its_password(tmp_path: Path) -> None:
    unreachable = Catalog("postgresql://user:secret-word@127.0.0.1:1/x")
    with pytest.raises(UnreachableError) as caught:
        unreachable.datasets()
    assert "127.0.0.1" in str(caught.value)
    assert "secret-word" not in str(caught.value)
    (tmp_path / "catalog.db").write_text("this is no database, whatever its name says" * 50)
    with pytest.raises(StateError, match="not a database") as lasting:
        Catalog(f"sqlite:///{tmp_path / 'catalog.db'}").datasets()
    assert not isinstance(lasting.value, UnreachableError)  # no later try would do better


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "mysql://h/d", "nonsense"])
def test_an_address_that_cannot_be_a_catalog(url: str) -> None:
    with pytest.raises(ConfigurationError):
        Catalog(url)


def test_without_a_driver_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigurationError, match="psycopg"):
        Catalog("postgresql://u@h/d")
