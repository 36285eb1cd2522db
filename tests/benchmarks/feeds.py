"""How feeds of one file per day fare as a user would have them: ``make bench-feeds DATA=directory``.

Each folder of the directory is a feed, its files named by their days, and ``labels.csv`` (``feed,day,what,kind``) says
what is known of single days: ``incident`` for what happened, ``error`` for what was put in, ``cause`` a word that the
right headline holds, where there is one. The files go through what ``holdfast init --yes`` proposes and through the
steps of a run, from the plan to the diff, in one warm session. Told is what stands in the messages of the day. Only
days near those that are labelled are runs of their own; those between are applied together, and nobody listens.
"""

import argparse
import csv
import json
import logging
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from benchmarks.datasets import WORK
from benchmarks.pages import table
from profiling_core.ingest.sources.objects import Copies
from profiling_core.model.errors import HoldfastError, InputError
from profiling_core.pipeline import steps
from profiling_core.pipeline.init.landing_files import rows_of
from profiling_core.pipeline.init.looking import look
from profiling_core.pipeline.init.proposal import key_of
from profiling_core.pipeline.init.writing import write
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import Settings

# The days that a feed begins with end before the first labelled one: the least and the most of them.
_BEGIN = (14, 60)
DATASET = "feed"
_AROUND = (1, 2)
_OLD = 60
_ASKED = "changed for good?"
_OTHER_COLUMNS = ("columns that came", "other columns came")
_OTHER_TYPE = re.compile(r"column '(?P<column>.+)' is \w+, not '(?P<value>.+?)'")
_SPARK = "spark.sql.codegen.wholeStage=false;spark.sql.codegen.factoryMode=NO_CODEGEN;spark.sql.shuffle.partitions=1"


@dataclass(frozen=True)
class Label:
    """What is known of a day; ``cause`` is a word of the headline that names it."""

    what: str
    kind: str
    cause: str = ""


@dataclass
class Replay:
    """A feed's replay: how it was configured, what was told by day, and what days cost in CPU seconds and rows."""

    feed: str
    kind: str
    key: list[str]
    told: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0.0
    rows: int = 0


def labels_of(data: Path) -> dict[str, dict[str, Label]]:
    """By feed and day what is known."""
    found: dict[str, dict[str, Label]] = {}
    with (data / "labels.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            label = Label(line["what"], line["kind"], line.get("cause") or "")
            found.setdefault(line["feed"], {})[line["day"]] = label
    return found


def runs_of(days: Sequence[str], labelled: Mapping[str, Label]) -> Iterator[list[str]]:
    """The days in runs: the first together, those near a labelled one alone, and what lies between together."""
    places = [days.index(day) for day in labelled]
    begin = sorted((*_BEGIN, min(places, default=0) - _AROUND[0]))[1]
    yield list(days[:begin])
    near = {place + step for place in places for step in range(-_AROUND[0], _AROUND[1] + 1)}
    between: list[str] = []
    for place, day in enumerate(days[begin:], begin):
        if place > max(near, default=0):
            return
        between.append(day)
        if place in near or place + 1 in near:
            yield between
            between = []


def begun(folder: Path, kind: str) -> tuple[Path, Replay]:
    """A feed in a project of its own, and where its files land; ``kind``: the source's, if not what is proposed."""
    root = WORK / "feeds" / folder.name
    shutil.rmtree(root, ignore_errors=True)
    landing = root / "landing" / folder.name
    shutil.copytree(folder, landing)
    for path in landing.iterdir():
        os.utime(path, (time.time() - _OLD, time.time() - _OLD))
    os.environ["HOLDFAST_ROOT"] = str(root)
    os.environ.setdefault("HOLDFAST_SPARK_CONF", _SPARK)
    made = look(str(landing), settings := Settings.of_new(), Copies(settings))[0]
    if kind:
        own = rows_of([[path] for path in sorted(landing.iterdir())[:2]], made.source)[0]
        made = replace(made, source=made.source | {"kind": kind}, key=key_of(*own) if kind == "snapshot" else made.key)
    write(settings, DATASET, [made])
    return landing, Replay(folder.name, str(made.source["kind"]), list(made.key))


def replay(folder: Path, labelled: Mapping[str, Label], kind: str) -> Replay:
    """A feed through a project of its own; ``kind`` is the source's, where it is not to be what is proposed."""
    landing, found = begun(folder, kind)
    for days in runs_of(sorted(path.stem for path in landing.iterdir()), labelled):
        began = time.process_time()
        label = labelled.get(days[-1])
        is_for_good = label is not None and label.kind == "incident"
        told = applied(days[-1], [landing / f"{day}.csv" for day in days], is_for_good=is_for_good)
        if len(days) == 1:
            found.seconds += time.process_time() - began
            found.rows += sum(1 for _ in (folder / f"{days[0]}.csv").open("rb")) - 1
            found.told[days[0]] = told
    return found


def applied(label: str, files: Sequence[Path], *, is_for_good: bool) -> list[str]:
    """Applies the deltas up to one; gives the first lines of its messages that are no good news.

    A person answers once that other columns came and, of what has changed for good, that a column has another type.
    """
    plan = steps.plan(DATASET, label=label)
    run_id = plan["run_id"]
    if plan["refused"] and not plan["pending"]:
        return [f"refused: {held['reason']}" for held in plan["refused"]]
    try:
        for held in steps.refused([steps.ingest(DATASET, run_id, name) for name in plan["pending"]]):
            raise InputError(held["reason"], remedy=held["remedy"])
    except HoldfastError as refused:
        said = [f"refused: {refused.what}"]
        other = _OTHER_TYPE.search(refused.what) if is_for_good else None
        if other or any(words in refused.what for words in _OTHER_COLUMNS):
            _follow({other["column"]: _type_of(other["value"])} if other else {})
            return said + applied(label, files, is_for_good=False)
        for path in files:
            path.unlink()
        return said
    for name in plan["pending"]:
        steps.maintain_table(DATASET, run_id, name)
    steps.maintain_inclusions(DATASET, run_id)
    number = steps.commit(DATASET, run_id)["version"]
    steps.diff(DATASET, run_id)
    work = Workspace.open(DATASET)
    work.catalog.mark_published(DATASET, number)
    waiting = {d.key: d.body for d in work.catalog.outbox.undelivered(DATASET) if d.version == number}
    return [_first(body) for body in waiting.values() if not (body.get("brief") or {}).get("good_news")]


def _type_of(value: str) -> str:
    return "float" if re.fullmatch(r"[-+]?\d+[.,]\d+", value) else "string"


def _follow(types: Mapping[str, str]) -> None:
    path = Settings.discover().datasets_dir / f"{DATASET}.yaml"
    configured = yaml.safe_load(path.read_text(encoding="utf-8"))
    for options in configured["tables"].values():
        options["schema_changes"] = "follow"
        columns = options.setdefault("columns", {})
        for name, kind in types.items():
            columns[name] = columns.get(name, {}) | {"type": kind}
    path.write_text(yaml.safe_dump(configured), encoding="utf-8")


def _first(body: Mapping[str, Any]) -> str:
    return str(body["title"])


def _is_right(label: Label, told: Sequence[str]) -> bool:
    return bool(told) and any(word.casefold() in told[0].casefold() for word in label.cause.split("|"))


def _asks(said: str) -> bool:
    """Whether a message asks if an error told two days before is a change for good."""
    return said.endswith(_ASKED)


def _line(found: Replay, labelled: Mapping[str, Label]) -> list[object]:
    clean = [day for day in found.told if day not in labelled]
    cells: list[object] = [found.feed, found.kind, ", ".join(found.key) or "none", len(clean)]
    cells.append(sum(any(not _asks(said) for said in found.told[day]) for day in clean))
    cells.append(sum(any(map(_asks, found.told[day])) for day in clean))
    for kind in ("incident", "error"):
        of_kind = [day for day, label in labelled.items() if label.kind == kind and day in found.told]
        cells.append(f"{sum(bool(found.told[day]) for day in of_kind)} of {len(of_kind)}" if of_kind else "")
    known = [day for day in labelled if day in found.told]
    cells.append(f"{sum(_is_right(labelled[day], found.told[day]) for day in known)} of {len(known)}")
    cells.append(f"{found.seconds / max(1, len(found.told)):.1f}")
    return cells


def main() -> int:
    """Replays the feeds and prints, per day, what was told, then a line for each feed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folders of files named by days, and labels.csv")
    parser.add_argument("--kind", default="", help="the sources' kind; by default what init proposes")
    parser.add_argument("feeds", nargs="*", help="only these")
    options = parser.parse_args()
    labels, lines = labels_of(options.data), []
    logging.disable(logging.WARNING)
    for folder in sorted(path for path in options.data.iterdir() if path.is_dir()):
        if options.feeds and folder.name not in options.feeds:
            continue
        labelled = labels.get(folder.name, {})
        found = replay(folder, labelled, options.kind)
        for day, told in sorted(found.told.items()):
            label = labelled.get(day)
            if told or label:
                known = f"[{label.kind}: {label.what}]" if label else "[clean]"
                said = "".join(f"    {line}\n" for line in told) or "    –\n"
                sys.stdout.write(f"{folder.name} {day} {known}\n{said}")
                sys.stdout.flush()
        (WORK / "feeds" / f"{folder.name}.json").write_text(json.dumps(vars(found)), encoding="utf-8")
        lines.append(_line(found, labelled))
    header = [
        "feed",
        "kind",
        "key",
        "clean days",
        "with an alert",
        "asked",
        "incidents told",
        "errors told",
        "right headline",
    ]
    sys.stdout.write(f"{table([*header, 'CPU s a day'], lines)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
