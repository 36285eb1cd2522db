"""A program that lets writers walk a dataset at once, round after round: forked children that begin together.

Reads an order as JSON from standard input: home, catalog, receiver, rounds and writers. In rounds with an odd number
all do the same run; in the others each has a run of its own for the same version. Answers in JSON how each ended, by
round. With ``stubborn`` a writer whose database goes away tries again until its round is over.
"""

import dataclasses
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import requests  # noqa: F401 - here, so that not every child imports it anew
from databases.catalogs import change_set, make_version, tracked
from helpers.crash_walk import walk

from faults.flows import DATASET, HOOK, Place, tell
from profiling_core.alert import webhook  # noqa: F401 - for the same reason
from profiling_core.model.errors import HoldfastError, UnreachableError
from profiling_core.model.message import Message

_PATIENCE = 120.0


def same_run(place: Place, number: int) -> None:
    """The version as every writer makes it."""
    walk(place.case, number, ("file", HOOK))
    tell(place)


def own_run(place: Place, number: int, writer: int) -> None:
    """The version as one writer makes it, with a delta of its own."""
    case = place.case
    catalog, store = case.settings.catalog(), case.settings.store(DATASET)
    run_id = f"run-{number}-{writer}"
    current = catalog.current(DATASET)
    if current is None or current.run_id != run_id:
        results = store.publish_json(run_id, "flights", "results", {"writer": writer})
        kept = current.files_of("rows", "flights") if current else ()
        version = make_version(number, dataset=DATASET, run_id=run_id, files=(*kept, results))
        catalog.commit(version)
    message = Message(f"{number}-flights", number, "flights", {"text": f"broke in {number}"}, ("file", HOOK))
    changes = dataclasses.replace(change_set(number), dataset=DATASET)
    catalog.settle(tracked(number), changes, [message])
    tell(place)


def attempt(place: Place, number: int, writer: int, *, stubborn: bool) -> str:
    """One writer's round; how it ended."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            if number % 2:
                same_run(place, number)
            else:
                own_run(place, number, writer)
        except UnreachableError as error:
            if stubborn and time.monotonic() < until:
                time.sleep(0.05)
                continue
            return f"unreachable: {error.what}"
        except HoldfastError as error:
            return f"refused: {error.what}"
        else:
            return "done"


def play(place: Place, number: int, writers: int, *, stubborn: bool) -> list[str]:
    """One round: all writers wait for one pipe to close, and begin."""
    waiting, begin = os.pipe()
    pipes = []
    for writer in range(writers):
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.close(begin)
            os.read(waiting, 1)
            try:
                said = attempt(place, number, writer, stubborn=stubborn)
            except BaseException as error:  # noqa: BLE001 - told to the test, which fails by it
                said = f"untyped: {error!r}"
            os.write(writing, said.encode())
            os._exit(0)
        os.close(writing)
        pipes.append(reading)
    os.close(waiting)
    os.close(begin)
    ended = []
    for reading in pipes:
        with os.fdopen(reading, "rb") as pipe:
            ended.append(pipe.read().decode())
        os.wait()
    return ended


def main(order: dict[str, Any]) -> list[list[str]]:
    """All rounds."""
    place = Place(Path(order["root"]), order["catalog"], order["receiver"])
    numbers = range(1, order["rounds"] + 1)
    return [play(place, number, order["writers"], stubborn=order["stubborn"]) for number in numbers]


if __name__ == "__main__":
    json.dump(main(json.load(sys.stdin)), sys.stdout)
