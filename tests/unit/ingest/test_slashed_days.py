"""Days with slashes: values tell what comes first, or the table's other columns do, or they stay text."""

from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.ledger import Ledger

from profiling_core.ingest.files import read_table
from profiling_core.ingest.infer import infer_schema
from profiling_core.ingest.slashed_days import Slashed, are_slashed, orders_of, with_year_first
from profiling_core.ingest.text_values import cast_text, possible_types
from profiling_core.model.schema import Column
from profiling_core.model.types import DayOrder, LogicalType


def columns_of(**texts: list[str | None]) -> dict[str, Column]:
    table = pa.table({name: pa.array(column, pa.string()) for name, column in texts.items()})
    return {column.name: column for column in infer_schema("t", table).columns}


@pytest.mark.parametrize(
    ("texts", "kind", "order"),
    [
        (["31/05/2024", "1/2/2024"], LogicalType.DATE, DayOrder.DAY_FIRST),
        (["5/31/2024", "01/02/2024", None], LogicalType.DATE, DayOrder.MONTH_FIRST),
        (["31/05/2024 10:11", "01/02/2024 00:00:30"], LogicalType.TIMESTAMP, DayOrder.DAY_FIRST),
        (["2024-05-31", "31.05.2024", "31/05/2024"], LogicalType.DATE, DayOrder.DAY_FIRST),
        (["01/02/2024", "03/04/2024"], LogicalType.STRING, None),
        (["31/05/2024", "05/31/2024"], LogicalType.STRING, None),
        (["30/02/2024", "31/05/2024"], LogicalType.STRING, None),
        (["2024-05-31"], LogicalType.DATE, None),
        (["31/05/24"], LogicalType.STRING, None),
        ([None], LogicalType.STRING, None),
    ],
)
def test_values_tell_what_comes_first(texts: list[str | None], kind: LogicalType, order: DayOrder | None) -> None:
    column = columns_of(day=texts)["day"]
    assert (column.type, column.day_order) == (kind, order)


def test_other_columns_decide_where_they_agree() -> None:
    open_one = ["01/02/2024", "03/04/2024"]
    assert columns_of(due=open_one, paid=["01/31/2024", "01/02/2024"])["due"].day_order is DayOrder.MONTH_FIRST
    apart = columns_of(due=open_one, paid=["01/31/2024", "01/02/2024"], born=["31/01/1990", "01/02/1991"])
    assert apart["due"].type is LogicalType.STRING


def test_parts_of_a_column_say_together_what_the_whole_says() -> None:
    texts = ["01/02/2024", "2024-01-01", "13/02/2024", None, "x", "02/13/2024", "01/02/2024 10:00"]
    for first in range(len(texts)):
        for last in range(first, len(texts) + 1):
            for cut in range(first, last + 1):
                parts = [possible_types(pa.array(part, pa.string())) for part in (texts[first:cut], texts[cut:last])]
                assert parts[0] & parts[1] == possible_types(pa.array(texts[first:last], pa.string()))


def test_days_are_read_in_their_order_and_others_are_at_fault() -> None:
    day = Column("day", LogicalType.DATE, ordered=True, day_order=DayOrder.MONTH_FIRST)
    values, bad = cast_text(pa.array(["5/1/2024", "12/31/2023", "31/12/2023", None, "2024-02-29"]), day)
    assert values.to_pylist() == [date(2024, 5, 1), date(2023, 12, 31), None, None, date(2024, 2, 29)]
    assert bad.tolist() == [False, False, True, False, False]
    at = Column("at", LogicalType.TIMESTAMP, ordered=True, day_order=DayOrder.DAY_FIRST)
    assert cast_text(pa.array(["1/5/2024 06:30"]), at)[0].to_pylist() == [datetime(2024, 5, 1, 6, 30, tzinfo=UTC)]


def test_a_day_with_slashes_needs_an_order() -> None:
    day = Column("day", LogicalType.DATE, ordered=True)
    assert cast_text(pa.array(["31/05/2024"]), day)[1].tolist() == [True]


def test_texts_are_brought_into_isos_form() -> None:
    texts = pa.array(["1/2/2024", "01/02/2024 10:00", "a/b", None])
    assert with_year_first(texts, DayOrder.DAY_FIRST).to_pylist() == ["2024-02-01", "2024-02-01 10:00", "a/b", None]
    assert are_slashed(texts)
    assert not are_slashed(pa.array(["1/2", "12/2024"]))
    assert orders_of({Slashed.DAY_FIRST, LogicalType.STRING}) == {DayOrder.DAY_FIRST}


def test_the_order_is_kept_with_the_column() -> None:
    day = Column("day", LogicalType.DATE, ordered=True, day_order=DayOrder.DAY_FIRST)
    plain = Column("day", LogicalType.DATE, ordered=True)
    assert Column.from_json(day.to_json()) == day
    assert Column.from_json(plain.to_json()) == plain
    assert "day_order" not in plain.to_json()


def test_a_files_days_are_read(tmp_path: Path) -> None:
    path = tmp_path / "bills.csv"
    path.write_text("no,on,due\n1,12/01/2024,01/02/2024\n2,31/01/2024,10/02/2024\n", encoding="utf-8")
    rows = read_table(path)[1]
    assert rows["due"].to_pylist() == [date(2024, 2, 1), date(2024, 2, 10)]


@pytest.mark.parametrize("options", [{}, {"columns": {"paid": {"type": "date"}}}])
def test_a_table_keeps_the_order_that_it_began_with(tmp_path: Path, options: dict[str, object]) -> None:
    """A later day that could be read both ways is read as the first were; one in the other order is set aside."""
    landing = tmp_path / "landing"
    landing.mkdir()
    ledger = Ledger(tmp_path, {"path": "landing", "format": "csv", "kind": "append"}, options)
    (landing / "1.csv").write_text("no,paid\n1,31/05/2024\n2,1/6/2024\n", encoding="utf-8")
    assert ledger.run() == []
    (landing / "2.csv").write_text("no,paid\n3,02/07/2024\n4,07/31/2024\n", encoding="utf-8")
    rejected = ledger.run()
    assert [row["paid"] for row in ledger.values()] == [date(2024, 5, 31), date(2024, 6, 1), date(2024, 7, 2)]
    assert len(rejected) == 1
    assert "07/31/2024" in str(rejected[0])


def test_days_with_slashes_in_json_lines_are_read(tmp_path: Path) -> None:
    landing = tmp_path / "landing"
    landing.mkdir()
    (landing / "1.jsonl").write_text('{"no": 1, "paid": "5/31/2024"}\n{"no": 2, "paid": null}\n', encoding="utf-8")
    ledger = Ledger(tmp_path, {"path": "landing", "format": "jsonl", "kind": "append"})
    assert ledger.run() == []
    assert [row["paid"] for row in ledger.values()] == [date(2024, 5, 31), None]
