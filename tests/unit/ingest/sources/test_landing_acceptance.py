"""Which landed deltas are taken: complete ones, once; what changed, comes late or is repeated is told and refused."""

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from profiling_core.ingest.sources.landing import Landing
from profiling_core.ingest.sources.protocol import Found, Held, Position
from profiling_core.model.dataset import TableConfig
from profiling_core.model.errors import ConfigurationError, InputError
from profiling_core.model.source import Source
from profiling_core.state.settings import Settings


@dataclass
class Directory:
    """A landing directory and what of it is applied."""

    root: Path
    options: dict[str, Any] = field(default_factory=dict)
    applied: dict[str, Position] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("dags/datasets", "in"):
            (self.root / name).mkdir(parents=True)

    @property
    def landing(self) -> Landing:
        return Landing(Settings.discover(self.root, {}), TableConfig(source=Source(path="in", **self.options)))

    def land(self, name: str, text: str, age: float = 3600) -> Path:
        path = self.root / "in" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        for changed in {path, path.parent}:
            os.utime(changed, (time.time() - age,) * 2)
        return path

    def look(self) -> Found:
        return self.landing.look(self.applied, None)

    def apply(self) -> None:
        pending = self.look().pending
        batch = self.landing.open(pending, self.applied)
        self.applied |= {delta_id: {**batch.positions[delta_id], "rows": 1} for delta_id in pending}


@pytest.fixture
def directory(tmp_path: Path) -> Directory:
    return Directory(tmp_path)


def told(held: Iterable[Held]) -> dict[str, str]:
    return {h.delta_id: h.reason for h in held}


def test_a_file_is_taken_once_it_has_not_changed_for_a_while(directory):
    directory.options = {"settle_seconds": 60}
    directory.land("1.csv", "_op,a\n")
    directory.land("2.csv", "_op,a\n", age=10)
    directory.land("3.csv", "_op,a,b\n")
    found = directory.look()
    assert found.pending == ("1",)
    assert told(found.waiting)["2"].startswith("was changed 10 s ago")
    assert told(found.waiting)["3"] == "comes after 2, which waits"
    assert 0 < found.waiting[0].settles_in <= 50
    directory.land("2.csv", "_op,a\n", age=61)
    assert directory.look().pending == ("1", "2", "3")


def test_a_file_from_the_future_waits_and_is_told(directory):
    directory.options = {"settle_seconds": 5}
    directory.land("1.csv", "_op,a\n", age=-600)
    assert told(directory.look().waiting) == {"1": "has a time of change in the future"}


def test_half_a_directory_waits_and_success_completes_it(directory):
    directory.options = {"settle_seconds": 60}
    directory.land("1/part-0.csv", "_op,a\n", age=0)
    assert directory.look().pending == ()
    directory.land("1/_SUCCESS", "", age=0)
    assert directory.look().pending == ("1",)


@pytest.mark.parametrize("marker", ["{delta}.done", "{delta}/_SUCCESS", "done/{delta}"])
def test_a_marker_alone_says_what_is_complete(directory, marker):
    directory.options = {"marker": marker}
    name = "1/part-0.csv" if "/_" in marker else "1.csv"
    directory.land(name, "_op,a\n")
    assert told(directory.look().waiting) == {"1": f"its marker {marker.replace('{delta}', '1')} is not there yet"}
    directory.land(marker.replace("{delta}", "1"), "", age=0)
    found = directory.look()
    assert (found.pending, [w for w in found.warnings if ".done" in w]) == (("1",), [])


def test_a_delta_that_changed_after_it_was_applied_is_told(directory):
    directory.land("1.csv", "_op,a\ninsert,1\n")
    directory.land("2/part-0.csv", "_op,a\ninsert,2\n")
    directory.apply()
    assert directory.look() == Found()
    directory.land("1.csv", "_op,a\ninsert,1\n", age=5)  # touched, and the same
    assert directory.look() == Found()
    directory.land("1.csv", "_op,a\ninsert,1\ninsert,3\n", age=5)
    directory.land("2/part-1.csv", "_op,a\ninsert,4\n")
    assert told(directory.look().refused) == dict.fromkeys(("1", "2"), "changed after it was applied")
    directory.land("1.csv", "_op,a\ninsert,9\n", age=5)  # of the same size
    assert "1" in told(directory.look().refused)


def test_a_late_delta_is_refused_unless_the_source_lets_it_in(directory):
    directory.land("05.csv", "_op,a\ninsert,5\n")
    directory.apply()
    directory.applied["released-7"] = {}  # no delta that landed
    directory.land("04.csv", "_op,a\ninsert,4\n")
    directory.land("06.csv", "_op,a\ninsert,6\n")
    found = directory.look()
    assert (found.pending, told(found.refused)) == (("06",), {"04": "is late: 05 is already applied"})
    directory.options = {"late": "apply"}
    assert directory.look() == Found(("04", "06"))


def test_a_repeated_delta_is_refused_unless_it_has_no_rows(directory):
    directory.land("1.csv", "_op,a\ninsert,1\n")
    directory.land("2.csv", "_op,a\n")
    directory.apply()
    directory.land("3.csv", "_op,a\ninsert,1\n")
    directory.land("4.csv", "_op,a\n")
    directory.land("5.csv", "_op,a\ninsert,5\n")
    directory.land("6.csv", "_op,a\ninsert,5\n")
    found = directory.look()
    assert (found.pending, told(found.refused)) == (
        ("4", "5"),
        {"3": "has the same content as 1", "6": "has the same content as 5"},
    )
    directory.options = {"repeated": "apply"}
    assert directory.look().pending == ("3", "4", "5", "6")


def test_a_repeated_delta_stays_one_when_later_ones_were_applied(directory):
    """Its rows are there already: to land them under another id would not help."""
    directory.land("1.csv", "_op,a\ninsert,1\n")
    directory.land("3.csv", "_op,a\ninsert,3\n")
    directory.apply()
    directory.land("2.csv", "_op,a\ninsert,1\n")
    assert told(directory.look().refused) == {"2": "has the same content as 1"}


def test_a_snapshot_may_repeat_and_never_comes_late(directory):
    directory.options = {"kind": "snapshot"}
    directory.land("2.csv", "a\n1\n")
    directory.apply()
    directory.land("1.csv", "a\n7\n")
    directory.land("3.csv", "a\n1\n")
    found = directory.look()
    assert (found.pending, told(found.refused)) == (("3",), {"1": "is late: 2 is already applied"})


@pytest.mark.parametrize("more", ["insert,2\n", ""])
def test_a_file_that_is_written_while_it_is_read_is_an_error(directory, more):
    """With the same bytes, too: whoever read it meanwhile may have seen half of them."""
    text, landing = "_op,a\ninsert,1\n", directory.landing
    directory.land("1.csv", text)
    batch = landing.open(("1",), {})
    landing.confirm(batch)
    directory.land("1.csv", text + more)
    with pytest.raises(InputError, match="changed while it was read"):
        landing.confirm(batch)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"late": "apply", "kind": "snapshot"}, "older snapshot"),
        ({"marker": "_DONE"}, "does not name"),
        ({"version": "a", "kind": "append"}, "kind: changes"),
        ({"version": "a"}, "has none"),
        ({"settle_seconds": float("inf")}, "finite number"),
        ({"settle_seconds": float("nan")}, "finite number"),
    ],
)
def test_options_that_do_not_fit_are_told(source, words):
    with pytest.raises(ValidationError, match=words):
        TableConfig.model_validate({"source": {"path": "in", **source}})


def test_a_landing_directory_on_an_object_store_is_refused_in_words(directory):
    with pytest.raises(ConfigurationError, match="gs:// is not supported here") as caught:
        Landing(
            Settings.discover(directory.root, {}), TableConfig(source=Source(path="gs://me:hidden-canary@bucket/x"))
        )
    assert "canary" not in str(caught.value)
