"""Rejected rows are told until three loads had some of their kind, and whose rows a refusal is about, by real runs."""

import json
import random

from helpers.changing import changed, dataset, land

from profiling_core.pipeline import steps
from profiling_core.pipeline.workspace import Workspace


def day_of(place, number, *wrong):
    rng = random.Random(number)
    rows = [f"{100 * number + i},{rng.randrange(90)},t{rng.randrange(3)}" for i in range(25)]
    land(place, "orders", f"2024-05-{number:02d}", ["number,amount,town", *rows, *wrong])


def test_single_rejects_are_told_until_three_loads_had_their_kind(tmp_path):
    told = []
    with dataset(tmp_path, "shop", key="number", kind="append", orders={}):
        for number in range(1, 5):
            day_of(tmp_path, number)
        changed("shop")
        for number in range(5, 12):
            day_of(tmp_path, number, *([f"{100 * number + 99},many,t1"] if number % 2 else []))
            work = changed("shop")
            records = work.catalog.alerts("shop", work.catalog.current("shop").number)
            told.append([json.loads(json.dumps(record.body))["title"] for record in records])
    assert [len(day) for day in told] == [1, 0, 1, 0, 1, 0, 0], told
    assert "1 of 26 rows was rejected: wrong type in amount" in told[4][0]


def test_message_of_several_refused_deltas_says_whose_rows_are_rejected(tmp_path):
    with dataset(tmp_path, "shop", key="number", kind="append", orders={}):
        day_of(tmp_path, 1)
        changed("shop")
        for number in (2, 3, 4):
            day_of(tmp_path, number, *(["9,many,t1"] * 5 if number == 3 else []))
        plan = steps.plan("shop")
        refused = steps.ingest("shop", plan["run_id"], "orders")["refused"]
        (incident,) = Workspace.open("shop").catalog.incidents("shop")
    assert refused["gist"] == "of 2024-05-03 5 of its 30 rows are rejected (wrong type in amount)"
    assert incident.diagnosis.headline == (
        "deltas 2024-05-02, 2024-05-03, 2024-05-04 are refused, and nothing of them was applied: "
        "of 2024-05-03 5 of its 30 rows are rejected (wrong type in amount)"
    )


def test_rejects_are_since_the_delta_of_their_table_that_has_them(tmp_path):
    with dataset(tmp_path, "shop", key="number", kind="append", orders={}, towns={"key": "town"}):
        for number in (1, 2):
            day_of(tmp_path, number)
            land(tmp_path, "towns", f"towns_2024-05-{number:02d}", ["town,area", f"t{number},7", f"u{number},8"])
            changed("shop")
        day_of(tmp_path, 3, "399,many,t1")
        day_of(tmp_path, 4)
        land(tmp_path, "towns", "towns_2024-05-03", ["town,area", "t3,7", "u3,8"])
        (incident,) = (i for i in changed("shop").catalog.incidents("shop") if i.table == "orders")
    assert (incident.diagnosis.kind, incident.opened) == ("rejects", "2024-05-03")
