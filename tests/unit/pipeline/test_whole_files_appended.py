"""Files that are the whole table each, where the first one alone was taken for new rows, by real runs."""

import random

import pyarrow as pa
from helpers.changing import changed, dataset, land

from profiling_core.pipeline import steps
from profiling_core.pipeline.init.proposal import speaking
from profiling_core.pipeline.workspace import Workspace


def articles(place, day, *, price=7, number=30):
    """Articles without a number of their own; the price of two of them is another one each day."""
    rows = [f"{'' if i % 5 else 'A'},name {i},{price * i if i > 1 else day}" for i in range(number)]
    land(place, "articles", f"2024-05-{day:02d}", ["class,name,price", *rows])


def told(name):
    return [(one.opened, one.diagnosis.headline) for one in Workspace.open(name).catalog.incidents(name)]


def test_nearly_the_same_rows_are_no_new_ones_and_told_once(tmp_path):
    with dataset(tmp_path, "shop", key="", kind="append", articles={}):
        articles(tmp_path, 1)
        changed("shop")
        for day in (2, 3, 4):
            articles(tmp_path, day)
            plan = steps.plan("shop")
            refused = steps.ingest("shop", plan["run_id"], "articles")["refused"]
            assert "28 of 30 rows of the first file are in the next one" in refused["what"]
            assert refused["remedy"].startswith("where each file is the whole table, set kind: snapshot under source")
        assert len(told("shop")) == 1
        path = tmp_path / "datasets" / "shop.yaml"
        path.write_text(path.read_text("utf-8").replace("append", "snapshot"), "utf-8")
        work = changed("shop")
        assert work.catalog.current("shop").tables["articles"].rows == 30


def test_the_same_file_each_day_is_told_once_while_the_first_lies_there(tmp_path):
    with dataset(tmp_path, "shop", key="", kind="append", articles={}):
        land(tmp_path, "articles", "2024-05-01", ["name,price", "a,1", "b,2"])
        changed("shop")
        counts = []
        for day in (2, 3, 4):
            land(tmp_path, "articles", f"2024-05-{day:02d}", ["name,price", "a,1", "b,2"])
            plan = steps.plan("shop")
            counts.append((len(plan["refused"]), plan["refused_before"], len(told("shop"))))
        (tmp_path / "articles" / "2024-05-02.csv").unlink()
        steps.plan("shop")
        opened = [label for label, _ in told("shop")]
    assert counts == [(1, 0, 1), (0, 2, 1), (0, 3, 1)]
    assert sorted(opened) == ["2024-05-02", "2024-05-03"]


def test_rows_that_repeat_within_a_file_are_new_ones(tmp_path):
    rng = random.Random(1)
    with dataset(tmp_path, "shop", key="", kind="append", sales={}):
        for day in (1, 2, 3):
            rows = [f"{rng.choice('abc')},{rng.choice('12')}" for _ in range(40)]
            land(tmp_path, "sales", f"2024-05-{day:02d}", ["name,price", *rows])
            work = changed("shop")
    assert work.catalog.current("shop").tables["sales"].rows == 120


def test_rows_with_nulls_come_again():
    first = pa.table({"class": ["A", None, None], "name": ["x", "y", "z"]})
    assert speaking([first, first]).kind == "snapshot"


def test_init_takes_rows_that_repeat_within_a_file_for_new_ones():
    rows = pa.table({"name": ["x", "y"] * 20, "price": [1, 1, 2, 2] * 10})
    assert speaking([rows, rows.slice(1)]).kind == "append"
