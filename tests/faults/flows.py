"""What a fault is put into: the ways in which the product changes a home, each small, and each safe to do again."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import requests  # noqa: F401 - here, so that not every child imports it anew
from databases.catalogs import tracked
from helpers.crash_walk import Case, walk

from profiling_core.alert import webhook  # noqa: F401 - for the same reason
from profiling_core.alert.channels import channels
from profiling_core.alert.delivery import Patience, drain
from profiling_core.model.dataset import AlertConfig, AlertRoute
from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.errors import HoldfastError
from profiling_core.pipeline.backup import backup, restore
from profiling_core.pipeline.fsck import rebuild_catalog
from profiling_core.state.settings import Settings

DATASET = "nyc"
HOOK = "hook"
_NO_PATIENCE = Patience(timedelta(0), timedelta(days=3))


class Place(NamedTuple):
    """Where a flow walks: below ``root``, with a catalog there or elsewhere, telling a receiver."""

    root: Path
    catalog: str
    receiver: str

    @property
    def case(self) -> Case:
        """The home."""
        return Case(str(self.root / "home"), self.catalog, DATASET)

    @property
    def copy(self) -> Path:
        """Where a backup goes."""
        return self.root / "backup"

    @property
    def second(self) -> Settings:
        """Another home, and a catalog there."""
        home = self.root / "second"
        return replace(self.case.settings, home=home, catalog_url=f"sqlite:///{home}/catalog.db")


def apply(place: Place, number: int) -> None:
    """A version, from its files to its messages."""
    walk(place.case, number, ("file", HOOK))
    tell(place)


def tell(place: Place) -> None:
    """Sends what waits."""
    options = AlertConfig(routes=(AlertRoute(name=HOOK, url=place.receiver),), allow_private=("127.0.0.0/8",))
    settings = place.case.settings
    drain(settings.catalog().outbox, DATASET, channels(options, settings.home / "artifacts"), _NO_PATIENCE)


def two_versions(place: Place) -> None:
    """A dataset to begin with."""
    apply(place, 1)
    apply(place, 2)


def decide(place: Place) -> None:
    """A person's decision, unless it is there."""
    catalog = place.case.settings.catalog()
    if not catalog.decisions(DATASET):
        catalog.decide(DATASET, Decision(tracked(1)[0].measured.constraint, Verdict.MUTE, "somebody"))


def forget(place: Place) -> None:
    """Retention, and a collection of garbage after it."""
    catalog, store = place.case.settings.catalog(), place.case.settings.store(DATASET)
    store.remove(catalog.keep_from(DATASET, "2999-01-01"))
    catalog.forget_files(DATASET)
    store.collect_garbage(catalog.named(DATASET), timedelta(0))


def make_copy(place: Place) -> None:
    """A backup."""
    backup(place.case.settings, place.copy)


def bring_back(place: Place) -> None:
    """A backup restored into another home, unless it is there."""
    try:
        if place.second.home.exists() and place.second.catalog().datasets():
            return
    except HoldfastError:
        pass  # half of it is there
    restore(place.second, place.copy)


def make_catalog(place: Place) -> None:
    """The catalog made again, unless there is one."""
    try:
        if place.case.settings.catalog().datasets():
            return
    except HoldfastError:
        pass
    rebuild_catalog(place.case.settings)


class Flow(NamedTuple):
    """What is done before, without a fault; and what is done with one, and again after it."""

    before: Callable[[Place], None]
    act: Callable[[Place], None]


def _lose_catalog(place: Place) -> None:
    two_versions(place)
    for path in (place.root / "home").glob("catalog.db*"):
        path.unlink()


def _with_copy(place: Place) -> None:
    two_versions(place)
    make_copy(place)


FLOWS = {
    "first version": Flow(lambda place: None, lambda place: apply(place, 1)),
    "delta": Flow(lambda place: apply(place, 1), lambda place: apply(place, 2)),
    "later delta": Flow(two_versions, lambda place: apply(place, 3)),
    "decision": Flow(two_versions, decide),
    "retention": Flow(two_versions, forget),
    "backup": Flow(two_versions, make_copy),
    "restore": Flow(_with_copy, bring_back),
    "catalog made again": Flow(_lose_catalog, make_catalog),
}


def done(job: Callable[[Place], None], place: Place) -> str:
    """Does it in a child; returns "" where it went well, else how it ended: refused, or whatever killed it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, _said(job, place).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return said if code == 0 else f"killed: {code}"


def _said(job: Callable[[Place], None], place: Place) -> str:
    try:
        job(place)
    except (HoldfastError, OSError) as error:  # the command line shows both as messages
        return f"refused: {error}"
    except BaseException as error:  # noqa: BLE001 - told to the test, which fails by it
        sys.excepthook(*sys.exc_info())
        return f"untyped: {error!r}"
    return ""


if __name__ == "__main__":
    # An order a line, as JSON: a flow, whether to prepare it or to act, and where. Answers so, too.
    for line in sys.stdin:
        order = json.loads(line)
        flow = FLOWS[order["flow"]]
        job = flow.before if order["what"] == "before" else flow.act
        said = done(job, Place(Path(order["root"]), order["catalog"], order["receiver"]))
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
