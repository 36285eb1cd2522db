"""What init proposes where a column has other types in other files: types are united as ingest unites them."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.model.errors import ConfigurationError, InputError
from profiling_core.pipeline.init.looking import look
from profiling_core.pipeline.init.writing import write
from profiling_core.state.settings import Settings


@pytest.mark.parametrize(
    ("first", "second", "null"),
    [
        ("", "1,5\n2,6", None),
        ("1,5\n2,6", "1,5.5\n3,6.5", None),
        ("1,5\n2,6", "1,5\n2,NA", "NA"),
        ("1,1004\n2,1005", "1,A1004\n2,1005", None),
        ("1,2024-01-01\n2,2024-01-02", "1,2024-01-01 10:00:00\n2,2024-01-02 11:00:00", None),
        ("1,true\n2,false", "1,1\n2,0", None),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_two_files_of_other_types_are_proposed_as_one_table(tmp_path: Path, first: str, second: str, null, order: int):
    folder = tmp_path / "orders"
    folder.mkdir()
    for day, rows in enumerate([first, second][::order], 1):
        (folder / f"2024-01-0{day}.csv").write_text(f"id,x\n{rows}\n" if rows else "id,x\n")
    (made,) = look(str(folder), Settings.discover(tmp_path, {"HOLDFAST_ROOT": str(tmp_path)}))
    assert made.key == ("id",)
    assert made.nulls == ({"x": [null]} if null else {})


@pytest.mark.parametrize(
    ("types", "said"),
    [
        ([pa.int32(), pa.float64(), pa.decimal128(10, 2), pa.int64(), pa.int8()], ""),
        ([pa.int32(), pa.int32(), pa.int32(), pa.string(), pa.int32()], "'x' is integer in the files before, but str"),
        ([pa.date32(), pa.timestamp("us"), pa.bool_()], "'x' is timestamp in the files before, but boolean here"),
    ],
)
def test_parquet_files_are_proposed_if_ingest_can_unite_their_types(
    tmp_path: Path, types: list[pa.DataType], said: str
):
    (tmp_path / "orders").mkdir()
    for day, type_ in enumerate(types, 1):
        rows = pa.table({"id": [2 * day, 2 * day + 1], "x": pa.nulls(2, type_)})
        pq.write_table(rows, tmp_path / "orders" / f"2024-01-0{day}.parquet")
    settings = Settings.discover(tmp_path, {"HOLDFAST_ROOT": str(tmp_path)})
    if said:
        with pytest.raises(InputError, match=said):
            look(str(tmp_path / "orders"), settings)
    else:
        assert [made.key for made in look(str(tmp_path / "orders"), settings)] == [("id",)]


def test_empty_file_beside_others_is_passed_over_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    folder = tmp_path / "orders"
    folder.mkdir()
    for day, text in enumerate(["id,x\n1,a\n", "", "id,x\n2,b\n"], 1):
        (folder / f"2024-01-0{day}.csv").write_text(text)
    (made,) = look(str(folder), Settings.discover(tmp_path, {"HOLDFAST_ROOT": str(tmp_path)}))
    assert made.table == "orders"
    assert caplog.messages == [f"{folder / '2024-01-02.csv'} is passed over: it is empty"]


@pytest.mark.parametrize(("csv", "said"), [("2024-01-01", True), ("customers", False)])
def test_deltas_of_two_formats_are_tables_of_their_own_and_said(tmp_path: Path, caplog, csv: str, said: bool):
    folder = tmp_path / "orders"
    folder.mkdir()
    (folder / f"{csv}.csv").write_text("id,x\n1,a\n2,b\n")
    pq.write_table(pa.table({"id": [3, 4], "x": ["c", "d"]}), folder / "2024-01-02.parquet")
    made = look(str(folder), Settings.discover(tmp_path, {"HOLDFAST_ROOT": str(tmp_path)}))
    assert {one.source["format"] for one in made} == {"csv", "parquet"}
    told = f"the files of {folder} are taken for a table each: they end in .csv and .parquet, "
    assert [message.startswith(told) for message in caplog.messages] == [True] * said


@pytest.mark.parametrize(
    ("rows", "nulls"),
    [
        ([1, "n/a", 3.5], {"x": ["n/a"]}),
        (["2024-01-01", "NULL", "2024-02-01"], {"x": ["NULL"]}),
        ([True, "NA", False], {"x": ["NA"]}),
        (["1", "NULL", "3"], {}),
        (["Smith", "None", "Li"], {}),
    ],
)
def test_null_words_among_values_of_json_are_proposed(tmp_path: Path, rows: list[object], nulls: dict[str, list[str]]):
    (tmp_path / "orders").mkdir()
    lines = "".join(json.dumps({"id": i, "x": x}) + "\n" for i, x in enumerate(rows))
    (tmp_path / "orders" / "2024-01-01.jsonl").write_text(lines)
    (made,) = look(str(tmp_path / "orders"), Settings.discover(tmp_path, {"HOLDFAST_ROOT": str(tmp_path)}))
    assert made.nulls == nulls


def test_tables_that_would_have_one_name_are_named_with_their_places(tmp_path: Path):
    settings = Settings.discover(tmp_path, {"HOLDFAST_ROOT": str(tmp_path)})
    for name in ("Продажи", "Клиенты"):
        (tmp_path / "landing" / name).mkdir(parents=True)
        (tmp_path / "landing" / name / "2024-01-01.csv").write_text("id,x\n1,5\n2,6\n")
    with pytest.raises(ConfigurationError, match="Latin letters") as refused:
        write(settings, "shop", look(str(tmp_path / "landing"), settings))
    assert "Продажи" in str(refused.value)
    assert "Клиенты" in str(refused.value)


def test_parquet_file_without_columns_is_refused_as_one(tmp_path: Path):
    (tmp_path / "orders").mkdir()
    pq.write_table(pa.table({}), tmp_path / "orders" / "2024-01-01.parquet")
    with pytest.raises(InputError, match="the file has no columns"):
        look(str(tmp_path / "orders"), Settings.discover(tmp_path, {"HOLDFAST_ROOT": str(tmp_path)}))
