"""``profiling_core.Dataset``: frames of four libraries go in, and what each delta changed comes out."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import profiling_core as hf
from profiling_core.model.errors import ConfigurationError, InputError

pytestmark = [pytest.mark.spark, pytest.mark.slow]
ROWS = pd.DataFrame(
    {
        "customer": [f"c{i:02}" for i in range(60)],
        "zip": [f"{10 + i % 7}" for i in range(60)],
        "city": [f"<b>{i % 7}</b>" for i in range(60)],
    }
)
RULE = "{zip} → city"


@pytest.fixture(scope="module")
def walked(spark, tmp_path_factory):
    place = tmp_path_factory.mktemp("library")
    shop = hf.Dataset("shop", place)
    first = shop.apply({"customers": ROWS}, delta_id="1")
    quiet = shop.apply(pl.DataFrame({"customer": ["c60"], "zip": ["10"], "city": ["<b>0</b>"]}), delta_id="2")
    broke = shop.apply(
        spark.createDataFrame([("c03", "13", "<i>Elsewhere</i>")], ["customer", "zip", "city"]), delta_id="3"
    )
    mended = shop.apply(
        pa.table({"customer": ["c03"], "zip": ["13"], "city": ["<b>3</b>"], "_op": ["update"]}), delta_id="4"
    )
    return shop, (first, quiet, broke, mended)


def states(shop) -> dict[str, str]:
    return {found["constraint"]: found["state"] for found in shop.constraints}


def test_frames_of_any_library_are_deltas_of_one_table(walked):
    _, versions = walked
    assert [changes.version for changes in versions] == [1, 2, 3, 4]
    assert [changes.arrived["customers"]["inserts"] for changes in versions] == [60, 1, 0, 0]
    assert [changes.arrived["customers"]["updates"] for changes in versions] == [0, 0, 1, 1]


def test_rules_of_a_spark_data_frame_are_those_of_its_rows(spark):
    """Typed as Spark types them: integers, decimals, days and moments."""
    days = [date(2024, 1, 1) + timedelta(days=i * 7 % 90) for i in range(200)]
    rows = pa.table(
        {
            "order_id": pa.array(range(1000, 1200), pa.int32()),
            "net": pa.array([Decimal(i * 37 % 901) / 100 for i in range(200)], pa.decimal128(10, 2)),
            "shipping": pa.array([Decimal(i * 53 % 311) / 100 for i in range(200)], pa.decimal128(10, 2)),
            "ordered_on": pa.array(days, pa.date32()),
            "due_on": pa.array([day + timedelta(days=14) for day in days], pa.date32()),
            "status": ["paid" if i % 3 else "open" for i in range(200)],
            "paid_at": pa.array(
                [datetime(2024, 6, 1, i % 24, tzinfo=UTC) if i % 3 else None for i in range(200)],
                pa.timestamp("us", "UTC"),
            ),
        }
    )
    total = pa.array([a + b for a, b in zip(rows["net"].to_pylist(), rows["shipping"].to_pylist(), strict=True)])
    rows = rows.append_column("total", total.cast(pa.decimal128(10, 2)))
    found = hf.discover(spark.createDataFrame(rows), name="orders")
    assert [one["text"] for one in found] == [one["text"] for one in hf.discover(rows, name="orders")]
    assert {one["text"] for one in found} >= {
        "unique {order_id}",
        "total = net + shipping",
        "due_on = ordered_on + 14 days",
        "status = paid ⇔ paid_at is there",
    }
    assert "<table" in found._repr_html_()


def test_what_broke_is_told_with_its_rows_and_what_recovers_too(walked):
    shop, (_, quiet, broke, mended) = walked
    assert "broke" not in {change["change"] for change in quiet}
    (change,) = [change for change in broke if change["constraint"] == RULE and change["change"] == "broke"]
    assert change["rows"][0]["customer"] == "c03"
    assert "recovered" in {change["change"] for change in mended if change["constraint"] == RULE}
    assert states(shop)[RULE] == "recovered"
    assert f"\n  customers: broke {RULE}" in repr(broke)
    assert f"customers: {RULE}  [recovered since 4]" in repr(shop.constraints).splitlines()


def test_a_constraint_is_explained_with_its_history(walked):
    shop, _ = walked
    explained = shop.explain("zip->city").to_dict()
    assert explained["constraint"] == RULE
    assert {change["version"] for change in explained["changes"]} >= {3, 4}


def test_a_notebook_shows_names_and_values_as_text(walked):
    shop, (_, _, broke, _) = walked
    shown = shop._repr_html_() + broke._repr_html_() + shop.explain("zip->city")._repr_html_()
    assert "&lt;i&gt;Elsewhere&lt;/i&gt;" in shown
    assert "<i>" not in shown
    assert "<b>" not in shown


def test_what_does_not_fit_is_told(walked):
    shop, _ = walked
    with pytest.raises(InputError, match="has landed already"):
        shop.apply(ROWS, delta_id="4")
    with pytest.raises(InputError, match="no table 'orders'"):
        shop.apply({"orders": ROWS}, delta_id="5")
    with pytest.raises(InputError, match="is not a delta id"):
        shop.apply(ROWS, delta_id="../5")
    assert shop.changes.version == 4


def test_what_is_no_table_begins_nothing(tmp_path):
    with pytest.raises(InputError, match="is no table"):
        hf.Dataset("nothing", tmp_path).apply([1, 2, 3])
    assert not list(tmp_path.rglob("*.yaml"))


def test_rows_that_are_refused_stand_before_nothing(tmp_path):
    shop = hf.Dataset("shop", tmp_path)
    shop.apply({"a": ROWS, "b": ROWS}, delta_id="1")
    more = ROWS.assign(customer="d" + ROWS["customer"])
    with pytest.raises(InputError, match=r"the rows of b are not applied; the rows of a are applied: .*'zip'"):
        shop.apply({"a": more, "b": more.rename(columns={"zip": "plz"})}, delta_id="2")
    assert [path.name for path in (tmp_path / "landing/shop/b").iterdir()] == ["1"]
    assert shop.apply({"b": more}, delta_id="2").arrived["b"]["inserts"] == 60
    for _ in range(2):  # the second time no run tells it
        with pytest.raises(InputError, match="delta 0 is late"):
            shop.apply({"b": ROWS.assign(customer="e" + ROWS["customer"])}, delta_id="0")
    assert {path.name for path in (tmp_path / "landing/shop/b").iterdir()} == {"1", "2"}


def test_a_first_delta_that_is_refused_begins_nothing(tmp_path):
    with pytest.raises(ConfigurationError, match="names a column 'nope'"):
        hf.Dataset("shop", tmp_path, keys={"customers": ("nope",)}).apply({"customers": ROWS})
    assert not [*tmp_path.rglob("*.yaml"), *tmp_path.rglob("*.parquet")]
    shop = hf.Dataset("shop", tmp_path, keys={"customers": ("zip", "customer")})
    assert shop.apply({"customers": ROWS}).arrived["customers"]["inserts"] == 60
